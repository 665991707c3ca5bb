"""The page that a browser opens: its files, read into memory when the application is made.

`npm run build` leaves them in `web/` here. They are looked up by name: no path is ever made from a
request.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WEB = Path(__file__).parent / "web"
INDEX, ICON = "index.html", "favicon.svg"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self'; connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
_PACKED = frozenset({"font/woff2"})
_NOT_BUILT = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Manole</title>
<h1>Manole</h1>
<p>The page was not built. <code>make web</code> in Manole's source folder builds it; start the
server again then. An installed Manole has it.</p>
<p>Programs are answered all the same: <a href="/openapi.json">/openapi.json</a> says what they
can ask.</p>
</html>
"""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page, and its media type."""

    content: bytes
    media_type: str

    @property
    def packed(self) -> bytes | None:
        """The content as gzip; `None` where that is no smaller, as for fonts, which are packed."""
        return _packed(self.content) if self.media_type not in _PACKED else None


@dataclass(frozen=True, slots=True)
class WebPage:
    """The whole page. `icon` is `None` where it was not built."""

    index: Asset
    icon: Asset | None
    assets: dict[str, Asset]


@cache
def _packed(content: bytes) -> bytes | None:
    packed = gzip.compress(content, 9, mtime=0)
    return packed if len(packed) < len(content) else None


def read_page(folder: Path = WEB) -> WebPage:
    """Read the page in `folder`; without one, return a page that says how to build it."""
    html = folder / INDEX
    built = html.read_bytes() if html.is_file() else _NOT_BUILT
    return WebPage(
        index=Asset(built, "text/html; charset=utf-8"),
        icon=_assets(folder).get(ICON),
        assets=_assets(folder / "assets"),
    )


def _assets(folder: Path) -> dict[str, Asset]:
    """Read the plain files in a folder whose type a page may need."""
    if not folder.is_dir():
        return {}
    return {
        path.name: Asset(path.read_bytes(), _TYPES[path.suffix])
        for path in sorted(folder.iterdir())
        if path.suffix in _TYPES and path.is_file() and not path.is_symlink()
    }
