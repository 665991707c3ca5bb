"""Pictures of pages, drawn in a process that can be killed, because a PDF is not trusted.

Thumbnails are kept in the cache folder under their file's hash, because results show them again and
again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.model import Box
from manole.documents.opened import FoundFile
from manole.errors import ExtractionError
from manole.files import write_file
from manole.serve.view.word_positions import MOST

_SECONDS = 20.0  # set by hand; one page may take, since a person waits for it
_THUMBNAIL = 400  # pixels wide at most, set by hand; larger pictures are drawn each time


class Pictures:
    """The process that draws pages, started with the first one; `folder` keeps thumbnails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._extractor: Extractor | None = None

    async def page(self, found: FoundFile, number: int, width: int, digest: str = "") -> bytes:
        """Draw page `number` (from 1) of a PDF as PNG, at most `width` pixels wide.

        `digest` is the hash of the indexed content. Raises `ExtractionError`.
        """
        kept = self._place(digest, f"{number}-{width}.png", width)
        return await self._drawn(kept, lambda draws: draws.picture(found, number, width))

    async def photo(self, found: FoundFile, side: int, digest: str = "") -> bytes:
        """Convert a picture of any format to JPEG, upright, its longer side at most `side` pixels.

        `digest` as for `page`. Raises `ExtractionError`.
        """
        kept = self._place(digest, f"{side}.jpg", side)
        return await self._drawn(kept, lambda draws: draws.shrunk(found, None, side))

    async def words(self, found: FoundFile, number: int) -> list[tuple[str, Box]]:
        """Return the words on page `number` (from 1) of a PDF; none where they cannot be read."""
        try:
            answer = await self._draws().words(found, number)
            words = answer["words"][:MOST]
            return [(str(text), Box.checked(*map(float, box))) for text, *box in words]
        except (ExtractionError, KeyError, TypeError, ValueError):
            return []

    def _draws(self) -> Extractor:
        if self._extractor is None:
            self._extractor = Extractor(Limits(timeout_s=_SECONDS))
        return self._extractor

    def _place(self, digest: str, name: str, pixels: int) -> Path | None:
        """Return the place of a thumbnail; `None` for pictures that are drawn each time."""
        small = bool(digest) and pixels <= _THUMBNAIL
        return self._folder / digest[:2] / f"{digest}-{name}" if small else None

    async def _drawn(
        self, kept: Path | None, draw: Callable[[Extractor], Awaitable[bytes]]
    ) -> bytes:
        if kept is not None:
            with contextlib.suppress(OSError):
                return await asyncio.to_thread(kept.read_bytes)
        picture = await draw(self._draws())
        if kept is not None:
            with contextlib.suppress(OSError):  # without a cache, it is drawn each time
                await asyncio.to_thread(write_file, kept, picture, make=True)
        return picture

    async def close(self) -> None:
        """End the process."""
        if self._extractor is not None:
            extractor, self._extractor = self._extractor, None
            await asyncio.to_thread(extractor.close)
