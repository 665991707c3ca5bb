"""Files that are versions of one another."""
