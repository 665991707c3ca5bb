"""What one text says and another does not, and which files are versions of one another.

A sentence is in the other text where its words stand there in a row. So line breaks, hyphens,
Markdown, headers of pages, another order and where a sentence is cut change nothing. Of what is
left the sentences that share the most words are one that was changed.

Files with one name but for a version, a date or a count are versions where their texts are alike.
So are bills of two years, and two people's contracts by one form: papers that are paid, texts of
which most figures differ and texts in which one person stands for another are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import combinations, groupby

from manole.agent.answer.contradictions import opposed
from manole.agent.answer.units import goes_on
from manole.agent.answer.wording import plain
from manole.agent.versions.names import name_of
from manole.catalog.derived import Papers
from manole.documents.fields.kinds import PAYABLE
from manole.index.store.records import FileRecord, PassageRecord
from manole.text.names import names
from manole.text.numbers import COUNTS
from manole.text.sentences import ends, spans
from manole.text.words import fold, has_digit
from manole.tools.base import TurnState

# Set by hand:
MOST = 30  # files that are compared at once
_SHINGLE = 3  # words in a row
_SHORT = 4  # words below which figures may stand anywhere by chance
_PAIRED = 0.5  # share of their words that the two sides of a change have in common
_COMPARED = 300  # sentences of each side that are paired: beyond, it is another text
_ALIKE = {True: 0.2, False: 0.4}  # words in a row that versions share, if their names say so or not
_FEW = 3  # figures that may differ in both, whatever else they say
_WORD = re.compile(r"[^\W_]+(?:[.,:'’/-][^\W_]+)*|[€$£%]")
_HYPHEN = re.compile(r"(?<=\w)-\n\s*(?=[^\W\d_A-Z])")
_ITEM = re.compile(r"\s*\d{1,3}[.)]\s+")
_COUNTED = {word for word, n in COUNTS.items() if n > 1} | {"one"}


@dataclass(frozen=True)
class Sentence:
    """A sentence with its words (`key`), its wording for people and its place."""

    key: str
    quote: str
    shown: str
    page: int | None
    line: int
    is_heading: bool = False  # at the top or the bottom of a page

    words = cached_property(lambda own: frozenset(own.key.split()))
    figures = cached_property(
        lambda own: frozenset(word for word in own.words if has_digit(word) or word in _COUNTED)
    )


@dataclass(frozen=True)
class Text:
    """The sentences of a file. `copies` are other files that say the same, word for word."""

    file: FileRecord
    passages: Sequence[PassageRecord]
    sentences: Sequence[Sentence]
    kind: str | None = None
    copies: tuple[str, ...] = ()

    whole = cached_property(lambda own: f" {' '.join(s.key for s in own.sentences)} ")
    keys = cached_property(lambda own: frozenset(s.key for s in own.sentences))
    figures = cached_property(lambda own: frozenset(filter(has_digit, own.whole.split())))
    shingles = cached_property(lambda own: shingles(own.whole))

    def lacks(self, sentence: Sentence, of: Text) -> bool:
        """Return whether a sentence of another text does not stand here."""
        row = f" {sentence.key} "
        if sentence.figures and row.count(" ") <= _SHORT:
            return self.whole.count(row) < of.whole.count(row)
        if sentence.key in self.keys:
            return False
        few = row.count(" ") <= _SHINGLE  # else what it says in a row is looked for first: quicker
        return not (few or shingles(row) <= self.shingles) or row not in self.whole


def shingles(text: str) -> frozenset[int]:
    """Return the hashes of each few words in a row."""
    words = words_in(text)
    last = max(1, len(words) - _SHINGLE + 1)
    return frozenset(hash(tuple(words[at : at + _SHINGLE])) for at in range(last))


def words_in(text: str) -> list[str]:
    """Return the words of a text as they are compared."""
    return _WORD.findall(fold(_ITEM.sub("", _HYPHEN.sub("", text), count=1)))


async def texts_of(state: TurnState, files: Sequence[FileRecord]) -> list[Text]:
    """Return the sentences of some files, `MOST` at most."""
    papers = await Papers(state.library).read([f for f in files if f.passages][:MOST])
    read = [(paper, await state.library.passages(paper.file)) for paper in papers]
    return [Text(p.file, own, list(sentences_of(own)), p.fields.kind) for p, own in read]


def sentences_of(passages: Sequence[PassageRecord]) -> Iterator[Sentence]:
    """Yield the sentences of a file without the headers and the numbers of its pages."""
    pages = [(n, [*own]) for n, own in groupby(passages, key=lambda p: p.page) if n is not None]
    edges = {n: {own[0].text.split("\n")[0], own[-1].text.split("\n")[-1]} for n, own in pages}
    often = Counter(_unnumbered(line, n) for n, lines in edges.items() for line in lines)
    for passage in passages:
        ending, page = passage.path.rpartition(".")[2].lower(), passage.page
        for text, line in _pieces(passage.text):
            words, edge = words_in(text), text in edges.get(page or 0, ())
            number = str(page) in words and len(words) <= _SHORT
            if words and not (edge and (number or often[_unnumbered(text, page)] > 1)):
                place = page, passage.line_start + line, edge and not ends(text)
                yield Sentence(" ".join(words), text, plain(text, ending), *place)


def _unnumbered(line: str, page: int | None) -> str:
    return re.sub(rf"(?<!\d){page}(?!\d)", "#", line)


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """Yield each sentence, cut at headings and rows, with the number of its first line."""
    for start, end in spans(text):
        piece, first = list[str](), text.count("\n", 0, start)
        for at, line in enumerate(text[start:end].split("\n"), first):
            if piece and not goes_on((piece[-1], at - 1), (line, at)):
                yield "\n".join(piece), at - len(piece)
                piece = []
            piece.append(line)
        yield "\n".join(piece), first + text.count("\n", start, end) + 1 - len(piece)


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence that was changed, is new (`old` is `None`), or is gone (`new` is `None`)."""

    old: Sentence | None
    new: Sentence | None

    @property
    def is_weighty(self) -> bool:
        """Whether it changes a figure, a day or a count, or says the opposite."""
        old, new = ((side.figures if side else frozenset()) for side in (self.old, self.new))
        both = self.old and self.new and opposed(self.old.shown, self.new.shown)
        return old != new or bool(both)


