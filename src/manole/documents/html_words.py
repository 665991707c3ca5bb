"""The words of an HTML page, with nothing but a tokenizer: for pages that defeat a real parser."""

from __future__ import annotations

from html.parser import HTMLParser

_NOT_SHOWN = frozenset({"script", "style", "template", "noscript", "head", "svg", "math"})
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "table", "section",
     "article", "blockquote", "pre", "ul", "ol", "dl", "dt", "dd", "hr"}
)  # fmt: skip


def visible_words(page: str) -> str:
    """Text outside scripts, styles and comments, a line for each block. Never raises."""
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
