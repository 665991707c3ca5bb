"""The journal's tools: `vector_search`, `recent_entries`, `date_range_search`.

They yield whole entries, not passages. An entry found twice is stored once: its id is the hash of
its date and title. Where a range has no entries, they say so and yield none.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import date

from pydantic import Field, model_validator

from manole.documents.journal import Entry
from manole.text.counted import counted
from manole.text.periods import Period, spelled
from manole.tools.base import Error, Inputs, Result, Tool, TurnState
from manole.tools.objects import FoundEntry

JOURNAL = "journal"  # the collection of a turn whose library has entries
VECTOR_SEARCH, RECENT_ENTRIES, DATE_RANGE_SEARCH = (
    "vector_search", "recent_entries", "date_range_search",
)  # fmt: skip
DONE = "DONE"
_POOL = 60  # passages that a search looks through: long entries have several of them
_SHOWN = 5  # entries named in a message, which a prompt repeats
MOST = 100  # entries of one search
_MOST_FILES = 2000  # paths in a filter, which is a list in a query; beyond, a range of days


class VectorInputs(Inputs):
    """The inputs of `vector_search`: what to look for, and how many entries at most."""

    query: str = Field(min_length=1, max_length=4000)
    n: int = Field(8, ge=1, le=MOST)


class RecentInputs(Inputs):
    """The inputs of `recent_entries`: how many of the newest."""

    n: int = Field(8, ge=1, le=MOST)


class RangeInputs(Inputs):
    """The inputs of `date_range_search`: first and last day, inclusive; a query to rank by."""

    start_date: date
    end_date: date
    query: str = Field("", max_length=4000)
    n: int = Field(8, ge=1, le=MOST)

    @model_validator(mode="after")
    def _in_order(self) -> RangeInputs:
        if self.start_date > self.end_date:
            raise ValueError("start_date lies behind end_date")
        return self


class _JournalTool:
    """The base of the three: they are available where the library has entries."""

    available_when = "the library holds a journal"

    def is_tool_available(self, state: TurnState) -> bool:
        """Return whether the library of the turn has entries."""
        return JOURNAL in state.collection_names


class VectorSearch(_JournalTool, Tool[VectorInputs]):
    """The tool that finds the entries nearest to a query."""

    name = VECTOR_SEARCH
    description = "journal entries about something"
    inputs = VectorInputs

    async def __call__(
        self, state: TurnState, inputs: VectorInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the entries, best first."""
        ranked = await nearest(state, inputs.query, await entries_in(state))
        if not ranked:
            yield Error(f"No entry speaks of “{inputs.query[:80]}”.")
            return
        yield _result(ranked[: inputs.n], VECTOR_SEARCH, f"about “{inputs.query[:60]}”")


class RecentEntries(_JournalTool, Tool[RecentInputs]):
    """The tool that finds the newest entries."""

    name = RECENT_ENTRIES
    description = "the newest journal entries"
    inputs = RecentInputs

    async def __call__(
        self, state: TurnState, inputs: RecentInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the entries, newest first."""
        known = [e for e in await entries_in(state) if e.date <= state.question.today]
        if not known:
            yield Error("There are no entries yet.")
            return
        newest = known[: -inputs.n - 1 : -1]
        yield _result([(e, None) for e in newest], RECENT_ENTRIES, "newest first")


class DateRangeSearch(_JournalTool, Tool[RangeInputs]):
    """The tool that finds the entries of a range of days."""

    name = DATE_RANGE_SEARCH
    description = "journal entries between two days, about something or all"
    inputs = RangeInputs

    async def __call__(
        self, state: TurnState, inputs: RangeInputs
    ) -> AsyncIterator[Result | Error]:
        """Yield the entries: those nearest to the query first, else by date."""
        period = Period("", inputs.start_date, inputs.end_date)
        inside = [e for e in await entries_in(state) if e.date in period]
        if not inside:
            yield Error(f"No entry is dated {spelled(period)}.")
            return
        ranked: Sequence[tuple[Entry, float | None]] = [(e, None) for e in inside]
        if inputs.query:
            ranked = await nearest(state, inputs.query, inside) or ranked
        yield _result(ranked[: inputs.n], DATE_RANGE_SEARCH, f"dated {spelled(period)}")


async def entries_in(state: TurnState) -> list[Entry]:
    """Return the entries within the turn's scope, oldest first."""
    entries = await state.library.entries()
    return [e for e in entries if state.scope.holds(e.file, e.date)] if state.scope else entries


async def nearest(
    state: TurnState, query: str, entries: Sequence[Entry]
) -> list[tuple[Entry, float | None]]:
    """Return those of `entries` that the hybrid search finds for `query`, best first, scored."""
    days = [e.date for e in entries]
    if not days:
        return []
    files = tuple(dict.fromkeys(e.file for e in entries))
    by_file: dict[str, list[Entry]] = {}
    for entry in entries:
        by_file.setdefault(entry.file, []).append(entry)
    filters = state.scope.filters(paths=files)
    if len(files) > _MOST_FILES:
        filters = state.scope.filters(start=min(days), end=max(days))
    hits = await state.library.search(query, limit=_POOL, filters=filters)
    best: dict[str, tuple[Entry, float | None]] = {}
    for hit in hits:
        passage = hit.passage
        for entry in by_file.get(passage.path, ()):
            if entry.line <= passage.line_end and passage.line_start <= entry.line_end:
                best.setdefault(entry.id, (entry, hit.score))
    return list(best.values())


def _result(ranked: Iterable[tuple[Entry, float | None]], tool: str, which: str) -> Result:
    entries = [FoundEntry.of(entry, score, tool) for entry, score in ranked]
    named = [entry.to_llm_context() for entry in entries[:_SHOWN]]
    return Result(
        objects=entries,
        metadata={"tool": tool.upper(), "entries": len(entries)},
        name="entries",
        payload_type="entries",
        llm_message=f"{counted(len(entries), 'entry')} {which}:\n" + "\n".join(named),
    )
