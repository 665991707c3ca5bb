"""Scores answers and retrieval on questions with known answers."""
