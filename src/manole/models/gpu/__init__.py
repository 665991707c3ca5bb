"""Graphics processors: which there are, what has room on them, and what was learnt of them."""
