"""Turns a question into a plan: a query over the catalog, or a search."""
