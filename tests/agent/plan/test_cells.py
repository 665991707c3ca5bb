"""What a model writes is read, mended where that is safe, and refused where it is not."""

from __future__ import annotations

import pytest

from agent.plan.catalogs import asking, catalog
from agent.plan.sheets import PLAYERS, asked, sheet_of
from manole.agent.plan.query import PlanError, parse
from manole.agent.plan.query_catalog import found
from manole.agent.plan.repair import check
from manole.catalog.catalog import CatalogError
from manole.catalog.sheets import named

SHEET = sheet_of(PLAYERS)
CROSSED = ", ".join(f"t x{n}" for n in range(16))  # four billion rows
ANY = "Ann Berg, Bob O'Hara, Ruiz, Sweden, Ireland, Spain"


def result(sql, question=ANY, sheet=SHEET):
    """The rows that a query gives, and the lines of those behind them."""
    plan, given = asked(sql, question, t=sheet)
    return plan, given.rows, [place["line"] for place in given.behind]


def values(sql, **more):
    return result(sql, **more)[1]


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
        ("SELECT name FROM t ORDER BY goals LIMIT 1",  # gaps go last
         [('Carl "Kid" Ruiz', "7 [a]")], [3]),
        ("```sql\nSELECT SUM(goals) FROM t;\n```", [(1242,)], [1, 2, 3]),
        ("SELECT MAX(fee_eur) FROM t", [(100,)], [2]),
        ("SELECT COUNT(*) FROM t WHERE nation IN ('Sweden', 'Spain')", [(3,)], [1, 3, 4]),
        ("SELECT nation FROM t GROUP BY nation ORDER BY COUNT(*) DESC LIMIT 1",
         [("Sweden (SWE)",)], [1, 4]),
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
    _, given, lines = result(sql)
    assert given == values
    assert lines == [row + 1 for row in rows]


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT name FROM t WHERE nation LIKE '%Brazil%'", "nothing in the table says “Brazil”"),
        ("SELECT height FROM t", "no column height"),
        ("SELECT name FROM players", "no table players"),
        ("DELETE FROM t", "no SELECT"),
        ("DROP TABLE t", "no SELECT"),
        ("I think it is Ann.", "cannot be read|no SELECT|no column|no such"),
        ("SELECT name FROM t WHERE nation = 'Ireland (IRL)'", "does not speak of"),
        ("SELECT load_extension(name) FROM t", "not authorized|no such function"),
        ("SELECT fts3_tokenizer(name) FROM t", "not authorized"),
        ("SELECT hex(fts3_tokenizer('simple')), name FROM t", "not authorized|no column"),
        ("SELECT 'CANARY'", "no table"),
        ("SELECT 'CANARY' FROM t", "no column"),
        ("SELECT name, 'CANARY' FROM t", "no column"),
        ("SELECT x FROM (SELECT 'CANARY' AS x)", "no table"),
        ("WITH t AS (SELECT 'CANARY' AS name) SELECT name FROM t", "no table"),
        ("SELECT name FROM (VALUES ('CANARY')) AS t(name)", "no SELECT"),
        (f"SELECT {'(' * 200}goals{')' * 200} FROM t", "cannot be read|too deeply"),
        (f"SELECT {'(' * 5000}goals{')' * 5000} FROM t", "cannot be read|too deeply"),
        (f"SELECT {'NOT ' * 300}goals FROM t", "cannot be read|too deeply"),
        (f"SELECT goals FROM t WHERE {' OR '.join(['goals > 1'] * 300)}", "too deeply"),
        ("SELECT printf('%999999d', goals), printf('%999999d', goals) FROM t", "gives too much"),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT MAX(n) FROM c",
         "no table"),
        (f"SELECT COUNT(*) FROM {CROSSED}", "interrupted"),
        (f"SELECT replace(printf('%9999d', goals), ' ', '{'x' * 200}') FROM t", "too big"),
        ("", "cannot be read|no SELECT"),
    ],
)  # fmt: skip
def test_what_cannot_be_trusted_is_refused(sql, why):
    with pytest.raises((PlanError, CatalogError), match=why):
        result(sql, question="Who scored most?" if "IRL" in sql else ANY)