def changes(old: Text, new: Text) -> list[Change]:
    """Return what changed, figures first, then in the order of the new text."""
    gone, fresh = (
        [s for s in one.sentences if other.lacks(s, one) and (s.figures or not s.is_heading)]
        for one, other in ((old, new), (new, old))
    )
    near = sorted(
        (-share, abs(n - m), n, m)
        for n, a in enumerate(gone[:_COMPARED])
        for m, b in enumerate(fresh[:_COMPARED])
        if (share := 2 * len(a.words & b.words) / (len(a.words) + len(b.words))) >= _PAIRED
    )
    news, olds = dict[int, Sentence](), set[int]()
    for _, _, n, m in near:
        if n not in olds and m not in news:
            olds.add(n)
            news[m] = gone[n]
    found = [Change(news.get(m), sentence) for m, sentence in enumerate(fresh)]
    found += [Change(sentence, None) for n, sentence in enumerate(gone) if n not in olds]
    return sorted(found, key=lambda c: (not c.is_weighty, c.old is None or c.new is None))


def families(texts: Iterable[Text]) -> list[list[Text]]:
    """Return the versions of each document, oldest first; copies count once, as one version."""
    alike: dict[str, list[Text]] = {}
    for text in sorted(texts, key=lambda t: (len(t.file.path), t.file.path)):
        alike.setdefault(text.whole, []).append(text)
    alike.pop("  ", None)  # says nothing
    groups = [[replace(t, copies=tuple(c.file.path for c in same))] for t, *same in alike.values()]
    for one, other in combinations([text for (text,) in groups], 2):
        mine, theirs = (next(g for g in groups if text in g) for text in (one, other))
        if mine is not theirs and all(are_versions(a, b) for a in mine for b in theirs):
            groups.remove(theirs)
            mine += theirs
    return [in_order(group) for group in groups if len(group) > 1 or group[0].copies]


def in_order(texts: Sequence[Text]) -> list[Text]:
    """Return versions, oldest first: by number, stage, own date, other numbers, last change."""
    every = [name_of(text.file.path) for text in texts]

    def order(text: Text) -> tuple[object, ...]:
        name = name_of(text.file.path)
        version = name.version if all(n.version for n in every) else 0
        moments = day_of(text, texts).isoformat(), name.numbers, text.file.mtime_ns
        return version, name.stage, name.version, *moments, text.file.path

    return sorted(texts, key=order)


def day_of(text: Text, among: Sequence[Text]) -> date:
    """Return the day of a version: its own where these tell them apart, else of its last change."""
    days = {other.file.date for other in among}
    apart = len(days) == len(among) and None not in days
    return (apart and text.file.date) or text.file.modified.date()


def likeness(one: Text, other: Text) -> float:
    """Return the share of words in a row that two texts have in common."""
    return len(one.shingles & other.shingles) / len(one.shingles | other.shingles)


def are_versions(one: Text, other: Text) -> bool:
    """Return whether two files are surely versions of one document."""
    name, own = name_of(one.file.path), name_of(other.file.path)
    marked = (name.stage, name.version) != (own.stage, own.version)
    if not name.key or name.key != own.key or {one.kind, other.kind} & PAYABLE:
        return False
    apart = min(len(one.figures - other.figures), len(other.figures - one.figures))
    series = apart >= _FEW and 2 * apart > len(one.figures & other.figures) and not marked
    alike = not series and likeness(one, other) >= _ALIKE[marked]
    return alike and not any(map(_renames, changes(one, other)))


def _renames(change: Change) -> bool:
    """Return whether somebody stands for somebody else in a changed sentence."""
    old, new = (
        {match[0] for match in names(side.shown if side else "", whole=True) if " " in match[0]}
        for side in (change.old, change.new)
    )
    return bool(old - new and new - old)
