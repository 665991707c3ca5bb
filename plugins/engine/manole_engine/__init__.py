"""An engine compiled and tuned on this machine (README.md); this function is its entry point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manole.models.engine.options import EngineOptions
    from manole.models.engine.prefixes import Prefixes
    from manole.settings import ModelSettings
    from manole_engine.native import NativeLlama


async def compiled(
    name: str,
    path: Path,
    settings: ModelSettings,
    options: EngineOptions,
    prefixes: Prefixes | None = None,
) -> NativeLlama:
    """Start the program `options.native` with the weights at `path`.

    It is a `manole.models.gpu.start.EngineKind`.
    """
    from manole_engine.native import NativeLlama

    return await NativeLlama.load(name, path, settings, options, prefixes)
