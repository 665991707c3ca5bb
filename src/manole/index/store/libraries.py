"""The indexes in the user's data directory: their names and descriptions, and removing one.

Each has a folder of its own, named after the library's first folder and a hash of all its paths.
`meta.json` describes it; a folder without that is no library. Listing reads these descriptions
only: neither the store nor the files themselves are opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from manole.errors import LibraryError, StoreError, UsageError
from manole.files import read_json, write_file
from manole.models.weights.files import folder_bytes
from manole.settings import Settings

FORMAT = 1
META = "meta.json"
TITLE = 80  # characters at most; set by hand
# Control characters, other ends of a line, and those that turn the direction of what follows.
STEERING = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_WRITING = threading.Lock()  # a description is read, changed and written as one step


@dataclass(frozen=True, slots=True)
class LibraryInfo:
    """An index as `manole library list` shows it. `size` is in bytes on disk.

    `exclude` are the patterns that this library leaves out beside the setting `index.exclude`,
    `title` is what a person calls it (its name stays), `languages` the estimated shares of its
    passages.
    """

    name: str
    path: Path
    roots: tuple[str, ...]
    files: int
    passages: int
    size: int
    created: str | None
    updated: str | None
    problem: str | None = None
    exclude: tuple[str, ...] = ()
    title: str | None = None
    languages: dict[str, float] = field(default_factory=dict, hash=False)


def folder_of(name: str, settings: Settings) -> Path:
    """Return the folder of the index of the library `name`."""
    return settings.data_dir / "libraries" / name


def folder_of_all(settings: Settings) -> Path:
    """Return the folder of `manole.joined`, for all libraries together."""
    return settings.data_dir / "joined"


def library_name(roots: Sequence[Path]) -> str:
    """Return a readable name, made unique by a hash: `Documents-1f3a9c04`."""
    ordered = sorted(roots)
    readable = re.sub(r"[^\w-]+", "-", ordered[0].name).strip("-")[:40] or "files"
    paths = b"\0".join(os.fsencode(root) for root in ordered)
    return f"{readable}-{hashlib.blake2b(paths, digest_size=4).hexdigest()}"


def library_names(settings: Settings) -> list[str]:
    """Return the names of every library that has an index."""
    folder = folder_of("", settings)
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if (path / META).is_file())


def libraries(settings: Settings) -> list[LibraryInfo]:
    """Return every library that has an index, by name."""
    return [_info(folder_of(name, settings)) for name in library_names(settings)]


def library_info(name: str, settings: Settings) -> LibraryInfo:
    """Return one library, by its name, or by a folder of it. Raises `UsageError`."""
    found = libraries(settings)
    wanted = os.path.abspath(Path(name).expanduser())  # noqa: PTH100  (links stay as named)
    for info in found:
        if info.name == name or info.roots == (wanted,):
            return info
    names = ", ".join(info.name for info in found) or "none"
    raise UsageError(f"There is no library called {name}.", f"There are: {names}.")


def described(path: Path, roots: Sequence[Path]) -> LibraryInfo:
    """Return the library of these folders whose index is, or will be, in `path`."""
    if (path / META).is_file():
        return _info(path)
    shown = tuple(str(root) for root in roots)
    return LibraryInfo(path.name, path, shown, 0, 0, 0, created=None, updated=None)


def remove(name: str, settings: Settings) -> LibraryInfo:
    """Delete a library's index; the files themselves stay. Raises `UsageError`."""
    from filelock import FileLock, Timeout

    info = library_info(name, settings)
    lock = FileLock(info.path / "write.lock")
    try:
        with lock.acquire(timeout=0):
            # Without this it is no library any more, even if what follows is interrupted.
            (info.path / META).unlink()
    except Timeout:
        raise LibraryError(f"{info.name} is being indexed.", "Wait until that is done.") from None
    shutil.rmtree(info.path, ignore_errors=True)
    shutil.rmtree(folder_of_all(settings), ignore_errors=True)
    return info


