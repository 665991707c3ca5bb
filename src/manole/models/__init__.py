"""Weights and inference: where models come from and how they are run."""
