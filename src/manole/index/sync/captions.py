"""Descriptions of photos by a vision model, so that they can be found by what they show.

They come late in a sync, since the model takes seconds for each. The next picture is loaded while
the model looks at one. Descriptions are kept in the cache folder by the picture's content and the
model's name. For a photo that the model cannot describe the reason is kept, and only another model
is shown it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from manole.documents.extract import Extractor
from manole.documents.model import UNDESCRIBED, Document, Line, Page, Status
from manole.documents.opened import FoundFile
from manole.errors import ExtractionError, NotNowError
from manole.index.store.records import FileRecord
from manole.index.sync.kept_json import KeptJson, short_hash
from manole.models.vision import SIDE, Sight, VisionModel

BEFORE = "Photo description: "


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture of the library, and where it is."""

    file: FileRecord
    found: FoundFile


class Captions:
    """Descriptions of pictures by one vision model."""

    def __init__(self, vision: VisionModel, extractor: Extractor, folder: Path) -> None:
        self._vision = vision
        self._extractor = extractor
        self._cache = KeptJson(folder)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._vision.name

    def wants(self, metadata: Mapping[str, str]) -> bool:
        """Return whether a file is a picture that this model has not looked at."""
        return metadata.get(UNDESCRIBED, self._vision.name) != self._vision.name

    async def each(self, photos: Sequence[Photo]) -> AsyncIterator[tuple[Photo, Sight | None]]:
        """Yield the description of each picture; `None` for one that cannot be read now.

        A failure of a picture or of the model does not stop the others.
        """
        loading = self._load(photos, 0)
        try:
            for number, photo in enumerate(photos):
                picture = await loading
                loading = self._load(photos, number + 1)
                yield photo, await self._of(photo, picture)
        finally:
            loading.cancel()

    async def _of(self, photo: Photo, picture: bytes | Sight | None) -> Sight | None:
        digest, by = photo.file.content_hash, short_hash(self._vision.name)
        kept = self._cache.get(digest, by, lambda data: Sight(str(data["text"])))
        if kept is not None:
            return kept
        if picture is None or isinstance(picture, Sight):
            return picture
        sight = await self._vision.caption(picture)
        if sight.text:
            self._cache.put(digest, by, {"text": sight.text, "model": self._vision.name})
        return sight

    def _load(self, photos: Sequence[Photo], number: int) -> asyncio.Task[bytes | Sight | None]:
        """Load a picture in the background, or a `Sight` with the reason why that fails."""

        async def load() -> bytes | Sight | None:
            if number >= len(photos):
                return Sight()
            try:
                return await self._extractor.shrunk(photos[number].found, None, SIDE)
            except NotNowError:
                return None
            except ExtractionError as error:
                return Sight(reason=error.message)

        return asyncio.create_task(load())


def described(document: Document, sight: Sight, model: str) -> Document:
    """Return a picture's document with the description by `model`, or why there is none."""
    metadata = dict(document.metadata)
    if not sight.text:
        metadata[UNDESCRIBED] = model
        reason = f"{document.reason}; {sight.reason}" if document.reason else sight.reason
        status = document.status if document.pages else Status.SKIPPED
        status = Status.PARTIAL if status is Status.INDEXED else status
        return replace(document, metadata=metadata, status=status, reason=reason)
    del metadata[UNDESCRIBED]
    page = document.pages[0] if document.pages else Page("")
    caption = f"{BEFORE}{sight.text}"
    by = len(caption) + 2
    lines = tuple(Line(line.start + by, line.end + by, line.box) for line in page.lines)
    first = replace(page, text=f"{caption}\n\n{page.text}".rstrip(), lines=lines)
    return replace(
        document,
        pages=(first, *document.pages[1:]),
        metadata=metadata | {"described_by": model},
        status=Status.INDEXED,
        reason=None,
    )
