"""Files that are versions of one another: which they are, which is the newest, what changed."""
