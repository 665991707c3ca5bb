"""The answer says what was calculated, in the cells' own words, and cites rows."""

from __future__ import annotations

import pytest

from agent.plan.sheets import PLAYERS, answer, asked, sheet_of
from manole.agent.languages import words_of
from manole.agent.plan.verbalize import say

SHEET = sheet_of(PLAYERS)
FILE = "league/players.csv"


@pytest.mark.parametrize(
    ("sql", "text", "lines"),
    [
        ("SELECT goals FROM t WHERE name LIKE '%Ann%'", "goals: 1,204 [1]", [2]),
        ("SELECT name FROM t WHERE nation LIKE '%Sweden%'",
         "2 rows:\n- Ann Berg [1]\n- Dora Lind [2]", [2, 5]),
        ("SELECT name, goals FROM t WHERE goals > 1000", "Ann Berg, goals 1,204 [1]", [2]),
        ("SELECT nation FROM t WHERE nation LIKE '%Sweden%'",
         "nation: Sweden (SWE) [1][2]", [2, 5]),
        ("SELECT COUNT(*) FROM t WHERE nation LIKE '%Sweden%'",
         "2 rows fit (nation like “Sweden”).", [2, 5]),
        ("SELECT DISTINCT nation FROM t ORDER BY row_id DESC",
         "3 in all:\n- Sweden (SWE) [1][4]\n- Spain (ESP) [2]\n- Ireland (IRL) [3]",
         [5, 4, 3, 2]),
        ("SELECT T2.name FROM t AS T1 JOIN t AS T2 ON T1.row_id = T2.row_id - 1 "
         "WHERE T1.name LIKE '%Ann%'", "name: Bob O'Hara [1]", [3]),
        ("SELECT SUM(fee_eur) FROM t",
         "121.75 EUR in all, from 3 rows (fee eur). 1 of 4 rows has no fee eur and is not in it.",
         [2, 3, 5]),
        ("SELECT AVG(goals) FROM t",
         "414 on average, from 3 rows (goals). 1 of 4 rows has no goals and is not in it.",
         [2, 3, 4]),
        ("SELECT MAX(goals) FROM t", f"1204 (highest goals): {FILE} [1]", [2]),
        ("SELECT COUNT(DISTINCT nation) FROM t",
         "3 nations (different nations counted).", [2, 3, 4]),
        ("SELECT COUNT(*) > 0 FROM t WHERE name LIKE '%Ann%'", f"Yes, 1 row: {FILE} [1]", [2]),
        ("SELECT (SELECT goals FROM t WHERE name = 'Ann Berg') > 5 FROM t WHERE row_id = 1",
         "Yes (from goals, name, row id = 1) [1]", [2]),
        ("SELECT goals - 4 FROM t WHERE name LIKE '%Ann%'",
         "1200 (from goals, name like “Ann”) [1]", [2]),
        ("SELECT (SELECT goals FROM t WHERE name LIKE '%Ann%') - "
         "(SELECT goals FROM t WHERE name LIKE '%Ruiz%')", "1197 (from goals, name) [1]", [1]),
        ("SELECT nation, COUNT(*) FROM t GROUP BY nation ORDER BY COUNT(*) DESC LIMIT 1",
         "Sweden (SWE), 2 rows.", [2, 5]),
    ],
)  # fmt: skip
def test_answers(sql, text, lines):
    given = answer(sql, "Is Ann Berg or Ruiz from Sweden?", t=SHEET)
    assert given.text == text
    assert [row.line for row in given.objects] == lines
    assert bool(given.folded) != (f"[{given.objects[0].n}]" in given.text)
    assert all(row.quote in PLAYERS.replace(",", " | ") or row.quote in PLAYERS
               for row in given.objects)  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "text"),
    [("3,3", "3"), ("0.1,0.2", "0.15"), ("1204,1204", "1204"),
     ("1234567.5,1234567.5", "1,234,567.5")],
)  # fmt: skip
def test_figures_are_shown_without_needless_digits(cells, text):
    one, other = cells.split(",")
    sheet = sheet_of(f"n,x\n{one},a\n{other},b\n")
    assert answer("SELECT avg(n) FROM t", "?", t=sheet).text.startswith(f"{text} on average")


def test_an_answer_is_in_the_language_of_the_question():
    said = say_in("de", "SELECT COUNT(*) FROM t WHERE nation LIKE '%Sweden%'")
    assert said.startswith("2 Zeilen passen")


def say_in(language, sql):
    plan, given = asked(sql, "Sweden", t=SHEET)
    return say(plan, given, words_of(language)).text


def test_large_cells_are_cut_where_they_are_shown():
    sheet = sheet_of("name,note\n" + "".join(f"n{i},{'x' * 40_000}\n" for i in range(20)))
    given = answer("SELECT note FROM t", "?", t=sheet)
    assert given.text.startswith(f"note: {'x' * 1000} … [1]")
    assert len(given.objects[0].quote) == 4000
    assert len(str(given.objects)) < 20 * 12_000


COSTS = """\
Day,Category,Amount,Currency
2024-01-03,Food,12.50,EUR
2024-01-20,Rent,19900,EUR
2024-02-02,Food,30.25,EUR
2024-02-05,Tools,,EUR
"""


@pytest.mark.parametrize(
    ("sql", "text", "folded"),
    [
        ("SELECT category, sum(amount) FROM t GROUP BY category ORDER BY 2 DESC",
         "19,942.75 in all, from 3 rows:\nRent  19,900.00\nFood      42.75\n"
         "1 of 4 rows has no amount and is not in it.", "3 rows"),
        ("SELECT substr(day, 1, 7) AS month, count(*) FROM t GROUP BY month ORDER BY 2",
         "4 rows:\nJanuary 2024   2\nFebruary 2024  2", "4 rows"),
        ("SELECT category, currency, sum(amount) FROM t WHERE amount < 100 "
         "GROUP BY category, currency", "42.75 EUR (Food), from 2 rows.", "2 rows"),
        ("SELECT max(day) FROM t", f"5 February 2024 (highest day): {FILE} [1]", ""),
        ("SELECT day FROM t WHERE amount > 100", "day: 2024-01-20 [1]", ""),
        ("SELECT max(s) FROM (SELECT sum(amount) AS s FROM t GROUP BY category)",
         f"19,900 (highest s): {FILE} [1]", ""),
    ],
)  # fmt: skip
def test_what_is_calculated_of_a_sheet_is_told_like_all_else(sql, text, folded):
    given = answer(sql, "What did food and rent cost?", t=sheet_of(COSTS))
    assert (given.text, given.folded) == (text, folded)


def test_groups_of_a_sheet_can_be_compared_unless_they_are_in_several_currencies():
    sql = "SELECT category, sum(amount) AS a, currency FROM t GROUP BY category, currency"
    groups = answer(sql, "food", t=sheet_of(COSTS.replace("Tools,", "Tools,7"))).groups
    assert [group["said"] for group in groups] == ["42.75 EUR", "19,900.00 EUR", "7.00 EUR"]
    assert not answer(sql, "food", t=sheet_of(f"{COSTS}2024-03-01,Food,15,USD\n")).groups
