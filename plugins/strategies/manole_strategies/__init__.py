"""Other ways from a question to an answer, to compare the agent with (README.md)."""
