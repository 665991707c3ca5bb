"""Scoring answers and retrieval against questions whose truth is known."""
