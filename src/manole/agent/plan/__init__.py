"""A question becomes one plan: a query over the catalog, or a search."""
