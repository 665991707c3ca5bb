"""Addresses of cited places: `manole://library/PATH?page=2`, percent-encoded.

The path is the index's own. `page` names a page, `line` a line (of that page, or of a file
without pages), `offset` is where a long text is read on, in characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from manole.documents.formats import place_words
from manole.errors import UsageError

PREFIX = "manole://library/"
TEMPLATE = PREFIX + "{+path}{?page,line,offset}"
_NUMBERS = ("page", "line", "offset")


@dataclass(frozen=True, slots=True)
class Place:
    """A file of the index, or a page or line of it."""

    path: str
    page: int | None = None
    line: int | None = None
    offset: int = 0

    @property
    def uri(self) -> str:
        """The address."""
        numbers = {"page": self.page, "line": self.line, "offset": self.offset or None}
        query = "&".join(f"{name}={n}" for name, n in numbers.items() if n is not None)
        return PREFIX + quote(self.path, safe="/") + (f"?{query}" if query else "")

    @property
    def words(self) -> str:
        """The place for people."""
        return place_words(self.path, self.page, self.line)


def cited(path: str, page: int | None = None, line: int | None = None) -> Place:
    """Return the place that a citation leads to: its page, or in a file without pages its line."""
    return Place(path, page, None if page is not None else line)


def parse(uri: str) -> Place:
    """Return the place that an address names, which need not exist. Raises `UsageError`."""
    try:
        parts = urlsplit(uri)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=8))
        path = unquote(parts.path, errors="strict").removeprefix("/")
        numbers = {name: int(query[name]) for name in _NUMBERS if name in query}
    except ValueError:
        raise _wrong(uri) from None
    if (parts.scheme, parts.netloc) != ("manole", "library") or not path:
        raise _wrong(uri)
    if any(not low <= n < 10**9 for n, low in ((numbers.get(k, 1), k != "offset") for k in query)):
        raise _wrong(uri)
    return Place(path, numbers.get("page"), numbers.get("line"), numbers.get("offset", 0))


def _wrong(uri: str) -> UsageError:
    return UsageError(
        f"{uri[:300]} is not an address of this library.", f"They look like {TEMPLATE}."
    )
