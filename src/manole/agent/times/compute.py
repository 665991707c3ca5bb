"""What mentions come to: how many, the first, the last, the days, a sum, the most frequent."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from manole.agent.times.asked import UNITS, TimeQuestion
from manole.agent.times.mentions import SENTENCE, Mention
from manole.documents.journal import SPEAKER
from manole.index.forms import key, keys
from manole.index.words import STOP
from manole.tools.date_words import NUMBERS, any_of
from manole.tools.periods import Period, find_period, spelled

_NUMBER = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)|\d+(?:[.,]\d+)?"
_COUNTS = {word: float(n) for word, n in NUMBERS.items()} | {"half an": 0.5, "half a": 0.5}
_QUANTITY = re.compile(
    rf"(?<![\w.,])({_NUMBER}|(?:{any_of(_COUNTS)})(?=[\s-]))[\s-]*([a-z€$]+)"
    rf"|([€$])\s?({_NUMBER})",
    re.IGNORECASE,
)
_WHOLE = frozenset({"EUR", "USD", "steps", "pages", "cups"})  # units without thousandths
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Þ][\w'’-]+(?:\s+[A-ZÀ-Þ][\w'’-]+)*")
_NOT_NAME_WORDS = """
i tv monday tuesday wednesday thursday friday saturday sunday january february march april may june
july august september october november december
"""
_NOT_NAMES = frozenset(_NOT_NAME_WORDS.split())
_QUOTED = 3  # notes that are an answer as they stand
_FAR = 40_000  # days; what is farther away was misread
_BEFORE_WORDS = """
, with and or to took met saw called visited told from by for of invited entertained asked helped
joined texted rang mit und von bei
"""
_BEFORE_NAMES = frozenset(_BEFORE_WORDS.split())
_LIST_MARK = re.compile(  # of a list, of a task, the time of day
    r"^\s*(?:(?:[-*+•]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?(?:\d{1,2}[:.]\d{2}\b[\s–—:-]*)?"
)
_DETERMINER = re.compile(r"^(?:some|a|an|the|my) ", re.IGNORECASE)
_STOPS = (  # where the object of a verb ends
    r"(?=\s+(?:on|for|with|at|in|today|this|that|after|before|from|to|by|when|and then)\b|[.;!?]|$)"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was computed. `value` is the answer; `mentions` bear it out, in order of time."""

    value: str
    mentions: tuple[Mention, ...]
    days: tuple[date, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()  # of "most": each value and its weight
    told: str | None = None  # the words that say the time; "" where only the entry's day does


def compute(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    """The finding, or `None` where the mentions do not give one."""
    if not found:
        return None
    made = {
        "count": _count, "first": _first, "last": _last, "days": _days, "when": _when,
        "sum": _sum, "most": _most, "who": _who, "long": _long,
        "what": _what,
    }.get(asked.kind)  # fmt: skip
    return made(asked, found) if made else None


def between(first: Sequence[Mention], second: Sequence[Mention]) -> Finding | None:
    """The days from the first mention of one event to that of the other."""
    if not first or not second:
        return None
    one, other = first[0], second[0]
    days = abs((_day(other) - _day(one)).days)
    return Finding(str(days), (one, other), (_day(one), _day(other)))


def when(mention: Mention, asked: frozenset[str] = frozenset()) -> Period:
    """The time a line speaks of: of its own words ("last week"), else the day of its entry.

    Of several sentences the one counts that has most of the words `asked` (keys).
    """
    day = mention.entry.date
    speaker = SPEAKER.match(mention.text)
    said = mention.text[speaker.end() :] if speaker else mention.text
    event = asked - {key(speaker[1].lower())} if speaker else asked
    sentences = SENTENCE.split(said)
    best = max(range(len(sentences)), key=lambda i: (len(event & keys(sentences[i])), -i))
    for at in (best, best - 1, best + 1):  # "Something happened last Friday. I went to ..."
        if 0 <= at < len(sentences) and (period := _own_period(sentences[at], day)) is not None:
            return period
    return Period("", day, day)


def _own_period(sentence: str, day: date) -> Period | None:
    """What a sentence written on `day` says of its time; "recently" says nothing."""
    text = re.sub(r"\bthis past\b", "last", sentence, flags=re.IGNORECASE)
    period = find_period(text, day)
    if period is None or period.start is None or period.end is None:
        return None
    if period.text.startswith("recent") or abs((period.start - day).days) > _FAR:
        return None
    return period


def _day(mention: Mention) -> date:
    """The one day that a note is about."""
    period = when(mention)
    return period.start if period.start and period.start == period.end else mention.entry.date


def _count(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    if not all(m.is_note for m in found):
        return None  # prose speaks of one event in several places, and of others beside it
    return Finding(str(len(found)), tuple(found), _each_day(found))


def _first(asked: TimeQuestion, found: Sequence[Mention]) -> Finding:
    best = min(found, key=lambda m: (_day(m), m.entry.date))
    return Finding(_day(best).isoformat(), (best,), (_day(best),))


def _last(asked: TimeQuestion, found: Sequence[Mention]) -> Finding:
    best = max(found, key=lambda m: (_day(m), m.entry.date))
    return Finding(_day(best).isoformat(), (best,), (_day(best),))


def _when(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    """The time of one event; of notes that all speak of it, every day."""
    wanted = frozenset(key(w) for w in asked.words)
    if all(m.is_note for m in found):
        span = when(found[0], wanted)
        if len(found) > 1 or span.start == span.end or re.search(r"\d{4}", span.text):
            return _days(asked, found)

    def rank(item: tuple[int, Mention]) -> tuple[int, int, int]:
        at, mention = item
        speaker = SPEAKER.match(mention.text)
        own = bool(speaker and key(speaker[1].lower()) in wanted)
        told = when(mention, wanted).text != ""
        return -own, -told, at

    _, best = min(enumerate(found), key=rank)
    period = when(best, wanted)
    return Finding(_spelled(period), (best,), (best.entry.date,), told=period.text)


def _spelled(period: Period) -> str:
    if period.start and period.start == period.end:
        return period.start.isoformat()
    text = spelled(period)
    if " to " in text and period.start and period.end:
        return f"{period.start.isoformat()} to {period.end.isoformat()}"
    return text


def _days(asked: TimeQuestion, found: Sequence[Mention]) -> Finding:
    days = _each_day(found)
    return Finding(", ".join(day.isoformat() for day in days), tuple(found), days)


def _sum(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    amounts = [(m, a) for m in found if (a := quantity(m.text, asked.unit)) is not None]
    if not amounts:
        return None
    total = sum(a for _, a in amounts)
    return Finding(_plain(total), tuple(m for m, _ in amounts), _each_day([m for m, _ in amounts]))


def _most(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    weights: dict[str, float] = defaultdict(float)
    speak: dict[str, list[Mention]] = defaultdict(list)
    for mention in found:
        weight = (quantity(mention.text, "minutes") or 0.0) if asked.weighed else 1.0
        for value in _values(asked, mention):
            weights[value] += weight
            speak[value].append(mention)
    if not weights:
        return None
    ranked = tuple(sorted(weights.items(), key=lambda item: (-item[1], item[0])))
    tied = [value for value, weight in ranked if weight == ranked[0][1]]
    told = tuple(dict.fromkeys(m for value in tied for m in speak[value]))
    return Finding(" and ".join(tied), told, shares=ranked)


def _who(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    if asked.one and not _of_one_event(found):
        return None
    counts = Counter(name for m in found for name in _people(asked, m.text))
    if not counts:
        return None
    ranked = tuple((name, float(n)) for name, n in counts.most_common())
    return Finding(", ".join(name for name, _ in ranked), tuple(found), shares=ranked)


def _long(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    minutes = quantity(found[0].text, "minutes") if len(found) == 1 else None
    return None if minutes is None else Finding(f"{_plain(minutes)} minutes", tuple(found))


def _what(asked: TimeQuestion, found: Sequence[Mention]) -> Finding | None:
    """The notes of that day themselves: who wrote them reads what was asked."""
    if len(found) > _QUOTED or not _of_one_event(found):
        return None
    return Finding(" ".join(m.text for m in found), tuple(found))


def _of_one_event(found: Sequence[Mention]) -> bool:
    """Whether the lines are notes of one day."""
    return all(m.is_note for m in found) and len(_each_day(found)) == 1


def _people(asked: TimeQuestion, text: str) -> list[str]:
    """The people of a line; of one event those "with" whom it was, where it says so."""
    _, _, company = text.partition(" with ")
    names = _names(f"with {company}") if asked.one and company else []
    return names or _names(text)


def _values(asked: TimeQuestion, mention: Mention) -> list[str]:
    match asked.by:
        case "name":
            return _names(mention.text)
        case "month":
            return [f"{mention.entry.date:%B}" if asked.period else f"{mention.entry.date:%B %Y}"]
        case "year":
            return [str(mention.entry.date.year)]
    return objects_of(asked.by, mention.text)


def objects_of(verb: str, text: str) -> list[str]:
    """What follows a verb in whatever form: of `do`, "swimming" in "I did swimming on 8 June"."""
    found = []
    for match in re.finditer(r"[^\W\d_]+", text):
        if key(match[0].lower()) != key(verb) and not (verb == "do" and match[0].lower() == "did"):
            continue
        if re.match(_STOPS, text[match.end() :]):
            continue  # "read for 40 minutes" says nothing of what
        rest = re.match(rf"\s+(.{{2,40}}?){_STOPS}", text[match.end() :])
        if rest:
            parts = (part.strip() for part in re.split(r",| and ", rest[1]))
            found += [_DETERMINER.sub("", part) for part in parts if part]
    return list(dict.fromkeys(found))


def quantity(text: str, unit: str) -> float | None:
    """How much of a unit a line speaks of, added up; `None` where it names none."""
    total, named = 0.0, False
    for match in _QUANTITY.finditer(text):
        written, word = (match[1], match[2].lower()) if match[1] else (match[4], match[3])
        base, factor = UNITS.get(word, ("", 0.0))
        if base == unit:
            total += _value(written, unit) * factor
            named = True
    return total if named else None


def _value(written: str, unit: str) -> float:
    """`10,000` steps are ten thousand, `1.500` EUR too; `21.097` km are not."""
    if written.lower() in _COUNTS:
        return _COUNTS[written.lower()]
    groups = re.split(r"[.,]", written)
    grouped = len(groups) > 1 and all(len(g) == 3 for g in groups[1:])
    marks = set(re.findall(r"[.,]", written))
    if grouped and (len(groups) > 2 or marks == {","} or unit in _WHOLE):
        return float("".join(groups))
    if len(groups) == 1:
        return float(written)
    return float("".join(groups[:-1]) + "." + groups[-1])


def _names(text: str) -> list[str]:
    """The people a line names: capitalised, and behind a word that people stand behind."""
    text = _LIST_MARK.sub("", text)
    found = []
    place = 0  # where a name ended that is no person's: "in London, UK"
    for match in _NAME.finditer(text):
        before = re.search(r"(\w+|,)\s*$", text[: match.start()])
        behind = before is None or before[1].lower() in _BEFORE_NAMES or before[1][0].isupper()
        if not behind or (place and text[place : match.start()].strip() == ","):
            place = match.end()
            continue
        if match[0].lower() not in _NOT_NAMES and match[0].lower() not in STOP:
            found.append(re.sub(r"['’]s$", "", match[0]))
    return list(dict.fromkeys(found))


def _each_day(found: Sequence[Mention]) -> tuple[date, ...]:
    return tuple(sorted({_day(m) for m in found}))


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:.2f}".rstrip("0")
