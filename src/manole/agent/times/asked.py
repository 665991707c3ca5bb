"""What a question asks of times: how often, first, last, on which days, how long in all.

"How many times did I have pasta for lunch in December 2021?" counts the notes that speak of pasta
and lunch within that month. What is left of a question without its frame, its period and its
verbs that say little (did, had, went) are the words an entry has to speak of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from manole.index.forms import LIGHT
from manole.index.words import STOP, fold, has_digit, words
from manole.tools.periods import Period, find_period

Kind = Literal[
    "count", "first", "last", "days", "when", "sum", "most", "who", "long", "what", "between"
]

# The units that can be added up, each with what one of the others is in it.
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("minute", "minutes", "min", "mins", "minuten"), ("minutes", 1.0)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h", "stunde", "stunden"), ("minutes", 60.0)),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers", "km"), ("km", 1.0)),
    **dict.fromkeys(("mile", "miles"), ("miles", 1.0)),
    **dict.fromkeys(("page", "pages", "seite", "seiten"), ("pages", 1.0)),
    **dict.fromkeys(("step", "steps", "schritte"), ("steps", 1.0)),
    **dict.fromkeys(("euro", "euros", "eur", "€"), ("EUR", 1.0)),
    **dict.fromkeys(("dollar", "dollars", "usd", "$"), ("USD", 1.0)),
    **dict.fromkeys(("litre", "litres", "liter", "liters"), ("litres", 1.0)),
    **dict.fromkeys(("glass", "glasses", "cup", "cups"), ("cups", 1.0)),
}
_FRAME_WORDS = """
time times often frequently date dates day days entry entries note notes diary journal total
altogether overall sum much many long first last latest earliest recent recently most least ever
list everyone everybody everything all exactly different occasions occasion once there month year
week together ago since previous
"""
_FRAME = frozenset(_FRAME_WORDS.split())
# What happened, not what is: "do I have", "does it have" speak of the present.
_PAST = r"(?:(?!\bdo(?:es)?\b)"
_DID = r"(?:(?:did|have|has|had) \w|were there\b)"
_EVENTS = rf"^how many {_PAST}[\w -]){{3,40}}? {_DID}"
_AUXILIARY = re.compile(
    r"\b(?:(did|do|does|have|has|had|was|were|am)|should|must|can|could|might|would|will|shall|"
    r"is|are)\b"
)
_ASK = r"(?:which|what|who|whom|with whom|in (?:which|what) (?:month|year))\b"
# What one entry tells: "with whom did I have lunch on 3 May", "how long did I walk yesterday".
_ONE_WHO = r"(?:who|whom|with whom|with who)\b.*\b(?:did|was|were|went|came)\b.*\b(?:i|me|we|us)\b"
_ONE_WHO += r"|(?:who|whom|with whom|with who)\b.*\b(?:i|me|we|us)\b.*\b(?:did|was|were)\b"
_ONE_LONG = r"(?:for )?how long (?:did|was|were) (?:i|we)\b"
_ONE_WHAT = r"(?:what|which|where|whose)\b.*\b(?:did|was|were|had)\b.*\b(?:i|me|we|us|my|our)\b"
_EVERYONE = re.compile(r"\blist (?:everyone|everybody|all)\b|\ball the people\b")
_ONE = re.compile(rf"^(?:{_ONE_WHO}|{_ONE_LONG}|{_ONE_WHAT})")
_WRITTEN: tuple[tuple[Kind, str], ...] = (
    ("between", r"^how (?:long|many (?:days|weeks|months|years))\b.*\bbetween\b.+\band\b"),
    ("most", rf"^{_ASK}.*\bmost\b"),
    ("first", r"^(?:when|what) .*\bfirst time\b|^when did [\w']+ first\b"),
    ("last", r"^when\b.*\b(?:last|most recent|latest) time\b|^when did \w+ last\b"),
    ("last", r"^when was .*\b(?:last|most recent|latest)\b|^what was the last time"),
    (
        "days",
        r"^(?:on |at )?(?:which|what) (?:dates?|days?)\b|^list (?:all )?(?:the )?(?:dates|days)\b",
    ),
    ("count", r"\bhow (?:many times|often)\b"),
    (
        "sum",
        rf"^how (?:many|much) (?:total )?(?P<unit>[a-z€$]+)\b{_PAST}.)*\b(?:{_DID}|was \w|were \w)",
    ),
    ("count", _EVENTS),
    ("count", r"^how many [\w -]{3,40}? (?:entries|notes) (?:are|were) there\b"),
    ("who", rf"^(?:who|whom|with whom)\b.*{_EVERYONE.pattern}"),
    ("who", r"^(?:list|name) (?:everyone|everybody|all (?:the )?people)\b"),
    (
        "when",
        r"^when (?:did|do|does|was|were|have|had|has|is|are|will)\b|^when \w+ (?:is|was|did)\b",
    ),
    ("when", r"^(?:in )?(?:which|what) (?:week|month|year|season) (?:did|was|were|had|has)\b"),
    ("who", rf"^{_ONE_WHO}"),
    ("long", rf"^{_ONE_LONG}"),
    ("what", rf"^{_ONE_WHAT}"),
)
# Stretches of time and people are not counted by the notes that speak of them.
_NOT_COUNTED = re.compile(r"^how many (?:[a-z]+ )?(?:weeks?|months?|years?|people|persons?)\b")
# A second question; a count tells its days as well.
_MORE = re.compile(
    r"(?:\band|[;?])\s+(?:(?:on|in|at|with) )?(?:who|whom|what|when|where|which|why|how)\b"
)
_ITS_DAYS = re.compile(r"\band (?:when|on (?:which|what) (?:days|dates))$")
_PEOPLE = frozenset({"people", "person", "persons", "name", "names"})
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _WRITTEN)


@dataclass(frozen=True, slots=True)
class TimeQuestion:
    """A question about times. `words` are what an entry must speak of, in the question's order.

    `unit` is what "sum" adds up. `by` is what "most" compares: "name", "month", "year", or the
    verb whose object is asked ("eat"); `weighed` where the longest time is meant. `verb` is what
    "I" did. `one`: of a single day or event.
    """

    kind: Kind
    words: tuple[str, ...]
    period: Period | None = None
    unit: str = ""
    by: str = ""
    weighed: bool = False
    verb: str = ""  # of "did I go": "go"
    names: frozenset[str] = frozenset()  # those of `words` that are names
    second: tuple[str, ...] = ()  # of "between": the other event
    one: bool = False

    def of_second(self) -> TimeQuestion:
        """The question for the other event of "between"."""
        return replace(self, words=self.second)


def understand_times(question: str, today: date) -> TimeQuestion | None:
    """What `question` asks of times, or `None` where it asks something else."""
    asked = _understand(question, today)
    return replace(asked, names=_names(question)) if asked else None


def _understand(question: str, today: date) -> TimeQuestion | None:
    plain = re.sub(r"\s+", " ", question.replace("(s)", "s").strip().rstrip("?!. "))
    text = plain.lower()
    found = next(((k, m) for k, p in _PATTERNS if (m := p.search(text))), None)
    if found is None:
        return None
    kind, match = found
    if _MORE.search(text) and not (kind == "count" and _ITS_DAYS.search(text)):
        return None
    period = find_period(plain, today)
    rest = text.replace(period.text.lower(), " ") if period else text
    unit = match.groupdict().get("unit") or ""
    if kind == "count" and (_NOT_COUNTED.match(text) or _is_advice(rest)):
        return None
    if kind == "sum":
        if unit not in UNITS:
            return _counted(text, rest, period)
        return _made("sum", rest, period, unit=UNITS[unit][0], left_out=set(unit.split()) | {unit})
    if kind == "what" and (period is None or period.start is None or period.start != period.end):
        return None  # of many days a search finds what is meant
    if kind == "between":
        first, _, second = rest.partition("between")[2].partition(" and ")
        return TimeQuestion("between", _subject(first), period, second=_subject(second))
    if kind == "most":
        return _most(text, rest, period)
    made = _made(kind, rest, period, left_out=_PEOPLE if kind == "who" else frozenset())
    if made is None or _EVERYONE.search(text) or not _ONE.match(text):
        return made
    return replace(made, one=True)


def _is_advice(text: str) -> bool:
    """`How often should the plants be watered?`: a rule is asked for, not what happened."""
    often = re.search(r"\bhow (?:many times|often)\b", text)
    first = _AUXILIARY.search(text) if often else None
    return first is not None and first[1] is None


def _names(question: str) -> frozenset[str]:
    found = re.findall(r"(?<!^)(?<![.!?] )\b[A-ZÀ-Þ][^\W\d_]+", question)
    return frozenset(fold(name) for name in found if not name.isupper())


def _counted(text: str, rest: str, period: Period | None) -> TimeQuestion | None:
    """`how many dates did I go on`: events of that kind."""
    if not re.match(_EVENTS, text) or _NOT_COUNTED.match(text):
        return None
    return _made("count", rest, period)


def _most(text: str, rest: str, period: Period | None) -> TimeQuestion | None:
    weighed = bool(re.search(r"\bmost (?:time|minutes|hours)\b", text))
    grouped = re.match(r"in (?:which|what) (month|year)\b", text)
    if grouped:
        return _made("most", rest, period, by=grouped[1])
    if re.match(r"(?:who|whom|with whom)\b", text):
        return _made("most", rest, period, by="name", weighed=weighed)
    asked = re.match(
        r"(?:which|what)(?P<noun>(?: [\w-]+){0,3}) did [\w'-]+ (?P<verb>\w+)",
        rest,
    )
    if asked is None:
        return None
    nouns = set(words(asked["noun"]))
    return _made("most", rest, period, by=asked["verb"], left_out=nouns | {asked["verb"]})


def _made(
    kind: Kind,
    rest: str,
    period: Period | None,
    *,
    unit: str = "",
    by: str = "",
    weighed: bool = False,
    left_out: set[str] | frozenset[str] = frozenset(),
) -> TimeQuestion | None:
    subject = tuple(w for w in _subject(rest, events=kind == "when") if w not in left_out)
    if not subject and not by:
        return None
    verb = re.search(r"\b(?:did|have|had|has) (?:i|we) (?:\w+ly )?(?:last |first )?(\w+)", rest)
    return TimeQuestion(kind, subject, period, unit, by, weighed, verb[1] if verb else "")


def _subject(text: str, *, events: bool = False) -> tuple[str, ...]:
    """The words that say what happened; of one of several `events` also which ("first")."""
    # "How many dates did I go on" asks of dates, "on which dates" does not.
    kept_dates = bool(
        re.search(r"how many dates\b|\b(?:go|going|gone|went|been) on (?:a )?dates?\b", text)
    )
    kept = [
        w
        for w in words(text)
        if w not in LIGHT
        and w not in STOP
        and (
            w not in _FRAME or (kept_dates and w in {"date", "dates"}) or (events and w == "first")
        )
        and not (has_digit(w) and re.fullmatch(r"(19|20)\d\d([-/.]\d+)*", w))
    ]
    return tuple(dict.fromkeys(fold(w) for w in kept))
