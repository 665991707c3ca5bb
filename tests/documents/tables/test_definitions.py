"""The functions and classes of source files, as tables."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import manole
from manole.catalog.sheets import Sheet
from manole.documents.fields.lines import page_lines
from manole.documents.tables import records_in

from .texts import cells

SOURCES = sorted(Path(manole.__file__).parent.rglob("*.py"))


def read(text: str, format_: str = "code", path: str = "a.x"):
    return records_in(page_lines([(None, text)]), format_, path)


@pytest.mark.parametrize("part", range(4))
def test_what_python_finds_in_its_own_sources_is_found(part):
    for path in SOURCES[part::4]:
        text = path.read_text()
        defined = [
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        if len(defined) > 1:
            (table,) = read(text)
            assert {(row.cells[0], row.line, row.cells[3]) for row in table.rows} == {
                (node.name, node.lineno, str((node.end_lineno or 0) - node.lineno + 1))
                for node in defined
            }


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            "export class A extends B {\n  /** says hi */\n  hello(x) {\n    if (x) {\n    }\n"
            "  }\n}\nconst f = async (a) => {\n};\n",
            [("A", "class", "1", "7", ""), ("hello", "method", "3", "4", "says hi"),
             ("f", "function", "8", "2", "")],
        ),
        (
            "package main\n// Add adds.\nfunc Add(a int) int {\n\treturn a\n}\n"
            "func (s *S) Get() int {\n\treturn 1\n}\ntype X struct {\n}\n",
            [("Add", "function", "3", "3", "Add adds."), ("Get", "function", "6", "3", ""),
             ("X", "struct", "9", "2", "")],
        ),
        (
            "#include <a>\n/* main */\nint main(int argc, char **argv)\n{\n  return 0;\n}\n"
            "static void *foo(void) {\n  while (1) {\n  }\n}\n",
            [("main", "function", "3", "4", "main"), ("foo", "function", "7", "4", "")],
        ),
        (
            "module A\n  # says hi\n  def hi?\n    1\n  end\nend\n",
            [("A", "module", "1", "6", ""), ("hi?", "method", "3", "3", "says hi")],
        ),
        (
            "/// Adds.\npub fn add<T>(a: T) -> T {\n    a\n}\nimpl Shape for Square {\n"
            "    fn area(&self) -> f64 {\n        1.0\n    }\n}\n",
            [("add", "function", "2", "3", "Adds."), ("Shape", "implementation", "5", "5", ""),
             ("area", "method", "6", "3", "")],
        ),
        (
            "#!/bin/sh\nbackup() {\n  cp a b\n}\nfunction clean {\n  rm b\n}\n",
            [("backup", "function", "2", "3", ""), ("clean", "function", "5", "3", "")],
        ),
    ],
)  # fmt: skip
def test_definitions_in_many_languages(text, rows):
    (table,) = read(text)
    assert table.columns == ("name", "kind", "line", "lines", "about")
    assert cells(table) == rows


def test_a_program_without_a_known_extension_is_one():
    text = "<?php\n" + "".join(f"/** helper {n} */\nfunction h_{n}($a) {{\n}}\n" for n in range(47))
    (table,) = read(text, "text", "code/helpers.inc")
    assert (table.name, len(table.rows)) == ("helpers inc", 47)
    assert cells(table)[46] == ("h_46", "function", "141", "2", "helper 46")


def test_a_function_as_long_as_those_before_it_is_no_total():
    text = "".join(f"def f{n}(): return 1\n" for n in range(5)) + "def g():\n" + "    a\n" * 4
    (table,) = read(text, path="a.py")
    sheet = Sheet.read("a.py", table)
    assert [row.cells[3] for row in sheet.rows] == ["1"] * 5 + ["5"]
    assert table.name == "a py"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1\n",
        "def f():\n    pass\n",
        "# class of things\n# function that returns\nprint('def')\n",
        "if (a) {\n}\nwhile (b) {\n}\nfor (;;) {\n}\n",
        "with open(a) as b:\n    return foo(b)\n",
        "describe('x', () => {\n});\nit('y', () => {\n});\n",
        ".a {\n}\n.b {\n}\n",
    ],
)
def test_what_defines_nothing_has_no_table(text):
    assert read(text) == []
