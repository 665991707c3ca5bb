"""The usual engine in a child process, for a user's own weights.

It is `python -m manole.models.engine.apart`.

A file of the catalog is the one that its hash says. Any other may have been made to break the
engine, which is C++ that reads whatever stands in it and ends its process where it does not fit.
So such weights are opened in a child, by the same engine with the same options; questions, answers,
speed and kept prefixes are the same. A start takes a third of a second more.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import sys
import threading
from dataclasses import asdict, replace
from pathlib import Path

from manole.errors import ModelError
from manole.models.engine.child import KEY, ChildLlama
from manole.models.engine.options import EngineOptions, prepared
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings


class LlamaApart(ChildLlama):
    """A GGUF model in a child of this Python. Use `LlamaApart.load`, as `LlamaCpp.load`."""

    @classmethod
    async def load(
        cls,
        name: str,
        path: Path,
        settings: ModelSettings,
        options: EngineOptions | None = None,
        prefixes: Prefixes | None = None,
        projector: Path | None = None,
    ) -> LlamaApart:
        """Load the weights at `path`. Raises `ModelError`, also where the engine crashes."""
        options = await asyncio.to_thread(prepared, settings, options, path, projector)
        told = {
            "path": str(path),
            "projector": str(projector) if projector else None,
            "settings": settings.model_dump(include={"context", "parallel"}),
            "options": asdict(replace(options, native=None)),
            "prefixes": str(prefixes.folder) if prefixes else None,
        }
        command = [sys.executable, "-P", "-m", __name__, json.dumps(told)]
        try:
            return await cls.start(name, path, settings, command, _listening, prefixes)
        except ModelError as error:
            if projector is None:
                raise
            said = f"{error.message} Its projector: {projector.name}."
            raise ModelError(said, error.hint) from None


def _listening(key: str) -> re.Pattern[bytes]:
    """Match the line that the child prints when ready. Hostile weights cannot forge it."""
    return re.compile(rf"{_mark(key)} (http://127\.0\.0\.1:\d+)\n".encode())


def _mark(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def main() -> None:
    """Open the weights that the command line tells, and answer until the parent ends."""
    from manole.models.engine.llamacpp import open_server

    key, told = os.environ.pop(KEY), json.loads(sys.argv[1])
    try:
        server = open_server(
            Path(told["path"]),
            key,
            ModelSettings(**told["settings"]),
            EngineOptions(**told["options"]),
            Path(told["prefixes"]) if told["prefixes"] else None,
            Path(told["projector"]) if told["projector"] else None,
        )
    except Exception as error:
        sys.exit(f"{error}")
    print(_mark(key), server.listening_address, flush=True)  # noqa: T201  (to the parent)
    threading.Event().wait()


if __name__ == "__main__":
    main()
