"""Tests of the extra `cluster`; see README.md."""
