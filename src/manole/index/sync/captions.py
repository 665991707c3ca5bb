"""What photos show, said by a vision model, so that they can be found by it.

Captions come last in a sync: a model takes seconds for each. The next picture is loaded while the
model looks at one. What was said is kept in the cache folder by the picture's content and the
model's name. A photo that the model cannot describe keeps the reason, and is shown to another model
only.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from manole import private
from manole.documents.model import UNDESCRIBED, Document, Line, Page, Status
from manole.documents.opened import FoundFile
from manole.errors import ExtractionError, NotNowError
from manole.index.store.durability import write_file
from manole.index.store.records import FileRecord
from manole.models.vision import SIDE, Sight, VisionModel

BEFORE = "Photo description: "


class Shrinks(Protocol):
    """Loads pictures for a model (`manole.documents.extract.Extractor`)."""

    async def shrunk(self, found: FoundFile, page: int | None, side: int) -> bytes:
        """A picture as JPEG, its longer side `side` pixels at most."""
        ...


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture of the library, and where it is."""

    file: FileRecord
    found: FoundFile


class Captions:
    """Lets a model look at pictures."""

    def __init__(self, vision: VisionModel, loads: Shrinks, folder: Path) -> None:
        self._vision = vision
        self._loads = loads
        self._cache = folder

    @property
    def name(self) -> str:
        """The model's name."""
        return self._vision.name

    def wants(self, metadata: Mapping[str, str]) -> bool:
        """Whether a file is a picture that this model has not looked at."""
        return metadata.get(UNDESCRIBED, self._vision.name) != self._vision.name

    async def each(self, photos: Sequence[Photo]) -> AsyncIterator[tuple[Photo, Sight | None]]:
        """What each picture shows; `None` for one that cannot be read now.

        Nothing of a picture or of the model stops the others.
        """
        loading = _load_next(self._loads, photos, 0)
        try:
            for number, photo in enumerate(photos):
                picture = await loading
                loading = _load_next(self._loads, photos, number + 1)
                yield photo, await self._of(photo, picture)
        finally:
            loading.cancel()

    async def _of(self, photo: Photo, picture: bytes | Sight | None) -> Sight | None:
        place = self._place(photo.file.content_hash)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return Sight(str(json.loads(place.read_text("utf-8"))["text"]))
        if picture is None or isinstance(picture, Sight):
            return picture
        sight = await self._vision.caption(picture)
        if sight.text:
            with contextlib.suppress(OSError):  # a cache that cannot be written is none
                private.make(place.parent)
                kept = {"text": sight.text, "model": self._vision.name}
                write_file(place, json.dumps(kept))
        return sight

    def _place(self, digest: str) -> Path:
        by = hashlib.sha256(self._vision.name.encode("utf-8", "replace")).hexdigest()[:8]
        return self._cache / digest[:2] / f"{digest}-{by}.json"


def described(document: Document, sight: Sight, model: str) -> Document:
    """A picture's document with what `model` said of it, or why it said nothing."""
    metadata = dict(document.metadata)
    if not sight.text:
        metadata[UNDESCRIBED] = model
        reason = f"{document.reason}; {sight.reason}" if document.reason else sight.reason
        status = document.status if document.pages else Status.SKIPPED
        status = Status.PARTIAL if status is Status.INDEXED else status
        return replace(document, metadata=metadata, status=status, reason=reason)
    del metadata[UNDESCRIBED]
    page = document.pages[0] if document.pages else Page("")
    said = f"{BEFORE}{sight.text}"
    by = len(said) + 2
    lines = tuple(Line(line.start + by, line.end + by, line.box) for line in page.lines)
    first = replace(page, text=f"{said}\n\n{page.text}".rstrip(), lines=lines)
    return replace(
        document,
        pages=(first, *document.pages[1:]),
        metadata=metadata | {"described_by": model},
        status=Status.INDEXED,
        reason=None,
    )


def _load_next(
    loads: Shrinks, photos: Sequence[Photo], number: int
) -> asyncio.Task[bytes | Sight | None]:
    async def load() -> bytes | Sight | None:
        if number >= len(photos):
            return Sight()
        try:
            return await loads.shrunk(photos[number].found, None, SIDE)
        except NotNowError:
            return None
        except ExtractionError as error:
            return Sight(reason=error.message)

    return asyncio.create_task(load())
