"""These tests stand apart from `tests`: see README.md."""
