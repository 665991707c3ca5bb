"""HEIC photos, where the extra `manole[heic]` is installed. It runs in a worker."""

from __future__ import annotations

from functools import cache

NO_READER = "HEIC photo: the extra manole[heic] opens it"


@cache
def can_open() -> bool:
    """Let Pillow open HEIC files, if the library for it is there."""
    try:
        from pi_heif import register_heif_opener
    except ImportError:
        return False
    register_heif_opener()
    return True
