"""`query`: the plan of a question, run over the catalog."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from pydantic import Field as Input

from manole.agent.coverage.store import Papers
from manole.agent.plan.check import Checked, PlanError, TextsNeededError, check, parse
from manole.agent.plan.say import say
from manole.agent.routed import RoutedTool
from manole.catalog.catalog import Catalog, CatalogError
from manole.catalog.sandbox import Value
from manole.index.store import FileRecord
from manole.library import Library
from manole.tools.base import Inputs, Progress, Result
from manole.tools.environment import TurnState
from manole.tools.journal import entries_in

QUERY = "query"


class QueryInputs(Inputs):
    """A query over the catalog, in SQL."""

    sql: str = Input(min_length=1, max_length=4000)


class QueryCatalog(RoutedTool[QueryInputs]):
    """Counts, lists, adds and compares what the catalog knows of files."""

    name = QUERY
    description = "count, list, add, compare files, papers and diary entries with SQL"
    available_when = "a plan is a query"
    inputs = QueryInputs

    async def __call__(
        self, state: TurnState, inputs: QueryInputs
    ) -> AsyncIterator[Result | Progress]:
        """Yield the answer, or nothing where the query gives none."""
        try:
            catalog, plan = await checked(state, inputs.sql)
            names, rows, behind = await asyncio.to_thread(_run, catalog, plan)
            if not behind and (wider := plan.wider()) is not None:
                plan = wider
                names, rows, behind = await asyncio.to_thread(_run, catalog, plan)
        except (PlanError, CatalogError) as error:
            yield Progress(f"{error}. Reading instead.")
            return
        answer = say(plan, names, rows, behind)
        nothing = plan.empty and not behind
        if not answer.text or nothing:
            return
        yield Result(
            objects=answer.objects or [{"id": f"query:{plan.sql}", "kind": "figure"}],
            metadata={"sql": plan.sql, "rows": len(rows)},
            name="rows",
            payload_type="rows",
            llm_message=answer.text.replace("{", "(").replace("}", ")"),
            answers=True,
            confidence="medium" if rows else "low",
        )


_Rows = list[tuple[Value, ...]]


def _run(catalog: Catalog, plan: Checked) -> tuple[list[str], _Rows, _Rows]:
    """A plan's columns and rows, and where the rows stand that they come from."""
    names, rows = catalog.run(plan.sql)
    try:
        sql = plan.behind()
        return names, rows, catalog.run(sql)[1] if sql else []
    except CatalogError:
        return names, rows, []


# Of each open library, by scope, with the list of files that they were made of.
_Made = dict[str | None, tuple[Sequence[FileRecord], Catalog]]
_catalogs: WeakKeyDictionary[Library, _Made] = WeakKeyDictionary()
_SCOPES = 8  # of a library, at hand


async def catalog_of(state: TurnState) -> Catalog:
    """The library's catalog, with its files."""
    library, every = state.library, await state.library.files()
    made = _catalogs.setdefault(library, {})
    known = made.get(state.scope)
    if known is None or known[0] is not every:
        catalog = Catalog(await state.files())
        await asyncio.to_thread(catalog.fill_files)
        await asyncio.to_thread(catalog.fill_folders, _folders(library, state.scope))
        known = made[state.scope] = (every, catalog)
        for scope in list(made)[:-_SCOPES]:
            del made[scope]
    return known[1]


async def filled(state: TurnState, relations: Collection[str]) -> Catalog:
    """The library's catalog with these relations."""
    catalog = await catalog_of(state)
    if "papers" in relations and "papers" not in catalog.filled:
        papers = await Papers(state.library).read([f for f in catalog.files if f.passages])
        await asyncio.to_thread(catalog.fill_papers, [(p.file, p.fields) for p in papers])
    if "entries" in relations and "entries" not in catalog.filled:
        await asyncio.to_thread(catalog.fill_entries, await entries_in(state))
    return catalog


async def checked(state: TurnState, sql: str, *, insists: bool = True) -> tuple[Catalog, Checked]:
    """A query for the turn's question, checked, and the catalog with what it asks for.

    Raises `PlanError`.
    """
    query = parse(sql)
    catalog = await filled(state, query.relations)
    before = " ".join(m.content for m in state.history if m.role == "user")
    asked = (query, catalog, state.question, state.today, before, insists)
    try:
        return catalog, await asyncio.to_thread(check, *asked)
    except TextsNeededError:
        texts = await _texts(state.library, catalog.files)
        await asyncio.to_thread(catalog.fill_texts, texts)
        return catalog, await asyncio.to_thread(check, *asked)


def _folders(library: Library, scope: str | None) -> Iterator[str]:
    """The folders on disk, but for hidden ones; of several roots none, as they share names."""
    if len(library.roots) > 1:
        return
    (root,) = library.roots
    for folder, below, _ in os.walk(root / (scope or "")):
        below[:] = [name for name in below if not name.startswith(".")]
        for name in below:
            yield Path(folder, name).relative_to(root).as_posix()


async def _texts(library: Library, files: Sequence[FileRecord]) -> dict[str, list[str]]:
    found = {}
    for file in files:
        if file.passages:
            found[file.path] = [p.text for p in await library.passages(file)]
    return found
