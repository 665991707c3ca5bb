"""The tools that read the contents of files: `semantic_search` and `read_document`.

A search takes a period in the query into account ("which invoices came in last March?"), but a
period must not exclude anything. "Who won the cup in 2014?" asks for a fact that stands in a
document of any date, and many documents have no date of their own. So both searches are made, one
within the period and one without, and the ranking within it counts as a third one beside meaning
and words (`search/hybrid.py`), weighted by the share of files that are dated at all: where few are,
a date says little about which file is meant.

Half of the places belong to the plain search, so that the only right file is never pushed out.
Measured on 17 questions about `examples/household` that name a period: recall@10 was .74 without
this and .94 with it. The alternatives were lifting without the reserved half, and a filter that
falls back to a plain search when it finds nothing: household 1.00 and 1.00, 60 look-ups in a dated
journal .88 plain, .98 and .98, 60 about dated chats .92, .95 and .80, 75 about encyclopedia texts
.99, .99 and .72.

An occasion becomes a date, "since the move" is "since 1 March 2022", if a document gives the day.
Only what is written counts: a line with the occasion's words and one date, or a document with a
date of its own whose title or name has the words. "First visit after the move" dates the visit, not
the move. Several dates are as good as none.

A follow-up is often answered by a file that the answer before cites: a third of the places is its.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from itertools import chain

from pydantic import Field

from manole.index.search.duplicates import Find
from manole.index.search.hybrid import Hit, K
from manole.index.store.records import Filters
from manole.text.counted import counted
from manole.text.periods import Period, spelled, written
from manole.text.question import Question
from manole.text.sentences import sentences
from manole.text.spans import Span, find, read
from manole.text.words import stems
from manole.tools.base import ANCHORED, RANKING, Error, Inputs, Result, Tool, TurnState
from manole.tools.matching import best_by_name
from manole.tools.objects import FoundPassage, shorten
from manole.tools.visual import PAGES

_IDENTIFIER = re.compile(r"(?<![\w,.])#?(?=[\w/.-]*\d[\w/.-]*\d)[\w][\w/.-]*\w")
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OCCASION = re.compile(
    r"\b(?:(since|after|before|until) ((?:the|my|our) ([\w-]{3,}(?: [\w-]{3,})?))"
    r"(?=\s*[?.!,;]|\s*$| (?:and|did|do|does|was|were|is|are|have|has|had|we|i|to|in|on|at)\b)|"
    r"(seit|nach|vor|bis) ((?:dem|der|zum|zur|unser\w\w|mein\w\w) ([\w-]{3,}))\b)",
    re.IGNORECASE,
)
SEARCH_LIMIT = 12  # passages that a search keeps; set by hand
_CITED, _OWN = 3, 4  # files that the answer before cited, and passages kept for them
_BESIDE = re.compile(
    r"\b(since|after|before|until|following|seit|nach|vor|bis) (?:the|my|our|de[mr]|\w+er)\b",
    re.IGNORECASE,
)
_POOL = 50  # passages of each of the two searches, five times what is usually kept
_HOLDERS = 3  # files that an identifier may lead to: one found in more identifies none
_KEY = 5  # letters and digits of an identifier: shorter ones are found by chance

_Search = Callable[..., Awaitable[list[Find]]]


class SearchInputs(Inputs):
    """The inputs of `semantic_search`: what to look for, and where."""

    query: str = Field(min_length=1, max_length=4000)
    top_k: int = Field(0, ge=0, le=200, description="passages to keep; 0: 12")
    files: tuple[str, ...] = Field((), description="look in these files only")
    extension: str = ""
    date_from: date | None = None
    date_to: date | None = None


class SemanticSearch(Tool[SearchInputs]):
    """The tool that searches the passages by words and meaning.

    With `anchor`, a query with an identifier searches only the documents that contain it, one with
    a period lifts documents dated in it (`search_dated`), and synonyms count as its words; without,
    only the words in `also`.
    """

    name = "semantic_search"
    description = "search INSIDE the files for information"
    inputs = SearchInputs

    def __init__(self, *, anchor: bool = True) -> None:
        self._anchor = anchor
        self.also: tuple[str, ...] = ()

    async def __call__(
        self, state: TurnState, inputs: SearchInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the passages nearest in words and meaning, best first."""
        filters = state.scope.filters(
            paths=inputs.files,
            extensions=(inputs.extension,) if inputs.extension else (),
            start=inputs.date_from,
            end=inputs.date_to,
        )
        limit = inputs.top_k or SEARCH_LIMIT
        asked = state.question.saying(inputs.query)
        hits, note = await search_question(state, asked, limit, filters, self._anchor, self.also)
        if not hits:
            yield Error(
                f"Nothing in the files matches “{inputs.query[:80]}”.",
                suggestion="Try visual_search for drawings, or grep_files for a file's name."
                if PAGES in state.collection_names
                else "Try grep_files.",
            )
            return
        passages = [FoundPassage.of(hit) for hit in hits]
        state.environment.hidden_environment[RANKING] = [passage.id for passage in passages]
        files = list(dict.fromkeys(passage.file for passage in passages))
        lines = [passage.to_llm_context() for passage in passages[:3]]
        yield Result(
            objects=passages,
            metadata={"query": inputs.query, "files": files},
            name="passages",
            payload_type="passages",
            llm_message=f"{counted(len(hits), 'passage')} in {counted(len(files), 'file')}{note}:\n"
            + "\n".join(lines),
        )


