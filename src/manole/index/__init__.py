"""Passages to something searchable: the store, keeping it in step with the files, hybrid search."""
