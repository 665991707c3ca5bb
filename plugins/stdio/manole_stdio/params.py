"""The parameters of each method. Types are strict and unknown names are refused."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from manole.agent.due import MOST as MOST_DAYS
from manole.agent.due import USUAL
from manole.index.search.scope import MOST
from manole.serve.base import HistoryMessage
from manole.settings import Strategy

_Id = Annotated[str, Field(min_length=1, max_length=200)]
_Place = Annotated[str, Field(max_length=4096)]
_Title = Annotated[str, Field(min_length=1, max_length=500)]


class Params(BaseModel):
    """The base of all params; by itself, for methods that take nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Query(Params):
    """A question; `history`, oldest first, is for clients that keep no conversation."""

    text: str
    conversation: _Id | None = None
    scope: _Place | Annotated[tuple[_Place, ...], Field(max_length=MOST, strict=False)] = ()
    since: Annotated[date, Field(strict=False)] | None = None
    until: Annotated[date, Field(strict=False)] | None = None
    max_iterations: Annotated[int, Field(ge=1, le=20)] | None = None
    history: Annotated[tuple[HistoryMessage, ...], Field(max_length=100, strict=False)] = ()
    today: Annotated[date, Field(strict=False)] | None = None
    strategy: Strategy | None = None


class Search(Params):
    """Words to look for."""

    text: Annotated[str, Field(max_length=10_000)]
    limit: Annotated[int, Field(ge=1, le=200)] = 10


class Index(Params):
    """A sync; `force` reads every file anew, `yes` drops files even if most of them are gone."""

    force: bool = False
    yes: bool = False


class Files(Params):
    """A part of the list of files; `limit` `None` is all that follow `offset`."""

    limit: Annotated[int, Field(ge=1)] | None = None
    offset: Annotated[int, Field(ge=0)] = 0


class Graph(Params):
    """The map of files, with the similarities from `threshold` on."""

    threshold: Annotated[float, Field(ge=0.0, le=1.0)] = 0.6  # as `index.graph.model.THRESHOLD`


class Due(Params):
    """What is due within so many days from `today`."""

    days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = USUAL
    today: Annotated[date, Field(strict=False)] | None = None


class Cancel(Params):
    """The request to be cancelled."""

    id: int


class List(Params):
    """A part of the list of conversations, newest first."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    offset: Annotated[int, Field(ge=0, le=2**31)] = 0
    containing: Annotated[str, Field(max_length=1000)] | None = None


class Create(Params):
    """A new conversation; without a title it gets one from its first question."""

    title: _Title | None = None


class One(Params):
    """A conversation."""

    id: _Id


class Rename(Params):
    """A conversation and its new title."""

    id: _Id
    title: _Title


class Export(Params):
    """A conversation as text."""

    id: _Id
    format: Literal["markdown", "json"] = "markdown"
