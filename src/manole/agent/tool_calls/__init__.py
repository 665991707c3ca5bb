"""Choosing a tool with the model, and reading the call that it wrote."""
