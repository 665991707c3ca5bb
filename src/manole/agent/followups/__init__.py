"""Follow-up questions, and what they lean on."""