async def search_question(
    state: TurnState,
    question: Question,
    limit: int,
    filters: Filters,
    anchor: bool = True,
    also: Sequence[str] = (),
) -> tuple[list[Find], str]:
    """Return the passages for a question, best first, and how its period was used ("" without one).

    `also` as in `Library.search`, `anchor` as in `SemanticSearch`; files that an identifier led to
    are stored in `hidden_environment[ANCHORED]`.
    """
    files = filters.paths
    if not files and anchor:
        if files := await anchored(state, question.text):
            state.environment.hidden_environment[ANCHORED] = files
        filters = replace(filters, paths=files)
    dated = question.iso_dated
    asked = question.text if dated is question else f"{question} {dated}"
    named = question.period if anchor and not files else None
    also = question.synonyms if anchor else also
    hits, note = await search_dated(state, asked, limit, filters, named, also)
    if before := () if files else state.cited_before[:_CITED]:
        inside, room = replace(filters, paths=before), min(_OWN, limit // 2)
        own = await state.library.search(asked, limit=room, filters=inside, also=also)
        known = {hit.passage.id for hit in hits[: limit - room]}
        fresh = [hit for hit in own if hit.passage.id not in known]
        hits = [*hits[: limit - len(fresh)], *fresh]
    return hits, note


async def anchored(state: TurnState, query: str) -> tuple[str, ...]:
    """Return the files, at most `_HOLDERS`, that contain an identifier of the query.

    Nothing identifies a document as surely as an invoice number. Return none without an identifier,
    or where no file or too many contain it.
    """
    for identifier in _IDENTIFIER.findall(query):
        key = _squash(identifier)
        if len(key) < _KEY or _ISO_DAY.fullmatch(identifier):
            continue
        hits = await state.library.search(identifier, limit=30, filters=state.scope.filters())
        holding = [h for h in hits if key in _squash(h.passage.text)]
        files = dict.fromkeys(path for h in holding for path in (h.passage.path, *h.also))
        if 1 <= len(files) <= _HOLDERS:
            return tuple(files)
    return ()


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


async def search_dated(
    state: TurnState,
    query: str,
    limit: int,
    filters: Filters,
    named: Period | None,
    also: Sequence[str] = (),
) -> tuple[list[Find], str]:
    """Return at most `limit` passages, and how the period was used ("" without one).

    Dates in `filters` were set explicitly: everything is searched only where nothing has such a
    date. `named` is a period in the words of the question, which only lifts; "recently" is too
    vague for that. `also` as in `Library.search`.
    """
    scope = state.scope
    search = partial(state.library.search, query, also=also)
    if (filters.date_from, filters.date_to) != (scope.start, scope.end):
        if hits := await search(limit=limit, filters=filters):
            return hits, ""
        when = spelled(Period("", filters.date_from, filters.date_to))
        anywhere = replace(filters, date_from=scope.start, date_to=scope.end)
        hits = await search(limit=limit, filters=anywhere)
        return hits, f" (none is dated {when}; all were searched)"
    note = ""
    if named is None and (occasion := find_occasion(query)) is not None:
        known = await day_of(occasion, state)
        if known is None:
            note = f" (no document dates “{occasion.text}”, so no dates were heeded)"
        else:
            named = occasion.period(known[0])
            note = f" ({occasion.text}: {written(known[0])}, by {known[1]})"
    if named is None or named.text.startswith("recent"):
        return await search(limit=limit, filters=filters), note
    hits, own = await _lifted(state, search, limit, filters, named)
    if not own:
        return hits, f"{note} (none is dated {spelled(named)}; all were searched)"
    return hits, f"{note} ({own} of the passages dated {spelled(named)})"


async def _lifted(
    state: TurnState, search: _Search, limit: int, filters: Filters, period: Period
) -> tuple[list[Find], int]:
    """Return the passages found, and how many belong to documents dated in the period."""
    asked = state.scope.filters(start=period.start, end=period.end)
    inside = replace(filters, date_from=asked.date_from, date_to=asked.date_to)
    pool = max(_POOL, limit)
    found, dated, files = await asyncio.gather(
        search(limit=pool, filters=filters),
        search(limit=pool, filters=inside),
        state.files(),
    )
    # Without a date of its own a document passes by the day of its last change: no reason to lift.
    dated = [hit for hit in dated if hit.passage.date is not None]
    share = sum(file.date is not None for file in files) / max(1, len(files))
    known = {hit.passage.id: hit for hit in (*dated, *found)}
    scores = {hit.passage.id: hit.score for hit in found}
    for rank, hit in enumerate(dated, start=1):
        lift = share * (K + 1) / (K + rank) / 2
        scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + lift
    best = 1 + share / 2
    kept = {hit.passage.id for hit in found[: limit // 2]}
    order = sorted(scores, key=lambda key: (-scores[key], key))
    lifted = [key for key in order if key not in kept][: limit - len(kept)]
    order = sorted({*kept, *lifted}, key=lambda key: (-scores[key], key))
    own = {hit.passage.id for hit in dated}
    return [replace(known[key], score=scores[key] / best) for key in order], len(own & set(order))


@dataclass(frozen=True, slots=True)
class Occasion:
    """An occasion that a question counts from: `since`, "the move", and its content words."""

    relation: str
    text: str
    words: str

    def period(self, day: date) -> Period:
        """Return the period that is meant if the occasion was on `day`."""
        text = f"{self.relation} {self.text}"
        if self.relation in {"before", "vor"}:
            return Period(text, None, day - timedelta(days=1))
        if self.relation in {"until", "bis"}:
            return Period(text, None, day)
        after = self.relation in {"after", "nach"}
        return Period(text, day + timedelta(days=1) if after else day, None)


def find_occasion(text: str) -> Occasion | None:
    """Return the occasion that a question counts from; `None` for most questions."""
    match = _OCCASION.search(text)
    if match is None:
        return None
    relation, named, words = (part for part in match.groups() if part)
    if find(words.lower()) or not stems(words):
        return None
    return Occasion(relation.lower(), named, words)


async def day_of(occasion: Occasion, state: TurnState) -> tuple[date, str] | None:
    """Return the day of an occasion and the file that gives it; `None` for no or several days."""
    hits = await state.library.search(occasion.words, limit=12, filters=state.scope.filters())
    wanted = stems(occasion.words)
    days: dict[date, str] = {}
    for hit in hits:
        for day in _days_in(hit, wanted):
            days.setdefault(day, hit.passage.path)
    return next(iter(days.items())) if len(days) == 1 else None


def _days_in(hit: Hit, wanted: frozenset[str]) -> set[date]:
    """Return the days that a passage gives for an occasion; `wanted` are the occasion's stems."""
    passage = hit.passage
    named = re.sub(r"[_\-./]+", " ", passage.path.rsplit("/", 1)[-1])
    if passage.date and wanted <= stems(f"{named} {passage.title or ''}"):
        return {passage.date}
    found: set[date] = set()
    for line in chain.from_iterable(map(sentences, passage.text.split("\n"))):
        if wanted <= stems(line) and not _BESIDE.search(line):
            days = {span.first for span in _full_days(line)}
            found |= days if len(days) == 1 else set()
    return found


def _full_days(line: str) -> list[Span]:
    spans = [read(m[0], date(2000, 1, 1)) for m in find(line.lower()) if re.search(r"\d{4}", m[0])]
    return [span for span in spans if span and span.first == span.last]


class ReadInputs(Inputs):
    """The inputs of `read_document`: a file, and its pages such as `2` or `1-3` ("" for all)."""

    file: str = Field(min_length=1, max_length=1000)
    pages: str = Field("", pattern=r"^\s*(\d+\s*(-\s*\d+\s*)?)?$")


class ReadDocument(Tool[ReadInputs]):
    """The tool that opens one file at its beginning, or at a page."""

    name = "read_document"
    description = "read one file, to say what it is about"
    inputs = ReadInputs

    async def __call__(self, state: TurnState, inputs: ReadInputs) -> AsyncIterator[Result | Error]:
        """Yield the passages of the file in order, at most as many as a search returns."""
        found = best_by_name(await state.files(), inputs.file)
        if not found:
            yield Error(f"No file is named like “{inputs.file}”.", suggestion="Try grep_files.")
            return
        file = found[0]
        if file.status.value in {"failed", "skipped"}:
            yield Error(
                f"{file.path} has no text in the index ({file.reason or file.status.value}).",
                suggestion="Choose another file.",
            )
            return
        passages = await state.library.passages(file)
        first, last = _pages(inputs.pages)
        if first:
            passages = [p for p in passages if p.page is not None and first <= p.page <= last]
        passages = passages[:SEARCH_LIMIT]
        if not passages:
            yield Error(f"{file.path} has no text on page {inputs.pages.strip() or 1}.")
            return
        yield Result(
            objects=[FoundPassage.of(Find(p, 1.0 / (i + 1))) for i, p in enumerate(passages)],
            metadata={"file": file.path, "pages": inputs.pages},
            name="document",
            payload_type="passages",
            llm_message=f"{file.path}: {shorten(passages[0].text, 400)}",
        )


def _pages(text: str) -> tuple[int, int]:
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if not numbers:
        return 0, 0
    return min(numbers), max(numbers)
