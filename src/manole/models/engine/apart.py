"""The usual engine in a child process, for a user's own weights.

The child is `python -m manole.models.engine.apart`.

The hash of a catalog's file vouches for it. Any other file may have been made to break the engine,
which is C++ that trusts its input and ends its process where the input does not fit. So such
weights are opened in a child, by the same engine with the same options: answers, speed and kept
prefixes are the same, and a start takes a third of a second more.
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
        """Load the weights at `path`. Raises `ModelError`, also if the engine crashes."""
        options = await asyncio.to_thread(prepared, settings, options, path, projector)
        task = {
            "path": str(path),
            "projector": str(projector) if projector else None,
            "settings": settings.model_dump(include={"context", "parallel"}),
            "options": asdict(replace(options, native=None)),
            "prefixes": str(prefixes.folder) if prefixes else None,
        }
        command = [sys.executable, "-P", "-m", __name__, json.dumps(task)]
        try:
            return await cls.start(name, path, settings, command, _listening, prefixes)
        except ModelError as error:
            if projector is None:
                raise
            reason = f"{error.message} Its projector: {projector.name}."
            raise ModelError(reason, error.hint) from None


def _listening(key: str) -> re.Pattern[bytes]:
    """Return the pattern of the child's line when it is ready; hostile weights cannot forge it."""
    return re.compile(rf"{_mark(key)} (http://127\.0\.0\.1:\d+)\n".encode())


def _mark(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def main() -> None:
    """Open the weights that the command line names, and answer until the parent ends."""
    from manole.models.engine.llamacpp import open_server

    key, task = os.environ.pop(KEY), json.loads(sys.argv[1])
    try:
        server = open_server(
            Path(task["path"]),
            key,
            ModelSettings(**task["settings"]),
            EngineOptions(**task["options"]),
            Path(task["prefixes"]) if task["prefixes"] else None,
            Path(task["projector"]) if task["projector"] else None,
        )
    except Exception as error:
        sys.exit(f"{error}")
    print(_mark(key), server.listening_address, flush=True)  # noqa: T201  (to the parent)
    threading.Event().wait()


if __name__ == "__main__":
    main()
