"""The words of pictures and scanned pages: read page by page, and kept.

A sync reads the text of all files first. Pictures, and pages with figures or without a text layer,
stand in a document's metadata as `unread` and are read afterwards. Their words are kept in the
cache folder by the file's content, so that a sync that was stopped continues where it was, and
indexing anew costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from manole.documents.dates import dated
from manole.documents.extract import Extractor
from manole.documents.model import (
    LIMIT,
    RECOGNIZED,
    UNREAD,
    Box,
    Document,
    Page,
    Status,
    numbers_in,
)
from manole.documents.opened import FoundFile
from manole.documents.recognized import to_page, with_words
from manole.errors import NotNowError
from manole.index.store.rows import path_words
from manole.index.sync.kept_json import KeptJson

WORDLESS = "no words in it, no vision model to describe it; found by its name and date"


@dataclass(frozen=True, slots=True)
class Pictures:
    """The limits of recognition, which takes seconds a page, and the folder that keeps the words.

    If more than `of_sync` pages wait, a sync that somebody waits for leaves all of them; `None`
    sets no such limit. At most `of_file` pages of one file are read.
    """

    folder: Path
    of_sync: int | None = None
    of_file: int = 500


class Recognition:
    """The completion of documents with the words of their pictures."""

    def __init__(self, extractor: Extractor, pictures: Pictures) -> None:
        self._extractor = extractor
        self._cache = KeptJson(pictures.folder)
        self._most = pictures.of_file
        self._at_once = pictures.of_sync

    def pages_of(self, metadata: Mapping[str, str]) -> int:
        """Return the number of pages of a file to be read."""
        return min(len(numbers_in(metadata.get(UNREAD, ""))), self._most)

    def is_too_much(self, pages: int) -> bool:
        """Return whether so many pages should be left to a sync that nobody waits for."""
        return self._at_once is not None and pages > self._at_once

    async def complete(
        self, document: Document, found: FoundFile, digest: str, tell: Callable[[int], None]
    ) -> Document:
        """Return `document` with its unread pages read. `digest` is the content hash.

        `tell` gets the number of pages done. If reading fails, the document says so. Raises
        `NotNowError` for a failure that may pass.
        """
        try:
            return await self._complete(document, found, digest, tell)
        except NotNowError:
            raise
        except Exception as error:  # the other files must go on
            reason = f"reading its picture failed: {error or type(error).__name__}"
            metadata = {k: v for k, v in document.metadata.items() if k != UNREAD}
            return replace(document, metadata=metadata, status=Status.FAILED, reason=reason)

    async def _complete(
        self, document: Document, found: FoundFile, digest: str, tell: Callable[[int], None]
    ) -> Document:
        pages = {page.number: page for page in document.pages}
        every = numbers_in(document.metadata.get(UNREAD, ""))
        every.sort(key=lambda number: number in pages and bool(pages[number].text))  # scans first
        wanted = every[: self._most]
        failures: list[str] = []
        read = 0
        for done, number in enumerate(wanted, start=1):
            at = number if document.format == "pdf" else None
            page, reason = await self._read(found, pages.get(at, Page("", at)), digest)
            tell(done)
            if reason:
                failures.append(reason)
            if page.text and page.text != (pages[at].text if at in pages else ""):
                read += 1
            if page.text:
                pages[at] = page
        made = _completed(document, Path(found.path), pages, failures, read)
        if len(wanted) == len(every) or made.status is not Status.INDEXED:
            return made
        reason = f"only {len(wanted)} of {len(every)} pages with pictures read"
        return replace(made, status=Status.PARTIAL, reason=reason)

    async def _read(self, file: FoundFile, page: Page, digest: str) -> tuple[Page, str | None]:
        """Return the page with the words of its figures, or of all of it, and why one failed."""
        if not page.figures:
            found = await self._seen(file, page.number, None, digest)
            return (page, found) if isinstance(found, str) else (found, None)
        words: dict[Box, Page] = {}
        reason = None
        for box in page.figures:
            found = await self._seen(file, page.number, box, digest)
            if isinstance(found, str):
                reason = found
            else:
                words[box] = found
        return replace(with_words(page, words), figures=()), reason

    async def _seen(
        self, file: FoundFile, number: int | None, part: Box | None, digest: str
    ) -> Page | str:
        """Return the recognized page, kept or new, or the reason why there is none."""
        sides = part.sides if part else []
        key = "-".join([str(number or 1), *(f"{10_000 * side:.0f}" for side in sides)])
        kept = self._cache.get(digest, key, lambda data: to_page(data, number))
        if kept is not None:
            return kept
        found = await self._extractor.recognize(file, number, part)
        if reason := found.get("reason"):
            return str(reason)
        try:
            page = to_page(found, number)
        except (ValueError, KeyError, TypeError):
            return "no sensible answer"
        self._cache.put(digest, key, found)
        return page


def about_photo(path: Path, day: date | None, metadata: Mapping[str, str]) -> str:
    """Return the metadata of a photo as sentences, so that a search can find it."""
    parts = [f"Photo: {path_words(path.stem)}."]
    if day:
        parts.append(f"Taken on {day.day} {day:%B %Y}.")
    if description := metadata.get("description"):
        parts.append(f"{description.rstrip('.')}.")
    if place := metadata.get("place"):
        parts.append(f"Place: {place}.")
    if camera := metadata.get("camera"):
        parts.append(f"Camera: {camera}.")
    return " ".join(parts)


def _completed(
    document: Document,
    path: Path,
    pages: dict[int | None, Page],
    failures: list[str],
    read: int,
) -> Document:
    """Return the document with its new pages, its status and the reason for it."""
    metadata = {key: value for key, value in document.metadata.items() if key != UNREAD}
    kept = tuple(pages[number] for number in sorted(pages, key=lambda n: n or 0))
    if read:
        metadata[RECOGNIZED] = str(read)
    status, reason = Status.INDEXED, None
    if failures:
        some = any(page.text for page in kept)
        status, reason = (Status.PARTIAL if some else Status.SKIPPED), failures[0]
        if len(failures) > 1:
            reason = f"{len(failures)} pages cannot be read: {reason}"
    elif not any(page.text for page in kept):
        status, reason = Status.SKIPPED, WORDLESS
        kept = ()
    elif LIMIT in metadata or "cannot be read" in (document.reason or ""):
        status, reason = document.status, document.reason
    made = replace(document, pages=kept, metadata=metadata, status=status, reason=reason)
    made = dated(made, path)
    if made.format == "pdf" or kept:
        return made
    photo = Page(about_photo(path, made.date, metadata))
    return replace(made, pages=(photo,), status=Status.PARTIAL)
