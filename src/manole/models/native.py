"""llama.cpp compiled on this machine, as a child process on loopback.

A prebuilt engine uses what every processor of the last ten years has; one compiled here uses what
this processor has. `manole models tune --compile` builds it (`build.py`), and it is used only where
it was measured to be faster and to answer the same.

The child asks for a key made anew for each start, which it is given in its environment: a command
line can be read by every user of the machine. It dies with its parent, however that ends, since a
shell between the two waits for the end of a pipe that the parent holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO

import httpx

from manole.errors import ModelError
from manole.models.engine import (
    PROMPT_CACHE_MIB,
    EngineOptions,
    check_weights,
    refused,
    threads_for,
)
from manole.models.llamaserver import LlamaServer
from manole.models.prefixes import Prefixes
from manole.settings import ModelSettings

_START_S = 120.0  # a large model from a slow disk
_POLL_S = 0.05
_STOP_S = 5.0
_LOG_TAIL = 400  # characters of the log shown in an error
_LISTENING = re.compile(rb"listening on (http://127\.0\.0\.1:\d+)")
# $1 and on: the server and its arguments. Standard input ends with the parent, or when it closes
# the pipe; the server is then killed. Should the server end first, so does the shell.
_WATCH = """
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


class NativeLlama(LlamaServer):
    """A GGUF model in a child process. Use `NativeLlama.load`."""

    def __init__(
        self,
        name: str,
        address: str,
        key: str,
        settings: ModelSettings,
        child: subprocess.Popen[bytes],
        log: IO[bytes],
        prefixes: Prefixes | None = None,
    ) -> None:
        super().__init__(name, address, key, settings, prefixes)
        self._child: subprocess.Popen[bytes] | None = child
        self._log = log

    @classmethod
    async def load(
        cls,
        name: str,
        path: Path,
        settings: ModelSettings,
        options: EngineOptions,
        prefixes: Prefixes | None = None,
    ) -> NativeLlama:
        """Start `options.native` on the weights at `path`. Raises `ModelError`."""
        check_weights(path)
        if options.native is None:
            raise ModelError("There is no compiled engine to start.")
        key = secrets.token_urlsafe(24)
        threads = await asyncio.to_thread(threads_for, settings, options)
        command = arguments(path, settings, options, threads, prefixes)
        child, log = await asyncio.to_thread(_start, command, key, path)
        try:
            address = await _listening(child, log, path)
        except BaseException:
            _stop(child)
            log.close()
            raise
        return cls(name, address, key, settings, child, log, prefixes)

    async def close(self) -> None:
        """End the child."""
        await super().close()
        child, self._child = self._child, None
        if child is not None:
            await asyncio.to_thread(_stop, child)
            self._log.close()


def arguments(
    path: Path,
    settings: ModelSettings,
    options: EngineOptions,
    threads: int,
    prefixes: Prefixes | None,
) -> list[str]:
    """The child's command line. It holds no secret."""
    command = [
        str(options.native),
        *("--model", str(path), "--host", "127.0.0.1", "--port", "0", "--offline"),
        *("--ctx-size", str(settings.context), "--parallel", str(settings.parallel)),
        *("--kv-unified", "--no-cache-idle-slots", "--cache-ram", str(PROMPT_CACHE_MIB)),
        *("--threads", str(threads), "--threads-batch", str(threads)),
        *("--ubatch-size", str(options.ubatch), "--flash-attn", options.flash),
        *("--cache-type-k", options.kv, "--cache-type-v", options.kv),
        *("--gpu-layers", "0", "--no-warmup", "--no-ui", "--no-slots", "--jinja"),
        *("--cors-origins", "", "--seed", "7"),
    ]
    if options.lookup:
        command += [
            *("--spec-type", "ngram-simple"),
            *("--spec-ngram-simple-size-n", str(options.lookup)),
            *("--spec-ngram-simple-size-m", str(options.draft)),
        ]
    if prefixes is not None:
        command += ["--slot-save-path", str(prefixes.folder)]
    return command


def _start(command: list[str], key: str, path: Path) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """The child under its watch, and its log, which is gone from the disk with the last user."""
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(tempfile.TemporaryFile())
        try:
            child = subprocess.Popen(
                ["/bin/sh", "-c", _WATCH, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=_environment(key),
                start_new_session=True,  # a terminal's Ctrl-C is ours to handle
            )
        except OSError as error:
            raise refused(path, str(error)) from None
        stack.pop_all()
    return child, log


def _environment(key: str) -> dict[str, str]:
    # llama.cpp takes every option from LLAMA_*; only ours shall count.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_")}
    return kept | {"LLAMA_API_KEY": key, "OMP_WAIT_POLICY": "passive"}


async def _listening(child: subprocess.Popen[bytes], log: IO[bytes], path: Path) -> str:
    """The child's address, once it is ready to answer. Raises `ModelError`."""
    end = time.monotonic() + _START_S
    address = ""
    async with httpx.AsyncClient(trust_env=False, timeout=5.0) as client:
        while time.monotonic() < end:
            if child.poll() is not None:
                raise refused(path, f"it ended with status {child.returncode} ({_tail(log)})")
            if not address:
                found = _LISTENING.search(_read(log))
                address = found[1].decode() if found else ""
            elif await _healthy(client, address):
                return address
            await asyncio.sleep(_POLL_S)
    raise refused(path, f"it was not ready after {_START_S:.0f} seconds ({_tail(log)})")


async def _healthy(client: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await client.get(f"{address}/health")).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def _read(log: IO[bytes]) -> bytes:
    return os.pread(log.fileno(), 1 << 20, 0)


def _tail(log: IO[bytes]) -> str:
    text = _read(log).decode("utf-8", "replace").strip()
    return " ".join(text.split())[-_LOG_TAIL:] or "it wrote no log"


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Close the pipe, upon which the shell kills the server, and wait for both."""
    assert child.stdin is not None
    child.stdin.close()
    try:
        child.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
