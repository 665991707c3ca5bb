"""Makes follow-up questions stand alone."""
