"""Reads an HTML page's head and body with only a tokenizer.

`head_fields` takes title, author and date out of the head, because kreuzberg writes the whole head
into the text; `visible_words` is for pages that a real parser cannot read.
"""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

_NOT_SHOWN = frozenset({"script", "style", "template", "noscript", "head", "svg", "math"})
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "section",
     "article", "blockquote", "pre", "ul", "ol", "dl", "dt", "dd", "hr"}
)  # fmt: skip
_HEAD_CHARS = 200_000  # in which the head of a page is looked for
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title\s*>", re.IGNORECASE | re.DOTALL)
_HEAD_TAG = re.compile(r"<(?:meta|base|link)\b[^>]{0,5000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_META = {
    "author": "author", "description": "subject", "date": "date", "dc.date": "date",
    "article:published_time": "date", "datepublished": "date",
}  # fmt: skip


def head_fields(page: str) -> tuple[str, dict[str, str]]:
    """Return the page without its title and meta tags, and their title, author, subject, date."""
    head, rest = page[:_HEAD_CHARS], page[_HEAD_CHARS:]
    fields: dict[str, str] = {}
    title = _TITLE.search(head)
    if title:
        fields["title"] = unescape(title[1])
        head = head[: title.start()] + head[title.end() :]
    for tag in _HEAD_TAG.findall(head):
        found = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(tag)}
        key = found.get("name") or found.get("property") or found.get("itemprop") or ""
        if key.lower() in _META and found.get("content"):
            fields.setdefault(_META[key.lower()], unescape(found["content"]))
    cleaned = {name: " ".join(value.split())[:300] for name, value in fields.items()}
    return _HEAD_TAG.sub("", head) + rest, {name: text for name, text in cleaned.items() if text}


def visible_words(page: str) -> str:
    """Return the text outside scripts, styles and comments, a line per block. Never raises."""
    words = _Words()
    words.feed(page)
    words.close()
    lines = (" ".join(line.split()) for line in "".join(words.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _NOT_SHOWN:
            self._hidden.append(tag)
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden and tag == self._hidden[-1]:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)
