"""The parts of an answer from a journal: one for each time that the question names.

Each part is written from the entries of its own time and no others, so that no model can mix the
times. What it says is put into the second person, and shown once it was checked: where it declines,
has a figure or name that these entries lack, shares little with them, or still speaks in the first
person as if it were the diary, an extract takes its place. A time without entries is said to have
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby

from manole.agent.answer.confidence import CLEAR
from manole.agent.answer.draft import (
    LOOSE,
    PLAIN,
    Draft,
    finished,
    nearest,
    not_found,
    quote,
    withdraw,
)
from manole.agent.answer.evidence import Evidence, unmarked
from manole.agent.answer.grounding import unsupported_names
from manole.agent.answer.injection_filter import is_quotable
from manole.agent.answer.ranking import Senses
from manole.agent.answer.selection import POOL, look, select
from manole.agent.journal.person import to_reader
from manole.agent.journal.times import Time, asked_of, of_oneself, topic_of
from manole.agent.languages import words_of
from manole.models.encode.embedder import Embedder
from manole.text.figures import Known, missing
from manole.text.language import LANGUAGES, language_of
from manole.text.periods import with_plain_dates
from manole.text.question import Question
from manole.text.words import stems
from manole.tools.objects import FoundEntry

_DAYS = 7  # that a person wants told one by one
_LEAST = 60  # tokens of evidence for a part: two sentences


@dataclass(frozen=True, slots=True)
class Part:
    """A time of the question, its entries, and what is asked of it; `None` for no time."""

    time: Time | None
    entries: Sequence[FoundEntry]
    asked: Question
    query: Question  # what its extracts are chosen by

    @property
    def name(self) -> str:
        """The words of its time, as a label."""
        return f"{self.time.name[:1].upper()}{self.time.name[1:]}" if self.time else ""

    def is_worded(self, evidence: Sequence[Evidence]) -> bool:
        """Return whether the extracts have a word of the subject; else an answer reads into them.

        A diary that tells of a storm does not say that it was stressful.
        """
        wanted = self.query.stems
        return not wanted or any(wanted & stems(item.text) for item in evidence)

    def evidence(self, embedder: Embedder, budget: int, start: int) -> list[Evidence]:
        """Return about `budget` tokens of extracts, numbered from `start`, labelled by day.

        Behind days in words ("yesterday") stand plain dates: a small model cannot reckon with days.
        """
        passages = [entry.passage for entry in self.entries]
        chosen = select(self.query, passages, embedder, budget=max(_LEAST, budget))
        words = words_of(self.asked.language)
        return [
            replace(
                extract,
                n=n,
                label=words.written(day),
                text=with_plain_dates(extract.text, day),
                day=day,
            )
            for n, extract in enumerate(chosen, start)
            for day in [_day_of(extract, self.entries)]
        ]


def parts_of(question: Question, times: Sequence[Time], found: Sequence[FoundEntry]) -> list[Part]:
    """Return a part for each time, in the order of the question; an entry belongs to the first.

    A time whose entries all belong to times before it has them, too. Entries of other times answer
    nothing. Without a time there is one part with all entries.
    """
    topic = topic_of(question, times)
    if not times:
        return [Part(None, found, question, question)]
    parts: list[Part] = []
    taken: set[str] = set()
    for time in times:
        own = [entry for entry in found if entry.date in time.period]
        fresh = [entry for entry in own if entry.id not in taken] or own
        taken |= {entry.id for entry in fresh}
        asked = asked_of(question, time, times)
        parts.append(Part(time, fresh, asked, question.saying(topic) if topic else asked))
    return parts


def quoted(part: Part, evidence: Sequence[Evidence]) -> Draft:
    """Return an extract as the draft of a part that no model wrote."""
    text, cited = quote(evidence, part.asked)
    return Draft(text=text, cited=cited, confidence="low", corrected=True)


def told(part: Part, evidence: Sequence[Evidence]) -> Draft | None:
    """Return what entries say, day by day, for a part that asks for nothing but a few days.

    `None` for another part.
    """
    first, last = (part.time.period.start, part.time.period.end) if part.time else (None, None)
    plain = part.query is part.asked and evidence
    if not (plain and first and last) or (last - first).days >= _DAYS:
        return None
    words = words_of(part.asked.language)
    parts = [
        f"{words.written(day)}: {' '.join(f'“{_flowing(item)}” [{item.n}]' for item in items)}"
        for day, items in groupby(sorted(evidence, key=_when), key=lambda item: item.day)
    ]
    return Draft("\n\n".join(parts), cited=[item.n for item in evidence])


def untold(part: Part, evidence: Sequence[Evidence], embedder: Embedder) -> Draft | None:
    """Return the draft of a part whose entries do not say what is asked; `None` where they do.

    They say it by a word, or to the reader: of TimelineQA's days it found 6 of 7 likely that say it
    in other words, and 14 of 46 that do not. The search of a time gives its nearest entries,
    however far they are; what is nearest by meaning is quoted.
    """
    of_its_time = part.query is part.asked  # it names no subject
    if part.time is None or of_its_time or part.is_worded(evidence):
        return None
    entries, senses = part.entries[:POOL], Senses(embedder)
    seen = look(part.asked, [entry.passage for entry in entries], senses)
    if (seen.chances >= CLEAR).any():
        return None
    items = {at: e for e in evidence for at, entry in enumerate(entries) if _is_of(e, entry)}
    units = [unit for unit in seen.units if unit.passage in items and is_quotable(unit.text)]
    words, day = words_of(part.asked.language), part.time.period
    text, cited = quote(evidence, part.asked)
    if units:
        near = senses.embed([u.text for u in units]) @ senses.embed_query(part.query.text).ravel()
        best = units[int(near.argmax())]
        item, dated = items[best.passage], entries[best.passage].date
        said = with_plain_dates(" ".join(best.text.split()), dated)
        text = words.closest.format(quote=f"{words.written(dated)}: {said}", n=item.n)
        cited = [item.n]
    none = words.no_entry_says.format(time=words.dated(day))
    return Draft(f"{none} {text}", found=False, outcome="nearest", confidence="low", cited=cited)


def checked(text: str, part: Part, evidence: Sequence[Evidence]) -> Draft:
    """Return a reply as a draft with citations, or an extract in its place."""
    if language_of(text) == LANGUAGES[0]:
        text = to_reader(text)
    draft = finished(text, part.asked, evidence, PLAIN)
    if draft.outcome == "nothing":
        return nearest(not_found(draft, part.asked), part.asked, evidence)
    if not _holds(draft, part, evidence):
        withdraw(draft, part.asked, evidence)
    else:  # that the entries have the words does not make the answer right
        draft.confidence = "medium" if part.is_worded(evidence) else "low"
    return draft


def _holds(draft: Draft, part: Part, evidence: Sequence[Evidence]) -> bool:
    """Return whether a draft says to a person what these entries say."""
    read = [f"{item.label} {item.text}" for item in evidence]
    own = unmarked(draft.text)
    return (
        draft.confidence != "low"
        and draft.grounding >= LOOSE
        and not of_oneself(own)
        and not unsupported_names(own, [part.asked.text, *read])
        and not missing(own, Known.of(read))
    )


def _when(item: Evidence) -> tuple[date, int]:
    return item.day or date.min, item.line


def _flowing(item: Evidence) -> str:
    """Return an extract as one paragraph."""
    return " ".join(item.plain.split())


def _day_of(extract: Evidence, entries: Sequence[FoundEntry]) -> date:
    return next(entry.date for entry in entries if _is_of(extract, entry))


def _is_of(extract: Evidence, entry: FoundEntry) -> bool:
    return entry.file == extract.file and entry.line <= extract.line <= entry.line_end
