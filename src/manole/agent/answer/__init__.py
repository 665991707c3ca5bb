"""From what was found to an answer: evidence, the model, grounding, citations."""
