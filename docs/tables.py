"""Writes the tables of the documentation that follow from the code, so that they cannot rot.

`python docs/tables.py` rewrites what stands between `<!-- begin NAME -->` and `<!-- end -->` in
the pages below; `tests/docs` fails where a page does not agree with the code.

`python docs/tables.py sizes` measures the installed dependencies of the environment it runs in
and rewrites their table. It is not part of the check: sizes differ between platforms.
"""

from __future__ import annotations

import importlib.metadata as metadata
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from manole.models.catalog.table import CATALOG, HubSource, ModelSpec, PackageSource
from manole.settings import Settings
from manole.settings.sections import OneOf
from manole.tools.registry import Registry

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT / "locks"))
from needed import closure, key, licence  # noqa: E402
from needed import direct as requirements  # noqa: E402

BOUNDS = {"gt": "more than {}", "ge": "from {}", "lt": "less than {}", "le": "to {}"}
PLACES = {"data_dir": "the user's data folder", "cache_dir": "the user's cache folder"}
SHOWN_ABOVE_MB = 1.0  # smaller transitive packages are summed up


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    heads = list(head)
    lines = [heads, ["---"] * len(heads), *(list(row) for row in rows)]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def settings_table() -> str:
    """Every field of `Settings` with default, bounds and meaning."""
    rows = []
    for dotted, (_, meaning) in Settings().describe().items():
        field = setting(dotted)
        rows.append((f"`{dotted}`", _default(dotted, field), bounds(field), meaning))
    return table(("setting", "default", "allowed", "meaning"), rows)


def setting(dotted: str) -> FieldInfo:
    """The field behind a dotted name."""
    section, _, name = dotted.partition(".")
    field = Settings.model_fields[section]
    if not name:
        return field
    inner = field.annotation
    assert isinstance(inner, type) and issubclass(inner, BaseModel)
    return inner.model_fields[name]


def _default(dotted: str, field: FieldInfo) -> str:
    if dotted in PLACES:
        return PLACES[dotted]
    value = field.default
    if value in ((), None, ""):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def bounds(field: FieldInfo) -> str:
    """The allowed values of a field in words: `from 1 to 64`, `one of auto, never`, `text`."""
    if get_origin(field.annotation) is Literal:
        return "one of " + ", ".join(f"`{choice}`" for choice in get_args(field.annotation))
    found = []
    for item in field.metadata:
        if isinstance(item, OneOf):
            return "one of " + ", ".join(f"`{choice}`" for choice in item.values)
        for name, words in BOUNDS.items():
            limit = getattr(item, name, None)
            if limit is not None:
                found.append(words.format(_figure(limit)))
        if getattr(item, "max_length", None):
            found.append(f"text of at most {_figure(item.max_length)} characters")
    return " ".join(found) or kind(field.annotation)


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def kind(annotation: Any) -> str:
    """A type in plain words."""
    names = {
        str: "text", bool: "`true` or `false`", int: "whole number", float: "number", Path: "folder"
    }  # fmt: skip
    if annotation in names:
        return names[annotation]
    if get_origin(annotation) is tuple:
        return "list of texts"
    inner = [item for item in get_args(annotation) if item is not type(None)]
    return kind(inner[0]) if inner else getattr(annotation, "__name__", str(annotation))


def tools_table() -> str:
    """The tools, in the order in which a prompt lists them."""
    tools = Registry()
    return table(
        ("tool", "what the model is told of it", "available"),
        ((f"`{n}`", tools[n].description, tools[n].available_when) for n in tools.names),
    )


def tool_table(name: str) -> str:
    """The parameters of one tool."""
    rows = []
    for parameter, field in Registry()[name].inputs.model_fields.items():
        default = "required" if field.is_required() else _parameter_default(field.default)
        rows.append((f"`{parameter}`", default, bounds(field), field.description or ""))
    if not rows:
        return "It has no parameters."
    return table(("parameter", "default", "allowed", "meaning"), rows)


def _parameter_default(value: Any) -> str:
    return "none" if value in ("", (), None) else f"`{value}`"


def models_table() -> str:
    """The weights catalog."""
    return table(
        ("name", "kind", "size", "licence", "sources", "what it is"),
        (
            (f"`{s.name}`", s.kind, size(s.size), s.licence, sources(s), s.description)
            for s in CATALOG.values()
        ),
    )


def size(count: int) -> str:
    """Bytes in MB, or a question mark where nobody published the size."""
    return f"{count / 1e6:,.0f} MB" if count else "?"


