"""From a question to what is to be done: rewriting, clauses, the keyword router."""
