"""The answer from what was found: evidence, the model, grounding, citations."""
