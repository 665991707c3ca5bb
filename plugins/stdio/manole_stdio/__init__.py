"""`manole stdio`: Manole for a program that starts it and speaks lines of JSON with it."""
