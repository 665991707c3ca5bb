"""What the reading of one file may take, and which files are not read at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manole.settings import ExtractSettings


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of each file; one beyond them is skipped, has failed or is read in part.

    Files of more than `max_file_mb` MiB are not opened, and those inside archives only with
    `archives`. A worker may compute `timeout_s` seconds and use `memory_mb` MiB for one file, of
    which `max_chars` characters are kept: set by hand, large enough for every paper of a person.
    """

    max_file_mb: int = 512
    archives: bool = True
    timeout_s: float = 60.0
    memory_mb: int = 1200
    max_chars: int = 20_000_000

    @classmethod
    def of(cls, chosen: ExtractSettings) -> Limits:
        """Return the limits with what a person chose."""
        return cls(chosen.max_file_mb, chosen.archives)


USUAL = Limits()
