"""Opens the files of a library, those of its folders and those inside other files."""

from __future__ import annotations

from manole.documents.members import opened_member
from manole.documents.opened import FoundFile, OpenFile, open_outermost


def open_found(found: FoundFile) -> OpenFile:
    """Open the file that was found. Raises `OSError`, `ChangedError` if it is now another one."""
    opened = open_outermost(found)
    return opened_member(opened, found.member) if found.member else opened
