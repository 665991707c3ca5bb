"""`docs/seeds.md` is true: what a row names exists, and every row and test has the other."""

from __future__ import annotations

import ast
from importlib import import_module

import pytest

from .rows import AUDITED, ROOT, STATES, Row, documents, nodes, nodes_of
from .table import page

ROWS = [row for document in documents() for row in document.rows]
NUMBERS = {row.n for row in ROWS}


def by_number(row: Row) -> str:
    return str(row.n)


def test_the_page_is_what_the_suite_says() -> None:
    committed = (ROOT / "docs" / "seeds.md").read_text("utf-8")
    assert committed == page(), "run `python tests/seeds/table.py > docs/seeds.md`"


def test_each_number_is_given_once() -> None:
    assert len(NUMBERS) == len(ROWS)
    assert all(row.state in STATES for row in ROWS)
    assert all(row.was.partition(":")[0] in ("", *AUDITED) for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=by_number)
def test_what_a_row_names_exists(row: Row) -> None:
    assert row.where
    for name in row.where:
        if "/" in name or name == "benchmarks":
            assert (ROOT / name).exists(), f"row {row.n} names {name}"
        else:
            exists(name)


def exists(name: str) -> None:
    """Import a module, and look up a name in it; a module alone says too little."""
    module, _, attribute = name.partition(":")
    assert attribute, f"{name}: which part of it?"
    found = import_module(module)
    for part in attribute.split("."):
        assert hasattr(found, part), f"there is no {name}"
        found = getattr(found, part)


@pytest.mark.parametrize("row", ROWS, ids=by_number)
def test_a_row_is_tested(row: Row) -> None:
    assert nodes_of(row), f"no test names row {row.n} in its docstring"
    for node in row.tests:
        file, _, inside = node.partition("::")
        assert (ROOT / file).exists(), node
        assert not inside or inside.split("::")[0] in defined(file), node


def defined(file: str) -> set[str]:
    """The names that a module defines."""
    body = ast.parse((ROOT / file).read_text("utf-8")).body
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in body if isinstance(node, kinds)}


@pytest.mark.parametrize("node", nodes())
def test_a_test_has_a_row(node: str) -> None:
    rows = nodes()[node]
    assert rows and set(rows) <= NUMBERS, f"{node} names no row, or one that is not there"


def test_a_row_of_nothing_fails() -> None:
    with pytest.raises(AssertionError):
        exists("manole.tools.files:NoSuchTool")
    with pytest.raises(AssertionError):
        exists("manole.tools.files")
    with pytest.raises(ImportError):
        exists("manole.no_such_module:Part")
    with pytest.raises(AssertionError):
        test_a_row_is_tested(Row(0, "", ()))
