"""Answers from a journal: several searches, their entries kept together, one contrast."""
