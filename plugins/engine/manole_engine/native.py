"""llama.cpp compiled on this machine, as a child process on loopback.

A prebuilt engine uses the instructions of every processor of the last ten years; one compiled here
uses all of this processor's. `manole models tune --compile` builds it (`build.py`), and it is used
only if it was measured to be faster and to give the same answers.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from manole.errors import ModelError
from manole.models.engine.child import ChildLlama
from manole.models.engine.options import PROMPT_CACHE_MIB, EngineOptions, prepared
from manole.models.engine.prefixes import Prefixes
from manole.settings import ModelSettings

# With a device, the engine works out how many layers have room.
_ON_GPU, _ON_CPU = ("--fit", "on"), ("--gpu-layers", "0", "--device", "none", "--fit", "off")
_LISTENING = re.compile(rb"listening on (http://127\.0\.0\.1:\d+)")


class NativeLlama(ChildLlama):
    """A GGUF model in the compiled engine. Use `NativeLlama.load`."""

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
        if options.native is None:
            raise ModelError("There is no compiled engine to start.")
        options = await asyncio.to_thread(prepared, settings, options, path)
        command = arguments(path, settings, options, prefixes)
        model = await cls.start(name, path, settings, command, lambda _: _LISTENING, prefixes)
        model.on_gpu = options.gpu
        return model


def arguments(
    path: Path, settings: ModelSettings, options: EngineOptions, prefixes: Prefixes | None
) -> list[str]:
    """Return the child's command line. It holds no secret."""
    command = [
        str(options.native),
        *("--model", str(path), "--host", "127.0.0.1", "--port", "0", "--offline"),
        *("--ctx-size", str(settings.context), "--parallel", str(settings.parallel)),
        *("--kv-unified", "--no-cache-idle-slots", "--cache-ram", str(PROMPT_CACHE_MIB)),
        *("--threads", str(options.threads), "--threads-batch", str(options.threads)),
        *("--ubatch-size", str(options.ubatch), "--flash-attn", options.flash),
        *("--cache-type-k", options.kv, "--cache-type-v", options.kv),
        *(_ON_GPU if options.gpu else _ON_CPU),
        *("--no-warmup", "--no-ui", "--no-slots", "--jinja"),
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
