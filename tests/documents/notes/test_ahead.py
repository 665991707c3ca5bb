"""Days that a text speaks of before they come."""

from __future__ import annotations

from datetime import date

import pytest

from manole.documents.fields.model import TextLine
from manole.documents.notes.ahead import days_ahead

WRITTEN = date(2026, 11, 16)


def told(text: str) -> list[tuple[str, str]]:
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), start=1)]
    return [(str(event.date), event.start) for event in days_ahead(lines, WRITTEN)]


@pytest.mark.parametrize(
    ("text", "day", "time"),
    [
        ("Please answer by 10 January 2027.", "2027-01-10", ""),
        ("Bitte antworten Sie bis zum 10. Januar 2027.", "2027-01-10", ""),
        ("Le rendez-vous du vendredi 17 janvier 2027 à 9 h 15 est fixé.", "2027-01-17", "09:15"),
        ("Stuur het voor 1 maart 2027 terug.", "2027-03-01", ""),
        ("La reunión es el 5 de febrero de 2027 a las 18:30.", "2027-02-05", "18:30"),
        ("The plumber comes on Thursday, 3 December.", "2026-12-03", ""),
        ("We meet again on 8 January in the hall.", "2027-01-08", ""),
    ],
)  # fmt: skip
def test_a_day_that_comes_is_found(text, day, time):
    assert told(text) == [(day, time)]


@pytest.mark.parametrize(
    "text",
    [
        "The last visit was on 3 May 2024.",
        "We met on 12 November.",
        "Paid on 18 November 2026 by bank transfer.",
        "## Tuesday 1 December 2026",
        "- [ ] return keys by 1 December 2026",
        "| 1 December 2026 | 12.00 |",
        "1 December 2026",
        "It holds until 2099-01-01, says the seller.",
        "",
    ],
)
def test_what_is_past_done_or_no_sentence_is_left_out(text):
    assert told(text) == []


def test_a_long_sentence_is_cut_around_its_day():
    lines = [TextLine("word " * 200 + "until 1 December 2026 " + "more " * 200, 3, 7)]
    (event,) = days_ahead(lines, WRITTEN)
    assert "until 1 December 2026" in event.title
    assert len(event.title) <= 310
    assert (event.page, event.line) == (3, 7)
