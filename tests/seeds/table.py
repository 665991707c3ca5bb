"""Writes `docs/seeds.md`: `python tests/seeds/table.py > docs/seeds.md`."""

from __future__ import annotations

import sys
from collections import Counter
from string import Template

if not __package__:
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1]))

from seeds.rows import AUDITED, HERE, STATES, Document, Row, documents, nodes, nodes_of

SHORT = {  # what stands for them in the rows
    "LITERAL": "`--strategy literal`",
    "PIPELINE": "`--strategy pipeline`",
    "JOURNAL": "`--strategy journal`",
    "TREE": "`--strategy tree`",
    "HTTP": "`manole serve`",
}


def page() -> str:
    """Return the page."""
    read = documents()
    rows = sorted((row for document in read for row in document.rows), key=lambda row: row.n)
    states = Counter(row.state for row in rows)
    counted = ", ".join(f"{states[state]} {state}" for state in STATES)
    parts = [_prose("head"), f"{len(rows)} rows: {counted}; {len(nodes())} tests.\n"]
    parts += [section(document) for document in read]
    return "\n".join([*parts, _prose("replaced"), audited(rows), _prose("otherwise")])


def section(document: Document) -> str:
    """Return the table of a document."""
    head = ["| row | the document | where | tested by | how one gets it | state |"]
    head.append("| --- | --- | --- | --- | --- | --- |")
    lines = [f"| {' | '.join(map(_cell, cells(row)))} |" for row in document.rows]
    return "\n".join([f"## {document.title}\n", *head, *lines, ""])


def audited(rows: list[Row]) -> str:
    """Return what an audit found of the rows that did not work, and what became of each."""
    found = {kind: [row for row in rows if row.was.startswith(kind)] for kind in AUDITED}
    text = Template(_prose("audited")).substitute(
        {kind.replace(" ", "_"): len(of) for kind, of in found.items()},
        options=", ".join(str(row.n) for row in found["an option"]),
    )
    head = ["| row | the document | it was | it is | how one gets it |", "| --- " * 5 + "|"]
    lines = []
    for row in (row for row in rows if row.was and row not in found["an option"]):
        now = _state(row) if row.was.startswith("not run") else row.state
        told = map(_cell, (str(row.n), row.says, row.was, now, _by(row)))
        lines.append(f"| {' | '.join(told)} |")
    return "\n".join([text, *head, *lines, ""])


def cells(row: Row) -> list[str]:
    """Return the cells of a row."""
    where = "<br>".join(f"`{name}`" for name in row.where)
    tested = "<br>".join(f"`{node.removeprefix('tests/seeds/')}`" for node in nodes_of(row))
    return [str(row.n), row.says, where, tested, _by(row), _state(row)]


def _by(row: Row) -> str:
    by = row.by
    for short, long in SHORT.items():
        by = by.replace(short, long)
    return by


def _state(row: Row) -> str:
    return f"{row.state}. {row.note}" if row.note else row.state


def _prose(name: str) -> str:
    return (HERE / "page" / f"{name}.md").read_text("utf-8")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page())
