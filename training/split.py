"""Which documents are kept for measuring."""

from __future__ import annotations

import hashlib


def held(file: str) -> bool:
    """Return whether a document is held out, with all its questions and passages."""
    return bool(file) and hashlib.sha256(file.encode()).digest()[0] % 8 == 0
