"""Days that are counted from the day of a text, in six languages."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from manole.text.relative import relative_days
from manole.text.words import fold

TODAY = date(2026, 9, 16)  # a Wednesday


def told(text: str) -> list[tuple[str, bool]]:
    return [(str(one.day), one.sure) for one in relative_days(fold(text), TODAY)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("a week today", 7), ("a fortnight today", 14), ("two weeks tomorrow", 15),
        ("today week", 7), ("this day next week", 7), ("the day after tomorrow", 2),
        ("tomorrow night", 1), ("on Saturday", 3), ("by Wednesday", 7), ("Tuesday week", 13),
        ("a week on Friday", 9), ("Tuesday of next week", 6), ("next week on Monday", 5),
        ("heute in acht Tagen", 7), ("bis übermorgen", 2), ("morgen früh", 1),
        ("Freitag in einer Woche", 9), ("nächste Woche Dienstag", 6), ("am Samstagabend", 3),
        ("am kommenden Freitag", 2), ("Dienstag der nächsten Woche", 6),
        ("aujourd'hui en huit", 7), ("d'ici vendredi", 2), ("après-demain", 2),
        ("mardi en quinze", 20), ("mardi de la semaine prochaine", 6),
        ("mañana por la mañana", 1), ("pasado mañana", 2), ("el martes de la semana que viene", 6),
        ("de hoy en ocho días", 7),
        ("oggi a otto", 7), ("dopodomani", 2), ("martedì della settimana prossima", 6),
        ("vandaag over een week", 7), ("overmorgen", 2), ("dinsdag over een week", 13),
        ("morgen", 1), ("zaterdagochtend", 3), ("volgende week maandag", 5),
        ("depois de amanhã", 2),
    ],
)  # fmt: skip
def test_a_day_in_words_is_counted_from_the_day_of_the_text(text, days):
    found = [one for one in told(f"we meet {text} then") if one[0] != str(TODAY)]
    assert found == [(str(TODAY + timedelta(days=days)), True)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("by the end of this month", "2026-09-30"),
        ("bis Ende nächsten Monats", "2026-10-31"),
        ("avant la fin du mois prochain", "2026-10-31"),
        ("tot het eind van volgende maand", "2026-10-31"),
    ],
)
def test_the_end_of_a_month_that_is_told_apart_is_sure(text, day):
    assert told(text) == [(day, True)]


@pytest.mark.parametrize(
    "text", ["next Friday", "nächsten Freitag", "this Monday", "zum Jahresende", "entro fine mese"]
)
def test_what_may_be_another_day_is_not_sure(text):
    assert [sure for _, sure in told(text)] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "last Friday", "vendredi dernier", "letzten Montag", "yesterday", "on Saturdays",
        "Guten Morgen", "früh am Morgen", "goede morgen", "por la mañana",
        "mon oncle", "next week", "9,000,000 years today", "",
    ],
)  # fmt: skip
def test_what_is_past_or_names_no_day_is_left_out(text):
    assert [day for day, _ in told(text) if day > str(TODAY)] == []
