"""What the agent can do, and the shared state it does it on."""
