"""A program that fetches into a folder: watched while it runs, ended when nobody wants it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from manole import private

POLL_SECONDS = 0.1  # set by hand


def run(
    command: list[str], folder: Path, watch: Callable[[], None], **environment: str
) -> tuple[int, str]:
    """Run a program that writes into `folder`; return its exit status and what it said.

    It gets the person's whole environment, keys of a hub or an index too. `watch` is called several
    times a second; if it raises, the program is killed. Its standard input ends with this process.
    """
    with (
        tempfile.TemporaryFile(dir=folder) as output,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=private.environment("") | environment,
            umask=private.UMASK,
        ) as program,
    ):
        try:
            while program.returncode is None:
                with suppress(subprocess.TimeoutExpired):
                    program.wait(POLL_SECONDS)
                watch()
        except BaseException:
            program.kill()
            raise
        output.seek(0)
        return program.returncode, output.read().decode("utf-8", "replace")
