"""A field of many papers: found, read, checked, counted by code."""
