"""The table of models: what each file is, where it can be had, and how it wants to be used."""
