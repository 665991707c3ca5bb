"""Other ways from a question to an answer, for comparison with the agent (README.md)."""
