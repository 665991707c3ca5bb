"""Days that a text speaks of before they come."""

from __future__ import annotations

from datetime import date

import pytest

from manole.documents.fields.model import TextLine
from manole.documents.notes.ahead import day_of_task, days_ahead
from manole.documents.notes.said import sentences_of
from manole.documents.notes.tasks import without_tasks

WRITTEN = date(2026, 11, 16)


def told(text: str) -> list[tuple[str, str]]:
    lines = [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), start=1)]
    found = days_ahead(without_tasks(lines), WRITTEN)
    return [(str(event.date), event.start) for event in found]


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


@pytest.mark.parametrize(
    ("text", "day", "time"),
    [
        ("Concert by the end of March 2027 in the hall.", "2027-03-31", ""),
        ("Unterlagen bitte bis Ende Januar schicken.", "2027-01-31", ""),
        ("We begin on 12 December at 6 pm.", "2026-12-12", "18:00"),
        ("Op 8 februari heb ik de zaal gereserveerd, van 14 tot\n18 uur.", "2027-02-08", "14:00"),
        ("Die Feier am 12.12.2026 beginnt um 19.30 Uhr.", "2026-12-12", "19:30"),
        ("The fee for 12 people on 3 December is 12.50 EUR.", "2026-12-03", ""),
        ("U kunt vandaag over een week om 14.10 uur terecht.", "2026-11-23", "14:10"),
        ("Je keuring loopt af op 19-1-27, dus kom langs.", "2027-01-19", ""),
        ("We meet on Friday evening, 18 December, in the hall.", "2026-12-18", ""),
        ("The choir sings on 18 December (Friday) in the hall.", "2026-12-18", ""),
        ("Valid  1 October 2026 to 30 September 2027", "2027-09-30", ""),
    ],
)  # fmt: skip
def test_a_day_and_its_time_in_other_words(text, day, time):
    assert told(text) == [(day, time)]


@pytest.mark.parametrize(
    "text",
    [
        "For example, a loss of 10 July 2027 is reported by 17 July 2027.",
        "I wrote to him on 9 September, no answer.",
        "- [ ] painter: he has to come again.\n      Told me so on 9 December, in the hall.",
    ],
)
def test_examples_and_what_is_past_are_left_out(text):
    assert told(text) == []


def test_the_steps_of_a_table_are_told_with_their_heads():
    lines = ["ab  Grundmiete EUR", "01.01.2026  640,00", "01.01.2027  680,00"]
    (event,) = days_ahead([TextLine(t, 1, n) for n, t in enumerate(lines, 1)], WRITTEN)
    assert (event.title, event.line) == ("ab 01.01.2027 Grundmiete EUR 680,00", 3)


@pytest.mark.parametrize(
    ("text", "day", "sure"),
    [
        ("cancel the magazine before 15 January", "2027-01-15", False),
        ("pay the boiler service, was due on 12 November!!", "2026-11-12", False),
        ("ask about the house; decide by the end of January", "2027-01-31", False),
        ("Unterlagen abgeben bis 3.2.2027", "2027-02-03", True),
    ],
)
def test_a_task_is_due_on_the_day_in_its_words(text, day, sure):
    assert day_of_task(text, WRITTEN) == (date.fromisoformat(day), sure)


@pytest.mark.parametrize("text", ["call him; wrote to him on 9 September", "blood test in March"])
def test_a_task_that_tells_of_a_day_is_not_due_then(text):
    assert day_of_task(text, WRITTEN) is None


@pytest.mark.parametrize("text", ["1.1." * 20_000, "31 May " * 5_000, "  ".join("x" * 50_000)])
def test_no_text_takes_long(text):
    lines = [TextLine(text, None, 1)]
    sentences = sentences_of(lines)
    assert all(len(one.text) <= 1500 for one in sentences)
    assert len(list(days_ahead(lines, WRITTEN, sentences))) <= 40 * len(sentences)
