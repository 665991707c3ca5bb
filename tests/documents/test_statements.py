"""Statements of accounts become tables, whatever their banks leave out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from manole.documents.model import Status
from reading_here import read_document
from statement_files import camt, entry, mt940, ofx

HEAD = "day;amount;currency;party;text;account;balance"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE bomb [<!ENTITY l0 "ha">{LAUGHS}]>'


@pytest.fixture
def read(tmp_path, settings):
    def read(data, name, **limits):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_document(path, replace(settings, **limits))

    return read


def rows(document):
    assert (document.status, document.reason) == (Status.INDEXED, None)
    head, *found = document.pages[0].text.split("\n")
    assert head == HEAD
    return found


@pytest.mark.parametrize("kind", ["052", "053", "054"])
def test_camt(read, kind):
    data = camt(
        entry("2024-01-03", -39.99, "Funkwerk Mobil GmbH", "Telefon; Januar"),
        entry("2024-01-04", -5, "Later", "not yet", status="PDNG"),
        entry("2024-01-28", 2210, "Kita Sonnenhof e.V.", "Gehalt"),
        kind=kind,
    )
    document = read(data, "statement.xml")
    assert document.format == "camt"
    assert rows(document) == [
        "2024-01-03;-39.99;EUR;Funkwerk Mobil GmbH;Telefon Januar;DE02120300000000202051;",
        "2024-01-28;2210.00;EUR;Kita Sonnenhof e.V.;Gehalt;DE02120300000000202051;1500.00",
    ]


def test_a_batch_of_camt_is_its_bookings(read):
    one, other = (entry("2024-02-01", -n, f"Payee {n}", "rent") for n in (10, 20))
    parts = [e.split("<NtryDtls>")[1].split("</NtryDtls>")[0] for e in (one, other)]
    parts = [p.replace("<TxDtls>", f'<TxDtls><Amt Ccy="EUR">{n}.00</Amt>')
             for p, n in zip(parts, (10, 20), strict=True)]  # fmt: skip
    batch = entry("2024-02-01", -30, "", "").split("<NtryDtls>")[0]
    data = camt(f"{batch}<NtryDtls>{''.join(parts)}</NtryDtls></Ntry>")
    assert [r.split(";")[:4] for r in rows(read(data, "batch.xml"))] == [
        ["2024-02-01", "-10.00", "EUR", "Payee 10"], ["2024-02-01", "-20.00", "EUR", "Payee 20"],
    ]  # fmt: skip


def test_mt940_in_its_three_notations_and_in_latin_1(read):
    data = mt940(
        ("2401020103DR45,99NDDTNONREF",
         "105?00FOLGELASTSCHRIFT?20EREF+881?21SVWZ+Tanken Säule?22 4?32Tankhof?33 Müller"),
        ("2312310102RD10,NTRF", "/TRTP/SEPA/NAME/J. de Boer/REMI/huur"),
        ("240131C7,5NTRF", "plain words\nof two lines"),
        ("2401XXD1,00NTRF", "no day"),
    )  # fmt: skip
    assert [r.rstrip() for r in rows(read(data.encode("latin-1"), "konto.txt"))] == [
        "2024-01-03;-45.99;EUR;Tankhof Müller;Tanken Säule 4 ;12030000/202051;",
        "2024-01-02;10.00;EUR;J. de Boer;huur;12030000/202051;",
        "2024-01-31;7.50;EUR;;plain words of two lines;12030000/202051;-12.50",
    ]


@pytest.mark.parametrize("ends", [True, False], ids=["2.x", "1.x without end tags"])
def test_ofx(read, ends):
    data = ofx(("20240612120000[0:GMT]", "-1.012,99", "KINO &amp; CO", "tickets"),
               ("20240613", "x", "A", ""), ("20249999", "-1.00", "B", ""),
               ("20240614", "88.10", "Back", "refund"), ends=ends)  # fmt: skip
    assert rows(read(data, "card.qfx")) == [
        "2024-06-12;-1012.99;EUR;KINO & CO;tickets;5500-1;",
        "2024-06-14;88.10;EUR;Back;refund;5500-1;-153.05",
    ]


def test_what_is_cut_off_is_read_up_to_there(read):
    data = camt(*(entry("2024-01-03", -n, "Mill", "flour") for n in (1, 2, 3)))
    document = read(data[: data.index(">3.00")], "cut.xml")
    assert document.status is Status.PARTIAL
    assert "cut off" in document.reason
    assert document.pages[0].text.count("Mill") == 2
    assert len(rows(read(mt940(("240131D1,00N", "a"), ("240201D2", "b"))[:-30], "cut.sta"))) == 2
    assert len(rows(read(ofx(("20240101", "-1", "a", "b"), ("20240102", "-2", "c", "d"))[:200],
                         "cut.ofx"))) == 1  # fmt: skip


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (camt(entry("2024-01-03", -1, "Mill", "&l9;"), head=BOMB), "bomb.xml"),
        (camt(), "none.xml"),
        ("<Document xmlns='urn:iso:std:iso:20022:tech:xsd:camt.053.001.02'><", "broken.xml"),
        ("words\n", "words.sta"),
        ("<OFX><STMTTRN><STMTTRN>" * 1000, "empty.ofx"),
        (":20:x\n:25:y\n:61:" + ":61:" * 1000, "empty.940"),
    ],
)
def test_what_has_no_bookings_is_a_text(read, data, name):
    document = read(data, name)
    assert document.status in (Status.INDEXED, Status.PARTIAL)
    assert HEAD not in document.pages[0].text
    assert "haha" not in document.pages[0].text


def test_a_page_that_speaks_of_statements_is_none(read):
    assert read("See urn:iso:std:iso:20022:tech:xsd:camt.053\n:25:x\n", "a.md").format == "markdown"


def test_200_000_bookings_are_cut_at_the_limit(read):
    told = "105?20A booking?32Mill"
    data = mt940(*((f"2401{n % 28 + 1:02}D{n},00NTRF", told) for n in range(200_000)))
    document = read(data, "large.sta", max_chars=1_000_000)
    assert (document.status, len(document.pages[0].text)) == (Status.PARTIAL, 1_000_000)
