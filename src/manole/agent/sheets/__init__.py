"""Answers about tables: the model writes a query, code checks, runs and cites it."""
