"""The overview of a library, and the questions that its contents suggest, made without a model.

Firms and amounts come from papers, people from the diary, topics from the headings of documents.
What a sheet calls its columns is no question of a person. The suggestions change from day to day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Literal, TypeVar

from manole.agent.plan.open_catalog import SMALL, filled
from manole.agent.turn import begin
from manole.catalog.catalog import Catalog
from manole.documents.formats import DELIMITED, SHEETS
from manole.documents.model import Status
from manole.index.store.records import FileRecord
from manole.library import Library
from manole.settings import Settings
from manole.text.words import all_stems

T = TypeVar("T")
Sort = Literal[
    "due", "paid", "amount", "listed", "met", "says", "counted", "newest", "largest"
]  # fmt: skip
_SENTENCES: dict[Sort, str] = {
    "due": "When is the {} of {} due?",
    "paid": "How much did I pay {} in all?",
    "amount": "How much is the {} of {}?",
    "listed": "List the invoices of {} with their totals",
    "met": "When did I last see {}?",
    "says": "What does “{}” say about {}?",
    "counted": "How many {} files are there?",
    "newest": "Which files are the newest?",
    "largest": "Which folder takes the most space?",
}
_TOGETHER: dict[Sort, str] = {"due": "papers", "paid": "papers", "amount": "papers"}

MOST = 6  # questions, two rows of three on the page
_FEW = 5  # firms and people that are named: a line of the page
_LOOKED = 8  # documents whose headings are read: more than are suggested, as some have none
_TOPIC = re.compile(r"[^\W\d_][\w'’&,\- ]{5,38}")
_NUMBERED = re.compile(r"^(?:§\s*)?[\dIVX]+(?:\.\d+)*[.):]?\s+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question by its sort and its names, so that it can be shown in any language."""

    sort: Sort
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The question in English."""
        return _SENTENCES[self.sort].format(*self.names)


@dataclass(frozen=True, slots=True)
class About:
    """An overview. `kinds` counts files, most first; `years` are those of the first and last date.

    `unread` is the number of files that could not be read or were left out.
    """

    questions: Sequence[Suggestion] = ()
    kinds: dict[str, int] = field(default_factory=dict)
    years: tuple[int, int] | None = None
    firms: Sequence[str] = ()
    people: Sequence[str] = ()
    unread: int = 0


async def about(library: Library, settings: Settings, today: date) -> About:
    """Return the overview of a library. Raises `LibraryError`."""
    state = begin("about", (), None, library=library, settings=settings, today=today)
    files = await state.files()
    small = len(files) <= SMALL
    catalog = await filled(state, {"papers", "entries"} if small else ())
    kinds = catalog.run("SELECT kind, count(*) AS n FROM files GROUP BY kind ORDER BY n DESC")[1]
    people = _people(catalog)[:_FEW]
    years = [file.date.year for file in files if file.date]
    asked = [
        *_of_papers(catalog),
        *(Suggestion("met", (name,)) for name in people),
        *([q async for q in _of_documents(library, catalog, today)] if small else ()),
    ]
    return About(
        questions=_mixed(asked, today) or _of_files(catalog),
        kinds={str(kind): int(n or 0) for kind, n in kinds},
        years=(min(years), max(years)) if years else None,
        firms=catalog.values("papers", "issuer")[:_FEW],
        people=people,
        unread=sum(file.status in {Status.FAILED, Status.SKIPPED} for file in files),
    )


def _mixed(asked: Sequence[Suggestion], today: date) -> list[Suggestion]:
    """Return questions of each sort in turns, beginning with different ones each day."""
    sorts: dict[str, list[Suggestion]] = {}
    for question in asked:
        sorts.setdefault(_TOGETHER.get(question.sort, question.sort), []).append(question)
    turned = [_turned(questions, today) for questions in sorts.values()]
    rounds = (part[n] for n in range(MOST) for part in turned if n < len(part))
    return list(dict.fromkeys(rounds))[:MOST]


def _turned(items: Sequence[T], today: date) -> list[T]:
    """Return the items rotated by the day."""
    at = today.toordinal() % max(1, len(items))
    return [*items[at:], *items[:at]]


def _of_papers(catalog: Catalog) -> Iterator[Suggestion]:
    """Yield questions about the firms with most papers, and about recent years with invoices."""
    sql = (
        "SELECT issuer, type, max(due), count(*) FROM papers WHERE issuer IS NOT NULL "
        "AND type IS NOT NULL GROUP BY issuer ORDER BY count(*) DESC, issuer LIMIT 8"
    )
    for issuer, type_, due, count in catalog.run(sql)[1]:
        if due:
            yield Suggestion("due", (str(type_), str(issuer)))
        elif count and int(count) > 1:
            yield Suggestion("paid", (str(issuer),))
        else:
            yield Suggestion("amount", (str(type_), str(issuer)))
    years = catalog.run(
        "SELECT substr(date, 1, 4) AS y FROM papers WHERE type = 'invoice' GROUP BY y "
        "HAVING count(*) > 2 ORDER BY y DESC LIMIT 2"
    )[1]
    yield from (Suggestion("listed", (str(year),)) for (year,) in years)


def _people(catalog: Catalog) -> list[str]:
    """Return the people whom a diary names on more than two days, most frequent first."""
    sql = (
        "SELECT name FROM people GROUP BY name HAVING count(DISTINCT date) > 2 "
        "ORDER BY count(DISTINCT date) DESC, name LIMIT 20"
    )
    names = (str(name) for (name,) in catalog.run(sql)[1])
    return [name for name in names if name.isalpha() and name.istitle()]


async def _of_documents(
    library: Library, catalog: Catalog, today: date
) -> AsyncIterator[Suggestion]:
    """Yield a question about a heading of each of some long documents that are no papers."""
    papers = set(catalog.values("papers", "path"))
    tables = SHEETS | DELIMITED
    texts = [
        f
        for f in catalog.files
        if f.passages > 3 and f.path not in papers and f.format not in tables
    ]
    texts.sort(key=lambda f: (-min(f.passages, 40), f.path))
    for file in _turned(texts, today)[:_LOOKED]:
        found = Counter(h for p in await library.passages(file) for h in p.headings[1:])
        topics = (_NUMBERED.sub("", heading) for heading in found)
        title = _called(file)
        known = all_stems(title)  # what a title says need not be asked
        fresh = (t for t in topics if _TOPIC.fullmatch(t) and not all_stems(t) <= known)
        if topic := next(fresh, None):
            yield Suggestion("says", (title, _lowered(topic)))


def _of_files(catalog: Catalog) -> list[Suggestion]:
    """Return questions about the files themselves, for a library that suggests no others."""
    kind = next(iter(catalog.values("files", "kind")), "file")
    return [Suggestion("counted", (str(kind),)), Suggestion("newest"), Suggestion("largest")]


def _called(file: FileRecord) -> str:
    title = " ".join((file.title or "").split())
    return title if 3 < len(title) <= 50 else PurePosixPath(file.path).stem


def _lowered(topic: str) -> str:
    first, _, rest = topic.partition(" ")
    return topic if not first[1:].islower() else f"{first.lower()} {rest}".strip()
