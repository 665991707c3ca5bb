"""Statements are told by what their columns hold, and are one relation."""

from __future__ import annotations

from datetime import date

import pytest

from agent.plan.sheets import sheet_of
from manole.catalog.catalog import Catalog
from manole.catalog.payments import bookings, bookings_of, payments
from manole.catalog.recurring import recurring

SPARKASSE = """Auftragskonto;Buchungstag;Valutadatum;Buchungstext;Verwendungszweck;Beguenstigter/\
Zahlungspflichtiger;Kontonummer;Betrag;Waehrung
DE1;02.01.2024;02.01.2024;LASTSCHRIFT;Miete Januar;Hausverwaltung Ost;DE2;-1.050,00;EUR
DE1;28.01.2024;28.01.2024;GUTSCHRIFT;Lohn 01;Werft AG;DE3;2.310,45;EUR
DE1;02.02.2024;02.02.2024;LASTSCHRIFT;Miete Februar;Hausverwaltung Ost;DE2;-1.050,00;EUR
"""
ENGLISH = """Date,Description,Money Out,Money In,Balance
01/02/2024,Carter Grocers,12.50,,987.50
14/02/2024,Wages from Mill,,100.00,1087.50
15/02/2024,Carter Grocers,20.25,,1067.25
"""
UNNAMED = """Dia,Concepto,A,B,Saldo
2024-02-01,Luz y gas,12.50,,987.50
2024-02-14,Nomina Molino,,100.00,1087.50
2024-02-15,Luz y gas,20.25,,1067.25
2024-02-16,Luz y gas,1.25,,1066.00
"""
SIGNED = """day,shop name,amount_chf
2024-02-01,Mill & Sons,-12.50
2024-02-03,Mill & Sons,4.00
"""


def told(text, file="a.csv"):
    return [(b.day, b.amount, b.currency, b.party) for b in bookings_of(sheet_of(text, file))]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (SPARKASSE, ("2024-01-02", -1050.0, "EUR", "Hausverwaltung Ost")),
        (ENGLISH, ("2024-02-01", -12.5, "", "Carter Grocers")),
        (UNNAMED, ("2024-02-01", -12.5, "", "Luz y gas")),  # the balance tells what went out
        (SIGNED, ("2024-02-01", -12.5, "CHF", "Mill & Sons")),
    ],
)
def test_a_statement_is_told_by_its_columns(text, first):
    found = told(text)
    assert found[0] == first
    assert len({amount > 0 for _, amount, *_ in found}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "date,meter,reading\n2024-01-01,A 1,100.25\n2024-02-01,A 1,120.75\n",  # nothing went out
        "item,planned,left\nFood,10.00,-2.50\nRent,20.00,1.00\n",  # no days
        "date,place,degrees\n2024-01-01,A b,-2.5\n2024-02-01,A b,1.5\n",  # no money
        "month,tenant,due,received,on\n2024-01,A b,10.00,10.00,2024-01-02\n"
        "2024-02,A b,10.00,10.00,2024-02-02\n",
        "date,debit,credit\n2024-01-01,1.00,\n2024-02-01,,1.00\n",  # for what?
    ],
)
def test_other_tables_are_none(text):
    assert told(text) == []


def catalog_of(*sheets):
    catalog = Catalog([])
    catalog.add_files({sheet.file: [sheet] for sheet in sheets})
    catalog.add_families()
    return catalog


def test_statements_of_any_shape_are_one_relation_whose_rows_have_their_places():
    one, other = sheet_of(SPARKASSE, "giro.csv"), sheet_of(ENGLISH, "old/bank.csv")
    catalog = catalog_of(one, other)
    sheet = catalog.families["payments"]
    catalog.fill_sheets(["payments"])
    _, rows = catalog.run('SELECT "date", amount_eur, party, file FROM payments LIMIT 3')
    assert rows == [
        ("2024-01-02", -1050.0, "Hausverwaltung Ost", "giro.csv"),
        ("2024-01-28", 2310.45, "Werft AG", "giro.csv"),
        ("2024-02-01", -12.5, "Carter Grocers", "old/bank.csv"),
    ]
    assert sheet.place(3) == other.place(1)
    assert sheet.place(4) == one.place(3)
    assert sheet.place(0) == one.place(0)
    assert len(sheet.rows) == 6


