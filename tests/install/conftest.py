"""The wheel as a stranger gets it, in an environment that has nothing else of Manole.

What this stands for is `pip install manole` on a fresh machine. The sdist is made from the source
and the wheel from the unpacked sdist, as package indexes and installers do. The wheel goes into an
empty virtual environment, and beside it, as links to the tests' own environment, the packages that
its metadata asks for, and theirs: what a dependency was forgotten for is missing here too. They are
not downloaded again. HOME is empty; weights are those of the user's cache.
"""

from __future__ import annotations

import importlib.metadata as metadata
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import shared
from manole.settings import Settings

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "locks"))
from needed import closure  # noqa: E402


def ran(*command: object, **more: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and an empty folder to call it from."""

    environment: Path
    home: Path

    @property
    def packages(self) -> Path:
        (found,) = self.environment.glob("lib/python3*/site-packages")
        return found

    @property
    def variables(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": f"{self.environment / 'bin'}:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "MANOLE_CACHE_DIR": str(Settings.load().cache_dir),
        }

    def run(self, *command: object, **more: str) -> subprocess.CompletedProcess[str]:
        return ran(*command, env=self.variables | more, cwd=self.home)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, its files (`source`), and the wheel that these give."""

    def make(folder: Path) -> None:
        folder.mkdir()
        hatch = (sys.executable, "-m", "hatchling", "build", "-d", folder)
        ran(*hatch, "-t", "sdist", cwd=ROOT)
        with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        next(folder.glob("manole-*/")).rename(folder / "source")
        ran(*hatch, "-t", "wheel", cwd=folder / "source")

    return shared.once(shared.run_folder(tmp_path_factory) / "built", make)


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("installed")
    there = Installed(place / "environment", place / "home")
    there.home.mkdir()
    ran(sys.executable, "-m", "venv", "--without-pip", there.environment)
    ran(sys.executable, "-m", "pip", "--python", there.environment / "bin" / "python", "install",
        "--quiet", "--no-deps", "--no-index", wheel)  # fmt: skip
    for name in closure():
        _link(metadata.distribution(name), there.packages)
    return there


def _link(package: metadata.Distribution, folder: Path) -> None:
    for top in {file.parts[0] for file in package.files or ()} - {os.pardir, "__pycache__"}:
        if not (folder / top).exists():
            (folder / top).symlink_to(Path(str(package.locate_file(top))).absolute())
