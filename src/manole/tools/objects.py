"""The typed objects that tools find: passages, entries, files, pages, rows.

Each has an `id` that stays the same from call to call, by which the environment stores it once.
`to_json` is called only where objects leave the program, in events and in a server's responses;
those that a tool's message names also have a short form for a model (`to_llm_context`), and those
with a text of their own a long one (`in_full`).
The order of the fields is the order in the JSON, which saved conversations hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from typing import Any, ClassVar

from manole.documents.formats import place_words
from manole.documents.journal import Entry, day_of_path
from manole.documents.model import Box
from manole.documents.text import front_matter_end
from manole.index.search.duplicates import Find
from manole.index.search.pages import PageHit, ScoredLine
from manole.index.store.records import FileRecord, PassageRecord

_QUOTE = 160  # characters of a text that a message shows: two lines of a terminal
Cell = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something that a tool found. With an empty `id` it equals no other object."""

    kind: ClassVar[str | None] = None
    optional: ClassVar[frozenset[str]] = frozenset()  # left out of the JSON where `None`

    id: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the object as JSON: strings, numbers, lists and objects; dates in ISO form."""
        own = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        named = {"id": self.id or None, "kind": self.kind}
        written = {name: value for name, value in named.items() if value is not None}
        return written | {
            name: _json(value)
            for name, value in own.items()
            if value is not None or name not in self.optional
        }

    def in_full(self) -> str:
        """Return the place and the whole text; "" where the tool's message says it all."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage(Found):
    """A passage of a file, from `line` to `line_end`, and how well it fits (`Find`).

    `also` are other files with the same text, `relevance` is a reranker's score, `facts` are those
    that a model extracted. `seen_by` names the model that described a page; then `boxes` is `None`.
    """

    kind = "passage"
    optional = frozenset({"boxes", "relevance", "seen_by", "facts"})

    file: str
    page: int | None
    line: int
    line_end: int
    title: str | None = None
    headings: tuple[str, ...] = ()
    date: date | None = None
    text: str
    also: tuple[str, ...] = ()
    boxes: tuple[Box, ...] | None = None
    score: float
    similarity: float | None = None
    bm25: float | None = None
    relevance: float | None = None
    seen_by: str | None = None
    facts: tuple[str, ...] | None = None

    @classmethod
    def of(cls, found: Find) -> FoundPassage:
        """Make one from a search result."""
        passage = found.passage
        text, line = told(passage)
        return cls(
            id=f"passage:{passage.id}",
            file=passage.path,
            page=passage.page,
            line=line,
            line_end=passage.line_end,
            title=passage.title,
            headings=passage.headings,
            date=passage.date,
            text=text,
            also=found.also,
            boxes=passage.boxes,
            score=round(found.score, 4),
            similarity=found.similarity,
            bm25=found.bm25,
            relevance=found.relevance,
        )

    @property
    def where(self) -> str:
        """The place in words."""
        return place_words(self.file, self.page, self.line)

    def to_llm_context(self) -> str:
        """Return the place and the beginning of the text."""
        return f"- {self.where}: {shorten(self.text)}"

    def in_full(self) -> str:
        """Return the place and the whole text, or the facts that were extracted from it."""
        return f"({self.where}) " + ("\n".join(self.facts) if self.facts else self.text)


