"""The fixtures of `tests`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "tests"))
pytest_plugins = ["common_fixtures"]
