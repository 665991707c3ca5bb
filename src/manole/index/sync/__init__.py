"""Bringing an index up to date with its folders: plan, read, record, embed, see, listen."""
