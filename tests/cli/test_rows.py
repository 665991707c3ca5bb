"""Rows on terminals of any width: names stay whole or break behind a `/`, and nothing is cut."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from manole.cli.rows import print_rows

PATHS = ("holidays/photos/beach-blokhus.jpg", "home/scan of a letter 2023.pdf", "note.md")
REASON = "no words in it, no vision model to describe it; found by its name and date"


def printed(width: int, headers=("File", "Status", "Reason"), rows=None, **options) -> str:
    out = io.StringIO()
    rows = rows or [(path, "partial", REASON) for path in PATHS]
    print_rows(headers, rows, console=Console(file=out, width=width), **options)
    return out.getvalue()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_a_name_is_broken_behind_a_slash_alone(width):
    text = printed(width, names={"File"})
    for name in (path.rpartition("/")[2] for path in PATHS):
        assert name in text
    assert re.sub(r"\s+", " ", text).count("partial") == len(PATHS)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_of_a_table_is_wider_than_the_terminal(width):
    rows = [("a/b.txt", "partial", "a few words")]
    assert max(map(len, printed(width, rows=rows).splitlines())) <= width


def test_words_dates_and_numbers_stay_whole():
    rows = [("invoice of the plumber", "2024-03-27", "1,997.00 €", "Apache-licence")]
    headers = ("what", "day", "total", "licence")
    for width in range(12, 60):
        text = printed(width, headers, rows, right={"total"})
        for whole in ("plumber", "2024-03-27", "1,997.00 €"):
            assert whole in text, (width, text)


def test_a_row_that_fits_nowhere_is_a_block_with_its_number_first():
    rows = [(Text("[3]"), "Huber & Sohn", "bills/a.pdf, page 2")]
    text = printed(16, ("", "issuer", "where"), rows, names={"where"})
    assert text.splitlines() == ["[3] bills/a.pdf, page 2", "    issuer: Huber & Sohn"]


def test_a_cell_of_several_lines_is_several_lines_of_the_table():
    assert printed(80, ("a", "b"), [("x\ny", "z")]).split() == ["a", "b", "x", "z", "y"]
    assert "x, y" not in printed(80, ("a", "b"), [("x\ny", "z")])
    assert "    b: x, y" in printed(3, ("a", "b"), [("word", "x\ny")])


def test_markup_in_a_cell_is_text():
    assert "[bold]x[/bold]" in printed(80, ("a",), [("[bold]x[/bold]",)])


@given(
    st.lists(st.tuples(*[st.text("ab /-é漢\n", max_size=30)] * 3), min_size=1, max_size=4),
    st.integers(1, 90),
)
def test_nothing_is_lost_at_any_width(rows, width):
    text = printed(width, ("x", "y", "z"), rows, names={"x"})
    wanted = sorted(c for row in rows for cell in row for c in cell if c in "abé漢")
    assert sorted(c for c in text if c in "abé漢") == wanted
