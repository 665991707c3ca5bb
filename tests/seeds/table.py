"""Writes `docs/seeds.md`: `python tests/seeds/table.py > docs/seeds.md`."""

from __future__ import annotations

import sys
from collections import Counter

if not __package__:
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1]))

from seeds.rows import HERE, STATES, Document, Row, documents, nodes, nodes_of

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
    rows = [row for document in read for row in document.rows]
    states = Counter(row.state for row in rows)
    counted = ", ".join(f"{states[state]} {state}" for state in STATES)
    parts = [_prose("head"), f"{len(rows)} rows: {counted}; {len(nodes())} tests.\n"]
    parts += [section(document) for document in read]
    return "\n".join([*parts, _prose("replaced")])


def section(document: Document) -> str:
    """Return the table of a document."""
    head = ["| row | the document | where | tested by | how one gets it | state |"]
    head.append("| --- | --- | --- | --- | --- | --- |")
    lines = [f"| {' | '.join(map(_cell, cells(row)))} |" for row in document.rows]
    return "\n".join([f"## {document.title}\n", *head, *lines, ""])


def cells(row: Row) -> list[str]:
    """Return the cells of a row."""
    by = row.by
    for short, long in SHORT.items():
        by = by.replace(short, long)
    where = "<br>".join(f"`{name}`" for name in row.where)
    tested = "<br>".join(f"`{node.removeprefix('tests/seeds/')}`" for node in nodes_of(row))
    state = f"{row.state}. {row.note}" if row.note else row.state
    return [str(row.n), row.says, where, tested, by, state]


def _prose(name: str) -> str:
    return (HERE / "page" / f"{name}.md").read_text("utf-8")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page())
