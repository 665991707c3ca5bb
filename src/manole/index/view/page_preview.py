"""A preview of one page as a sync reads it: its text, and the place and origin of each line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from manole.documents.extract import Extractor
from manole.documents.layout import CELL_GAP
from manole.documents.limits import Limits
from manole.documents.model import UNREAD, Box, Document, Page, Status, numbers_in
from manole.documents.opened import FoundFile, content_hash, named
from manole.documents.opener import open_found
from manole.errors import ExtractionError, UsageError
from manole.index.sync.ocr import Pictures, Recognition
from manole.models.vision import SIDE, Sight, VisionModel
from manole.settings import Settings

WIDTH = 1200  # pixels of the page's picture; set by hand


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line of a page. `source` is "text" or "picture"; `cells` are more than one in a table."""

    text: str
    box: Box
    source: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeenPage:
    """One page as the index would have it: `png` is its picture, `caption` from a vision model."""

    format: str
    number: int | None
    pages: int
    text: str
    lines: tuple[SeenLine, ...]
    figures: tuple[Box, ...]
    caption: str
    reason: str | None
    png: bytes


async def look(
    path: Path, number: int, settings: Settings, vision: VisionModel | None = None
) -> SeenPage:
    """Read page `number` (from 1) of a PDF, or a picture, as a sync reads it.

    Raises `ExtractionError` for a file that cannot be read, `UsageError` for a missing page.
    """
    with Extractor(Limits.of(settings.extract)) as extractor:
        found = named(path)
        document = await extractor.extract(found)
        paged = document.format == "pdf"
        if document.status is Status.FAILED or not (paged or UNREAD in document.metadata):
            reason = document.reason or f"{document.format} files have no pages to look at"
            raise ExtractionError(f"{path.name}: {reason}.")
        count = int(document.metadata.get("pages", "1")) if paged else 1
        if not 1 <= number <= count:
            raise UsageError(f"{path.name} has no page {number}.", f"It has {count}.")
        before = _page(document, number if paged else None)
        waiting = number in numbers_in(document.metadata.get(UNREAD, ""))
        if waiting and settings.index.ocr:
            alone = replace(document, metadata=document.metadata | {UNREAD: str(number)})
            kept = Pictures(settings.cache_dir / "pictures", of_file=1)
            document = await Recognition(extractor, kept).complete(
                alone, found, await asyncio.to_thread(_digest, found), lambda _: None
            )
        page = _page(document, number if paged else None)
        png = (
            await extractor.picture(found, number, WIDTH)
            if paged
            else await extractor.shrunk(found, None, WIDTH)
        )
        caption = ""
        if vision is not None:
            small = await extractor.shrunk(found, number if paged else None, SIDE)
            sight = await vision.caption(small)
            caption = sight.text or f"({sight.reason})"
    return SeenPage(
        document.format,
        number if paged else None,
        count,
        page.text,
        _lines(page, before),
        before.figures,
        caption,
        document.reason,
        png,
    )


async def ask_about(vision: VisionModel, file: FoundFile, page: int | None, question: str) -> Sight:
    """Ask the vision model about a page of a PDF, or a picture. Errors are in the result."""
    try:
        with Extractor() as extractor:
            picture = await extractor.shrunk(file, page, SIDE)
    except ExtractionError as error:
        return Sight(reason=error.message)
    return await vision.ask(picture, question)


def _digest(found: FoundFile) -> str:
    with open_found(found) as file:
        return content_hash(file)


def _page(document: Document, number: int | None) -> Page:
    found = (page for page in document.pages if page.number == number)
    return next(found, Page("", number))


def _lines(page: Page, before: Page) -> tuple[SeenLine, ...]:
    own = {line.box for line in before.lines}
    found = []
    for line in page.lines:
        text = page.text[line.start : line.end]
        cells = tuple(cell.strip() for cell in text.split(CELL_GAP) if cell.strip())
        found.append(SeenLine(text, line.box, "text" if line.box in own else "picture", cells))
    return tuple(found)


def rows_of(lines: Sequence[SeenLine]) -> int:
    """Return the number of lines that are rows of a table, with several cells."""
    return sum(len(line.cells) > 1 for line in lines)
