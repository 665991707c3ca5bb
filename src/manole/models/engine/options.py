"""Options of llama.cpp, the same for the engine in this process and in a child process.

`EngineOptions` holds what changes the engine's speed. Settings given by the user come first, then
what `manole models tune` found to be fastest here (`machine/tuning.py`), then the defaults.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import psutil

from manole.errors import ModelError
from manole.models.cores import physical_cores
from manole.models.weights.files import verified_hash
from manole.settings import ModelSettings

KvType = Literal["f16", "q8_0"]
FlashAttention = Literal["auto", "on", "off"]

# What an engine needs beside the weights: context, compute buffers, prompt cache (bytes).
_OVERHEAD = 600 * 2**20
# Copies of sequences that had to make room, in memory.
PROMPT_CACHE_MIB = 512
# How long other programs' use of the cores is watched before the threads are chosen.
_WATCH_S = 0.2
_SPARE = 0.15  # of a core, which no program quite uses up
_SAMPLE = 4 * 2**20  # bytes hashed at either end of a file without a record


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options of speed. None of them may change what a model answers.

    `threads` 0 means the cores that are free when the engine starts. `ubatch` is how many tokens
    are evaluated at once, `kv` how keys and values are stored. `lookup` is the length of the
    n-gram that starts a guess (0: no guessing), `draft` how many tokens are guessed at once:
    text that repeats its context is then written several tokens at a time (llama.cpp's
    `ngram-simple`). `native` names a `llama-server` compiled on this machine. `layers` are on
    graphics processors; with 0, none of these is used for anything.
    """

    threads: int = 0
    ubatch: int = 512
    kv: KvType = "f16"
    flash: FlashAttention = "auto"
    lookup: int = 0
    draft: int = 16
    native: Path | None = None
    layers: int = 0


def free_cores(watch_s: float = _WATCH_S) -> int:
    """Cores that no other program keeps busy now, at least one. Blocks for `watch_s` seconds.

    A core counts as taken when other programs use nearly all of it: a thread too few costs for as
    long as the engine lives, one too many only while the other program runs. What this process and
    its children use meanwhile is not another program's.
    """
    cores = physical_cores()
    if cores == 1:
        return 1
    before = _own_seconds()
    used = psutil.cpu_percent(interval=watch_s) / 100 * (psutil.cpu_count() or cores)
    others = used - (_own_seconds() - before) / watch_s
    return max(1, min(cores, cores - int(others + _SPARE)))


def _own_seconds() -> float:
    """CPU seconds that this process and its running children have used."""
    me = psutil.Process()
    total = 0.0
    for process in (me, *me.children(recursive=True)):
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def threads_for(settings: ModelSettings, options: EngineOptions) -> int:
    """Threads to start an engine with: the user's number, or what was measured, if it is free."""
    return settings.threads or min(options.threads or physical_cores(), free_cores())


def prepared(
    settings: ModelSettings, options: EngineOptions | None, *files: Path | None
) -> EngineOptions:
    """The options with the threads to start, once the files were found usable.

    Blocks while the cores are watched. Raises `ModelError`.
    """
    for file in filter(None, files):
        check_weights(file)
    options = options or EngineOptions()
    return replace(options, threads=threads_for(settings, options))


def check_weights(path: Path) -> None:
    """Refuse what cannot work before an engine tries it. Raises `ModelError`."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from None
    if magic != b"GGUF":
        raise ModelError(f"{path} is not a GGUF file.", "Give a file that ends in .gguf.")
    free = psutil.virtual_memory().available
    if size + _OVERHEAD > free:
        raise ModelError(
            f"{path.name} needs about {(size + _OVERHEAD) / 2**30:.1f} GiB of memory, "
            f"{free / 2**30:.1f} GiB are free.",
            "Close other programs, or choose a smaller model with `--model`.",
        )


def check_loopback() -> None:
    """Raises `ModelError` where 127.0.0.1, through which the engine is asked, leads nowhere.

    So it is in a container or name space whose loopback interface is down: an engine can listen
    there, and nobody reaches it.
    """
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=5),
        ):
            return
    except OSError as error:
        raise ModelError(
            "The engine is asked through 127.0.0.1, which cannot be reached here "
            f"({error.strerror or error}): is the loopback interface down?",
            "`ip link set lo up` starts it.",
        ) from None


def refused(path: Path, why: str) -> ModelError:
    """The error for weights that an engine would not load."""
    return ModelError(
        f"The engine could not load {path.name}: {why.rstrip('.')}.",
        "`manole models verify` checks the file; `--model` names another.",
    )


def fingerprint(path: Path) -> str:
    """Identify weights by 64 hex digits, without reading them whole.

    The verified SHA-256 where one is on record, else a hash of size, beginning and end.
    """
    if recorded := verified_hash(path):
        return recorded
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_SAMPLE))
        file.seek(max(0, size - _SAMPLE))
        digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
