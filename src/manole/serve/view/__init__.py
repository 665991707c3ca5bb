"""What the page shows of a file: its text, tables, speech and words, with a place marked."""
