"""Days that lengths of time lead to."""

from __future__ import annotations

from datetime import date

import pytest

from manole.documents.fields.model import TextLine
from manole.documents.notes.counted import counted_days
from manole.documents.notes.said import sentences_of

WRITTEN = date(2026, 11, 2)


def counted(text: str, **known: date) -> list[tuple[str, str, date]]:
    """The days of a text, each with what it was counted from."""
    lines = [TextLine(line, None, n) for n, line in enumerate(text.splitlines(), 1)]
    events = counted_days(sentences_of(lines), WRITTEN, {k: {day} for k, day in known.items()})
    return [(str(e.date), e.counted.of, e.counted.day) for e in events if e.counted]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Please reply within two weeks of the date of this letter.", "2026-11-16"),
        ("Bitte antworten Sie innerhalb von 10 Tagen nach Erhalt dieses Schreibens.", "2026-11-12"),
        ("Vous avez un délai de 15 jours à compter de la réception de ce courrier.", "2026-11-17"),
        ("U kunt bezwaar maken binnen zes weken na dagtekening van deze brief.", "2026-12-14"),
        ("Il pagamento va fatto entro 20 giorni dalla data della presente.", "2026-11-22"),
    ],
)
def test_a_time_from_the_letter_s_own_day(text, day):
    assert counted(text) == [(day, "written", WRITTEN)]


def test_a_time_before_a_day_of_the_same_sentence():
    found = counted("Tell us at least 14 days before the trip on 5 July 2027.")
    assert found == [("2027-06-21", "ends", date(2027, 7, 5))]


def test_a_time_before_what_another_sentence_dates():
    text = "The operation takes place on 14 January 2027.\n\nCancel 7 days before the operation."
    assert counted(text) == [("2027-01-07", "ends", date(2027, 1, 14))]


def test_a_time_before_the_only_end_or_event_that_the_text_has():
    end, event = date(2027, 6, 30), date(2027, 3, 1)
    said = "Notice has to be given 3 months before the end of the term."
    assert counted(said, ends=end)[0][2] == end
    assert counted("Call us 2 days before your visit.", ends=end, event=event)[0][2] == event


@pytest.mark.parametrize(
    ("text", "day", "base"),
    [
        ("You joined us on 15 February 2026.\n\nYour plan runs 12 months from the day you joined.",
         "2027-02-15", date(2026, 2, 15)),
        ("Issued 13 May 2026, valid from 15 May 2026.\n\nIt lasts a year from the day it was "
         "issued.", "2027-05-13", date(2026, 5, 13)),
        ("Wir liefern am 26. Januar 2027.\n\nDrei Jahre Garantie ab dem Tag der Lieferung.",
         "2030-01-26", date(2027, 1, 26)),
        ("Vous avez souscrit le 10 mars 2026.\n\nL'abonnement dure douze mois à partir de la "
         "souscription.", "2027-03-10", date(2026, 3, 10)),
        ("Du trainierst seit dem 20.1.2025.\n\nDein Vertrag läuft ab diesem Beginn "
         "24 Monate.", "2027-01-20", date(2025, 1, 20)),
    ],
)  # fmt: skip
def test_a_time_from_a_day_that_another_paragraph_names(text, day, base):
    assert counted(text) == [(day, "written", base)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We open on 15 December 2026. Register a week before that date.", "2026-12-08"),
        ("The exam is on 15 December 2026; register two weeks in advance.", "2026-12-01"),
        ("Le bail finit le 31 mai 2027. Prévenez-nous deux mois avant ce terme.", "2027-03-31"),
        ("We go up on Friday 4 December. Send your form four days before we go up.", "2026-11-30"),
        ("Kündbar mit einer Frist von drei Wochen zum 31. Dezember 2026.", "2026-12-10"),
        ("I have put you down for the appointment on Tuesday week. Cancel two days before the "
         "appointment.", "2026-11-08"),
    ],
)  # fmt: skip
def test_a_time_before_the_day_that_was_just_named(text, day):
    assert [found for found, *_ in counted(text)] == [day]


def test_a_fortnight_and_written_numbers_are_lengths():
    assert counted("Reply within a fortnight of this letter.")[0][0] == "2026-11-16"
    assert counted("Rispondete entro sessanta giorni dalla data di questa lettera.")[0][0] == (
        "2027-01-01"
    )
    assert counted("Betaal binnen veertien dagen na dagtekening.")[0][0] == "2026-11-16"


@pytest.mark.parametrize(
    "text",
    [
        "A week today we open.",  # no length: the day is told by the words as a whole
        "The flat has been empty for 3 months.",  # from no day
        "Cancel 7 days before the operation.",  # of which nothing says when
        "We wrote to you 3 weeks before 1 May 2020.",  # long past
        "The guarantee runs 9,000,000 years from the date of this letter.",
        "For example, pay within 14 days of this letter.",
    ],
)
def test_what_leads_to_no_day_ahead(text):
    assert counted(text) == []
