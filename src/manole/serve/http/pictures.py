"""Pictures of pages, drawn in a process that can be killed: a PDF is not trusted."""

from __future__ import annotations

import asyncio
from pathlib import Path

from manole.documents.extract import Extractor
from manole.settings import ExtractSettings

_SECONDS = 20.0  # one page may take


class Pictures:
    """Draws pages; the process starts with the first one."""

    def __init__(self, settings: ExtractSettings) -> None:
        changes = {"workers": 1, "timeout_s": min(_SECONDS, settings.timeout_s)}
        self._settings = settings.model_copy(update=changes)
        self._extractor: Extractor | None = None

    async def page(self, path: Path, number: int, width: int) -> bytes:
        """Page `number` (from 1) of a PDF as PNG, `width` pixels wide at most.

        Raises `ExtractionError`.
        """
        if self._extractor is None:
            self._extractor = Extractor(self._settings)
        return await self._extractor.picture(path, number, width)

    async def close(self) -> None:
        """End the process."""
        if self._extractor is not None:
            extractor, self._extractor = self._extractor, None
            await asyncio.to_thread(extractor.close)
