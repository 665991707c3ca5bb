"""The files as resources: listed a page at a time, read as the text that the index has of them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from mcp import types
from mcp.shared.exceptions import McpError
from pydantic import AnyUrl

from manole.errors import ManoleError, UsageError
from manole.index.store.records import FileRecord
from manole.library import Library
from manole_mcp.reading import chosen, file_in_index, pages_of, portion
from manole_mcp.replies import plain
from manole_mcp.uris import TEMPLATE, Place, parse

PAGE = 100  # resources of one answer; set by hand
LIMIT = 100_000  # characters of one answer; set by hand, about 30 pages
NOT_FOUND = -32002
MIME = "text/plain"
_BEFORE = 10  # lines shown above the one that an address names; set by hand


async def listed(library: Library, cursor: str | None) -> types.ListResourcesResult:
    """List the files that have text, by path. Raises `McpError` for a cursor that is not ours."""
    after = _decoded(cursor) if cursor else ""
    paths = {file.path: file for file in await library.files() if file.passages}
    rest = sorted(path for path in paths if path > after)
    more = _encoded(rest[PAGE - 1]) if len(rest) > PAGE else None
    return types.ListResourcesResult(
        resources=[_resource(paths[path]) for path in rest[:PAGE]], nextCursor=more
    )


def templates() -> types.ListResourceTemplatesResult:
    """Return the template of addresses."""
    template = types.ResourceTemplate(
        name="file",
        title="A file, a page or a line of it",
        uriTemplate=TEMPLATE,
        mimeType=MIME,
        description="The text of a file of the library; `page` and `line` as tools cite them, "
        "`offset` to read on.",
    )
    return types.ListResourceTemplatesResult(resourceTemplates=[template])


async def contents(library: Library, uri: str) -> types.ReadResourceResult:
    """Return the text at an address. Raises `McpError`."""
    try:
        place = parse(uri)
        file = await file_in_index(library, place.path)
        text, rest = await _text(library, file, place)
    except UsageError as error:
        data = {"uri": plain(uri), "hint": plain(error.hint)}
        raise McpError(
            types.ErrorData(code=NOT_FOUND, message=plain(str(error)), data=data)
        ) from None
    except ManoleError as error:
        raise McpError(
            types.ErrorData(code=types.INTERNAL_ERROR, message=plain(str(error)))
        ) from None
    if rest is not None:
        text += f"\n\n[The text goes on at {rest.uri}]"
    body = types.TextResourceContents(uri=AnyUrl(uri), mimeType=MIME, text=plain(text))
    return types.ReadResourceResult(contents=[body])


def links(places: Iterable[Place], most: int) -> list[types.ContentBlock]:
    """Return places as links of a tool's result, each once."""
    return [
        types.ResourceLink(
            type="resource_link",
            uri=AnyUrl(place.uri),
            name=plain(place.path.rsplit("/", 1)[-1]),
            title=plain(place.words),
            mimeType=MIME,
        )
        for place in list(dict.fromkeys(places))[:most]
    ]


async def _text(library: Library, file: FileRecord, place: Place) -> tuple[str, Place | None]:
    """Return the text at a place, and the place where it goes on."""
    pages = await pages_of(library, file)
    which = str(place.page or "")
    whole = not which and pages[0].number is not None  # lines are counted on each page anew
    lines = f"{max(1, place.line - _BEFORE)}-" if place.line and not whole else ""
    found = portion(chosen(file.path, pages, which, lines), place.offset, LIMIT)
    if found.next_offset is None:
        return found.text, None
    return found.text, Place(file.path, place.page, place.line, found.next_offset)


def _resource(file: FileRecord) -> types.Resource:
    title = plain(file.title) if file.title else None
    return types.Resource(
        uri=AnyUrl(Place(file.path).uri),
        name=plain(file.path),
        title=title,
        mimeType=MIME,
        description=f"text of a {file.format} file" if file.format else None,
    )


def _encoded(path: str) -> str:
    return base64.urlsafe_b64encode(path.encode("utf-8", "surrogatepass")).decode("ascii")


def _decoded(cursor: str) -> str:
    try:
        return base64.b64decode(cursor, altchars=b"-_", validate=True).decode(
            "utf-8", "surrogatepass"
        )
    except (binascii.Error, ValueError):
        raise McpError(
            types.ErrorData(code=types.INVALID_PARAMS, message="That cursor is none of ours.")
        ) from None
