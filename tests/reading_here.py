"""Reading a file in this process, as a worker does in its own."""

from __future__ import annotations

from pathlib import Path

from manole.documents.limits import Limits
from manole.documents.model import Document
from manole.documents.opened import named
from manole.documents.reading import read_slice
from manole.documents.slices import read_in_slices


def read_document(path: Path, limits: Limits) -> Document:
    """Unguarded against hangs and crashes."""
    found = named(path)
    return read_in_slices(lambda span: read_slice(found, limits, span), limits.max_chars)
