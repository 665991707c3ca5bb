"""Noticing that files changed, so that a sync reads only those."""
