"""Slices of a long PDF, each read within a time limit of its own.

So a manual of any length is read to its end, in little memory, but a file whose pages are slow to
read is still given up after one limit. A crash in the middle loses the slice, not the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from manole.documents.model import (
    LIMIT,
    UNREAD,
    Document,
    Status,
    limit_of,
    limited,
    may_pass,
    numbers_in,
    ranges,
)

SLICE = 1000  # pages
REACHED = "reached"  # in the metadata of a slice: how many of the file's pages are done
PAGES = "pages"  # in a PDF's metadata: how many it has


@dataclass(frozen=True, slots=True)
class Span:
    """The extent of a slice: up to `pages` pages after the first `skip`, or `chars` characters."""

    skip: int
    pages: int
    chars: int


def read_in_slices(
    read: Callable[[Span], Document], max_chars: int, max_pages: int | None = None
) -> Document:
    """Read a whole file, or its first `max_pages` pages, with `read`, which reads one slice.

    It ends with the file, at a limit of the file, or after a slice that was not read to its end.
    """
    most = max_pages if max_pages is not None else 2**31
    slices: list[Document] = []
    skip = chars = 0
    while True:
        span = Span(skip, min(SLICE, most - skip), max_chars - chars)
        slices.append(read(span))
        if may_pass(slices[-1].status, slices[-1].metadata):
            return slices[-1]  # the whole file is read again later
        skip += span.pages
        chars += sum(len(page.text) for page in slices[-1].pages)
        goes_on = limit_of(slices[-1].metadata) == "max_pages" and skip < most
        if not goes_on or chars >= max_chars:
            return _joined(slices, max_chars)


def _joined(slices: Sequence[Document], max_chars: int) -> Document:
    """Join slices in order to one document, with the status of the whole.

    A first slice that is not of a PDF is the document. A later one that failed ends it; the pages
    before are kept.
    """
    first = slices[0]
    if REACHED not in first.metadata:
        return first
    read = [part for part in slices if REACHED in part.metadata]
    stopped = slices[len(read)] if len(read) < len(slices) else None
    last = (stopped or slices[-1]).metadata
    pages = tuple(page for part in read for page in part.pages)
    unread = [number for part in read for number in numbers_in(part.metadata.get(UNREAD, ""))]
    metadata = {k: v for k, v in first.metadata.items() if k not in (LIMIT, REACHED, UNREAD)}
    if unread:
        metadata[UNREAD] = ranges(unread)
    if LIMIT in last:
        metadata[LIMIT] = last[LIMIT]
    if limit_of(last) == "max_pages" and sum(len(page.text) for page in pages) >= max_chars:
        metadata |= limited("max_chars", max_chars)
    count, reached = int(metadata[PAGES]), int(read[-1].metadata[REACHED])
    blank = {page.number for page in pages if not page.text} - set(unread)
    scans = sum(not page.text for page in pages) - len(blank)
    status, reason = _status(
        count, reached, scans, len(pages) - len(blank), reached - len(pages),
        stopped.reason if stopped else None,
    )  # fmt: skip
    kept = () if status in (Status.FAILED, Status.SKIPPED) else pages
    return replace(first, pages=kept, metadata=metadata, status=status, reason=reason)


def _status(
    count: int, read: int, scans: int, drawn: int, broken: int, stopped: str | None
) -> tuple[Status, str | None]:
    def of(number: int) -> str:
        return f"{number} of {count} page{'s' if count != 1 else ''}"

    if count == 0:
        return Status.SKIPPED, "no pages inside"
    if broken == read:
        return Status.FAILED, "broken PDF: no page can be read"
    if drawn == 0 and read == count:
        return Status.SKIPPED, "no text inside"
    if scans == drawn and read == count:
        return Status.SKIPPED, "scanned: its words are not read yet"
    notes = []
    if stopped:
        notes.append(f"only {of(read)} read: {stopped}")
    elif read < count:
        notes.append(f"only {of(read)} read within the limits")
    if scans:
        verb = "is a scan" if scans == 1 else "are scans"
        notes.append(f"{of(scans)} {verb} without text")
    if broken:
        notes.append(f"{of(broken)} cannot be read")
    return (Status.PARTIAL, "; ".join(notes)) if notes else (Status.INDEXED, None)
