"""The map of a library's files, kept small, because it may hold 10,000 of them."""

from __future__ import annotations

import asyncio
import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from manole.serve.base import Sent, Spoken
from manole.serve.http.depends import IndexedDep
from manole.serve.http.description import responses

if TYPE_CHECKING:
    from manole.index.graph import Graph

Relation = Literal["similarity", "reference", "structure"]
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
    edges: list[tuple[int, int, Relation, float, Spoken]] = Field(
        description="two places in `nodes`, the relation, its weight (0 to 1), what both share",
        examples=[[[0, 4, "reference", 0.8, "account DE89370400440532013000"]]],
    )


@router.get("/{name}/graph", summary="The map of files", response_model=GraphMap)
async def file_graph(
    opened: IndexedDep,
    threshold: Annotated[
        float, Query(ge=0, le=1, description="how alike two files must be to be joined by that")
    ] = 0.6,  # as `index.graph.model.THRESHOLD`, whose package is slow to import
) -> Response:
    """Return which files are alike, name the same things, or lie in the same folder."""
    graph = await opened.graph(threshold)
    return Response(await asyncio.to_thread(_json, graph), media_type="application/json")


def _json(graph: Graph) -> bytes:
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    nodes = [GraphNode.model_validate(node) for node in graph.nodes]
    edges = [(at[e.source], at[e.target], e.relation, e.weight, e.why) for e in graph.edges]
    return GraphMap(nodes=nodes, edges=edges).model_dump_json().encode()
