"""Additions to `/openapi.json`: the errors that each operation may answer with.

The framework describes an error with the media type of the route's answer, but our errors are
always JSON. So routes name only the statuses (`responses`), and `completed` adds the rest.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

TEXTS = {
    400: "The request makes no sense",
    401: "The token is missing or wrong",
    403: "Another site's page, a name that is not this server's, or not for who asks",
    404: "It is not there",
    408: "The request's body did not arrive",
    409: "The library cannot be used now: not indexed yet, or busy; or there is no desktop",
    413: "The request is too large",
    416: "The file has no such range",
    422: "A field is missing or out of range, or the file cannot be read",
    429: "Too many requests",
    500: "Something failed inside",
    503: "Too many questions wait, or the model is not available",
}
EVERYWHERE = (400, 401, 403, 413, 422, 429, 500)
_RETRY = {"description": "seconds to wait", "schema": {"type": "integer", "minimum": 1}}


class ErrorDetail(BaseModel):
    """The error in words, the next step, and a code for programs."""

    message: str = Field(examples=["There is no library called letters."])
    hint: str | None = Field(examples=["There are: household-1f3a9c04."])
    code: str = Field(examples=["not_found"])


class Problem(BaseModel):
    """The body of every error."""

    error: ErrorDetail


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of an operation's errors; those of `EVERYWHERE` need no naming."""
    return {status: {"description": TEXTS[status]} for status in statuses}


def completed(schema: dict[str, Any]) -> dict[str, Any]:
    """Add the body of every error to the description, and when to try again."""
    schemas = schema["components"]["schemas"]
    whole = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(whole.pop("$defs"))
    schemas["Problem"] = whole
    for path in schema["paths"].values():
        for operation in path.values():
            _complete(operation)
    return schema


def _complete(operation: dict[str, Any]) -> None:
    found = operation["responses"]
    for body in found.values():
        for content in body.get("content", {}).values():
            if "$ref" in content.get("schema", {}):
                content["schema"].pop("type", None)  # describes the response as a whole, not a line
    named = {int(status) for status in found if int(status) >= 400}
    if "requestBody" in operation:
        named.add(408)
    for status in sorted(named.union(EVERYWHERE)):
        found[str(status)] = _error(status)


def _error(status: int) -> dict[str, Any]:
    reference = {"$ref": "#/components/schemas/Problem"}
    content = {"application/json": {"schema": reference}}
    if status == 416:  # the framework's own answer
        content = {"text/plain": {"schema": {"type": "string"}}}
    error: dict[str, Any] = {"description": TEXTS[status], "content": content}
    if status in (429, 503):
        error["headers"] = {"Retry-After": _RETRY}
    return error
