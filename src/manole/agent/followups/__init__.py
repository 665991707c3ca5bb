"""A question that leans on the conversation, made to stand alone."""