def sources(spec: ModelSpec) -> str:
    """Where a model's files can be had, in order of preference."""
    found = []
    for source in (source for file in spec.files for source in file.sources):
        if isinstance(source, HubSource):
            found.append(f"hub `{source.repo}`")
        elif isinstance(source, PackageSource):
            found.append("comes with Manole")
        else:
            first, last = source.parts[0].project, source.parts[-1].project
            found.append(f"wheel `{first}`" if first == last else f"wheels `{first}` … `{last}`")
    return ", ".join(dict.fromkeys(found)) or "your own export"


def hashes_table() -> str:
    """Size and SHA-256 of each file."""
    return table(
        ("model", "file", "bytes", "SHA-256", "pinned by"),
        (
            (
                f"`{spec.name}`",
                f"`{file.name}`",
                f"{file.size:,}" if file.size else "?",
                f"`{file.sha256}`" if file.sha256 else "nobody published one",
                spec.pinned_by,
            )
            for spec in CATALOG.values()
            for file in spec.files
        ),
    )


GENERATED: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("settings.md", settings_table),
    "tools": ("tools.md", tools_table),
    **{
        f"tool {name}": ("tools.md", lambda name=name: tool_table(name))
        for name in Registry().names
    },
    "models": ("models.md", models_table),
    "hashes": ("models.md", hashes_table),
}


def put(page: str, name: str, text: str) -> str:
    """`page` with `text` between the marks of `name`. Raises `ValueError` without marks."""
    pattern = re.compile(rf"(<!-- begin {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(f"the page has no place for {name}")
    return pattern.sub(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", page, count=1)


def rewritten(name: str) -> tuple[Path, str]:
    """The page that holds a generated table, and its text as it should be."""
    file, make = GENERATED[name]
    return DOCS / file, put((DOCS / file).read_text("utf-8"), name, make())


# Installed sizes -----------------------------------------------------------------------------


def direct() -> dict[str, str]:
    """The direct dependencies of pyproject.toml, and the comment that says what each is for."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    purposes = {}
    for name in (requirement.name for requirement in requirements()):
        comment = re.search(rf'^\s*"{re.escape(name)}[^"]*",\s*#\s*(.+)$', text, re.MULTILINE)
        purposes[name] = comment[1].strip() if comment else ""
    return purposes


def installed_bytes(name: str) -> int:
    """Bytes of a package's installed files, with what Python compiled of them."""
    package = metadata.distribution(name)
    paths = {Path(str(package.locate_file(file))) for file in package.files or ()}
    paths |= {
        compiled
        for path in paths
        if path.suffix == ".py"
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.cpython-*.pyc")
    }
    return sum(path.stat().st_size for path in paths if path.is_file())


def sizes_tables() -> tuple[str, str, str]:
    """Direct dependencies, notable transitive ones, and one line with the total."""
    asking, purposes = closure(), direct()
    mb = {name: installed_bytes(name) / 1e6 for name in [*asking, *purposes]}

    def row(name: str, third: str) -> tuple[str, ...]:
        return (f"`{name}`", third, f"{mb[name]:.1f}", licence(name))

    first = sorted(purposes, key=lambda n: -mb[n])
    others = sorted(set(asking) - set(map(key, purposes)), key=lambda n: -mb[n])
    large = [n for n in others if mb[n] >= SHOWN_ABOVE_MB]
    small = [n for n in others if mb[n] < SHOWN_ABOVE_MB]
    asked = {n: "needed by " + ", ".join(f"`{p}`" for p in sorted(asking[n])) for n in others}
    total = (
        f"{len(asking)} packages, {sum(mb[n] for n in asking):,.0f} MB in all: "
        f"{len(first)} direct ones with {sum(mb[n] for n in first):,.0f} MB, "
        f"{len(others)} others with {sum(mb[n] for n in others):,.0f} MB."
    )
    return (
        table(("package", "what for", "MB", "licence"), (row(n, purposes[n]) for n in first)),
        table(("package", "why it is there", "MB", "licence"), (row(n, asked[n]) for n in large))
        + f"\n\nThe other {len(small)} take {sum(mb[n] for n in small):.1f} MB together: "
        + ", ".join(f"`{n}` ({licence(n)})" for n in sorted(small))
        + ".",
        total,
    )


def main(arguments: list[str]) -> None:
    """Rewrite the pages."""
    if arguments == ["sizes"]:
        page = DOCS / "dependencies.md"
        text = page.read_text("utf-8")
        for name, made in zip(("direct", "transitive", "total"), sizes_tables(), strict=True):
            text = put(text, name, made)
        page.write_text(text, "utf-8")
        return
    for name in GENERATED:
        page, text = rewritten(name)
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