def test_a_plain_statement_is_asked_as_it_stands():
    assert catalog_of(sheet_of(SIGNED, "a.csv")).families == {}


def test_several_currencies_are_told_apart():
    catalog = catalog_of(sheet_of(SPARKASSE, "giro.csv"), sheet_of(SIGNED, "swiss.csv"))
    assert catalog.families["payments"].mixed
    catalog.fill_sheets(["payments"])
    query = "SELECT currency, count(*) FROM payments GROUP BY currency ORDER BY 1"
    assert catalog.run(query)[1] == [("CHF", 2), ("EUR", 3)]


def test_what_two_exports_have_counts_once_and_what_one_has_twice_counts_twice():
    twice = SIGNED + "2024-02-01,Mill & Sons,-12.50\n"
    found = bookings(bookings_of(sheet_of(t, f)) for t, f in ((SIGNED, "a.csv"), (twice, "b.csv")))
    assert [(b.day, b.amount) for b in found] == [
        ("2024-02-01", -12.5), ("2024-02-01", -12.5), ("2024-02-03", 4.0),
    ]  # fmt: skip
    assert payments([]) is None


def series(*rows):
    lines = [f"{day},{name},{amount:.2f}" for day, name, amount in rows]
    text = "\n".join(["date,name,amount_eur", *lines, "2024-12-30,Wages Mill,100.00"])
    found = bookings([bookings_of(sheet_of(text, "a.csv"))])
    return [(r.last.party, r.times, r.last.day, r.ended, r.per_year)
            for r in recurring(found, date(2025, 1, 5))]  # fmt: skip


def monthly(name, amounts, first=1, day=3, year=2024):
    return [(f"{year}-{first + n:02}-{day + n % 3:02}", name, -a) for n, a in enumerate(amounts)]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (monthly("Net One", 6 * [40] + 6 * [44]), ("Net One", 12, "2024-12-05", False, 528.0)),
        ([r for n, r in enumerate(monthly("Net One", 12 * [40])) if n != 4],
         ("Net One", 12, "2024-12-05", False, 480.0)),  # one is missing
        (monthly("Gym 24", 3 * [20]), ("Gym 24", 12, "2024-03-05", True, 240.0)),
        ([(f"2024-{m:02}-15", "Tax", -310) for m in (3, 6, 9, 12)],
         ("Tax", 4, "2024-12-15", False, 1240.0)),
        ([(f"20{y}-03-0{y % 7}", "Insurer A", -600 - y) for y in (22, 23, 24)],
         ("Insurer A", 1, "2024-03-03", False, 624.0)),
        ([(f"2024-12-{d:02}", "Cleaner", -30) for d in (2, 9, 17, 23)],
         ("Cleaner", 52, "2024-12-23", False, 1560.0)),
        ([(f"2024-{m:02}-02", f"Kino {m}77", -9) for m in (10, 11, 12)],
         ("Kino 1277", 12, "2024-12-02", False, 108.0)),  # a number that is another each time
    ],
)  # fmt: skip
def test_what_is_paid_regularly_recurs(rows, found):
    assert series(*rows) == [found]


def test_two_policies_of_one_insurer_are_two():
    rows = monthly("Insurer A", 12 * [20]) + monthly("Insurer A", 12 * [75])
    assert [per_year for *_, per_year in series(*sorted(rows))] == [900.0, 240.0]


@pytest.mark.parametrize(
    "rows",
    [
        [(f"2024-0{m}-{d:02}", "Fuel", -60) for m, d in ((1, 15), (2, 22), (3, 27), (5, 6))],
        [(f"2024-0{m}-03", "Grocer", -a) for m, a in ((1, 20), (2, 90), (3, 31), (4, 140))],
        monthly("Wages", [-100, -100, -100, -100]),  # came in
        monthly("Net One", [40, 40]),
    ],
)
def test_what_is_not_regular_does_not_recur(rows):
    assert series(*rows) == []
