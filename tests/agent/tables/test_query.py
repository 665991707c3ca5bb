"""What a model writes is read, mended where that is safe, and refused where it is not."""

from __future__ import annotations

import pytest

from agent.tables.sheets import PLAYERS, sheet_of
from manole.agent.tables.query import QueryError, read_query
from manole.agent.tables.run import run

SHEET = sheet_of(PLAYERS)
CROSSED = ", ".join(f"t x{n}" for n in range(16))  # four billion rows
ANY = "Ann Berg, Bob O'Hara, Ruiz, Sweden, Ireland, Spain"


def result(sql, question=ANY, sheet=SHEET):
    return run(read_query(sql, sheet, question), sheet)


@pytest.mark.parametrize(
    ("sql", "values", "rows"),
    [
        ("SELECT name FROM t WHERE nation = 'Spain'",
         [('Carl "Kid" Ruiz',)], [3]),  # part of a cell
        ("SELECT name FROM t WHERE nation LIKE '%sweden%'",
         [("Ann Berg",), ("Dora Lind",)], [1, 4]),
        ("SELECT name FROM t WHERE nation = 'Bob O''Hara'", [("Bob O'Hara",)], [2]),  # other column
        ("SELECT name FROM t WHERE name = \"Ann Berg\"", [("Ann Berg",)], [1]),  # quoted as a name
        ("SELECT nam FROM t WHERE goals = '31'", [("Bob O'Hara",)], [2]),  # nearly right
        ("SELECT T1.name FROM t AS T1 WHERE T1.since = '12 June 2011'", [("Bob O'Hara",)], [2]),
        ("SELECT name FROM t WHERE since > 'June 1, 2011'",
         [("Bob O'Hara",), ("Dora Lind",)], [2, 4]),
        ("SELECT name FROM t ORDER BY goals LIMIT 1", [('Carl "Kid" Ruiz',)], [3]),  # gaps go last
        ("```sql\nSELECT SUM(goals) FROM t;\n```", [(1242,)], [1, 2, 3, 4]),
        ("SELECT MAX(fee_eur) FROM t", [(100,)], [2]),
        ("SELECT COUNT(*) FROM t WHERE nation IN ('Sweden', 'Spain')", [(3,)], [1, 3, 4]),
        ("SELECT nation FROM t GROUP BY nation ORDER BY COUNT(*) DESC LIMIT 1",
         [("Sweden (SWE)",)], [1]),
        ("SELECT nation FROM t GROUP BY nation HAVING COUNT(*) = 1",
         [("Ireland (IRL)",), ("Spain (ESP)",)], [2, 3]),
        ("SELECT name FROM t WHERE row_id < (SELECT row_id FROM t WHERE name LIKE '%Ruiz%') "
         "ORDER BY row_id LIMIT 1", [("Bob O'Hara",)], [2]),  # the one before is the nearest
        ("SELECT row_id FROM t WHERE goals > 1000",
         [("Ann Berg",)], [1]),  # a row is what it is about
        ("SELECT COUNT(*) > 0 FROM t WHERE name LIKE '%Ruiz%' AND goals > 100", [(0,)], []),
    ],
)  # fmt: skip
def test_queries_and_the_rows_behind_them(sql, values, rows):
    outcome = result(sql)
    assert list(outcome.values) == values
    assert list(outcome.rows) == rows


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT name FROM t WHERE nation LIKE '%Brazil%'", "nothing in the table says “Brazil”"),
        ("SELECT height FROM t", "no column height"),
        ("SELECT name FROM players", "a table players"),
        ("DELETE FROM t", "no SELECT"),
        ("DROP TABLE t", "no SELECT"),
        ("I think it is Ann.", "cannot be read|no SELECT|no column|no such"),
        ("SELECT name FROM t WHERE nation = 'Ireland (IRL)'", "does not speak of"),
        ("SELECT load_extension('x') FROM t", "not authorized|no such function"),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c",
         "no column n"),
        (f"SELECT COUNT(*) FROM {CROSSED}", "interrupted"),
        ("SELECT zeroblob(2000000) FROM t", "too big"),
        ("", "cannot be read|no SELECT"),
    ],
)  # fmt: skip
def test_what_cannot_be_trusted_is_refused(sql, why):
    with pytest.raises(QueryError, match=why):
        result(sql, question="Who scored most?" if "IRL" in sql else ANY)


def test_a_cell_that_nobody_asked_for_is_dropped_beside_a_condition_that_was():
    sql = "SELECT goals FROM t WHERE name = 'Ann Berg' AND nation = 'Sweden (SWE)'"
    query = read_query(sql, SHEET, "How many goals did Ann Berg score?")
    assert "SWE" not in query.sql
    assert run(query, SHEET).rows == (1,)
    invented = sql.replace("Sweden (SWE)", "New Zealand")
    with pytest.raises(QueryError, match="does not speak of"):
        read_query(invented, SHEET, "How many goals did Ann Berg score?")


def test_nothing_in_a_cell_reaches_the_query_language():
    sheet = sheet_of('name,note\nAnn,"x\'); DROP TABLE t; --"\nBob,"%_"""\n')
    assert result("SELECT note FROM t", sheet=sheet).values[0] == ("x'); DROP TABLE t; --",)
    assert result("SELECT COUNT(*) FROM t", sheet=sheet).values == ((2,),)


def test_text_that_begins_with_numbers_is_ordered_by_them():
    sheet = sheet_of("name,height\nAnn,9 ft 3 in\nBob,10 ft 1 in\nCy,8 ft\n")
    assert result("SELECT name FROM t ORDER BY height DESC LIMIT 1", sheet=sheet).values == (
        ("Bob",),
    )
    assert result("SELECT COUNT(*) FROM t WHERE height > 8.5", sheet=sheet).values == ((2,),)