def test_a_cell_that_nobody_asked_for_is_dropped_beside_a_condition_that_was():
    sql = "SELECT goals FROM t WHERE name = 'Ann Berg' AND nation = 'Sweden (SWE)'"
    question = "How many goals did Ann Berg score?"
    plan, _, lines = result(sql, question)
    assert "SWE" not in plan.sql
    assert lines == [2]
    with pytest.raises(PlanError, match="does not speak of"):
        result(sql.replace("Sweden (SWE)", "New Zealand"), question)


def test_nothing_in_a_cell_reaches_the_query_language():
    sheet = sheet_of('name,note\nAnn,"x\'); DROP TABLE t; --"\nBob,"%_"""\n')
    assert values("SELECT note FROM t", sheet=sheet)[0] == ("x'); DROP TABLE t; --",)
    assert values("SELECT COUNT(*) FROM t", sheet=sheet) == [(2,)]


def test_nothing_in_a_header_or_a_name_reaches_the_query_language():
    sheet = sheet_of('x); DROP TABLE files; --,"order"" from",select,row_id,path\n1,2,3,4,5\n')
    names = [column.name for column in sheet.columns]
    assert names == ["x_drop_table_files", "order_from", "select_", "row_id_2", "path"]
    hostile = "files; DROP TABLE papers; --/select; 'x'.csv"
    (name,) = named([sheet_of("a,b\n1,2\n", hostile)], {})
    assert name == "select_x"
    assert asked(f"SELECT path FROM {name}", "?", **{name: sheet})[1].rows == [("5",)]


def test_text_that_begins_with_numbers_is_ordered_by_them():
    sheet = sheet_of("name,height\nAnn,9 ft 3 in\nBob,10 ft 1 in\nCy,8 ft\n")
    assert values("SELECT name FROM t ORDER BY height DESC LIMIT 1", sheet=sheet) == [("Bob",)]
    assert values("SELECT COUNT(*) FROM t WHERE height > 8.5", sheet=sheet) == [(2,)]


ORDERS = "customer,order number,amount\n" + "".join(
    f"cust{i},{10**19 + i * 7},{i * 3}.50\n" for i in range(40)
)
LAST = str(10**19 + 39 * 7)


@pytest.mark.parametrize(
    ("sql", "given"),
    [
        ("SELECT MAX(amount) FROM t", [(117.5,)]),
        ("SELECT MAX(order_number) FROM t", [(LAST,)]),
        ("SELECT order_number FROM t ORDER BY order_number DESC LIMIT 1", [(LAST,)]),
        (f"SELECT customer FROM t WHERE order_number = {LAST}", [("cust39",)]),
        (f"SELECT customer FROM t WHERE order_number = '{LAST}'", [("cust39",)]),
        (f"SELECT customer FROM t WHERE order_number IN ({LAST}, '{LAST}')", [("cust39",)]),
        (f"SELECT customer FROM t WHERE CAST(order_number AS INTEGER) >= {LAST}", [("cust39",)]),
        (f"SELECT customer FROM t WHERE order_number > '{int(LAST) - 1}'", [("cust39",)]),
        (f"SELECT COUNT(*) FROM t WHERE order_number BETWEEN {int(LAST) - 7} AND 1e19", [(0,)]),
        (f"SELECT COUNT(*) FROM t WHERE order_number BETWEEN -5 AND {10**19 + 7}", [(2,)]),
        ("SELECT COUNT(*) FROM t WHERE order_number > 5", [(40,)]),
        ("SELECT COUNT(DISTINCT order_number) FROM t", [(40,)]),
        ("SELECT SUM(order_number) FROM t", [(str(sum(10**19 + i * 7 for i in range(40))),)]),
    ],
)
def test_long_numbers_are_compared_sorted_and_added_to_the_last_digit(sql, given):
    assert values(sql, sheet=sheet_of(ORDERS), question=f"order {LAST}") == given


def test_long_numbers_of_any_sign_and_length_and_gaps():
    text = f"what,n\na,{-(10**30)}\nb,9\nc,{10**30}\nd,\ne,10\nf,{2**53 + 1}\n"
    names = [v for (v,) in values("SELECT what FROM t ORDER BY n", sheet=sheet_of(text))]
    assert names == ["a", "b", "e", "f", "c", "d"]


