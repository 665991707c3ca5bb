"""The text of a file as the index has it, whole or in part, a bounded portion at a time.

The files themselves are not opened: only indexed text can be read, whatever the name. A path that
is not the index's own must resolve to a file inside the library (`Library.resolve`).

`manole.index.view.page_text` joins passages to pages again.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from manole.documents.formats import page_words
from manole.errors import UsageError
from manole.index.search.scope import is_within
from manole.index.store.records import FileRecord
from manole.index.view.page_text import PageText, joined
from manole.library import Library
from manole.tools.matching import best_by_name
from manole_mcp.uris import PREFIX, parse

Range = tuple[int, int | None]  # first and last, both inclusive; `None`: to the end
RANGE = r"^\s*(\d{1,7}\s*(-\s*(\d{1,7}\s*)?)?)?$"
_NEAR = 5  # names suggested for an unknown one; set by hand


@dataclass(frozen=True, slots=True)
class Portion:
    """A bounded portion of a text; `next_offset` is where to read on, if anything is left."""

    text: str
    offset: int
    total: int

    @property
    def next_offset(self) -> int | None:
        """The offset of the rest, `None` at the end."""
        end = self.offset + len(self.text)
        return end if end < self.total else None


async def path_in_index(library: Library, given: str) -> str:
    """Return the path by which the index knows a file or folder; "" for the whole library.

    `given` may be such a path, an address (`uris`), or any path that resolves to one of the
    library. Raises `UsageError`.
    """
    name = parse(given).path if given.startswith(PREFIX) else given
    files = await library.files()
    inner = name.removeprefix("./").rstrip("/")
    if not name.startswith("/"):
        if inner in {"", "."}:
            return ""
        if _known(files, inner):
            return inner
    try:
        found = await asyncio.to_thread(library.names_of, name)
    except UsageError as error:
        raise UsageError(error.message, _suggestion(files, name) or error.hint) from None
    for path in found:
        if not path or _known(files, path):
            return path
    raise UsageError(
        f"{name} is not in the index.", "It is hidden, ignored, or newer than the last sync."
    )


async def file_in_index(library: Library, given: str) -> FileRecord:
    """Return the file that `given` names, as in `path_in_index`. Raises `UsageError`."""
    path = await path_in_index(library, given)
    file = next((f for f in await library.files() if f.path == path), None)
    if file is None:
        raise UsageError(f"{given} is a folder.", "list_files with its name lists its files.")
    return file


async def pages_of(library: Library, file: FileRecord) -> list[PageText]:
    """Return a file's text by pages. Raises `UsageError` where it has none."""
    pages = joined(await library.passages(file)) if file.passages else []
    if not pages:
        why = file.reason or ("it is empty" if file.status == "indexed" else file.status.value)
        raise UsageError(f"{file.path} has no text in the index: {why}.", "Choose another file.")
    return pages


def chosen(path: str, pages: Sequence[PageText], which: str = "", lines: str = "") -> str:
    """Return the text of pages and lines (`2`, `1-3`, `4-`; "" for all), with pages' numbers.

    Raises `UsageError` for pages or lines that do not exist.
    """
    wanted_pages, wanted_lines = as_range(which), as_range(lines)
    paged = pages[0].number is not None
    if wanted_pages and not paged:
        raise UsageError(f"{path} has no pages.", "Name lines instead, such as lines=1-40.")
    kept = [page for page in pages if not wanted_pages or _within(page.number, wanted_pages)]
    if not kept:
        raise UsageError(
            f"{path} has no text on page {which.strip()}.",
            f"Its text stands on pages {pages[0].number} to {pages[-1].number}.",
        )
    if wanted_lines is None:
        return "\n\n".join(_headed(path, page, page.text) for page in kept)
    if paged and len(kept) > 1:
        raise UsageError(
            f"Lines of {path} are counted on each page anew.", "Name one page with them."
        )
    text = "\n".join(page.lines(wanted_lines) for page in kept)
    if not text.strip():
        raise UsageError(f"{path} has no text on lines {lines.strip()}.", "Name earlier lines.")
    return _headed(path, kept[0], text)


def portion(text: str, offset: int, limit: int) -> Portion:
    """Return at most `limit` characters from `offset` on, cut after a line if that loses little.

    Raises `UsageError` for an offset past the end.
    """
    if offset and offset >= len(text):
        raise UsageError(
            f"The text has {len(text):,} characters; offset {offset:,} is past its end.",
            "Begin with offset 0.",
        )
    piece = text[offset : offset + limit]
    if offset + limit < len(text):
        cut = piece.rfind("\n", limit // 2) + 1
        piece = piece[:cut] if cut else piece
    return Portion(piece, offset, len(text))


def as_range(text: str) -> Range | None:
    """Read `2`, `1-3` or `4-` as numbers, in order; `None` for nothing."""
    found = re.match(r"\s*(\d+)\s*(-)?\s*(\d+)?", text)
    if not found:
        return None
    first = int(found[1])
    if not found[2]:
        return first, first
    if found[3] is None:
        return first, None
    return min(first, int(found[3])), max(first, int(found[3]))


def _within(number: int | None, wanted: Range) -> bool:
    first, last = wanted
    return number is not None and first <= number and (last is None or number <= last)


def _headed(path: str, page: PageText, text: str) -> str:
    return text if page.number is None else f"--- {page_words(path, page.number)} ---\n{text}"


def _known(files: Iterable[FileRecord], path: str) -> bool:
    return any(is_within(file.path, (path,)) for file in files)


def _suggestion(files: Iterable[FileRecord], name: str) -> str | None:
    if name.startswith("/") or ".." in name.split("/"):
        return None
    near = ", ".join(file.path for file in best_by_name(files, name)[:_NEAR])
    return f"Is it one of these? {near}" if near else None
