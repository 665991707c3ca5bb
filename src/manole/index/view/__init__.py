"""Showing what was found: a file or a page as the index has it, with quotations marked."""
