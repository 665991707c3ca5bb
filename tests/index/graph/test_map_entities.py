"""What a text names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.index.graph.entities import entities, mentions, named
from manole.index.graph.model import UNLABELLED, WEIGHTS

IBAN = "DE89370400440532013000"  # the example of the standard


def found(text):
    return sorted({thing for thing in entities(text) if thing[0] != UNLABELLED})


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("write to A.Person@Example.org today", [("e-mail", "a.person@example.org")]),
        ("<mailto:a.person@example.org>.", [("e-mail", "a.person@example.org")]),
        ("VAT no. DE 136 695 976", [("tax number", "DE136695976")]),
        ("USt-IdNr.: DE136695976 HRB 1234", [("tax number", "DE136695976")]),
        ("Tax ID of the maker: DE811907980", [("tax number", "DE811907980")]),
        ("VAT registration number GB 980 7806 84", [("tax number", "GB980780684")]),
        ("UID CHE-107.787.577 MWST", [("tax number", "CHE107787577")]),
        ("BTW NL004495445B01", [("tax number", "NL004495445B01")]),
        ("Steuernummer: 12/345/67890 Finanzamt", [("tax number", "1234567890")]),
        ("GSTIN: 29GGGGG1314R9Z6", [("tax number", "29GGGGG1314R9Z6")]),
        ("Tax ID 12-3456789", [("tax number", "123456789")]),
        ("from Rohr und Rinne GmbH in Ghent", [("company", "Rohr und Rinne")]),
        ("Dear Acme Ltd. and Foo Bar Inc.", [("company", "Acme"), ("company", "Foo Bar")]),
        ("die Firma Škoda Auto a.G.", [("company", "Škoda Auto")]),
        ("GB29 NWBK 6016 1331 9268 19", [("account", "GB29NWBK60161331926819")]),
        (f"IBAN {IBAN} BIC COBADEFFXXX", [("account", IBAN)]),
        ("BE68 5390 0754 7034 KREDBEBB", [("account", "BE68539007547034")]),
        (
            f"{IBAN} GB29NWBK60161331926819",
            [("account", IBAN), ("account", "GB29NWBK60161331926819")],
        ),
    ],
)
def test_what_a_text_names(text, things):
    assert found(text) == things


@pytest.mark.parametrize(
    "text",
    [
        "DE123456789",  # no label
        "VAT EUR 1234567.80, Tax invoice 12345678",
        "GB29 NWBK 6016 1331 9268 18",
        "DE89 3704 0044 0532 0130",  # a part is missing
        "VAT 19 % 123.45, VAT 12 345 678.00",  # amounts
        "number 1234567890, call 0711 123 456 78",
        "the GmbH law, an AG, GmbH & Co",
        "nothing at all",
        "@ .@. a@b @example.org",
    ],
)
def test_what_is_no_name_is_left_out(text):
    assert found(text) == []


@given(st.text(alphabet="0123456789", min_size=18, max_size=18), st.integers(0, 17))
def test_one_wrong_digit_of_an_account_number_is_noticed(digits, at):
    right = 98 - int(f"{digits}131400") % 97
    assert found(f"DE{right:02d}{digits}") == [("account", f"DE{right:02d}{digits}")]
    wrong = digits[:at] + str((int(digits[at]) + 1) % 10) + digits[at + 1 :]
    assert found(f"DE{right:02d}{wrong}") == []


@given(st.text())
def test_any_text_may_be_read(text):
    for kind, name in entities(text):
        assert kind in WEIGHTS or kind == UNLABELLED
        assert name.strip() == name != ""
    assert all("." in mention for mention in mentions(text))


@pytest.mark.parametrize(
    "text",
    ["A " * 100_000, "1 " * 100_000, "a@" * 100_000, "VAT id " * 30_000, "a.pdf" * 40_000,
     "x-" * 100_000 + "@", "Aa " * 60_000 + "GmbH", "DE" * 100_000, "VAT id " + "1 " * 90_000],
    ids=lambda text: text[:8],
)  # fmt: skip
def test_no_text_takes_long(text):
    started = time.process_time()
    list(entities(text))
    list(mentions(text))
    assert time.process_time() - started < 10  # some 0.1 s; a careless pattern takes hours


def test_names_of_files_are_found_with_their_blanks():
    names = {"annual report 2024.pdf": "a", "2024.pdf": "b", "bank.txt": "c", "x (1).md": "d"}

    def files(text):
        return [name for mention in mentions(text) if (name := named(mention, names))]

    assert files("See the annual report 2024.pdf, and Bank.TXT.") == ["a", "c"]
    assert files("see 2024.pdf") == ["b"]
    assert files("(x (1).md)") == ["d"]
    assert files("[it](../letters/bank.txt)") == ["c"]
    assert files("mybank.txt, bank.txt2, bank.tx") == []
