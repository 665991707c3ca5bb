"""Deciding which tool to use, and answering from what the tools found."""
