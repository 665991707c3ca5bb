"""The usual engine, `xllamacpp`, in a child of this Python (`program.py`).

The engine is C++ that trusts its input and ends its process where the input does not fit, or where
a graphics processor's driver crashes. So it never runs in our own process.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from manole.errors import ModelError
from manole.models.engine.child import ChildLlama
from manole.models.engine.options import PROMPT_CACHE_MIB, EngineOptions, prepared
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings

VERSION = f"xllamacpp {version('xllamacpp')}"
COMMAND = (sys.executable, "-P", "-m", "manole.models.engine.program")


class LlamaCpp(ChildLlama):
    """A GGUF model in the usual engine. Use `LlamaCpp.load`."""

    @classmethod
    async def load(
        cls,
        name: str,
        path: Path,
        settings: ModelSettings,
        options: EngineOptions | None = None,
        prefixes: Prefixes | None = None,
        projector: Path | None = None,
    ) -> LlamaCpp:
        """Load the weights at `path`.

        With `prefixes`, evaluated system messages and worked examples are kept on disk between
        processes. With a `projector`, messages may have pictures. Raises `ModelError` if the
        weights have no room or are not GGUF, if the engine crashes on them, or if it cannot be
        reached through loopback.
        """
        options = await asyncio.to_thread(prepared, settings, options, path, projector)
        task = asdict(options) | {
            "native": None,
            "path": str(path),
            "projector": str(projector) if projector else None,
            "context": settings.context,
            "parallel": settings.parallel,
            "cache_mib": PROMPT_CACHE_MIB,
            "prefixes": str(prefixes.folder) if prefixes else None,
        }
        command = [*COMMAND, json.dumps(task)]
        try:
            return await cls.start(name, path, settings, command, _listening, prefixes)
        except ModelError as error:
            if projector is None:
                raise
            reason = f"{error.message} Its projector: {projector.name}."
            raise ModelError(reason, error.hint) from None


def _listening(key: str) -> re.Pattern[bytes]:
    """Return the pattern of the child's line when it is ready; hostile weights cannot forge it."""
    mark = hashlib.sha256(key.encode()).hexdigest()
    return re.compile(rf"{mark} (http://127\.0\.0\.1:\d+)( gpu)?\n".encode())
