"""Pictures of pages, drawn in a process that can be killed: a PDF is not trusted.

Thumbnails are kept in the cache folder by the content of their file, for results show them again
and again.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from manole.documents.extract import Extractor
from manole.settings import ExtractSettings

_SECONDS = 20.0  # one page may take
_THUMBNAIL = 400  # pixels wide at most; larger pictures are drawn each time


class Pictures:
    """Draws pages; the process starts with the first one. Thumbnails are kept in `folder`."""

    def __init__(self, settings: ExtractSettings, folder: Path) -> None:
        changes = {"workers": 1, "timeout_s": min(_SECONDS, settings.timeout_s)}
        self._settings = settings.model_copy(update=changes)
        self._folder = folder
        self._extractor: Extractor | None = None

    async def page(self, path: Path, number: int, width: int, digest: str = "") -> bytes:
        """Page `number` (from 1) of a PDF as PNG, `width` pixels wide at most.

        `digest` is that of the file's content as it is indexed. Raises `ExtractionError`.
        """
        kept = self._folder / digest[:2] / f"{digest}-{number}-{width}.png"
        small = bool(digest) and width <= _THUMBNAIL
        if small:
            with contextlib.suppress(OSError):
                return await asyncio.to_thread(kept.read_bytes)
        if self._extractor is None:
            self._extractor = Extractor(self._settings)
        png = await self._extractor.picture(path, number, width)
        if small:
            with contextlib.suppress(OSError):  # a cache that cannot be written is none
                await asyncio.to_thread(_keep, kept, png)
        return png

    async def close(self) -> None:
        """End the process."""
        if self._extractor is not None:
            extractor, self._extractor = self._extractor, None
            await asyncio.to_thread(extractor.close)


def _keep(place: Path, content: bytes) -> None:
    """Put a file in place as a whole."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_suffix(".part")
    part.write_bytes(content)
    part.replace(place)
