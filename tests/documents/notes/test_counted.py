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
    "text",
    [
        "The flat has been empty for 3 months.",  # from no day
        "Cancel 7 days before the operation.",  # of which nothing says when
        "We wrote to you 3 weeks before 1 May 2020.",  # long past
        "The guarantee runs 9,000,000 years from the date of this letter.",
        "For example, pay within 14 days of this letter.",
    ],
)
def test_what_leads_to_no_day_ahead(text):
    assert counted(text) == []
