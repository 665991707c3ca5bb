"""The answer says what was calculated, in the cells' own words, and cites rows."""

from __future__ import annotations

import pytest

from agent.sheets.sheets import PLAYERS, sheet_of
from manole.agent.sheets.checked_query import read_query
from manole.agent.sheets.outcome import cited_rows, row_objects, run, shown, verbalized

SHEET = sheet_of(PLAYERS)


@pytest.mark.parametrize(
    ("sql", "answer", "lines"),
    [
        ("SELECT goals FROM t WHERE name LIKE '%Ann%'", "Goals: 1,204 [1]", [2]),
        ("SELECT name FROM t WHERE nation LIKE '%Sweden%'",
         "Name: Ann Berg [1], Dora Lind [2]", [2, 5]),
        ("SELECT name, goals FROM t WHERE goals > 1000", "Ann Berg, 1,204 [1]", [2]),
        ("SELECT nation FROM t WHERE nation LIKE '%Sweden%'",
         "Nation: Sweden (SWE) [1][2]", [2, 5]),
        ("SELECT COUNT(*) FROM t WHERE nation LIKE '%Sweden%'",
         "2 (number of rows where Nation contains “Sweden”) [1][2]", [2, 5]),
        ("SELECT DISTINCT nation FROM t ORDER BY row_id DESC",
         "Nation: Sweden (SWE) [1][4], Spain (ESP) [2], Ireland (IRL) [3]", [5, 4, 3, 2]),
        ("SELECT T2.name FROM t AS T1 JOIN t AS T2 ON T1.row_id = T2.row_id - 1 "
         "WHERE T1.name LIKE '%Ann%'", "Name: Bob O'Hara [1]", [3]),
        ("SELECT SUM(fee_eur) FROM t", "121.75 (sum of Fee (EUR)) [1][2][3]", [2, 3, 4]),
        ("SELECT AVG(goals) FROM t", "414 (average Goals) [1][2][3]", [2, 3, 4]),
        ("SELECT MAX(goals) FROM t", "1204 (highest Goals) [1]", [2]),
        ("SELECT COUNT(DISTINCT nation) FROM t",
         "3 (number of different values of Nation) [1][2][3]", [2, 3, 4]),
        ("SELECT COUNT(*) > 0 FROM t WHERE name LIKE '%Ann%'",
         "Yes [1]", [2]),
    ],
)  # fmt: skip
def test_answers(sql, answer, lines):
    query = read_query(sql, SHEET, "Is Ann from Sweden?")
    outcome = run(query, SHEET)
    assert verbalized("Is Ann from Sweden?", query, outcome, SHEET) == answer
    objects = row_objects(cited_rows(query, outcome), SHEET)
    assert [o.line for o in objects] == lines
    assert all(o.quote in PLAYERS for o in objects)


def test_without_rows_the_header_is_cited():
    query = read_query("SELECT COUNT(*) FROM t WHERE goals > 5000", SHEET, "?")
    (only,) = row_objects(cited_rows(query, run(query, SHEET)), SHEET)
    assert (only.line, only.columns) == (1, {})


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"),
     (3.0, "3"), (0.1 + 0.2, "0.3"), (1204, "1204"), (1234567.5, "1,234,567.5"), ("x", "x")],
)  # fmt: skip
def test_numbers_are_shown_without_needless_digits(value, text):
    assert shown(value) == text


def test_large_cells_are_cut_where_they_are_shown():
    sheet = sheet_of("name,note\n" + "".join(f"n{i},{'x' * 40_000}\n" for i in range(20)))
    query = read_query("SELECT note FROM t", sheet, "?")
    outcome = run(query, sheet)
    assert verbalized("?", query, outcome, sheet).startswith(f"note: {'x' * 1000} … [1]")
    assert len(str(row_objects(cited_rows(query, outcome), sheet))) < 20 * 12_000
