"""The doctor: all checks in order, those of optional tools, and the remedies that lose nothing."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any

from manole import hooks
from manole.care.caches import check_beside, check_caches, check_conversations
from manole.care.findings import Finding, Fix, Tell, good, problem
from manole.care.folders import check_folders, read_settings
from manole.care.indexes import attempt, check_index, check_strays
from manole.care.machine import check_machine
from manole.care.weights import check_graphics, check_weights
from manole.index.store.libraries import libraries, library_info
from manole.settings import Settings

TOOLS = "tools"
HEIC = hooks.Extra(("pi_heif",), "HEIC photos are read")
ORDER = ("describe ", "order ", "words ", "")  # of fixes, by the beginnings of their names


async def examine(
    flags: Mapping[str, Any],
    library: str | None = None,
    *,
    thorough: bool = False,
    tell: Tell = lambda text: None,
) -> list[Finding]:
    """Return every finding. Changes nothing and uses no network.

    `flags` are settings of the command line; `library` is a name or folder, by default all. With
    `thorough`, all weights are hashed and every vector is read. `tell` gets the name of each check.
    Raises `UsageError` for an unknown library.
    """
    tell("settings and folders")
    settings, found = read_settings(flags)
    chosen = libraries(settings) if library is None else [library_info(library, settings)]
    found += await asyncio.to_thread(check_folders, settings)
    for info in chosen:
        tell(info.name)
        found += await check_index(info, settings, thorough=thorough)
        found += await asyncio.to_thread(check_beside, info)
    if library is None:
        found += await asyncio.to_thread(check_strays, settings)
    tell("weights")
    found += await asyncio.to_thread(check_weights, settings, tell, thorough=thorough)
    found += await asyncio.to_thread(check_machine, settings)
    found += await asyncio.to_thread(check_graphics, settings)
    tell("caches and conversations")
    found += await asyncio.to_thread(check_caches, settings, thorough=thorough)
    found += await asyncio.to_thread(check_conversations, settings)
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


def check_tools(settings: Settings) -> list[Finding]:
    """Check the extras and the compiler for `manole models tune`.

    None is needed, unless a setting names an extra.
    """
    found = []
    pages = settings.index.pages
    brought = {name: hooks.EXTRAS.get(name) for name in hooks.EXTRAS.names()}
    for extra, needs in {"heic": HEIC, **brought}.items():
        if needs is None:
            continue
        there = all(find_spec(module) is not None for module in needs.modules)
        install = f"pip install 'manole[{extra}]'"
        if there:
            found.append(good(TOOLS, f"{extra}: at hand, {needs.gives}"))
        elif pages.partition(":")[0] == extra:
            text = f"index.pages = {pages} needs the extra {extra}"
            remedy = f"`{install}`, or `manole --set index.pages=lines index ...`"
            found.append(problem(TOOLS, text, "index.pages", remedy))
        else:
            found.append(good(TOOLS, f"{extra}: not at hand (`{install}`)"))
    compiler = any(shutil.which(name) for name in ("c++", "g++", "clang++"))
    can = "at hand" if compiler and shutil.which("cmake") else "not at hand"
    found.append(good(TOOLS, f"a compiler for `manole models tune`: {can}"))
    return found
