"""Questions about all of a file or a folder: what it mentions, its chapters, what it holds."""
