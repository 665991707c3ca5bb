"""The page itself, and the cookie with which it may ask where a token is demanded."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from manole.serve.base import Asked
from manole.serve.http.depends import ServiceDep
from manole.serve.http.errors import NotFoundError, TokenNeededError
from manole.serve.http.page import POLICY, Asset, WebPage
from manole.serve.security import COOKIE, cookie_of, fits

router = APIRouter(tags=["page"])
_READ: dict[str, Any] = {"methods": ["GET", "HEAD"], "include_in_schema": False}
_FOR_GOOD = "public, max-age=31536000, immutable"  # a file that changes gets another name
_A_DAY = "public, max-age=86400"


class NewSession(Asked):
    """The server's token."""

    token: str = Field(max_length=4096, repr=False)


@router.api_route("/", **_READ)
async def index(request: Request) -> Response:
    """Return the page that a browser opens."""
    return _answer(request, _page(request).index, {"Content-Security-Policy": POLICY})


@router.api_route("/assets/{file}", **_READ)
async def asset(request: Request, file: str) -> Response:
    """Return a script, a style or a font of the page."""
    return _answer(request, _page(request).assets.get(file), {"Cache-Control": _FOR_GOOD})


@router.api_route("/favicon.svg", **_READ)
async def icon(request: Request) -> Response:
    """Return the page's icon."""
    return _answer(request, _page(request).icon, {"Cache-Control": _A_DAY})


@router.post("/session", summary="Let this browser in", status_code=204)
async def open_session(given: NewSession, service: ServiceDep, response: Response) -> None:
    """Turn the server's token into a cookie that no script can read and no other site can use.

    Where no token is demanded, none is needed.
    """
    token = service.settings.serve.token
    if token is None:
        return
    if not fits(given.token, token):
        raise TokenNeededError("This is not the server's token.", "Copy it from where you set it.")
    response.set_cookie(COOKIE, cookie_of(token), path="/", httponly=True, samesite="strict")


@router.delete("/session", summary="Let this browser in no longer", status_code=204)
async def close_session(response: Response) -> None:
    """Delete the cookie."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


def _page(request: Request) -> WebPage:
    page: WebPage = request.app.state.page
    return page


def _answer(request: Request, asset: Asset | None, headers: dict[str, str]) -> Response:
    if asset is None:
        raise NotFoundError("The page has no such file.", "Open the page again: /.")
    headers = {**headers, "Vary": "Accept-Encoding"}
    takes = request.headers.get("accept-encoding", "")
    if re.search(r"\bgzip\b(?!\s*;\s*q=0(?![.\d]))", takes) and (packed := asset.packed):
        headers["Content-Encoding"] = "gzip"
        return Response(packed, media_type=asset.media_type, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)
