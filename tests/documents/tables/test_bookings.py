"""The bookings of statements in PDFs: read whole, proven by balances, or not taken at all."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bank_layouts import LAYOUTS, cells_of, english, found_of, french, german, statement
from bank_pdfs import write
from manole.catalog.payments import bookings_of
from manole.catalog.sheets import Sheet
from manole.documents.fields.lines import page_lines
from manole.documents.tables import tables_in
from reading_here import read_document


def tables(path, settings):
    pages = read_document(path, settings).pages
    return tables_in(page_lines([(page.number, page.text) for page in pages]), "pdf", path.name)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_booking_has_its_day_amount_and_text(tmp_path, settings, layout):
    found = found_of(layout)
    (table,) = tables(statement(tmp_path, layout), settings)
    cells = [dict(zip(table.columns, row.cells, strict=True)) for row in table.rows]
    amount = next(name for name in table.columns if name.startswith("amount"))
    told = [" ".join(filter(None, (c.get("type"), c["party"], c["text"]))) for c in cells]
    read = [(c["day"], float(c[amount]), text) for c, text in zip(cells, told, strict=True)]
    wanted = zip(cells_of(found), found, strict=True)
    assert sorted(read) == sorted((*cell, " ".join(move.texts)) for cell, move in wanted)
    assert {row.page for row in table.rows} == set(range(1, max(r.page for r in table.rows) + 1))
    assert len(bookings_of(Sheet.read("a.pdf", table))) == len(found)


def test_a_row_stands_at_its_own_page_and_line(tmp_path, settings):
    path = statement(tmp_path, "german")
    (table,) = tables(path, settings)
    pages = read_document(path, settings).pages
    sheet = Sheet.read("a.pdf", table)
    place = sheet.place(len(table.rows))
    line = pages[place["page"] - 1].text.split("\n")[place["line"] - 1]
    assert place["page"] == len(pages) > 1
    assert place["quote"].startswith(" ".join(line.split()))


def test_currency_and_parts_of_a_text_are_told_apart(tmp_path, settings):
    (table,) = tables(statement(tmp_path, "german"), settings)
    assert table.columns[:5] == ("day", "amount EUR", "party", "text", "type")
    assert table.rows[1].cells[2:5] == (
        "Funkwerk Mobil", "Rechnung 4711 99 Kundennummer 88123", "SEPA-Lastschrift",
    )  # fmt: skip


@pytest.mark.parametrize("make", [german, english, french])
def test_a_statement_that_does_not_add_up_is_not_taken(tmp_path, settings, make):
    found = found_of(make.__name__)
    bank = make(found)
    wrong = make([*found[:7], replace(found[7], cents=found[7].cents - 100), *found[8:]])
    amounts = {"out", "in", "debit", "credit", "amount"}
    row = {k: wrong.rows[7][0][k] if k in amounts else v for k, v in bank.rows[7][0].items()}
    bank.rows[7][0] = row
    assert tables(write(tmp_path / "wrong.pdf", bank), settings) == []


@pytest.mark.parametrize("layout", sorted(LAYOUTS.keys() - {"spanish"}))
def test_no_line_is_missed_or_misread_without_notice(tmp_path, settings, layout):
    pages = read_document(statement(tmp_path, layout), settings).pages
    lines = page_lines([(page.number, page.text) for page in pages])
    rows = [n for n, line in enumerate(lines) if re.search(r"\d[.,]\d\d(?![\d.,])", line.text)]
    whole = set(cells_of(found_of(layout)))
    for n in rows[:: len(rows) // 12]:
        for changed in ([], [replace(lines[n], text=one_cent_more(lines[n].text))]):
            for table in tables_in([*lines[:n], *changed, *lines[n + 1 :]], "pdf", "a.pdf"):
                days = [(row.cells[0], float(row.cells[1])) for row in table.rows]
                assert set(days) == whole


def one_cent_more(text):
    *_, last = re.finditer(r"(?<=\d[.,]\d)\d(?![\d.,])", text)
    return f"{text[: last.start()]}{(int(last[0]) + 1) % 10}{text[last.end() :]}"


def listed(rows, *above):
    head = [(60, 60 + 14 * n, text) for n, text in enumerate(above)]
    cells = [
        (x, 200 + 16 * n, cell)
        for n, row in enumerate(rows)
        for x, cell in zip((60, 130, 330, 420, 500), row, strict=False)
    ]
    return [head + cells]


@pytest.mark.parametrize(
    "page",
    [
        listed(  # an invoice
            [("02.01.2024", "Beratung vor Ort", "2,00 h", "90,00", "180,00"),
             ("03.01.2024", "Anfahrt", "1,00", "45,00", "45,00"),
             ("04.01.2024", "Montage", "3,00 h", "90,00", "270,00"),
             ("05.01.2024", "Kleinteile", "1,00", "12,50", "12,50"),
             ("", "Summe", "", "", "507,50")],
            "Rechnung 2024-17", "Rechnungsdatum 08.01.2024"),
        listed(  # a price list
            [("01.03.2024", "Rye bread", "", "", "3.20"), ("01.03.2024", "Rolls", "", "", "0.60"),
             ("01.05.2024", "Cake", "", "", "18.00"), ("01.05.2024", "Pretzel", "", "", "0.95")],
            "Prices in EUR, valid from the day given"),
        listed(  # instalments, all of them with a minus
            [(f"01.0{n}.2024", "Abschlag Strom", "", "", "-85,00") for n in range(1, 8)],
            "Jahresabrechnung 2024", "Ihre Zahlungen"),
    ],
)  # fmt: skip
def test_other_lists_of_days_and_amounts_are_no_statements(make_pdf, settings, page):
    assert tables(make_pdf(page), settings) == []


def test_without_any_balance_all_rows_are_read_and_signed_or_none(make_pdf, settings):
    rows = [
        ("02.01.2024", "Rent", "", "", "-850,00"), ("05.01.2024", "Wages", "", "", "+2.100,00"),
        ("07.01.2024", "Baker", "", "", "-3,20"), ("09.01.2024", "Phone", "", "", "-30,00"),
    ]  # fmt: skip
    (table,) = tables(make_pdf(listed(rows, "Umsätze")), settings)
    assert [row.cells[1] for row in table.rows] == ["-850.00", "2100.00", "-3.20", "-30.00"]
    rows.insert(2, ("37.01.2024", "Gym", "", "", "-20,00"))
    assert tables(make_pdf(listed(rows, "Umsätze")), settings) == []


def test_days_without_a_year_need_one_from_elsewhere(make_pdf, settings):
    rows = [
        ("28.12.", "Rent", "", "-850,00", "150,00"),
        ("02.01.", "Wages", "", "2.100,00", "2.250,00"),
        ("07.01.", "Baker", "", "-3,20", "2.246,80"),
    ]
    assert tables(make_pdf(listed(rows, "Konto")), settings) == []
    (named,) = tables(make_pdf(listed(rows, "Konto"), name="Auszug 2024-01.pdf"), settings)
    assert [row.cells[0] for row in named.rows] == ["2023-12-28", "2024-01-02", "2024-01-07"]
