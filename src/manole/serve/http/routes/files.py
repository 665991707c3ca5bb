"""The files behind the answers, and pictures of their pages; only files that the index knows.

A file is its author's, not ours: a browser must not take it for a page of this server. So anything
but a plain picture, a PDF, sound or a video is offered for download only, its type is never
guessed, and the policy gives it no origin and no scripts.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from manole.documents.detect import Family, detect, extension
from manole.documents.opened import OpenFile
from manole.serve.http.depends import IndexedDep, known_file, opened_file
from manole.serve.http.description import responses
from manole.serve.http.errors import NotFoundError
from manole.serve.http.pictures import Pictures
from manole.serve.view.page import is_picture, page_count

router = APIRouter(prefix="/libraries", tags=["files"], responses=responses(404, 409))

SHOWN = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
}
PLAYED = {
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
    "m4b": "audio/mp4",
    "aac": "audio/aac",
    "ogg": "audio/ogg",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "flac": "audio/flac",
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "mov": "video/mp4",  # the same container; browsers refuse its own type
    "mkv": "video/x-matroska",
    "webm": "video/webm",
}
POLICY = "sandbox; default-src 'none'"

_BYTES: dict[str, Any] = {
    kind: {} for kind in ("application/octet-stream", *SHOWN.values(), *PLAYED.values())
}
_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"content": _BYTES, "description": "The file"},
    206: {"content": _BYTES, "description": "A range of it"},
}
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {}, "image/jpeg": {}}, "description": "The page, or the picture"}
}

FilePath = Annotated[
    str, Query(max_length=4096, description="a `file` of the list, as it stands there")
]


@router.get(
    "/{name}/files/content",
    summary="A file's bytes",
    response_class=FileResponse,
    responses=_CONTENT | responses(403, 416),
)
async def file_content(
    opened: IndexedDep,
    path: FilePath,
    download: Annotated[bool, Query(description="offer even a picture for download")] = False,
) -> FileResponse:
    """Return the file as it is now, or a range of it."""
    record, file = await opened_file(opened, path)
    kind = await asyncio.to_thread(_shown, file)
    return _OpenResponse(
        file,
        media_type=kind or "application/octet-stream",
        filename=record.path.rpartition("/")[2],
        content_disposition_type="inline" if kind and not download else "attachment",
        headers={"Content-Security-Policy": POLICY},
    )


@router.get(
    "/{name}/pages",
    summary="A picture of a PDF's page, or of a picture file",
    response_class=Response,
    responses=_PICTURE,
)
async def page_picture(
    opened: IndexedDep,
    request: Request,
    path: FilePath,
    page: Annotated[int, Query(ge=1, le=100_000, description="from 1")] = 1,
    width: Annotated[int, Query(ge=16, le=3000, description="pixels, at most")] = 800,
) -> Response:
    """Return a page as PNG, or a picture of any format as JPEG, upright, at most `width` each way.

    A process of its own draws them, within the limits of `extract`.
    """
    record, found = await known_file(opened, path)
    paged = record.format == "pdf"
    if not (paged or is_picture(record)) or page > max(page_count(record) if paged else 1, 1):
        raise NotFoundError(
            f"{path!r} has no page {page}.", "Only PDF files and pictures can be drawn."
        )
    pictures: Pictures = request.app.state.pictures
    digest = record.content_hash
    if paged:
        drawn, kind = await pictures.page(found, page, width, digest), "image/png"
    else:
        drawn, kind = await pictures.photo(found, width, digest), "image/jpeg"
    return Response(drawn, media_type=kind, headers={"Cache-Control": "private, max-age=600"})


class _OpenResponse(FileResponse):
    """A response with a file that is open already, and is closed at the end."""

    def __init__(self, file: OpenFile, **options: Any) -> None:
        super().__init__(file.path, stat_result=file.info, **options)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._file:
            await super().__call__(scope, receive, send)


def _shown(file: OpenFile) -> str | None:
    """Return the media type of a file that a browser may show, by its first bytes, or `None`."""
    try:
        kind = detect(file.name, file.file)
        if kind.family is Family.SPOKEN:
            return PLAYED.get(extension(file.name))
        return SHOWN.get(kind.format)
    except OSError:
        return None
