"""The map of files as the HTTP interface gives it: small, since it may hold 10,000 files."""

from __future__ import annotations

import datetime
from typing import Literal

from pydantic import Field

from manole.serve.http.base import Sent
from manole.serve.http.spoken import Spoken


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
