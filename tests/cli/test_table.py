"""The table of a field over many papers: as CSV that no spreadsheet executes, on the terminal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from manole.agent.events import Complete, ResultEvent, Token
from manole.cli.render import Screen
from manole.cli.table import safe_cell, write_csv
from manole.errors import UsageError

ROW = {
    "id": "row:1", "kind": "row", "n": 1, "file": "bills/a.pdf", "page": 2, "line": 7,
    "quote": "Total -8,79", "value": "bills/a.pdf",
    "columns": {"issuer": "=cmd|' /C calc'!A0", "date": "2024-05-02", "total": -8.79},
}  # fmt: skip
NOTHING = ROW | {
    "n": 2, "file": "bills/b.jpg", "quote": "", "page": None, "line": None,
    "columns": {"issuer": None, "date": None, "total": None},
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"), ("+49 221", "'+49 221"), ("@SUM(A1)", "'@SUM(A1)"), ("-x", "'-x"),
        ("|calc", "'|calc"), ("-8.79", "-8.79"), ("12", "12"), (None, ""), ("a\nb", "a b"),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula_and_numbers_stay_numbers(value, cell):
    assert safe_cell(value) == cell


def test_the_csv_has_a_line_a_file(tmp_path):
    write_csv(tmp_path / "t.csv", [ROW, NOTHING])
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        read = list(csv.DictReader(file))
    assert tuple(read[0]) == ("issuer", "date", "total", "file", "page", "line", "quote")
    assert read[0]["total"] == "-8.79"
    assert read[0]["issuer"].startswith("'=")
    assert (read[1]["file"], read[1]["total"]) == ("bills/b.jpg", "")


def test_a_csv_that_cannot_be_written_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_csv(tmp_path, [ROW])


def test_the_terminal_shows_rows_with_links_once(tmp_path):
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=True)
    shown = Screen(console, lambda f: Path("/home/me") / f, links=True)
    message = "2 bills, together -8.79:\n- the list as text [1]\n- of it [2]"
    shown.show(
        ResultEvent(step=1, tool="query", name="rows", payload_type="table",
                    objects=[ROW, NOTHING], message=message)
    )  # fmt: skip
    shown.show(Token(content=message))
    shown.show(Complete(answer=message))
    text = out.getvalue()
    assert "the list as text" not in text
    assert "file:///home/me/bills/a.pdf#page=2" in text
    assert "together -8.79" in text
    assert "2 May 2024" in text
    assert "withdrawn" not in text


def test_ask_writes_the_table(manole, indexed, tmp_path):
    done = manole(
        "ask", "list all invoices and their totals", indexed, "--reuse", "--json",
        "--csv", str(tmp_path / "out.csv"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (table,) = [e for e in events if e.get("payload_type") == "table"]
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(table["objects"]) == 12


def test_a_csv_in_a_folder_that_is_missing_is_refused_before_asking(manole, indexed, tmp_path):
    done = manole("ask", "list all invoices", indexed, "--csv", str(tmp_path / "no" / "out.csv"))
    assert done.returncode == 2
    assert "no folder" in done.stderr
