"""The notes of a diary: its paragraphs, each with the day it is about and the people it names.

A note mentions "grocery shopping" when it has both words in any form; words that no note has are
ignored, as long as most remain. A verb in its -ing form may be missing where the note has no other
one: "42 minutes on news" counts for "reading news", "watching news" does not.
"""

from __future__ import annotations

import itertools
import re
from calendar import month_name
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from manole.agent.languages import words_of
from manole.catalog.catalog import Catalog
from manole.documents.journal import SPEAKER, Entry
from manole.text import names as text_names
from manole.text.date_words import WEEKDAYS
from manole.text.language import language_of
from manole.text.lists import listed
from manole.text.numbers import UNITS
from manole.text.periods import find_period, with_plain_dates
from manole.text.question import Question
from manole.text.sentences import sentences
from manole.text.words import LEMMA, LIGHT, STOP, all_stems, content_words, stem, words

_READ = 20  # notes by which the language is recognized: enough words for `language_of`
_FAR = 40_000  # days, about a century: a date farther from its entry was misread
_NOT_NAMES = frozenset({"i", "tv", *WEEKDAYS, *map(str.lower, month_name)})
_BEFORE_NAMES = listed("before_names")
_LIST_MARK = re.compile(  # of a list, of a task, the time of day
    r"^\s*(?:(?:[-*+•]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?(?:\d{1,2}[:.]\d{2}\b[\s–—:-]*)?"
)
# Words with which a question asks about times, and which say nothing of what happened.
_FRAME = LIGHT | listed("diary") | frozenset(UNITS)
_OTHER = {"sitting", "setting", "building", "everything", "something", "nothing", "anything"}
_TIMES_OF_DAY = frozenset(["morning", "evening", "during"])
# Other words for eating and drinking.
_ALSO = {
    stem("eat"): frozenset(map(stem, ("had", "prepare", "cook"))),
    stem("drink"): frozenset(map(stem, ("had", "prepare"))),
}


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph of an entry, or its heading (`heads`); `day` is the day it is about."""

    entry: Entry
    line: int
    text: str
    day: date
    keys: frozenset[str]
    title: frozenset[str]
    heads: bool = False

    @property
    def said(self) -> str:
        """The text, with plain dates behind words such as "yesterday"."""
        return with_plain_dates(self.text, self.entry.date)

    @property
    def people(self) -> list[str]:
        """The people named; in a conversation also the speaker."""
        speaker = SPEAKER.match(self.text)
        return list(dict.fromkeys([*([speaker[1]] if speaker else []), *names(self.text)]))


class Notes:
    """The notes of a diary, in order, numbered from 1."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.notes = [note for entry in entries for note in _notes(entry)]
        self._known = _keys(self.notes)
        spoken = (SPEAKER.match(note.text) for note in self.notes)
        self._speakers = sorted({match[1] for match in spoken if match})
        written = language_of(" ".join(note.text for note in self.notes[:_READ]))
        self.language = words_of(written).name

    def speaking_of(self, phrase: str, among: Collection[int] | None = None) -> list[int]:
        """Return the numbers of the notes, `among` these, that mention the phrase."""
        numbers = range(1, len(self.notes) + 1) if among is None else among
        notes = [(n, self.notes[n - 1]) for n in numbers]
        known = self._known if among is None else _keys(note for _, note in notes)
        asked = content_words(phrase) or words(phrase)
        wanted = [(w, k) for w in asked if (k := stem(w)) in known or k in _ALSO]
        if not wanted or 2 * len(wanted) < len(asked):
            return []
        found = [(n, note) for n, note in notes if _speaks(note, wanted)]
        told = {note.entry.id for _, note in found if not note.heads}
        return [n for n, note in found if not (note.heads and note.entry.id in told)]

    def unknown(self, phrase: str, among: Collection[int] | None = None) -> list[str]:
        """Return the words of a phrase that no note, `among` these, has."""
        known = self._known if among is None else _keys(self.notes[n - 1] for n in among)
        return [word for word in content_words(phrase) if stem(word) not in known | _ALSO.keys()]

    def speaker_in(self, question: Question) -> str | None:
        """Return the one speaker of a conversation whom a question names."""
        said = set(question.words)  # not their stems, as "time" is no Tim
        named = [name for name in self._speakers if said.issuperset(words(name))]
        return named[0] if len(named) == 1 else None

    def day_of(self, number: int) -> date:
        """Return the day that a note is about."""
        return self.notes[number - 1].day

    def whole(self, phrase: str, question: Question) -> str:
        """Return a phrase with the other words of the question that notes have, in its order."""
        rest, have = question.undated, all_stems(phrase)
        said = [
            w for w in words(rest) if stem(w) in have or (stem(w) in self._known and not _frames(w))
        ]
        return " ".join([*said, *(w for w in words(phrase) if stem(w) not in all_stems(rest))])

    def telling(self, question: Question, share: float) -> list[str]:
        """Return the words of a question that one note has together, if they are that share."""
        asked = {stem(word): word for word in words(question.undated) if not _frames(word)}
        held = (asked.keys() & (note.keys | note.title) for note in self.notes)
        best: Collection[str] = max(held, key=len, default=())
        if len(best) < 2 or len(best) < share * len(asked):
            return []
        return [word for known, word in asked.items() if known in best]


