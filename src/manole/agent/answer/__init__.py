"""Makes an answer from what was found: evidence, the model, grounding, citations."""
