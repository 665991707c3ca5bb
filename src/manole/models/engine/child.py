"""An engine in a child process on loopback, from its start to its end.

Two engines run so: the usual one, in this Python (`llamacpp.py`), and the one compiled on this
machine (plug-in `engine`). Whatever C++ does with a hostile file, or a driver with its device, only
the child ends, and the error names the file.

The child demands a key that is new for each start. It gets the key in its environment, because
every user of the machine can read a command line. Of the parent's environment it gets the variables
that programs need to run, and no setting, token or key. It dies with its parent, however that ends:
a shell between the two waits for the end of a pipe that the parent holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import IO, Any, Self

import httpx

from manole import private
from manole.errors import ModelError
from manole.models.chat.protocol import Completion, Delta
from manole.models.engine.llamaserver import LlamaServer
from manole.models.engine.options import check_loopback, refused
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings

KEY = "LLAMA_API_KEY"  # the variable that holds the key; llama.cpp's own name for it
# Seconds, set by hand.
_START_S = 120.0  # for a large model on a slow disk
_POLL_S = 0.05
_STOP_S = 5.0
_ENDING_S = 1.0  # for the end of a child whose connection broke
_LOG_TAIL = 400  # characters of the log shown in an error
# The variables that a child gets: places of programs, libraries and the home, language, threads,
# graphics processors and their drivers.
_KEPT = re.compile(
    r"PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|LD_\w+|DYLD_\w+|PYTHON(PATH|HOME)|OMP_\w+"
    r"|GGML_(VK|CUDA|METAL|HIP)_\w+|VK_\w+|MESA_\w+|DRI_PRIME|XDG_(RUNTIME_DIR|DATA_\w+|CONFIG_\w+)"
    r"|(CUDA|HIP|ROCR)_VISIBLE_DEVICES|HSA_\w+"
)
# $@ is the server with its arguments. Standard input ends with the parent, or when the parent
# closes the pipe; then the server is killed. If the server ends first, so does the shell.
_WATCH = """
ulimit -c 0
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(read -r _ <&3; kill -9 $server) >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait $server
status=$?
kill $watch 2>/dev/null
exit $status
"""


class ChildLlama(LlamaServer):
    """A GGUF model in a child process."""

    def __init__(
        self,
        name: str,
        address: str,
        key: str,
        settings: ModelSettings,
        process: _Process,
        prefixes: Prefixes | None = None,
    ) -> None:
        super().__init__(name, address, key, settings, prefixes)
        self._process = process
        self._closing = False
        self.on_gpu = False
        self.on_end: Callable[[], None] = lambda: None  # called if it ends during an answer
        self.hint = "The file may be damaged, or made to do harm; `--model` names another."

    @classmethod
    async def start(
        cls,
        name: str,
        path: Path,
        settings: ModelSettings,
        command: Sequence[str],
        listening: Callable[[str], re.Pattern[bytes]],
        prefixes: Prefixes | None = None,
    ) -> Self:
        """Run `command`, which opens a server on the weights at `path`. Raises `ModelError`.

        `listening` returns, for the key, the pattern of the line with the child's address, and
        after it a word if a graphics processor is used.
        """
        await asyncio.to_thread(check_loopback)
        key = secrets.token_urlsafe(24)
        process = await asyncio.to_thread(_Process, command, key, path)
        try:
            found = await process.listening(listening(key))
        except BaseException:
            await asyncio.to_thread(process.stop)
            raise
        model = cls(name, found[1].decode(), key, settings, process, prefixes)
        model.on_gpu = found.lastindex == 2
        return model

    @property
    def ended(self) -> bool:
        """Whether the child has ended, by itself or by `close`."""
        return self._process.ended

    async def close(self) -> None:
        """End the child."""
        self._closing = True
        await super().close()
        await asyncio.to_thread(self._process.stop)

    async def _streamed(self, body: dict[str, Any]) -> AsyncGenerator[Delta | Completion, None]:
        try:
            async with aclosing(super()._streamed(body)) as stream:
                async for item in stream:
                    yield item
        except ModelError:
            if self._closing or not await asyncio.to_thread(self._process.ends):
                raise
            await asyncio.to_thread(self.on_end)
            raise ModelError(
                f"The engine ended in the midst of an answer of {self._process.path.name}: "
                f"{self._process.last_words()}.",
                self.hint,
            ) from None


class _Process:
    """The child with the shell that watches it, and its log, a file without a name."""

    def __init__(self, command: Sequence[str], key: str, path: Path) -> None:
        self.path = path
        with contextlib.ExitStack() as stack:
            self._log: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            try:
                self._child = subprocess.Popen(
                    ["/bin/sh", "-c", _WATCH, "sh", *command],
                    stdin=subprocess.PIPE,
                    stdout=self._log,
                    stderr=subprocess.STDOUT,
                    env=environment() | {KEY: key},
                    umask=private.UMASK,
                    start_new_session=True,  # a terminal's Ctrl-C is ours to handle
                )
            except OSError as error:
                raise refused(path, str(error)) from None
            stack.pop_all()

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    def ends(self) -> bool:
        """Return whether the child has ended, or ends within a second. Blocks."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_ENDING_S)
        return self.ended

    async def listening(self, pattern: re.Pattern[bytes]) -> re.Match[bytes]:
        """Return the line with the child's address, once it answers. Raises `ModelError`."""
        end = time.monotonic() + _START_S
        found: re.Match[bytes] | None = None
        async with httpx.AsyncClient(trust_env=False, timeout=5.0) as client:
            while time.monotonic() < end:
                if self.ended:
                    raise refused(self.path, self.last_words())
                if found is None:
                    found = pattern.search(self._read())
                elif await _healthy(client, found[1].decode()):
                    return found
                await asyncio.sleep(_POLL_S)
        raise refused(self.path, f"it was not ready after {_START_S:.0f} seconds ({self._tail()})")

    def last_words(self) -> str:
        """Describe how the child ended, with the end of its log."""
        status = self._child.returncode
        how = f"it ended with status {status}"
        with contextlib.suppress(ValueError):  # a shell adds 128 to the number of a signal
            how = f"it crashed with {signal.Signals(status - 128).name}"
        return f"{how} ({self._tail()})"

    def stop(self) -> None:
        """Close the pipe, so that the shell kills the server, and wait for both."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            self._child.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._log.close()

    def _read(self) -> bytes:
        return b"" if self._log.closed else os.pread(self._log.fileno(), 1 << 20, 0)

    def _tail(self) -> str:
        text = self._read().decode("utf-8", "replace").strip()
        return " ".join(text.split())[-_LOG_TAIL:] or "it wrote no log"


def environment() -> dict[str, str]:
    """Return a child's environment: the variables it needs of ours, and two of its own."""
    kept = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
    return kept | {"OMP_WAIT_POLICY": "passive", "GGML_NO_BACKTRACE": "1"}


async def _healthy(client: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await client.get(f"{address}/health")).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False
