"""The fixtures of `tests`, and those of its commands."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[3] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "cli")]
pytest_plugins = ["common_fixtures"]

from cli.conftest import environment, manole  # noqa: E402, F401
