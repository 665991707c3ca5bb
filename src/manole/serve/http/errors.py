"""Errors as answers: each has a status and one JSON body, `{"error": {message, hint, code}}`.

`code` is for programs: a name of the error that does not change. Unexpected errors are left to
`Guard`, which logs them and gives the client no details.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException

from manole.errors import (
    BusyError,
    ConversationError,
    ExtractionError,
    LibraryError,
    ManoleError,
    ModelError,
    NotIndexedError,
    UnknownConversationError,
    UsageError,
    WeightsError,
    WouldDropError,
)
from manole.serve.opening import NoDesktopError, NotOpenedError
from manole.serve.security import problem


class NotFoundError(UsageError):
    """The path names something that does not exist."""


@contextmanager
def not_found() -> Iterator[None]:
    """Turn a `UsageError` about what a path names into `NotFoundError`."""
    try:
        yield
    except UsageError as error:
        raise NotFoundError(error.message, error.hint) from None


class TokenNeededError(UsageError):
    """The given token is wrong."""


class NotAllowedError(UsageError):
    """The file is given to nobody, or the server's user may not read it."""


class StillUsedError(UsageError):
    """The model is in use, so it cannot be removed."""


class NotHereError(UsageError):
    """Only a person at this machine may ask for this."""


_BY_TYPE: tuple[tuple[type[ManoleError], int, str], ...] = (  # the first that fits
    (BusyError, 503, "busy"),
    (UnknownConversationError, 404, "conversation_not_found"),
    (ConversationError, 503, "conversations_not_available"),
    (NotIndexedError, 409, "not_indexed"),
    (WouldDropError, 409, "would_drop"),
    (LibraryError, 409, "library_not_usable"),
    (ExtractionError, 422, "not_readable"),
    (ModelError, 503, "model_not_available"),
    (WeightsError, 503, "weights_not_available"),
    (NotFoundError, 404, "not_found"),
    (TokenNeededError, 401, "token_needed"),
    (NotHereError, 403, "not_here"),
    (NotAllowedError, 403, "no_permission"),
    (NotOpenedError, 403, "not_opened"),
    (NoDesktopError, 409, "no_desktop"),
    (StillUsedError, 409, "still_used"),
    (UsageError, 400, "bad_request"),
    (ManoleError, 500, "failed"),
)


class GoneError(Exception):
    """The client left before its answer was ready, so nobody reads the answer."""


def install(app: FastAPI) -> None:
    """Give every error of the application its status and body."""
    app.add_exception_handler(ManoleError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(GoneError, _gone)


def described(error: ManoleError) -> tuple[int, str]:
    """Return the status and the code of an error."""
    return next((status, code) for kind, status, code in _BY_TYPE if isinstance(error, kind))


async def _ours(_: Request, error: Exception) -> Response:
    assert isinstance(error, ManoleError)
    status, code = described(error)
    headers = {}
    if isinstance(error, BusyError):
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    hint = None if error.hint is None else _plain(error.hint)
    return JSONResponse(problem(_plain(error.message), hint, code), status, headers)


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = error.errors()
    if any(fault["type"] == "json_invalid" for fault in faults):
        return JSONResponse(problem("The body is not valid JSON.", None, "bad_request"), 400)
    wrong = (f"{_place(fault['loc'])}: {fault['msg']}." for fault in faults[:5])
    message = _plain(" ".join(wrong))
    return JSONResponse(
        problem(
            message,
            "/openapi.json describes the fields; send JSON, with its Content-Type.",
            "invalid",
        ),
        422,
    )


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == HTTPStatus.NOT_FOUND and _is_visit(request):
        return RedirectResponse("/")  # a person who typed an address
    phrase = HTTPStatus(error.status_code).phrase
    code = phrase.lower().replace(" ", "_")
    body = problem(f"{phrase}.", "/openapi.json lists what there is.", code)
    return JSONResponse(body, error.status_code, dict(error.headers or {}))


def _is_visit(request: Request) -> bool:
    """Whether a person opens an address in a browser, rather than a program asking for data."""
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)


def _place(location: tuple[Any, ...]) -> str:
    return ".".join(str(part) for part in location[1:]) or str(location[0])


def _plain(text: str) -> str:
    """Replace lone surrogates, which names of fields, files and folders may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
