"""The options of llama.cpp, and checks before a start.

`EngineOptions` are the options that change the engine's speed. The user's settings come first, then
the fastest options that `manole models tune` found here (`machine/tuning.py`), then the defaults.
"""

from __future__ import annotations

import hashlib
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import psutil

from manole.errors import ModelError
from manole.models.cores import free_cores, physical_cores
from manole.models.weights.files import verified_hash
from manole.settings import ModelSettings

KvType = Literal["f16", "q8_0"]
FlashAttention = Literal["auto", "on", "off"]

# Bytes an engine needs beside the weights: context, compute buffers, prompt cache. Set by hand.
_OVERHEAD = 600 * 2**20
PROMPT_CACHE_MIB = 512  # for copies of sequences that had to make room; set by hand
_SAMPLE = 4 * 2**20  # bytes hashed at either end of a file without a record; set by hand


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options of speed. None of them may change a model's answers.

    `threads` 0 means the cores that are free when the engine starts. `ubatch` tokens are evaluated
    at once, and `kv` is the type of keys and values. `lookup` is the length of the n-gram that
    starts a guess (0: no guessing) and `draft` the number of guessed tokens: text that repeats its
    context is then written several tokens at a time (llama.cpp's `ngram-simple`). `native` is a
    `llama-server` compiled on this machine. With `gpu`, as many layers as have room are on graphics
    processors, where there are any; otherwise these are used for nothing.
    """

    threads: int = 0
    ubatch: int = 512
    kv: KvType = "f16"
    flash: FlashAttention = "auto"
    lookup: int = 0
    draft: int = 16
    native: Path | None = None
    gpu: bool = False


def threads_for(settings: ModelSettings, options: EngineOptions) -> int:
    """Return the threads to start with: the user's number, or as many of the best as are free."""
    return settings.threads or min(options.threads or physical_cores(), free_cores())


def prepared(
    settings: ModelSettings, options: EngineOptions | None, *files: Path | None
) -> EngineOptions:
    """Check the files, and return the options with the threads to start.

    Blocks while the cores are watched. Raises `ModelError`.
    """
    for file in filter(None, files):
        check_weights(file)
    options = options or EngineOptions()
    return replace(options, threads=threads_for(settings, options))


def check_weights(path: Path) -> None:
    """Refuse weights that cannot work before an engine tries them. Raises `ModelError`."""
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
    """Raise `ModelError` if 127.0.0.1, through which the engine is asked, cannot be reached.

    This happens in a container or name space whose loopback interface is down: an engine can
    listen there, but nobody reaches it.
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
    """Return the error for weights that an engine would not load."""
    return ModelError(
        f"The engine could not load {path.name}: {why.rstrip('.')}.",
        "`manole models verify` checks the file; `--model` names another.",
    )


def fingerprint(path: Path) -> str:
    """Return 64 hex digits that identify weights, without reading them whole.

    They are the verified SHA-256 if one is on record, otherwise a hash of size, beginning and end.
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
