"""What is made once a run, however many workers it has."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A temporary folder that all workers of this run see."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Have `make` fill `folder`, unless another worker has; wait for one that does."""
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            part = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(part, ignore_errors=True)  # of a worker that failed
            make(part)
            part.rename(folder)
    return folder
