"""What a library knows of its files, as relations that are asked with SQL."""
