"""A question that names no table is asked of the one that has what it names, or of none."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from agent.plan.parsed import of, parsed
from agent.plan.sheets import catalog_of, sheet_of
from manole.agent.plan.linking_tables import TableLinker
from manole.agent.plan.marks import whole_names
from manole.agent.plan.query import PlanError, parse
from manole.agent.plan.query_catalog import found
from manole.agent.plan.repair import check
from manole.agent.plan.verbalize import say
from manole.catalog.families import families
from manole.text.question import Question

TODAY = date(2024, 12, 15)
ACCOUNT = """\
date,counterparty,category,amount_eur
2024-07-03,Mühle Nord,food,-12.40
2024-07-20,Atelier Weber,salary,900.00
2024-08-02,Mühle Nord,food,-8.10
2024-08-20,Atelier Weber,salary,910.00
2024-08-21,Atelier Weber,rent,-300.00
2024-09-02,Mühle Nord,food,-30.00
"""
CLUBS = """\
name,monthly,cancel_by,paid_by
Chess,10.00,any month,Ada
Choir,4.50,2025-01-31,Ben
Pool,20.00,any month,Ben
"""
COSTS = "Item,Planned (EUR),Actual (EUR)\nWool,10,{}\nDye,5,{}\n"


@pytest.fixture(scope="module")
def tables():
    costs = {
        f"costs_{year}": sheet_of(COSTS.format(n, n + 1), f"shop/costs-{year}.csv")
        for n, year in ((11, 2022), (12, 2023), (13, 2024))
    }
    (every,) = families(costs.values())
    account = sheet_of(ACCOUNT, "bank/account-2024.csv")
    clubs = sheet_of(CLUBS, "home/memberships.csv")
    return {"account_2024": account, "memberships": clubs, **costs, "costs": every}


def told(tables, asked):
    """The answer, and the places that it cites."""
    linked = TableLinker(of(asked), tables, TODAY).plan()
    catalog = catalog_of(**tables)
    question = Question(asked.question, TODAY)
    plan = check(parse(linked.plan.sql()), catalog, question, typed=True)
    given = found(catalog, plan)
    return say(plan, given).text, [place["path"] for place in given.behind]


def test_what_was_paid_is_told_without_the_minus_of_the_statement(tables):
    asked = parsed("papers", "sum", "how much went to [recipient:Mühle Nord]", column="total")
    text, _ = told(tables, asked)
    assert text.startswith("You paid 50.50 EUR in all, from 3 rows (")


def test_what_came_in_and_what_went_out_is_told_as_it_stands(tables):
    asked = parsed("papers", "sum", "how much in all for [party:Atelier Weber]", column="total")
    assert told(tables, asked)[0].startswith("1,510.00 EUR in all, ")


def test_a_column_that_is_named_keeps_its_sign(tables):
    asked = parsed("sheet", "sum", "the [column:amount] for [value:food] together")
    assert told(tables, asked)[0].startswith("-50.50 EUR in all, ")


def test_a_cell_that_the_question_says_narrows_though_nothing_marks_it(tables):
    asked = parsed("papers", "sum", "how much salary did [party:Atelier Weber] pay", column="total")
    assert told(tables, asked)[0].startswith("1,810.00 EUR in all, ")
    asked = parsed("papers", "rows", "which [type:memberships] may end any month", column="notice")
    text, _ = told(tables, asked)
    assert "Chess" in text
    assert "Pool" in text
    assert "Choir" not in text


def test_a_cell_and_a_header_that_are_said_tell_the_table(tables):
    asked = parsed("papers", "sum", "what was planned for wool in [period:2024]", column="total")
    assert told(tables, asked)[0].startswith("10 EUR (planned eur, ")


def test_an_average_of_amounts_has_cents(tables):
    asked = parsed("papers", "avg", "what do we spend at [party:Mühle Nord]", column="total")
    assert told(tables, asked)[0].startswith("16.83 EUR on average, from 3 rows (amount eur, ")


def test_what_is_measured_in_no_currency_is_no_amount(tables):
    meter = {"meter": sheet_of("date,kwh,read_by\n2024-01-01,4100,Ada\n2024-06-01,4400,Ben\n")}
    with pytest.raises(PlanError, match="no amounts"):
        TableLinker(of(parsed("papers", "sum", "paid by [party:Ada]")), meter, TODAY).plan()


def test_what_words_find_is_found_by_nothing_else(tables):
    class FakeLikeness:
        def column(self, words, columns):
            return None

        def name(self, text):
            raise AssertionError(text)

        cell = name

    asked = parsed("papers", "sum", "for [topic:wool] in [period:2024]", column="total")
    with pytest.raises(PlanError):
        TableLinker(of(asked), tables, TODAY, "", FakeLikeness()).plan()


def test_a_torn_name_is_one(tables):
    asked = of(parsed("papers", "sum", "went to [recipient:mühle] [party:nord] in [period:August]"))
    whole = whole_names(asked)
    assert [mark.text for mark in whole.marks] == ["mühle nord", "August"]
    (name,), _ = TableLinker(whole, tables, TODAY).plan().plan.conditions
    assert name.values == ("Mühle Nord",)
    assert whole_names(of(parsed("papers", "sum", "[party:Ada] and [party:Ben]"))) is None


def test_years_are_added_over_the_files_that_are_of_them(tables):
    asked = parsed(
        "sheet", "sum", "actual costs of [value:wool] in [period:2022] and [period:2024]"
    )
    text, places = told(tables, asked)
    assert text.startswith("24 EUR in all, from 2 rows (actual eur, ")
    assert places == ["shop/costs-2022.csv", "shop/costs-2024.csv"]


def test_years_are_groups(tables):
    asked = parsed("sheet", "sum", "what was planned for [value:wool] by year", group="year")
    text, places = told(tables, asked)
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["2022", "2023", "2024"]
    assert len(places) == 3


def test_a_file_that_is_named_is_asked_alone(tables):
    asked = parsed("sheet", "sum", "actual [value:dye] in the [file:2023 costs]")
    text, places = told(tables, asked)
    assert text.startswith("13 EUR ")
    assert places == ["shop/costs-2023.csv"]


def test_what_is_paid_monthly_is_no_group_by_month(tables):
    asked = parsed(
        "papers", "sum", "what does Ben pay each month for [type:memberships]", group="month"
    )
    assert told(tables, asked)[0].startswith("24.50 in all, from 2 rows (monthly, paid by = “Ben”)")


FEES = """\
Member,Subscription,Late fee,Date,Status
Aherne,340.00,0,2024-01-12,paid
Carmody,340.00,15,2024-03-14,paid
Bakkerij Oonk,170.50,0,2024-02-11,open
Ruane,340.00,15,,overdue
"""


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        # a column of figures that is had, in the year that the file is of, also without a day
        (parsed("sheet", "count", "how many members got a [value:late fee] in [period:2024]"),
         "2 rows fit (late fee > 0)."),
        # what is not paid, in whatever words, by a name in another language
        (parsed("papers", "sum", "[column:subscription]: the [party:bakery] [status:still owes]"),
         "170.50 (subscription, member = “Bakkerij Oonk”, status = “open” / “overdue”): "
         "rowing/club/fees-2024.csv [1]"),
        (parsed("papers", "sum", "[column:subscription]: n'[status:est] [status:pas encore payé]"),
         "510.50 in all, from 2 rows (subscription, status = “open” / “overdue”)."),
        # the folder tells the table
        (parsed("papers", "sum", "what did [party:rowing] members [column:subscription] come to"),
         "1190.50 in all, from 4 rows (subscription)."),
    ],
)  # fmt: skip
def test_a_table_is_asked_by_what_is_paid_of_it_and_by_its_folder(tables, asked, text):
    own = {"fees_2024": sheet_of(FEES, "rowing/club/fees-2024.csv")}
    assert told({**tables, **own}, asked)[0] == text


@pytest.mark.parametrize(
    "asked",
    [
        # of which year?
        parsed("sheet", "sum", "actual costs of [value:wool]"),
        # no file is of it, or of all of it
        parsed("sheet", "sum", "actual costs of [value:wool] in [period:2021]"),
        parsed("sheet", "sum", "actual costs of [value:wool] in [period:2021 to 2023]"),
        parsed("sheet", "sum", "actual costs of [value:wool] in [period:May 2023]"),
        # planned or actual?
        parsed("sheet", "sum", "costs of [value:wool] in [period:2023]"),
        # the table begins in July
        parsed("papers", "sum", "went to [party:Mühle Nord] in [period:2024]", column="total"),
        parsed("papers", "sum", "went to [party:Mühle Nord] in [period:2023]", column="total"),
        # one of two names is nowhere
        parsed("papers", "sum", "[topic:bread] from [party:Mühle Nord]", column="total"),
        # nothing says that a table is meant
        parsed("papers", "sum", "how much did we pay in [period:August 2024]", column="total"),
        # it says more than that all of them are
        parsed("papers", "rows", "which [type:memberships] does nobody use"),
        # no column of amounts is of rents
        parsed("sheet", "sum", "how much [column:rent] in [period:2024]"),
        # the most that came in, or that went out?
        parsed("sheet", "rows", "the biggest in [file:account]", order="desc", limit="1"),
        # a file that is none of them
        parsed("papers", "sum", "[party:Mühle Nord] by the [file:gas bill]", column="total"),
        parsed("papers", "beyond", "[party:Mühle Nord]"),
    ],
)
def test_what_no_table_surely_answers_is_left(tables, asked):
    with pytest.raises(PlanError):
        TableLinker(of(asked), tables, TODAY).plan()


def test_a_number_that_is_not_read_leaves_it(tables):
    asked = parsed("papers", "sum", "[type:memberships] for a full 12 months")
    asked = replace(asked, unread=("full", "12"))
    with pytest.raises(PlanError, match="number"):
        TableLinker(of(asked), {"memberships": tables["memberships"]}, TODAY).plan()


def test_two_tables_that_have_it_are_none(tables):
    twice = {**tables, "other": sheet_of(CLUBS.replace("paid", "used"), "work/clubs.csv")}
    asked = parsed("papers", "rows", "what is [party:Chess]")
    assert TableLinker(of(asked), tables, TODAY).plan().plan.relation == "memberships"
    with pytest.raises(PlanError, match="which table"):
        TableLinker(of(asked), twice, TODAY).plan()


MEMBERS = "name,voice,fee_paid\nAda,alto,yes\nBen,bass,no\nCai,alto,no\n"


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("hasn't paid", ["Ben", "Cai"]),
        ("hasnt paid", ["Ben", "Cai"]),
        ("paid", ["Ada"]),
        ("open", ["Ben", "Cai"]),
    ],
)
def test_a_column_says_who_has_paid(said, who):
    tables = {"members": sheet_of(MEMBERS, "choir/members.csv")}
    text, _ = told(tables, parsed("sheet", "rows", f"who has [status:{said}]"))
    assert [name for name in ("Ada", "Ben", "Cai") if name in text] == who


PAID_ON = (
    "name,division,fee,paid on\nAda,North,30.00,2024-02-14\nBen,South,30.00,\nCai,North,12.50,\n"
    "Dee,South,0.00,\n"
)


@pytest.mark.parametrize(
    ("op", "said", "text"),
    [
        ("count", "who [status:still owes]", "2 rows fit (paid on = –, fee > 0)."),
        ("sum", "[column:fee] that [status:still owed]",
         "42.50 in all, from 2 rows (fee, paid on = –, fee > 0)."),
        ("count", "who has [status:paid]", "1 row fits (paid on ≠ –): choir/members.csv [1]"),
    ],
)  # fmt: skip
def test_what_has_no_day_of_payment_is_owed_unless_it_is_nothing(op, said, text):
    tables = {"members": sheet_of(PAID_ON, "choir/members.csv")}
    assert told(tables, parsed("sheet", op, said))[0] == text


STAYS = (
    "house,guest,country,arrival,departure,nights\nLinde,Egger,SE,2024-06-30,2024-07-03,3\n"
    "Linde,Rossi,IT,2024-07-14,2024-07-21,7\nEiche,Huber,AT,2024-07-20,2024-07-22,2\n"
)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        # a place may be a cell, and the numbers of what is counted are added up, by the first day
        ("how many nights in [folder:linde] in [period:July 2024]",
         "7 (nights, house = “Linde”, (arrival 2024-07-01 – 2024-07-31)): lets/stays.csv [1]"),
        # by the day that is named
        ("how many nights in [value:linde], [column:departure] in [period:July 2024]",
         "10 in all, from 2 rows (nights, house = “Linde”, (departure 2024-07-01 – 2024-07-31))."),
    ],
)  # fmt: skip
def test_numbers_of_what_is_counted_are_added_up(said, text):
    tables = {"stays": sheet_of(STAYS, "lets/stays.csv")}
    assert told(tables, parsed("sheet", "count", said))[0] == text


def test_three_letters_are_not_spelt_otherwise():
    tables = {"stays": sheet_of(STAYS, "lets/stays.csv")}
    with pytest.raises(PlanError):
        TableLinker(of(parsed("entries", "sum", "[topic:sea] [unit:miles]")), tables, TODAY).plan()


SALES = "date,item,count,price,paid_eur\n" + "".join(
    f"2024-03-0{n},Wool,{n},2.50,{n * 2.5:.2f}\n" for n in range(1, 6)
)
HARVEST = "Date,Sort,kg,Water\n2024-06-01,Lime,35.5,17\n2024-07-01,Oak,21,16\n"


def test_of_several_amounts_the_product_is_what_was_paid(tables):
    sales = {"sales": sheet_of(SALES.replace("paid_eur", "all_eur"), "shop/sales.csv")}
    asked = parsed("sheet", "sum", "money from [value:wool] in [file:sales]", column="amount")
    assert told(sales, asked)[0].startswith("37.50 EUR in all, from 5 rows (all eur, ")
    plain = {"sales": sheet_of(SALES.replace("2.50", "2.40"), "shop/sales.csv")}
    with pytest.raises(PlanError, match="measured"):
        TableLinker(of(asked), plain, TODAY).plan()


def test_a_unit_says_which_column_and_a_part_of_its_name_which_table():
    bees = {"honeyharvest": sheet_of(HARVEST, "bees/honeyharvest.csv")}
    asked = parsed("sheet", "sum", "how many [column:kilos] of [value:honey] in all")
    assert told(bees, asked)[0].startswith("56.5 in all, from 2 rows (kg)")
    other = {"honeyharvest": sheet_of(HARVEST.replace("kg", "share"), "bees/honeyharvest.csv")}
    with pytest.raises(PlanError, match="kilos"):
        TableLinker(of(asked), other, TODAY).plan()


def test_two_ends_of_a_period_are_one(tables):
    asked = of(parsed("sheet", "sum", "in [period:2022] to [period:2024], not in [period:2023]"))
    assert [m.text for m in asked.marks] == ["2022 to 2024", "2023"]
    asked = of(parsed("sheet", "sum", "in [period:2022] and [|period:2024]"))
    assert [m.text for m in asked.marks] == ["2022", "2024"]


@pytest.mark.parametrize(
    ("cmp", "which"), [("over", ["Wool", "Dye"]), ("under", []), ("least", ["Wool", "Dye"])]
)
def test_two_columns_are_compared(tables, cmp, which):
    question = f"where was [column:actual] [{cmp}:beside] [column:planned] in [file:costs 2022]"
    text, _ = told(tables, parsed("sheet", "beyond", question))
    assert [name for name in ("Wool", "Dye") if name in text] == which


def test_a_column_of_words_is_compared_with_none(tables):
    asked = parsed(
        "sheet", "beyond", "[column:name] [over:above] [column:monthly] [file:memberships]"
    )
    with pytest.raises(PlanError):
        TableLinker(of(asked), tables, TODAY).plan()


def test_a_share_is_told_in_percent_with_what_it_is_of(tables):
    question = "what part of [file:costs 2022] is [value:wool] [column:actual]"
    text, _ = told(tables, parsed("sheet", "share", question, column="amount"))
    assert text.startswith("47.8 % (item = “Wool”)")


MEMBERS_OF = "name,division,active\nAda,North,yes\nNorth Star,South,no\nCai,South,no\n"


@pytest.mark.parametrize(("said", "count"), [("[value:active]", "1"), ("not [-value:active]", "2")])
def test_a_column_of_yes_and_no_says_what_it_is_called(said, count):
    tables = {"members": sheet_of(MEMBERS_OF, "choir/members.csv")}
    text, _ = told(tables, parsed("sheet", "count", f"how many members are {said}"))
    assert text.startswith(count)


def test_alternatives_are_of_one_column():
    tables = {"members": sheet_of(MEMBERS_OF, "choir/members.csv")}
    asked = parsed("sheet", "count", "how many belong to [value:south] or [|value:north]")
    assert told(tables, asked)[0].startswith("3")
