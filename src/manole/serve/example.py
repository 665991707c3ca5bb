"""The example: the papers of an invented family, for people who want to try Manole first.

It comes with the program (`manole/example` in a wheel, `examples/household` in a checkout). A copy
in the data folder is indexed, which the person may change and which survives an update. Neither
git nor a wheel keeps the files' own times, which questions ask about; so a table holds them.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import manole
from manole import private
from manole.errors import LibraryError

_NOON = 12  # UTC: nearly everywhere the same calendar day


def example_folder(data_dir: Path) -> Path:
    """Return the copy of the example in the data folder; make it where there is none yet.

    A copy that exists is left as it is. Raises `LibraryError`.
    """
    place = data_dir / "example"
    if place.is_dir():
        return place
    papers, dates = _origin()
    try:
        private.make(data_dir)
        with tempfile.TemporaryDirectory(dir=data_dir, prefix=".example-") as made:
            copy = Path(made) / "example"
            _copy(papers, copy)
            _set_dates(copy, dates)
            copy.rename(place)
    except OSError as error:
        if place.is_dir():  # another process was quicker
            return place
        raise LibraryError(
            f"The example cannot be copied to {place}: {error.strerror or error}.",
            "Check the disk of data_dir.",
        ) from None
    return place


def _origin() -> tuple[Path, Path]:
    """Return the folder of the papers, and the table of their dates. Raises `LibraryError`."""
    package = Path(manole.__file__).parent
    checkout = package.parents[1] / "examples"
    for papers, dates in (
        (package / "example" / "household", package / "example" / "dates.json"),
        (checkout / "household", checkout / "household_maker" / "dates.json"),
    ):
        if papers.is_dir() and dates.is_file():
            return papers, dates
    raise LibraryError(
        "The example did not come with this installation.", "Choose a folder of your own."
    )


def _copy(papers: Path, copy: Path) -> None:
    """Copy contents without modes: an installation may be read-only, the copy must not be."""
    for source in papers.rglob("*"):
        if source.is_file():
            target = copy / source.relative_to(papers)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _set_dates(folder: Path, dates: Path) -> None:
    for path, day in json.loads(dates.read_text("utf-8")).items():
        moment = datetime.fromisoformat(day).replace(hour=_NOON, tzinfo=UTC).timestamp()
        os.utime(folder / path, (moment, moment))
