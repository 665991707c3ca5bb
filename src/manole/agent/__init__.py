"""A turn: a question becomes a plan, the plan is run, and its result becomes an answer."""
