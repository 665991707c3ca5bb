"""The map of a library's files, and the files that are like one of them.

The map is kept small, because it may hold 10,000 files.
"""

from __future__ import annotations

import asyncio
import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from manole.serve.http.base import Sent, Spoken
from manole.serve.http.depends import IndexedDep, unknown_file
from manole.serve.http.description import responses

if TYPE_CHECKING:
    from manole.index.graph import FileMap, Graph
    from manole.serve.open_library import OpenLibrary

router = APIRouter(prefix="/libraries", tags=["files"], responses=responses(404, 409))


class GraphNode(Sent):
    """A file, or a folder."""

    id: str = Field(description="its path; folders end in `/`", examples=["letters/bank.pdf"])
    kind: Literal["file", "folder"]
    format: str | None = Field(None, examples=["pdf"])
    size: int | None = Field(None, description="bytes")
    date: datetime.date | None = Field(None, description="the document's own")
    title: str | None = None


class GraphMap(Sent):
    """Files and folders, and what joins them."""

    nodes: list[GraphNode] = Field(description="in the order of their paths")
    edges: list[tuple[int, int, Literal["similarity", "reference", "structure"], float, Spoken]] = (
        Field(
            description="two places in `nodes`, the relation, its weight (0 to 1), what both share",
            examples=[[[0, 4, "reference", 0.8, "account DE89370400440532013000"]]],
        )
    )
    computed: datetime.datetime


class SimilarFile(Sent):
    """A file that is like another one."""

    file: str = Field(examples=["letters/bank-2023.pdf"])
    similarity: float = Field(description="cosine of the files' mean vectors")
    why: Spoken = Field(description="things and words that both say; may be empty")


class SimilarFiles(Sent):
    """The files most like one, the best first; none for a file without text."""

    results: list[SimilarFile]


@router.get("/{name}/graph", summary="The map of files", response_model=GraphMap)
async def file_graph(
    opened: IndexedDep,
    request: Request,
    threshold: Annotated[
        float, Query(ge=0, le=1, description="how alike two files must be to be joined by that")
    ] = 0.6,  # as `index.graph.model.THRESHOLD`, whose package is slow to import
) -> Response:
    """Return which files are alike, name the same things, or lie in the same folder.

    The map is computed at the first request and kept; after a sync only changed files are read.
    """
    store, files = await opened.library.reader(), await opened.library.files()
    graph = await _map_of(request, opened).graph(store, files, threshold)
    return Response(await asyncio.to_thread(_json, graph), media_type="application/json")


@router.get("/{name}/similar", summary="Files like this one")
async def similar_files(
    opened: IndexedDep,
    request: Request,
    path: Annotated[str, Query(max_length=1000, description="a file, as GET .../files names it")],
    limit: Annotated[int, Query(ge=1, le=100, description="results at most")] = 10,
) -> SimilarFiles:
    """Return the files whose text is most like a file's text, and what they share with it."""
    store, files = await opened.library.reader(), await opened.library.files()
    if not any(file.path == path for file in files):
        raise unknown_file(opened, path)
    found = await _map_of(request, opened).similar(store, files, path, limit)
    results = [SimilarFile(file=f.path, similarity=f.similarity, why=f.why) for f in found]
    return SimilarFiles(results=results)


def _map_of(request: Request, opened: OpenLibrary) -> FileMap:
    """Return the map of a library, the same at every request."""
    from manole.index.graph import FileMap  # loads modules that only these routes need

    maps: dict[str, FileMap] = request.app.state.maps
    return maps.setdefault(opened.name, FileMap(opened.library.path))


def _json(graph: Graph) -> bytes:
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    whole = GraphMap(
        nodes=[GraphNode.model_validate(node) for node in graph.nodes],
        edges=[
            (at[edge.source], at[edge.target], edge.relation, edge.weight, edge.why)
            for edge in graph.edges
        ],
        computed=graph.computed,
    )
    return whole.model_dump_json().encode()
