"""Parses Markdown with `markdown-it-py`: the blocks of a page, and the words of a cell."""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt

from manole.documents.tables.model import collapsed

_MARKUP = re.compile(r"[\\`*~\[<]|\b_|_\b|&#?\w+;")
_RARE = re.compile(r"[\\`<&]")  # these change how the rest is read
_BOLD = re.compile(r"(?<!\*)\*\*(\w[^*]*)(?<=\w)\*\*(?!\*)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]+\)")
_TIMES = re.compile(r"(?<=\w)\*(?=\w)")  # of `5*3*2`, which is no emphasis
_TIMES_KEPT = "\ue000"
_FORMATTING = re.compile(
    r"<!--.*|</?(?:a|b|big|br|code|del|div|em|font|i|img|ins|kbd|mark|p|q|s|small|span|strong|sub"
    r"|sup|u|wbr)\b.*",
    re.IGNORECASE | re.DOTALL,
)


def blocks(format_: str) -> MarkdownIt:
    """Return a parser of headings and tables. Only in Markdown files does `<` start HTML."""
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    return parser if format_ == "markdown" else parser.disable("html_block")


class Words:
    """Removes inline Markdown from cells. `env` has the page's link targets."""

    def __init__(self, env: dict[str, Any]) -> None:
        self._env = env
        self._parser = MarkdownIt("commonmark").enable("strikethrough")

    def __call__(self, cell: str) -> str:
        """Return the words of `cell`, with blanks collapsed."""
        cell = collapsed(cell)
        if not _MARKUP.search(cell):
            return cell
        if not _RARE.search(cell):  # the parser takes 0.1 ms
            cell = _BOLD.sub(r"\1", _LINK.sub(r"\1", cell))
        if not _MARKUP.search(cell):
            return collapsed(cell)
        (inline,) = self._parser.parseInline(_TIMES.sub(_TIMES_KEPT, cell), self._env)
        words = "".join(_word(token.type, token.content) for token in inline.children or ())
        return collapsed(words.replace(_TIMES_KEPT, "*"))


def _word(type_: str, content: str) -> str:
    if type_ != "html_inline" or not _FORMATTING.fullmatch(content):
        return content
    return " " if content[:3].lower() == "<br" else ""
