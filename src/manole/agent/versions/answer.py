"""The answers about versions: what changed between two of them, and which is the newest."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, get_args

from manole.agent.languages import words_of as language
from manole.agent.plan.marks import Asked
from manole.agent.plan.named import spelled
from manole.agent.plan.understand import unasked
from manole.agent.telling import Told, uncited
from manole.agent.versions import names, texts
from manole.agent.versions.texts import Sentence, Text, changes, day_of, likeness
from manole.documents.fields.kinds import types_named
from manole.text.dates import month_of
from manole.text.question import Question
from manole.text.words import content_words, fold, stem, stems_apart, words
from manole.tools.base import Action, Inputs, Result, TurnState
from manole.tools.matching import best_by_name
from manole.tools.objects import shorten

VERSIONS = "versions"
What = Literal["changed", "which"]
_ROWS = 10
_QUOTE = 500  # characters of a cell
_SAME = 0.2  # likeness below which two files that are named have nothing to compare, by hand
_HITS = 12  # passages whose files may be meant
_LETTERS = 4  # of a word that is a part of another


class VersionsInputs(Inputs):
    """What is asked, and the words that say of which document."""

    asked: What
    of: str = ""


def versions_asked(question: Asked) -> VersionsInputs | None:
    """Return what a question asks of versions; `None` for any other question."""
    parsed = question.parsed
    if parsed.tool not in get_args(What):
        return None
    of = " ".join((*(mark.text for mark in question.marks), *unasked(question)))
    return VersionsInputs(asked=parsed.tool, of=of)


class TellVersions(Action[VersionsInputs]):
    """Answers with what changed or which is the newest, or with nothing where no files fit."""

    name = VERSIONS
    inputs = VersionsInputs

    async def __call__(self, state: TurnState, inputs: VersionsInputs) -> AsyncIterator[Result]:
        """Yield the answer, if there is one."""
        if not (family := await _meant(state, inputs)):
            return
        answer = _Answer(state.question, family)
        answer.told.lines.append(await asyncio.to_thread(answer.text, inputs.asked))
        yield answer.told.result("medium", metadata={"files": [t.file.path for t in family]})


async def _meant(state: TurnState, inputs: VersionsInputs) -> list[Text]:
    """Return the versions that a question is about, oldest first; none where it fits none."""
    question, files, what = state.question, await state.files(), inputs.asked
    named = spelled(question.text, [file.path for file in files])
    if len(named) > 1 and what == "changed":
        read = await texts.texts_of(state, [file for file in files if file.path in named[:2]])
        alike = len(read) == 2 and likeness(*read) >= _SAME
        return next(iter(texts.families(read)), texts.in_order(read) if alike else [])
    topic = frozenset(w for w in content_words(fold(inputs.of)) if not _tells_apart(w))
    if named:
        topic = names.name_of(named[0]).key
    elif all(map(str.isdecimal, topic)):
        return []
    best = best_by_name(files, " ".join(topic))[: texts.MOST - _HITS]
    hits = await state.library.search(" ".join(topic), _HITS, state.scope.filters())
    paths = {path for hit in hits for path in (hit.passage.path, *hit.also)}
    paths |= {file.path for file in best}
    read = await texts.texts_of(state, [file for file in files if file.path in paths])
    found = await asyncio.to_thread(texts.families, read)
    fit = [f for f in found if topic <= _held(topic, f, what)]
    fit = [f for f in fit if not named or any(named[0] in (t.file.path, *t.copies) for t in f)]
    fit.sort(key=lambda f: (len(_held(topic, f)), f[-1].file.mtime_ns))
    return fit[-1] if fit else []


def _tells_apart(word: str) -> bool:
    """Return whether a word tells one version from another, or nothing."""
    number = re.fullmatch(r"v?\d{1,2}(?:st|nd|rd|th)?", word)
    return bool(number or month_of(word)) or any(word in names.words(sort) for sort in names.SORTS)


def _in(topic: frozenset[str], text: str) -> frozenset[str]:
    """Return the words of a topic that a text has, also as a part of another word."""
    own = stems_apart(text)

    def has(word: str) -> bool:
        ends = (stem(word), word) if len(word) >= _LETTERS else ()
        return stem(word) in own or any(w.startswith(ends) or w.endswith(ends) for w in own)

    return frozenset(filter(has, topic))


def _held(topic: frozenset[str], family: Sequence[Text], what: str = "") -> frozenset[str]:
    """Return the words of a topic in names, titles and days, and in kinds and tops if asked."""
    found = frozenset[str]()
    for text in family:
        top = text.sentences[0].shown if what == "changed" else ""
        day = day_of(text, family)
        found |= _in(topic, f"{text.file.path} {text.file.title or ''} {day} {top}")
        found |= {word for word in topic if what and text.kind in types_named([word])}
    return found


def picked(question: Question, family: Sequence[Text]) -> list[Text]:
    """Return the versions that the words of a question name, oldest first."""
    said = {fold(part) for word in words(question.text) for part in re.split(r"\W", word)}
    every = [names.name_of(text.file.path) for text in family]
    common = frozenset.intersection(*(name.parts for name in every))
    found = {n for n, name in enumerate(every) if said & (name.parts - common)}
    if said & names.words("early") and not any(every[n].stage < 0 for n in found):
        found.add(0)
    if said & names.words("late"):
        found.add(len(every) - 1)
    return [text for n, text in enumerate(family) if n in found]


def _compared(named: Sequence[Text], family: Sequence[Text]) -> Sequence[Text]:
    """Return the two versions to compare, the older first: those named, else the newest two."""
    if len(named) == 1:
        named = [named[0], family[-1]] if named[0] is not family[-1] else family
    two = [*(named or family)][-2:]
    return [two[0], two[-1]]


class _Answer:
    """An answer and its places, numbered as they are told."""

    def __init__(self, question: Question, family: Sequence[Text]) -> None:
        self.question, self.family = question, family
        self.words = language(question.language)
        self.told = Told("version")

    def text(self, what: What) -> str:
        """Return the whole answer in Markdown."""
        lines, family = list[str](), self.family
        if what == "changed":
            lines += self._changed(*_compared(picked(self.question, family), family))
        if what == "which" or len(family) > 2 or any(text.copies for text in family):
            told = [f"{self._name(t, t.copies)} {self._cite(t, t.sentences[0])}" for t in family]
            told[-1] = f"**{told[-1]}**" if len(told) > 1 else told[-1]
            listed = self.words.versions.format(count=len(told), names="; ".join(told))
            lines.append(listed if len(told) > 1 else told[0])
        return "\n\n".join(lines)

    def _name(self, text: Text, copies: Sequence[str] = ()) -> str:
        paths = " = ".join(map(_inert, (text.file.path, *copies)))
        return f"{paths} ({self.words.written(day_of(text, self.family))})"

    def _changed(self, old: Text, new: Text) -> Iterator[str]:
        found = changes(old, new)
        if not found:
            yield self.words.unchanged
            return
        sides = [(c.old is None) + 2 * (c.new is None) for c in found]
        counts = [(forms, sides.count(n)) for n, forms in enumerate(self.words.changes)]
        said = [forms[n != 1].format(count=self.words.number(n)) for forms, n in counts if n]
        yield f"{', '.join(said)}."
        rows = [(self._name(old), self._name(new)), ("---", "---")]
        rows += [
            (self._cell(old, c.old, c.new), self._cell(new, c.new, c.old)) for c in found[:_ROWS]
        ]
        yield "\n".join(f"| {left} | {right} |" for left, right in rows)
        if len(found) > _ROWS:
            yield self.words.more.format(count=self.words.number(len(found) - _ROWS))

    def _cell(self, text: Text, own: Sentence | None, other: Sentence | None) -> str:
        return f"{marked(own, other)} {self._cite(text, own)}" if own else "–"

    def _cite(self, text: Text, said: Sentence) -> str:
        return self.told.mark(text.file.path, said.page, said.line, said.quote, said.shown)


def marked(own: Sentence, other: Sentence | None) -> str:
    """Return a sentence in Markdown, the words in bold that the other one does not have."""
    told, parts = shorten(own.shown, _QUOTE).split(), list[str]()
    mine, theirs = map(_bare, told), map(_bare, other.shown.split() if other else told)
    matcher = SequenceMatcher(None, [*mine], [*theirs], autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        said = _inert(" ".join(told[start:end]))
        parts.append(said if tag == "equal" or not said else f"**{said}**")
    return " ".join(filter(None, parts))


def _bare(word: str) -> str:
    return fold(word).strip(".,;:!?()")


def _inert(text: str) -> str:
    """Return text of a file that is neither a mark, nor a cell's end, nor Markdown."""
    return uncited(text).replace("|", "·").replace("*", "∗").strip()
