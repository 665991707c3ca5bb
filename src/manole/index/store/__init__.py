"""Keeps passages: the `Store` protocol, LanceDB behind it, and what makes it durable."""
