"""Keeps the processes that read files for a while between small syncs.

Starting one takes a second of computing, ten times as much as reading a saved note, and a person
who saves a file soon saves it again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from manole.documents.extract import Extractor
from manole.settings import ExtractSettings

KEEP_SECONDS = 30.0


class ExtractorPool:
    """Lends an `Extractor`, and keeps it afterwards if asked to. Close it in the end."""

    def __init__(self) -> None:
        self._kept: tuple[ExtractSettings, Extractor] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @contextlib.contextmanager
    def extractor(self, settings: ExtractSettings, *, keep: bool) -> Iterator[Extractor]:
        """Lend an extractor with these settings to one sync at a time; a failed one is not kept."""
        if self._timer is not None:
            self._timer.cancel()
        kept, self._kept = self._kept, None
        if kept is not None and kept[0] != settings:
            kept[1].close()
            kept = None
        extractor = kept[1] if kept is not None else Extractor(settings)
        try:
            yield extractor
        except BaseException:
            extractor.close()
            raise
        if not keep:
            extractor.close()
            return
        self._kept = (settings, extractor)
        self._timer = asyncio.get_running_loop().call_later(KEEP_SECONDS, self.close)

    def close(self) -> None:
        """End the kept processes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._kept is not None:
            self._kept[1].close()
            self._kept = None
