"""The sentences that code writes for people, read from its source, their values left open."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/manole"
PACKAGES = [SOURCE, *sorted(ROOT.glob("plugins/*/manole_*"))]
OPEN = "70{:02}"  # stands where a value will: a number, for some values are

# What of a call is a sentence: these of its arguments, or those of these names.
_PLACES = {
    "Progress": (0,), "Error": (0,), "Refused": (2, 3), "problem": (0, 1, 3), "warning": (0, 1, 3),
    "good": (1,), "run": (2,), "Route": (2,), "JournalSearch": (2,), "_failed": (1,),
    "said": (0,), "say": (0,),
}  # fmt: skip
_ERROR = (0, 1)
_NAMED = {"message", "hint", "suggestion", "reason", "reasoning", "why", "llm_message", "remedy"}
_ASSIGNED = {"reason", "why", "hint"}


class Module:
    """One file's sentences."""

    def __init__(self, path: Path, errors: frozenset[str]) -> None:
        self.path = path
        self._errors = errors
        self.tree = tree(path)
        self._constants = _assigned(self.tree.body)

    def sentences(self) -> Iterator[tuple[int, str]]:
        """Line and text, a place for every way that a sentence can be said."""
        for scope in ast.walk(self.tree):
            if isinstance(scope, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
                local = {} if isinstance(scope, ast.Module) else _assigned(list(ast.walk(scope)))
                for node in _own(scope):
                    for place in self._places(node):
                        for text in self._texts(place, local) or ():
                            yield place.lineno, text

    def _places(self, node: ast.AST) -> Iterator[ast.expr]:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            places = _ERROR if name in self._errors else _PLACES.get(name, ())
            yield from (arg for n, arg in enumerate(node.args) if n in places)
            yield from (k.value for k in node.keywords if k.arg in _NAMED)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in _ASSIGNED:
            yield node.value

    def _texts(self, node: ast.expr, local: dict[str, list[ast.expr]]) -> list[str] | None:
        """Every text that an expression may be, `None` where it is somebody else's."""
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=parts):
                return _each([self._piece(part, local, n) for n, part in enumerate(parts)])
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                sides = [self._texts(left, local), self._texts(right, local)]
                return _each([side or [OPEN.format(n)] for n, side in enumerate(sides)])
            case ast.IfExp(body=body, orelse=other):
                return _either([self._texts(body, local), self._texts(other, local)])
            case ast.BoolOp(op=ast.Or(), values=values):
                return _either([self._texts(value, local) for value in values])
            case ast.Name(id=name):
                known = local.get(name) or self._constants.get(name) or []
                others = {key: value for key, value in local.items() if key != name}
                return _either([self._texts(value, others) for value in known])
        return None

    def _piece(self, part: ast.expr, local: dict[str, list[ast.expr]], n: int) -> list[str]:
        if isinstance(part, ast.Constant):
            return [str(part.value)]
        assert isinstance(part, ast.FormattedValue)
        inner = part.value
        own = isinstance(inner, ast.IfExp) or (
            isinstance(inner, ast.Name) and inner.id in self._constants | local.keys()
        )
        return (self._texts(inner, local) if own else None) or [OPEN.format(n)]


@cache
def tree(path: Path) -> ast.Module:
    """A file's code."""
    return ast.parse(path.read_text("utf-8"))


def modules(but: Sequence[str] = ()) -> list[Module]:
    """Every file of the package; `but` are the beginnings of paths that are left out."""
    paths = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
    errors = _errors(paths)
    kept = (p for p in paths if not p.relative_to(ROOT).as_posix().startswith(tuple(but)))
    return [Module(path, errors) for path in kept]


def _errors(paths: Sequence[Path]) -> frozenset[str]:
    """The names of `ManoleError` and all that are made of it."""
    trees = map(tree, paths)
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for code in trees
        for node in ast.walk(code)
        if isinstance(node, ast.ClassDef)
    }
    found = {"ManoleError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found)


def _assigned(body: Sequence[ast.AST]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return found


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function itself, not in one inside it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
            yield from _own(child)


def _each(parts: Sequence[list[str]]) -> list[str]:
    return ["".join(way) for way in product(*parts)]


def _either(ways: Sequence[list[str] | None]) -> list[str] | None:
    return [text for way in ways for text in way or ()] or None
