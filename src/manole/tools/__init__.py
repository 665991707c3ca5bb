"""The agent's tools, and the state that they share during a turn."""
