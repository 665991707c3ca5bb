"""Which tier a test belongs to, found from what it uses.

A tier says what a test needs beside Python, from the quickest to the slowest: `pure` nothing;
`store` a real index, the embedder, or the workers that read files; `server` other programs, a
server on loopback, words in pictures (the example household has some), other weights to compare
with, or time: rounds, and changes that are waited for; `model` a real chat model; `browser` the
page in a browser. A test belongs to the last one that it needs.

Nobody writes it down. A test, its fixtures and theirs, and the helpers under `tests/`, `plugins/`
and `benchmarks/` that these name are looked through for what `NEEDS` lists. In the pure tier a
connection or another process is refused, so a test that this misses fails at once. Where the need
stands in no name (a model's name on a command line, a watch that a library starts, pip), a mark
says it: `pytest.mark.model`.
"""

from __future__ import annotations

import multiprocessing.process
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

TIERS = {
    "pure": "Python alone: no index, no other process, no connection",
    "store": "a real index, the real embedder, or the workers that read files",
    "server": "other programs, a server on loopback, words in pictures, what takes time",
    "model": "a real chat model",
    "browser": "the page in a real browser",
}
RANK = {tier: rank for rank, tier in enumerate(TIERS)}

# What is named so, or begins so.
NEEDS = {
    "store": (
        "contract.records.opening", "lancedb", "manole.care", "manole.cli.app.main",
        "manole.documents.extract.Extractor", "manole.index.store.lance",
        "manole.index.store.opening.open_store", "manole.library.Library",
        "manole.models.encode.embedder.load_embedder", "manole.models.weights.cache.Weights",
        "manole.serve.service.Service", "onnxruntime", "typer.testing",
    ),
    "server": (
        "asyncio.start_server", "asyncio.subprocess", "common_fixtures.household_index",
        "http.server",
        "manole.documents.ocr", "manole.index.sync.ocr", "manole.index.watch.watcher",
        "manole_engine.build", "manole.models.engine.child", "manole.models.gpu.devices.devices",
        "manole_engine.native",
        "manole.models.chat.openai", "manole.models.vision", "manole.serve.http.app.serve",
        "manole.serve.server", "manole.serve.opening",
        "mcp.client", "multiprocessing", "rounds.rounds", "safetensors", "schemathesis",
        "socket.create_connection", "socket.create_server", "socket.socket", "socketserver",
        "subprocess", "uvicorn",
    ),
    "model": ("manole.models.engine.llamacpp", "manole.models.load.ChatLoader", "xllamacpp"),
    "browser": ("browsers.browser", "playwright"),
}  # fmt: skip
OURS = tuple(
    str(Path(__file__).parents[1] / folder)
    for folder in ("tests", "plugins", "benchmarks", "examples")
)
_found: dict[int, tuple[Any, str]] = {}  # by identity; what was looked at is kept, so that it stays


def tier_of(item: pytest.Item) -> str:
    """The tier of one test."""
    info = getattr(item, "_fixtureinfo", None)
    made = [] if info is None else [defs[-1].func for defs in info.name2fixturedefs.values()]
    test = getattr(item, "obj", None)
    inner = getattr(getattr(test, "hypothesis", None), "inner_test", None)
    said = [mark.name for mark in item.iter_markers() if mark.name in TIERS]
    return _highest((*said, *(_tier(used) for used in (test, inner, *made))))


def _highest(tiers: Iterable[str]) -> str:
    return max(tiers, key=RANK.__getitem__, default="pure")


def _tier(used: Any) -> str:
    """What a function, class or value needs, with all that it names where it is ours."""
    used = getattr(used, "__func__", getattr(used, "fget", used))
    used = getattr(used, "__wrapped__", used)
    if id(used) not in _found:
        _found[id(used)] = used, "pure"  # until it is known: helpers may call one another
        named = _named(_name_of(used))
        within = _highest(map(_tier, _parts(used))) if _is_ours(used) else "pure"
        _found[id(used)] = used, _highest((named, within))
    return _found[id(used)][1]


def _named(name: str) -> str:
    return _highest(
        tier for tier, roots in NEEDS.items() for root in roots if f"{name}.".startswith(f"{root}.")
    )


def _name_of(used: Any) -> str:
    """The dotted name of a module, a class or a function; of a value that of its class."""
    if isinstance(used, ModuleType):
        return used.__name__
    kind = used if hasattr(used, "__qualname__") else type(used)
    return f"{getattr(kind, '__module__', '')}.{kind.__qualname__}"


def _is_ours(used: Any) -> bool:
    module = sys.modules.get(_module_of(used))
    return not isinstance(used, ModuleType) and str(getattr(module, "__file__", "")).startswith(
        OURS
    )


def _module_of(used: Any) -> str:
    return getattr(used, "__module__", None) or type(used).__module__


def _parts(used: Any) -> Iterator[Any]:
    """What something of ours refers to: names in its code, what it encloses, methods and bases."""
    if isinstance(used, type):
        yield from used.__bases__
        yield from vars(used).values()
    elif code := getattr(used, "__code__", None):
        for cell in used.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:
                continue  # it is not filled yet
        yield from _named_in(code, used.__globals__ | _methods_beside(used))
    else:
        yield type(used)


def _methods_beside(used: Any) -> dict[str, Any]:
    """The methods of the class that a function is written in, which it may name."""
    at: Any = used.__globals__
    for name in used.__qualname__.split(".")[:-1]:
        at = at.get(name) if isinstance(at, dict) else getattr(at, name, None)
    return dict(vars(at)) if isinstance(at, type) else {}


def _named_in(code: CodeType, known: dict[str, Any]) -> Iterator[Any]:
    """What the names in code stand for: globals, and what of modules is named beside them."""
    todo = [known.get(name, sys.modules.get(name)) for name in code.co_names]
    looked_into = set()
    while todo:
        at = todo.pop()
        if not isinstance(at, ModuleType) or _named(at.__name__) != "pure":
            yield at
        elif at.__name__ not in looked_into:
            looked_into.add(at.__name__)
            todo += [vars(at)[name] for name in code.co_names if name in vars(at)]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named_in(constant, known)


class RefusedError(AssertionError):
    """A test of the pure tier wanted more than Python."""


_pure: set[int] | None = None  # the threads that were there before a pure test that runs now


def _refuse(event: str, arguments: tuple[Any, ...] = ()) -> None:
    if _pure is None or threading.get_ident() in _pure:
        return
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen"):
        raise RefusedError(
            f"a test of the pure tier wanted {event}{arguments}: "
            "tests/tiers.py must name what it uses under its tier"
        )


@contextmanager
def nothing_but_python() -> Iterator[None]:
    """Refuse connections and processes to this thread and those that it starts."""
    global _pure
    mine = threading.get_ident()
    _pure = {thread for thread in sys._current_frames() if thread != mine}
    try:
        yield
    finally:
        _pure = None


def watch() -> None:
    """Have Python report every connection and process, once a run."""
    sys.addaudithook(_refuse)
    start = multiprocessing.process.BaseProcess.start

    def checked(self: multiprocessing.process.BaseProcess) -> None:
        _refuse("subprocess.Popen")
        start(self)

    multiprocessing.process.BaseProcess.start = checked  # type: ignore[method-assign]
