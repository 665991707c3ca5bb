"""Tests of the conversations that last."""