def fill_entries(catalog: Catalog, entries: Sequence[Entry]) -> None:
    """Write the notes of a diary into the catalog."""
    notes = Notes(entries)
    rows = ((n.entry.file, n.line, n.day, n.entry.date, n.said, n.people) for n in notes.notes)
    catalog.fill_entries(rows, notes)


def _frames(word: str) -> bool:
    return word in _FRAME or word in STOP or not word.isalpha()


def _keys(notes: Iterable[Note]) -> frozenset[str]:
    return frozenset().union(*(note.keys | note.title for note in notes))


def _notes(entry: Entry) -> Iterator[Note]:
    title = all_stems(entry.heading.text) if entry.heading else frozenset()
    texts = [(line.line, line.text.strip()) for line in entry.paragraphs]
    speakers = {
        match[1]: all_stems(match[1]) for _, text in texts if (match := SPEAKER.match(text))
    }
    for line, text in texts:
        speaker = SPEAKER.match(text)
        # Who is spoken to is not who is spoken of: "Nate, I finished my screenplay".
        others = (own for name, own in speakers.items() if speaker and name != speaker[1])
        own = all_stems(text).difference(*others)
        yield Note(entry, line, text, _day(text, entry.date), own, title)
    if entry.heading:
        text = entry.heading.text.strip()
        day = _day(text, entry.date)
        yield Note(entry, entry.heading.line, text, day, title, frozenset(), heads=True)


def _day(text: str, written: date) -> date:
    """Return the day that a note is about: the one that it names, else the day it was `written`."""
    for sentence in sentences(text, small=True):
        period = find_period(sentence, written)
        if period is None or period.start is None or period.start != period.end:
            continue
        if abs((period.start - written).days) <= _FAR:
            return period.start
    return written


def _speaks(note: Note, wanted: Sequence[tuple[str, str]]) -> bool:
    has = note.keys
    missing = [(w, k) for w, k in wanted if k not in has]
    if len(missing) == len(wanted):
        return False
    if all(has & _ALSO.get(k, frozenset()) or k in note.title for _, k in missing):
        return True
    return _implies(wanted, [w for w, _ in missing], note.text)


def _implies(wanted: Sequence[tuple[str, str]], missing: Sequence[str], text: str) -> bool:
    """Return whether only a verb is missing, and the note has no other one."""
    # "reading news", but not "a hobby: reading": what is read must follow.
    before = {w for (w, _), (after, _) in itertools.pairwise(wanted) if after not in missing}
    if not all(w.endswith("ing") and w in before for w in missing):
        return False
    asked = {k for _, k in wanted}
    plain = {stem(word) for word in re.findall(r"[^\W\d_][\w'’-]*", text) if word.islower()}
    if not {k for w, k in wanted if w not in missing} <= plain:
        return False  # whom one swims with says nothing of swimming
    return not any(
        (re.search(r"(?:ing|ed)$", w) and w not in LIGHT and w not in STOP
        and w not in _OTHER and w not in _TIMES_OF_DAY and stem(w) not in asked)
        or (w in LEMMA and w not in LIGHT and stem(w) not in asked)
        for w in words(text)
    )  # fmt: skip


def names(text: str) -> list[str]:
    """Return the people that a line names: capitalised, after a word that precedes people."""
    text = _LIST_MARK.sub("", text)
    found = []
    place = 0  # where a name ended that is no person's: "in London, UK"
    for match in text_names.names(text):
        before = re.search(r"(\w+|,)\s*$", text[: match.start()])
        behind = before is None or before[1].lower() in _BEFORE_NAMES or before[1][0].isupper()
        if not behind or (place and text[place : match.start()].strip() == ","):
            place = match.end()
            continue
        if match[0].lower() not in _NOT_NAMES and match[0].lower() not in STOP:
            found.append(text_names.without_possessive(match[0]))
    return list(dict.fromkeys(found))