def told(passage: PassageRecord) -> tuple[str, int]:
    """Return the text of a passage and its first line: an entry's without its front matter.

    Title and day of an entry are fields of the passage, and a heading that repeats the title says
    nothing more; the YAML is nothing that a person tells.
    """
    text, line = passage.text, passage.line_start
    if line > 1 or day_of_path(passage.path) is None:
        return text, line
    lines = text.split("\n")
    begin = front_matter_end(lines)
    at = next((n for n in range(begin, len(lines)) if lines[n].strip()), begin)
    if begin and at + 1 < len(lines) and lines[at].lstrip("# ").strip() == passage.title:
        begin = at + 1
    while begin < len(lines) and begin and not lines[begin].strip():
        begin += 1
    return ("\n".join(lines[begin:]), line + begin) if begin < len(lines) else (text, line)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntry(Found):
    """An entry of a journal. `relevance_score` is `None` where there was no query."""

    kind = "entry"

    entry_id: str
    date: date
    title: str
    text: str
    tags: tuple[str, ...]
    file: str
    page: int | None = None
    line: int
    line_end: int
    headings: tuple[str, ...]
    retrieval_method: str
    relevance_score: float | None
    score: float

    @classmethod
    def of(cls, entry: Entry, score: float | None, method: str) -> FoundEntry:
        """Make one from an entry, the score of its best passage, and the tool that found it."""
        lines = entry.lines
        return cls(
            id=f"entry:{entry.id}",
            entry_id=entry.id,
            date=entry.date,
            title=entry.title,
            text="\n".join(line.text for line in lines) or entry.title,
            tags=entry.tags,
            file=entry.file,
            line=lines[0].line if lines else entry.line,
            line_end=entry.line_end,
            headings=(entry.title,),
            retrieval_method=method.upper(),
            relevance_score=None if score is None else round(score, 4),
            score=round(score or 0.0, 4),
        )

    @property
    def passage(self) -> FoundPassage:
        """The entry as a passage, from which sentences can be selected."""
        return FoundPassage(
            id=self.id,
            file=self.file,
            page=self.page,
            line=self.line,
            line_end=self.line_end,
            title=self.title,
            headings=self.headings,
            date=self.date,
            text=self.text,
            score=self.score,
        )

    def to_llm_context(self) -> str:
        """Return the day and title."""
        return f"- {self.date.isoformat()}: {self.title[:80]}"

    def in_full(self) -> str:
        """Return the day, the title and the whole text."""
        return f"({self.date.isoformat()}, {self.title[:80]}) {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile(Found):
    """A file. `size` is in bytes, `date` the document's own, `created` when it came to its disk."""

    kind = "file"
    optional = frozenset({"created"})

    file: str
    size: int
    modified: datetime
    date: date | None
    status: str
    created: datetime | None = None

    @classmethod
    def of(cls, file: FileRecord) -> FoundFile:
        """Make one from an index record."""
        return cls(
            id=f"file:{file.id}",
            file=file.path,
            size=file.size,
            modified=file.modified,
            date=file.date,
            status=file.status.value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCount(Found):
    """The number of files in a folder or of a file type and, where asked, their bytes."""

    optional = frozenset({"folder", "type", "size"})

    folder: str | None = None
    type: str | None = None
    files: int
    size: int | None = None

    @classmethod
    def of_folder(cls, folder: str, files: int, size: int | None = None) -> FileCount:
        """Count the files of a folder."""
        return cls(id=f"folder:{folder}", folder=folder, files=files, size=size)

    @classmethod
    def of_type(cls, extension: str, files: int, size: int) -> FileCount:
        """Count the files of a type, by extension."""
        return cls(id=f"type:{extension}", type=extension, files=files, size=size)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage(Found):
    """A page (or a whole picture) with its best lines and the ids of passages found on it."""

    kind = "page"

    file: str
    page: int | None
    score: float
    lines: tuple[ScoredLine, ...]
    passages: tuple[str, ...]

    @classmethod
    def of(cls, hit: PageHit) -> FoundPage:
        """Make one from a page hit."""
        return cls(
            id=f"page:{hit.file.id}:{hit.page or 0}",
            file=hit.file.path,
            page=hit.page,
            score=hit.score,
            lines=hit.lines,
            passages=tuple(found.passage.id for found in hit.passages),
        )

    @property
    def where(self) -> str:
        """The place in words."""
        return place_words(self.file, self.page or None, None)

    def to_llm_context(self) -> str:
        """Return the place and the best line."""
        return self.where + (f" (“{shorten(self.lines[0].text, 60)}”)" if self.lines else "")

    def in_full(self) -> str:
        """Return the place and the best lines."""
        return f"({self.where}) " + "; ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow(Found):
    """A row of a table or of the catalog, cited as `[n]`, with its place and cells."""

    kind = "row"

    n: int
    file: str
    page: int | None
    line: int | None
    quote: str
    value: str
    columns: Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(Found):
    """A calculated figure, which has no place in any file."""

    kind = "figure"


def shorten(text: str, limit: int = _QUOTE) -> str:
    """Return `text` on one line, cut at a word to `limit` characters."""
    flat = re.sub(r"\s+", " ", text).strip()
    if len(flat) <= limit:
        return flat
    return flat[:limit].rsplit(" ", 1)[0] + " …"


def _json(value: Any) -> Any:
    match value:
        case Box():
            return value.sides
        case datetime():
            return value.isoformat(timespec="seconds")
        case date():
            return value.isoformat()
        case tuple():
            return [_json(item) for item in value]
        case Mapping():
            return {name: _json(item) for name, item in value.items()}
    if is_dataclass(value):
        return {field.name: _json(getattr(value, field.name)) for field in fields(value)}
    return value
