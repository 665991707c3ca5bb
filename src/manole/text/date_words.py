"""The words of dates, as tables and as parts of patterns.

English and German; in French, Spanish, Italian, Dutch and Portuguese only words for periods:
months, units, "last" and "since". Words with another common meaning are left out: French `hier` is
German for "here", Spanish `mañana` also means morning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from manole.text.lists import lines, numbered


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


MONTHS = numbered("months")
# Other words or names elsewhere, so only within a whole date. "Gen", "set" and "out" are left out:
# "iPad, 9 Gen 2021".
SHORT_MONTHS = numbered("short_months")
WEEKDAYS = numbered("weekdays")  # from Monday, 1
_EACH = re.compile(r"(?<=\w{4})(?:s|en)$")  # "Saturdays", "samstags", "lundis", "zondagen"
UNIT_OF = {word: unit for unit, *words in lines("units") for word in words}
DAYS_BACK = numbered("days")
SEASONS = numbered("seasons")  # the first month; three months each
ORDINALS = numbered("ordinals")
WHICH = numbered("which")
AFTER = numbered("after_unit")  # words behind their unit: "le mois dernier"


def _related(relation: str) -> tuple[str, ...]:
    """Return the words for a relation to a period, in all languages."""
    found = (words for name, *words in lines("relations") if name == relation)
    return tuple(dict.fromkeys(word for words in found for word in words))


BETWEEN = _related("between")
AND = _related("and")
FROM = _related("from")
TO = _related("to")
SINCE = _related("since")
LATER = _related("later")
EARLIER = _related("earlier")
UNTIL = _related("until")
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


def weekday_of(text: str) -> tuple[int, bool]:
    """Return the day of the week that a word names, from Monday, 1, and whether each is meant.

    For any other word that is 0.
    """
    said = text.lower()
    one = WEEKDAYS.get(said, 0)
    return (one, False) if one else (WEEKDAYS.get(_EACH.sub("", said), 0), True)
