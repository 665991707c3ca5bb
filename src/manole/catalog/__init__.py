"""The facts about a library's files, as relations that SQL queries."""
