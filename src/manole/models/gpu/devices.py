"""The graphics processors that an engine can use, as itself lists them."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from pathlib import Path

_LISTED = re.compile(r"^\s+\S+: (.+) \(\d+ MiB, \d+ MiB free\)\s*$", re.MULTILINE)
_LIST_S = 20.0  # seconds; set by hand, for a driver that hangs


def devices(program: Path | None = None) -> tuple[str, ...]:
    """List the devices of the usual engine, or of a compiled `llama-server`: "AMD Radeon 780M".

    A child asks, as a driver may crash whoever does; there are none if it fails or hangs.
    """
    from manole.models.engine.child import environment
    from manole.models.engine.llamacpp import COMMAND

    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [*((str(program),) if program else COMMAND), "--list-devices"],
            capture_output=True,
            text=True,
            errors="replace",
            env=environment(),
            timeout=_LIST_S,
            check=True,
        )
        return tuple(_LISTED.findall(done.stdout))
    return ()
