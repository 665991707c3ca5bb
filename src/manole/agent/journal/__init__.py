"""Answers from a journal that contrast several times: a search for each, one answer."""