def test_a_long_number_beside_fractions_is_a_number():
    sheet = sheet_of(f"what,n\na,{10**20}\nb,0.5\nc,{'9' * 400}\nd,1\ne,2\nf,3\n")
    assert values("SELECT what FROM t WHERE n > 5 AND n < 1e21", sheet=sheet) == [("a",)]


def test_more_columns_than_a_database_has_are_no_fault_of_the_program():
    wide = ",".join(f"a{n}" for n in range(2500))
    with pytest.raises((PlanError, CatalogError), match="too many"):
        result("SELECT a1 FROM t", sheet=sheet_of(f"{wide}\n{wide.replace('a', '')}\n"))


def test_large_cells_bound_what_is_read():
    sheet = sheet_of("name,note\n" + "".join(f"n{i},{'x' * 100_000}\n" for i in range(30)))
    with pytest.raises((PlanError, CatalogError), match="gives too much"):
        result("SELECT note FROM t", sheet=sheet)
    assert values("SELECT name FROM t WHERE note LIKE '%xx%' LIMIT 1", sheet=sheet) == [("n0",)]


NORTH = sheet_of("shop,sales\nMill,10\nQuay,30\n", "2023/north.csv")
SOUTH = sheet_of("shop,sales,Größe\nMill,5\nHill,7\n", "2024/south.csv")


@pytest.mark.parametrize(
    ("sql", "rows", "places"),
    [
        ("SELECT south.shop, north.sales + south.sales FROM south JOIN north "
         "ON north.shop = south.shop", [("Mill", 15.0)], [("2024/south.csv", 2)]),
        ("SELECT a.sales FROM north AS a, south AS b WHERE a.shop = b.shop AND b.shop = 'mill'",
         [("10",)], [("2023/north.csv", 2)]),
        ("SELECT shop, sales FROM north UNION SELECT shop, sales FROM south ORDER BY sales",
         [("Mill", 5.0), ("Hill", 7.0), ("Mill", 10.0), ("Quay", 30.0)],
         [("2023/north.csv", 1), ("2024/south.csv", 1)]),
        ("SELECT sum(sales) FROM (SELECT sales FROM north UNION ALL SELECT sales FROM south)",
         [(52.0,)], [("2023/north.csv", 1), ("2024/south.csv", 1)]),
    ],
)  # fmt: skip
def test_several_sheets_stand_in_one_query(sql, rows, places):
    _, given = asked(sql, "the sales of the mill", north=NORTH, south=SOUTH)
    assert given.rows == rows
    assert [(place["path"], place["line"]) for place in given.behind] == places


def test_a_period_and_words_are_looked_for_as_in_any_relation():
    sql = "SELECT name FROM t WHERE during(since, '2010') OR mentions('kid')"
    assert values(sql, question="Kid, 2010") == [('Carl "Kid" Ruiz',)]


def test_a_sheet_is_joined_with_what_else_the_catalog_knows():
    everything = catalog()
    shops = {"shops": sheet_of("shop,city\nAir Fjord AS,Oslo\nQuay,Bern\n", "shops.csv")}
    everything.add_sheets(shops)
    everything.fill_sheets(shops)
    sql = "SELECT city, total FROM papers JOIN shops ON issuer = shop WHERE city = 'oslo'"
    plan = check(parse(sql), everything, asking("What did I pay in Oslo?"))
    given = found(everything, plan)
    assert given.rows == [("Oslo", 310.0)]
    assert [place["path"] for place in given.behind] == ["shops.csv"]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT year FROM t WHERE kind = 'photo'", [("2023",)]),
        ("SELECT path FROM t WHERE size > 50", [("/y",)]),
        ("SELECT sum(total) FROM t WHERE type = 'bill'", [(3.0,)]),
        ("SELECT words, name FROM t WHERE date = '2 May 2024'", [("8", "b")]),
    ],
)
def test_columns_that_are_called_like_those_of_the_catalog_are_the_sheets_own(sql, rows):
    heads = "year,kind,size,total,currency,words,type,path,name,date"
    first, second = "2023,photo,42,5,EUR,7,invoice,/x,a", "2024,video,51,3,USD,8,bill,/y,b"
    sheet = sheet_of(f"{heads}\n{first},1 May 2024\n{second},2 May 2024\n")
    assert values(sql, question="a photo, a bill", sheet=sheet) == rows
