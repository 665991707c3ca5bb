"""The lines of the protocol: the forms of a request, an event, an answer and an error.

Three forms, each one line of JSON (NDJSON)::

    {"id": 1, "method": "query", "params": {"text": "..."}}      a request
    {"id": null, "type": "token", "data": {"text": "..."}}       an event
    {"id": 1, "type": "result", "data": {...}}                   an answer; or of type "error"

Nothing here reads or writes: bytes become typed values, and the other way round. A line that is no
request becomes a `RequestError`, with the id if the line had one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from manole.errors import (
    BusyError,
    ConversationError,
    IndexBusyError,
    IndexVersionError,
    LibraryError,
    ManoleError,
    ModelError,
    ModelUnavailableError,
    NotIndexedError,
    StoreError,
    UsageError,
    WeightsError,
    WouldDropError,
)

VERSION = 1  # raised when a message changes its meaning
MAX_LINE = 2**20  # bytes of a request; set by hand
MAX_ID = 2**53 - 1  # the largest whole number that every JSON reader keeps as it is
SHOWN = 80  # characters of a name of the other side in a message; set by hand
EXAMPLE = '{"id": 1, "method": "status", "params": {}}'

# The first class that fits gives the code.
_CODES: tuple[tuple[type[ManoleError], str], ...] = (
    (BusyError, "busy"),
    (NotIndexedError, "not_indexed"),
    (IndexVersionError, "index_version"),
    (IndexBusyError, "index_busy"),
    (WouldDropError, "would_drop"),
    (LibraryError, "library"),
    (ConversationError, "conversation"),
    (ModelUnavailableError, "model_unavailable"),
    (ModelError, "model"),
    (WeightsError, "weights"),
    (StoreError, "store"),
    (UsageError, "usage"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `params` are not checked yet."""

    id: int
    method: str
    params: dict[str, Any]


class RequestError(ManoleError):
    """A request is not carried out. `id` is that of the answer, `None` where it is unknown."""

    def __init__(
        self, code: str, message: str, hint: str | None = None, *, id: int | None = None
    ) -> None:
        super().__init__(message, hint)
        self.code = code
        self.id = id


def parse(line: bytes | None) -> Request:
    """Read the request in a line; `None` is a line that was too long. Raises `RequestError`."""
    if line is None:
        raise _malformed(f"The line has more than {MAX_LINE:,} bytes.")
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError as error:  # no JSON, no UTF-8, not a number, nested too deeply
        raise _malformed(f"The line is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise _malformed("The line is not a JSON object.")
    number = value.pop("id", None)
    if type(number) is not int or abs(number) > MAX_ID:  # a bool is an int, but no id
        raise _malformed("The request has no `id`, or one that is not a whole number.")
    method, params = value.pop("method", None), value.pop("params", None)
    if not isinstance(method, str):
        raise _malformed("The request has no `method`, or one that is not text.", number)
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise _malformed("`params` is not an object.", number)
    if value:
        raise _malformed(f"A request has no {shortened(next(iter(value)))!r}.", number)
    return Request(number, method, params)


def answer(id: int, data: dict[str, Any]) -> bytes:
    """Return the line that answers a request."""
    return _line(id, "result", data)


def failure(id: int | None, error: ManoleError, **more: Any) -> bytes:
    """Return the line with the error of a request."""
    return _line(id, "error", error_data(error) | more)


def event(type: str, data: dict[str, Any]) -> bytes:
    """Return the line of an event."""
    return _line(None, type, data)


def error_data(error: ManoleError) -> dict[str, Any]:
    """Return an error as JSON: message, hint and code, and for `busy` when to ask again."""
    if isinstance(error, RequestError):
        code = error.code
    else:
        code = next((code for kind, code in _CODES if isinstance(error, kind)), "failed")
    data: dict[str, Any] = {"message": error.message, "hint": error.hint, "code": code}
    if isinstance(error, BusyError):
        data["retry_after"] = error.retry_after
    return data


def shortened(name: str) -> str:
    """Shorten a name from the other side, so that a message can repeat it."""
    return name if len(name) <= SHOWN else name[: SHOWN - 1] + "…"


def _malformed(message: str, id: int | None = None) -> RequestError:
    return RequestError("bad_request", message, f"Send one object a line: {EXAMPLE}", id=id)


def _line(id: int | None, type: str, data: dict[str, Any]) -> bytes:
    # ASCII only: no reader can mistake U+2028 for the end of a line, and bytes of a name that are
    # no characters stay what they are.
    text = json.dumps(
        {"id": id, "type": type, "data": data},
        allow_nan=False,
        separators=(",", ":"),
        default=str,
    )
    return text.encode("ascii") + b"\n"
