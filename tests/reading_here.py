"""Reading a file in this process, as a worker does in its own."""

from __future__ import annotations

from pathlib import Path

from manole.documents.model import Document
from manole.documents.opened import named
from manole.documents.reading import read_slice
from manole.documents.slices import read_in_slices
from manole.settings import ExtractSettings


def read_document(path: Path, settings: ExtractSettings) -> Document:
    """Unguarded against hangs and crashes."""
    found = named(path)
    return read_in_slices(lambda span: read_slice(found, settings, span), settings.max_chars)
