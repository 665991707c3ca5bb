"""Checks what may be at hand and need not be: the extras, a compiler, a graphics processor."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from manole import hooks
from manole.care.findings import Finding, command, good, problem, warning
from manole.errors import ManoleError
from manole.models.choose import chat_at_hand
from manole.models.endpoints import endpoint_of
from manole.models.weights.cache import Weights
from manole.settings import Settings

TOOLS, GRAPHICS = "tools", "graphics processor"
HEIC = hooks.Extra(("pi_heif",), "HEIC photos are read")


def check_tools(settings: Settings) -> list[Finding]:
    """Check the extras, a compiler for `manole models tune`, and what the settings need of them.

    None is needed, unless a setting asks for it.
    """
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


def check_graphics(settings: Settings) -> list[Finding]:
    """Check how much of the chat model at hand runs on it, or why none. Nothing is loaded."""
    if endpoint_of(settings.model.name)[0]:
        return []
    from manole.models.machine.gpu_report import told

    weights = Weights(settings.weights_dir)
    name = settings.model.name
    if name == "auto":
        taken = chat_at_hand(settings, weights)
        name = taken[0].name if taken else ""
    try:
        files = weights.path(name) if name else None
        if not files:
            return []
        found = told(name, next(iter(files.values())), settings.cache_dir, settings.model)
    except (OSError, ManoleError):
        return []  # whatever is wrong with the weights is said of the weights
    if not found.fault:
        return [good(GRAPHICS, found.text.rstrip("."))]
    again = command("manole", "models", "tune")
    return [warning(GRAPHICS, found.text.rstrip("."), remedy=f"{again} tries it anew.")]
