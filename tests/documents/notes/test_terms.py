"""Days that follow from what contracts, cards and bills agree."""

from __future__ import annotations

from datetime import date

import pytest

from manole.documents.fields.model import TextLine
from manole.documents.notes.said import sentences_of
from manole.documents.notes.terms import terms_in
from manole.text.lengths import Length

WRITTEN, TODAY, LAST = date(2022, 4, 5), date(2024, 12, 5), date(2026, 1, 1)


def told(text: str, written: date | None = WRITTEN) -> list[tuple[str, str]]:
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), start=1)]
    terms = terms_in(lines, sentences_of(lines), written)
    return sorted((str(day), t.sort) for t in terms for day, _ in t.days(TODAY, LAST))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        (
            "The contract begins on 1 May 2022 and is extended by a year each time if it is\n"
            "not ended one month before.",
            [("2025-03-31", "cancel"), ("2025-04-30", "renews")],
        ),
        (
            "Die Police verlängert sich um ein Jahr, wenn sie nicht drei Monate vor dem\n"
            "31. Dezember gekündigt wird.",
            [("2024-12-31", "renews"), ("2025-09-30", "cancel"), ("2025-12-31", "renews")],
        ),
        (
            "Date d'effet : 1er mars 2021\nLe contrat se renouvelle chaque année, sauf résiliation "
            "deux mois avant l'échéance.",
            [("2024-12-31", "cancel"), ("2025-02-28", "renews"), ("2025-12-31", "cancel")],
        ),
        (
            "El contrato comienza el 1 de octubre de 2023 y se prorroga por un año si no se "
            "cancela con un mes de antelación.",
            [("2025-08-31", "cancel"), ("2025-09-30", "renews")],
        ),
        (
            "Der Vertrag kann mit einer Frist von einem Monat zum 30. Juni gekündigt werden.",
            [("2025-05-31", "cancel")],
        ),
        ("Car policy\n\nNotice must reach us by 30 November.", [("2025-11-30", "cancel")]),
        ("Premium 71.40 euros a year, due on 1 May", [("2025-05-01", "pay")]),
        (
            "Fällig sind je 80 Euro am 15. Februar, am 15. Mai, am 15. August und am 15. November.",
            [(f"2025-{month}-15", "pay") for month in ("02", "05", "08", "11")],
        ),
        (
            "Date of purchase: 18 March 2022\n\nThe maker guarantees the motor for three years.",
            [("2025-03-18", "ends")],
        ),
    ],
)  # fmt: skip
def test_a_day_is_computed_from_what_is_agreed(text, days):
    assert told(text) == days


@pytest.mark.parametrize(
    "text",
    [
        "The contract runs until 28 February 2024 and is then extended month by month.",
        "You may cancel free of charge until 5 May. This is a holiday contract.",
        "Either side may terminate with one month's notice to the end of a calendar month.",
        "Example: a contract that begins on 1 May 2022 is extended by a year if it is not ended "
        "one month before.",
        "Report a loss within seven days.",
        "The guarantee lasts three years.",
        "It is extended by a year if it is not ended two months before its end.",
        "",
    ],
)
def test_nothing_is_computed_where_nothing_is_agreed(text):
    assert told(text) == []


def test_lengths_that_lead_nowhere_are_no_error():
    text = "It begins on 1 May 2022 and is extended if not ended 999 years before."
    assert [sort for _, sort in told(text)] == ["renews"]
    told("The guarantee lasts 999 years. Sold on 3 May 9800 and bought on 3 May 2099.")


def test_a_bill_is_due_so_long_after_its_day():
    text = "Rechnung 17\n\nZahlbar innerhalb von 14 Tagen ohne Abzug, 2 % Skonto binnen 8 Tagen."
    assert told(text, date(2024, 12, 1)) == [("2024-12-15", "pay")]
    assert told(text, None) == []  # nobody knows its day


@pytest.mark.parametrize(
    ("length", "end", "last"),
    [
        (Length(1, "months"), date(2025, 4, 30), date(2025, 3, 31)),
        (Length(3, "months"), date(2027, 2, 28), date(2026, 11, 30)),
        (Length(1, "months"), date(2025, 3, 31), date(2025, 2, 28)),
        (Length(30, "days"), date(2025, 4, 14), date(2025, 3, 15)),
        (Length(6, "weeks"), date(2025, 1, 1), date(2024, 11, 20)),
    ],
)
def test_the_last_day_from_which_a_time_still_runs_out(length, end, last):
    assert length.before(end) == last
