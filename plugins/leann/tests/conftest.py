"""These tests stand apart from `tests`: see README.md. The contract of stores is in there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "index"))
pytest.register_assert_rewrite("contract")
