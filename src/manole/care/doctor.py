"""Checks everything Manole keeps, and applies the remedies that lose nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from manole.care.caches import check_beside, check_caches, check_conversations
from manole.care.findings import Finding, Fix
from manole.care.folders import check_folders, read_settings
from manole.care.indexes import attempt, check_index, check_strays
from manole.care.privacy import check_private
from manole.care.telemetry import check_telemetry
from manole.care.tools import check_graphics, check_tools
from manole.care.weights import check_weights
from manole.index.store.libraries import libraries, library_info

Tell = Callable[[str], None]
ORDER = ("describe ", "order ", "words ", "")  # what is mended first


async def examine(
    flags: Mapping[str, Any],
    library: str | None = None,
    *,
    thorough: bool = False,
    tell: Tell = lambda text: None,
) -> list[Finding]:
    """Return every finding. Changes nothing and uses no network.

    `flags` are settings of the command line; `library` is a name or folder, by default all. With
    `thorough`, all weights are hashed and every vector is read. `tell` gets what is checked next.
    Raises `UsageError` for an unknown library.
    """
    tell("settings and folders")
    settings, found = read_settings(flags)
    chosen = libraries(settings) if library is None else [library_info(library, settings)]
    found += await asyncio.to_thread(check_folders, settings)
    found += await asyncio.to_thread(check_private, settings)
    for info in chosen:
        tell(info.name)
        found += await check_index(info, settings, thorough=thorough)
        found += await asyncio.to_thread(check_beside, info)
    if library is None:
        found += await asyncio.to_thread(check_strays, settings)
    tell("weights")
    found += await asyncio.to_thread(check_weights, settings, tell, thorough=thorough)
    found += await asyncio.to_thread(check_graphics, settings)
    tell("caches and conversations")
    found += await asyncio.to_thread(check_caches, settings, thorough=thorough)
    found += await asyncio.to_thread(check_conversations, settings)
    found += await asyncio.to_thread(check_telemetry)
    return [*found, *check_tools(settings)]


async def mend(findings: Iterable[Finding], tell: Tell = lambda text: None) -> list[str]:
    """Apply the fixes of these findings; return a sentence for each."""
    fixes: dict[str, Fix] = {}
    for finding in findings:
        if finding.fix is not None:
            fixes.setdefault(finding.fix.name, finding.fix)
    done = []
    for start in ORDER:
        for name in [name for name in fixes if name.startswith(start)]:
            tell(name)
            done.append(await attempt(fixes.pop(name).run))
    return done
