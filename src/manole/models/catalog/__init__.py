"""The tables of models: their files, the sources of these, and how each model is to be used."""
