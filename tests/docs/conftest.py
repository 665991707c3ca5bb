"""The pages of the documentation, and a place where their commands run."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

from manole.settings import Settings

ROOT = Path(__file__).parents[2]
COLUMNS = "200"  # wide enough that no table wraps


@dataclass(frozen=True)
class Place:
    """A folder with `examples/household` in it, and an index of that elsewhere."""

    folder: Path
    environment: dict[str, str]
    first_sync: str  # what `manole index examples/household` printed the first time
    _done: dict[tuple[str, ...], subprocess.CompletedProcess[str]] = field(default_factory=dict)

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a program here, as a shell in a wide terminal would; the same one only once."""
        key = tuple(arguments)
        if key not in self._done:
            self._done[key] = run(arguments, self.folder, self.environment)
        return self._done[key]


def run(
    arguments: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="session")
def place(household_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A copy of the example folder under the name that the pages use, indexed by the program."""
    folder = tmp_path_factory.mktemp("place")
    shutil.copytree(household_folder, folder / "examples" / "household")
    shutil.copy(ROOT / "examples" / "household.questions.jsonl", folder / "examples")
    cache_dir = str(Settings.load().cache_dir)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MANOLE_")}
    environment = kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MANOLE_DATA_DIR": str(tmp_path_factory.mktemp("index")),
        "MANOLE_CACHE_DIR": cache_dir,
        "COLUMNS": COLUMNS,
    }
    done = run(["manole", "index", "examples/household"], folder, environment)
    assert done.returncode == 0, done.stderr
    return Place(folder, environment, done.stdout)


@pytest.fixture(scope="session")
def tables() -> ModuleType:
    """The program that writes the pages' tables."""
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
