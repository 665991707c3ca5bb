"""Bytes to documents: finding files, reading them, dating them, splitting them into passages."""
