"""The words that dates are made of, English and German, as tables and as pieces of patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _numbered(*groups: str) -> dict[str, int]:
    """Every word of the first group counts as 1, of the second as 2, and so on."""
    return {word: n for n, group in enumerate(groups, 1) for word in group.split()}


MONTHS = _numbered(
    "january jan januar jänner", "february feb februar", "march mar märz maerz mrz mär",
    "april apr", "may mai", "june jun juni", "july jul juli", "august aug",
    "september sep sept", "october oct oktober okt", "november nov", "december dec dezember dez",
)  # fmt: skip
WEEKDAYS = _numbered(  # from Monday, 1
    "monday montag mon",
    "tuesday dienstag tues tue",
    "wednesday mittwoch",
    "thursday donnerstag thurs thur",
    "friday freitag fri",
    "saturday samstag sonnabend",
    "sunday sonntag",
)
NUMBERS = {
    "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "ein paar": 3, "an": 1, "a": 1,
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "einem": 1, "einer": 1, "eine": 1, "ein": 1, "zwei": 2,
    "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    "zwölf": 12,
}  # fmt: skip
_UNIT_WORDS = {
    "days": ("day", "days", "tag", "tage", "tagen"),
    "weeks": ("week", "weeks", "woche", "wochen"),
    "months": ("month", "months", "monat", "monate", "monaten", "monats"),
    "quarters": ("quarter", "quarters", "quartal", "quartale", "quartalen", "quartals"),
    "years": ("year", "years", "jahr", "jahre", "jahren", "jahres"),
}
UNIT_OF = {word: unit for unit, group in _UNIT_WORDS.items() for word in group}
SEASONS = {  # the first month; three months each
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "frühling": 3, "frühjahr": 3,
    "sommer": 6, "herbst": 9,
}  # fmt: skip
ORDINALS = {
    "first": 1, "1st": 1, "1.": 1, "second": 2, "2nd": 2, "2.": 2, "third": 3, "3rd": 3, "3.": 3,
    "fourth": 4, "4th": 4, "4.": 4, "erste": 1, "zweite": 2, "dritte": 3, "vierte": 4,
}  # fmt: skip
WHICH = {"this": 0, "current": 0, "last": -1, "past": -1, "previous": -1, "next": 1} | {
    f"{root}{end}": step
    for root, step in (
        ("diese", 0), ("aktuelle", 0), ("letzte", -1), ("vorige", -1), ("vergangene", -1),
        ("nächste", 1), ("kommende", 1),
    )
    for end in ("", "n", "s", "r", "m")
}  # fmt: skip
THIRDS = {
    "early": 1, "beginning": 1, "start": 1, "anfang": 1, "mid": 5, "middle": 5, "mitte": 5,
    "late": 9, "end": 9, "ende": 9,
}  # fmt: skip

FEAST_NAMES = (
    r"(?:christmas|xmas)(?: (?:eve|day|time))?|weihnachten|heiligabend|"
    r"new year['’]?s eve|silvester|new year['’]?s day|neujahr|new year(?:['’]?s)?|jahreswechsel|"
    r"good friday|karfreitag|easter sunday|ostersonntag|easter monday|ostermontag|easter|ostern|"
    r"ascension day|(?:christi )?himmelfahrt|pentecost|whitsun|pfingsten|halloween|thanksgiving"
)
