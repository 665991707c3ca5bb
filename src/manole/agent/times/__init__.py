"""Questions about times, over the dated entries of a journal: computed by code, not by a model."""
