"""Typed fields are read from papers of many layouts, languages and number formats."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from manole.documents.fields import SURE, Money, page_lines, read_fields
from manole.documents.fields.labels import Label, label_of
from manole.text.amounts import currency_in, find_amounts

from .papers import PAPERS


def fields_of(text):
    return read_fields(page_lines([(1, text)]))


def shown(found):
    value = getattr(found, "value", found)
    return f"{value.amount} {value.currency}" if isinstance(value, Money) else str(value)


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_gives_its_fields(name):
    text, wanted = PAPERS[name]
    fields = fields_of(text)
    assert {key: shown(getattr(fields, key)) for key in wanted} == wanted


@pytest.mark.parametrize("name", PAPERS)
def test_what_is_read_stands_on_the_line_it_names(name):
    text, _ = PAPERS[name]
    fields = fields_of(text)
    lines = text.split("\n")
    for key in ("total", "net", "tax", "due", "date", "number", "issuer", "end_date"):
        found = getattr(fields, key)
        if found is not None:
            assert found.page == 1
            assert found.text == " ".join(lines[found.line - 1].split())


def test_a_total_is_sure_when_label_and_sums_agree():
    assert fields_of(PAPERS["german"][0]).total.confidence >= SURE


def test_an_amount_without_any_label_is_not_sure():
    fields = fields_of("Notes\nLunch 12.50\nTaxi 30.00\n")
    assert fields.total is None or fields.total.confidence < SURE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The soup needs 300 g of lentils.",
        "Version 1.25 of 2024-03-05, 12:30.",
        "IBAN DE12 3456",
    ],
)
def test_a_text_without_amounts_has_no_total(text):
    assert fields_of(text).total is None


def test_the_deposit_is_not_the_total():
    fields = fields_of("Total  500.00 EUR\nDeposit  600.00 EUR\n")
    assert fields.total.value.amount == Decimal("500.00")


def test_the_date_in_a_file_name_gives_way_to_the_date_on_the_paper():
    lines = page_lines([(None, "Invoice date: 3 May 2023\nTotal 10.00 EUR")])
    assert read_fields(lines, date(2024, 1, 1)).date.value == date(2023, 5, 3)


def test_the_date_of_the_order_is_no_surer_than_another():
    found = fields_of("Ulm, 1 May 2024\nOrder date 28 April 2024\nTotal 10.00 EUR").date
    assert (found.value, found.confidence < SURE) == (date(2024, 5, 1), True)


@pytest.mark.parametrize(
    ("text", "value", "currency"),
    [
        ("1,234.50 EUR", "1234.50", "EUR"),
        ("€ 1.234,50", "1234.50", "EUR"),
        ("1 234,50 €", "1234.50", "EUR"),
        ("CHF 1'234.50", "1234.50", "CHF"),
        ("Rs 1939", "1939.00", "INR"),
        ("₹ 1,23,456.00", "123456.00", "INR"),
        ("RM27.65", "27.65", "MYR"),
        ("$1,939", "1939.00", "USD"),
        ("$.50", "0.50", "USD"),
        ("$.1000", "1000.00", "USD"),
        ("$. 100.00", "100.00", "USD"),
        ("£.100", "100.00", "GBP"),
        ("€.500,00", "500.00", "EUR"),
        ("US$.1,500.00", "1500.00", "USD"),
        ("R$.1.250,00", "1250.00", "BRL"),
        ("R$. 45,90", "45.90", "BRL"),
        ("R$.45,90", "45.90", "BRL"),
        ("kostet 49 €.24 Monate", "49.00", "EUR"),
        ("5$.50", "5.00", "USD"),
        ("-8,79", "-8.79", None),
        ("-$5.00", "-5.00", "USD"),
        ("€ 35,--", "35.00", "EUR"),
        ("12,00-", "-12.00", None),
    ],
)
def test_amounts_are_read_in_every_format(text, value, currency):
    (found,) = find_amounts(text)
    assert (found.value, found.currency) == (Decimal(value), currency)


@pytest.mark.parametrize("text", ["$.50 $.75", "$0.50 $0.75", "0.50 $ 0.75 $"])
def test_each_amount_of_a_line_has_its_own_sign(text):
    amounts = [(amount.value, amount.currency) for amount in find_amounts(text)]
    assert amounts == [(Decimal("0.50"), "USD"), (Decimal("0.75"), "USD")]


@pytest.mark.parametrize(
    "text",
    ["19 %", "14.50%", "78.46.77.79", "05.03.2024", "41,1765", "2.5 Std", "12:30", "1,5 kg",
     "+49 221 5550199", "DE89 3704 0044 0532 0130 00", "v1.25.3"],
)  # fmt: skip
def test_other_numbers_are_no_amounts(text):
    assert find_amounts(text) == []


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("Summe inkl. USt", Label.GROSS),
        ("Rechnungssumme ohne USt.", Label.NET),
        ("Total HT", Label.NET),
        ("Total TTC", Label.GROSS),
        ("Total Sales (Excluding GST)", Label.NET),
        ("Total Sales (Inclusive of GST)", Label.GROSS),
        ("Rounded Total (RM)", Label.GROSS),
        ("Net à payer", Label.DUE),
        ("Te betalen", Label.DUE),
        ("Amount still to be paid", Label.DUE),
        ("Total taxes", Label.TAX),
        ("MwSt. 19 %", Label.TAX),
        ("Totaal", Label.TOTAL),
        ("Deposit paid", Label.PAID),
        ("CASH", Label.CASH),
        ("CHANGE", Label.CHANGE),
        ("TOTAL QTY", Label.OTHER),
        ("Rounding Adj", Label.OTHER),
        ("Hammer drill", None),
    ],
)
def test_labels_say_what_an_amount_is(words, label):
    assert label_of(words) is label


def test_a_currency_is_found_in_a_label():
    assert currency_in("Total (RM)") == "MYR"
    assert currency_in("Price RM  RM") == currency_in("in RM") == "MYR"
    assert currency_in("a storm over the sea") is None


SLIP = """Corner Shop Ltd
Tel 030 5550199
18-11-23 13:58 Till 2
Bread  3.10
Soap  9.21
Total  12.31
Rounding adj.  -0.01
{sign}  12.30
Cash  20.00
Change  7.70"""


@pytest.mark.parametrize("sign", ["To pay", "RM", "Net total"])
def test_after_rounding_the_rounded_amount_is_what_was_paid(sign):
    fields = fields_of(SLIP.format(sign=sign))
    assert fields.total.value.amount == Decimal("12.30")
    assert fields.date.value == date(2023, 11, 18)


def test_a_total_of_one_rate_of_tax_is_a_part():
    fields = fields_of(
        "Bakery Ltd\nInvoice 7\nDate: 28/08/2023\nTotal 0% supplies  14.35\n"
        "Total 6% supplies (incl. GST)  27.09\nTotal payable  41.44"
    )
    assert fields.total.value.amount == Decimal("41.44")


@pytest.mark.parametrize(
    ("head", "issuer"),
    [
        ("HILL SPEED MART S/B (519000-X)\nLOT P.T. 28, JALAN ANGSANA,", "HILL SPEED MART S/B"),
        ("HILL CO. (M) BHD (126000-H)\n3RD FLR, HILL TOWERS SC", "HILL CO. (M) BHD"),
        ("HILL BAKERIES (KL) SDN BHD (139000 X)\nLot 3, Jalan Besar", "HILL BAKERIES (KL) SDN BHD"),
        ("HILL BOOK\nCO. (M) SDN BHD\n(Co. No. 113000-W)", "HILL BOOK CO. (M) SDN BHD"),
        ("A030\nHILL HARDWARE TRADING\nNO 4,JALAN BESAR 10,", "HILL HARDWARE TRADING"),
        ("HILL RESTAURANT\n18,JALAN BESAR 10/7", "HILL RESTAURANT"),
    ],
)
def test_the_name_at_the_head_of_a_slip_is_its_issuer_and_no_line_of_its_address(head, issuer):
    fields = fields_of(f"{head}\nGST ID: 002000000000\nRice  4.00\nTotal  4.00\nThank you")
    assert fields.issuer.value == issuer


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Zahlbar in 30 Tagen netto bis 04.04.2018, 3% Skonto bis 15.03.2018", "2018-04-04"),
        ("3% Skonto bis 15.03.2018, zahlbar ohne Abzug bis 04.04.2018", "2018-04-04"),
        ("Bei Zahlung bis zum 15.03.2018 gewähren wir 3% Skonto.", "2018-03-15"),  # all there is
        ("Beschreibung  Fälligkeit  Teilzahlung\n29.11.2018", "2018-11-29"),
        ("Rechnungsdatum  Fälligkeit  Betrag\n29.10.2018", None),  # which of the two?
    ],
)
def test_when_a_paper_is_due(text, due):
    found = fields_of(text).due_date
    assert (found and found.value.isoformat()) == due
    assert found is None or found.text in text.split("\n")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("REIFEN PETRY\nQuittung / Receipt   21.10.2023  10:52\nSUMME EUR  388,00", "receipt"),
        ("Notenladen\n03.09.2024   16:18   Bon 20417\nZU ZAHLEN EUR  61,35", "receipt"),
        ("Elektro Steil\nArbeitsbeleg 6642   09.07.2024\nEndbetrag EUR  139,00", "receipt"),
        ("Fiduciaire Kohn\nNote d'honoraires n° H-212\nTotal TTC 526,50 €", "invoice"),
        ("Imprimerie\nBon de commande\nTotal 10,00 €", None),
    ],
)
def test_what_a_paper_calls_itself_is_its_kind(text, kind):
    assert fields_of(text).kind == kind
