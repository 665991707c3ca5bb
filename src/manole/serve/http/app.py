"""The application: routes over one `Service`, errors of one shape, `Guard` before everything."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from fastapi.security import APIKeyCookie, HTTPBearer

from manole import __version__
from manole.serve.connections import USUAL, Limits
from manole.serve.http import description, errors
from manole.serve.http.page import WEB, read_page
from manole.serve.http.pictures import Pictures
from manole.serve.http.routes import (
    about,
    ask,
    conversations,
    due,
    files,
    folders,
    graph,
    health,
    libraries,
    lines,
    openai,
    page,
    preferences,
    search,
    timeline,
    turns,
    view,
    weights,
)
from manole.serve.security import COOKIE, Guard, check_exposure
from manole.serve.server import serve_app
from manole.serve.service import Service

_TAGS = [
    {"name": "ask", "description": "Questions and their answers, with sources."},
    {"name": "search", "description": "Passages, without a model."},
    {"name": "libraries", "description": "Folders with an index, and their syncs."},
    {"name": "files", "description": "The files behind the answers, for reading only."},
    {"name": "conversations", "description": "Turns that are kept, and what you think of them."},
    {"name": "models", "description": "Models, what they cost, and fetching them."},
    {"name": "settings", "description": "What may be set while the server runs."},
    {"name": "page", "description": "What lets the page in."},
    {"name": "health", "description": "Whether it runs, and how busy it is."},
]
_OPENAI = {"name": "openai", "description": "A library as a model, for chat programs."}


def create_app(service: Service, *, openai_api: bool = False, web: Path = WEB) -> FastAPI:
    """Make the application. `openai_api` adds `/v1/models` and `/v1/chat/completions`.

    The page that a browser opens is read from the folder `web`. The caller closes the service, and
    sets `app.state.closing` before the server stops, so that streams get their last lines. Raises
    `UsageError` where the settings would let other machines in without a token.
    """
    settings = service.settings.serve
    check_exposure(settings)
    app = FastAPI(
        title="Manole",
        version=__version__,
        summary="Answers from a person's own files, with sources.",
        openapi_tags=[*_TAGS, _OPENAI] if openai_api else _TAGS,
        docs_url=None,  # such pages load scripts from other servers
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # nothing is reported
        dependencies=_declared(settings.token is not None),
    )
    app.state.service = service
    app.state.closing = asyncio.Event()
    app.state.pictures = Pictures(service.settings.cache_dir / "thumbnails")
    app.state.page = read_page(web)
    for topic in (ask, search, about, lines, libraries, files, view, timeline, due):
        app.include_router(topic.router)
    for topic in (conversations, page):
        app.include_router(topic.router)
    app.include_router(health.router)
    app.include_router(conversations.everywhere)
    for topic in (turns, graph, folders, weights, preferences):
        app.include_router(topic.router)
    if openai_api:
        app.include_router(openai.router)
    errors.install(app)
    app.add_middleware(Guard, settings=settings, page=True)
    described = app.openapi
    app.openapi = lambda: app.openapi_schema or description.completed(described())  # type: ignore[method-assign]
    return app


async def serve(
    app: FastAPI,
    sock: socket.socket,
    started: Callable[[uvicorn.Server], None] | None = None,
    limits: Limits = USUAL,
) -> None:
    """Serve `create_app`'s application as `serve_app` does; end the process that draws pages."""
    try:
        await serve_app(app, sock, started=started, closing=app.state.closing, limits=limits)
    finally:
        await app.state.pictures.close()


def _declared(token: bool) -> list[Any]:
    """Describe the token in `/openapi.json`; `Guard` is what checks it."""
    bearer = HTTPBearer(auto_error=False, description="the server's token")
    cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="what POST /session gives")
    return [Depends(bearer), Depends(cookie)] if token else []


def _operation_id(route: APIRoute) -> str:
    return route.name