def rename(name: str, title: str | None, settings: Settings) -> LibraryInfo:
    """Give a library a title, or remove it. Raises `UsageError`, `LibraryError`."""
    wanted = checked_title(title)
    info = library_info(name, settings)
    if info.problem:
        raise LibraryError(f"{info.name}: {info.problem}.", "Index it again, then rename it.")
    write_meta(info.path, {"title": wanted})
    return replace(info, title=wanted)


def checked_title(text: str | None) -> str | None:
    """Return a valid title: one line of at most `TITLE` characters. Raises `UsageError`.

    `None` for an empty one.
    """
    if re.search(f"[{STEERING}]", text or ""):
        raise UsageError(
            "A title is one line, without control characters.",
            "Take line breaks, tabs and signs that are not seen out of it.",
        )
    title = (text or "").strip()
    if len(title) > TITLE:
        raise UsageError(f"A title has at most {TITLE} characters.", f"This one has {len(title)}.")
    return title or None


def read_meta(path: Path) -> dict[str, Any]:
    """Return the index's description; empty when there is none, or none that makes sense."""
    return read_json(path / META, lambda meta: dict(meta.items())) or {}


def excluded(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the patterns that a library leaves out, from its description."""
    return _texts(meta.get("exclude"))


def write_meta(path: Path, changes: dict[str, Any]) -> None:
    """Put `changes` into the description of the index in `path`. Raises `StoreError`.

    A description in another format keeps only what a person chose.
    """
    from filelock import FileLock  # 20 ms, and only who writes needs it

    try:
        with _WRITING, FileLock(path / "meta.lock"):  # a sync may write it in another process
            old = read_meta(path)
            meta = {
                "created": datetime.now(UTC).isoformat(),
                **(old if old.get("format") == FORMAT else _chosen(old)),
                "format": FORMAT,
                **changes,
            }
            write_file(path / META, json.dumps(meta, indent=1))
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror}.", "Check its disk."
        ) from error


def is_moment(text: str) -> bool:
    """Return whether a text is a moment as descriptions have it, and nothing else."""
    try:
        return bool(datetime.fromisoformat(text)) and text.isascii() and text.isprintable()
    except ValueError:
        return False


def _info(path: Path) -> LibraryInfo:
    meta = read_meta(path)
    problem = None
    if not meta:
        problem = "its description cannot be read"
    elif meta.get("format") != FORMAT:
        problem = f"made by another version (format {meta.get('format')})"
    return LibraryInfo(
        name=path.name,
        path=path,
        roots=_texts(meta.get("roots")),
        files=_count(meta.get("files")),
        passages=_count(meta.get("passages")),
        size=folder_bytes(path),
        created=_moment(meta.get("created")),
        updated=_moment(meta.get("updated")),
        problem=problem,
        exclude=excluded(meta),
        title=_title(meta.get("title")),
        languages=_shares(meta.get("languages")),
    )


def _chosen(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a description that a person chose."""
    return {"exclude": excluded(meta), "title": _title(meta.get("title"))}


def _title(kept: object) -> str | None:
    try:
        return checked_title(kept) if isinstance(kept, str) else None
    except UsageError:
        return None


def _texts(kept: object) -> tuple[str, ...]:
    """Return the texts of a list; of anything else, as in a damaged description, nothing."""
    return tuple(item for item in kept if isinstance(item, str)) if isinstance(kept, list) else ()


def _shares(kept: object) -> dict[str, float]:
    shares = kept.get("shares") if isinstance(kept, dict) else None
    found = shares.items() if isinstance(shares, dict) else ()
    return {name: part for name, part in found if isinstance(part, float)}


def _count(kept: object) -> int:
    return kept if isinstance(kept, int) else 0


def _moment(kept: object) -> str | None:
    return kept if isinstance(kept, str) and is_moment(kept) else None
