"""What this machine can do: which models it has room for, and the options fastest on it."""
