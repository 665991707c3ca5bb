"""Which extras are at hand. None is needed; a setting that asks for a missing one is a problem."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from manole import hooks
from manole.care.findings import Finding, good, problem
from manole.settings import Settings

TOOLS = "tools"
HEIC = hooks.Extra(("pi_heif",), "HEIC photos are read")


def check_tools(settings: Settings) -> list[Finding]:
    """The extras, a compiler for `manole models tune`, and what the settings need of them."""
    found = []
    pages = settings.index.pages
    brought = {name: hooks.EXTRAS.get(name) for name in hooks.EXTRAS.names()}
    for extra, of in {"heic": HEIC, **brought}.items():
        if of is None:
            continue
        there = all(find_spec(module) is not None for module in of.modules)
        install = f"pip install 'manole[{extra}]'"
        if there:
            found.append(good(TOOLS, f"{extra}: at hand, {of.gives}"))
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
