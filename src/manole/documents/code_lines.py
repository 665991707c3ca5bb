"""Which lines of a text are code or comments, in which `- [ ]` and `#` mean nothing.

`markdown-it-py` finds them. It takes 40 µs a line, so it is asked only where a text has a fence, a
line that begins with `<`, or an indented one below a blank one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt

from manole.documents.fields.model import TextLine

_SIGNS = re.compile(r"^[ \t>]*(?:```|~~~|<[!?a-z])|^[ \t>]*\n(?:[ ]{4}|\t)", re.MULTILINE | re.I)
_ORG_SOURCE = re.compile(r"^[ \t]*#\+(begin|end)_(?:src|example|comment)\b", re.IGNORECASE)
_UNSEEN = re.compile(r"\s*<(?:!--|(?:script|style|pre)\b)", re.IGNORECASE)
_PARSER = MarkdownIt("commonmark").disable("inline")
_PLAIN = MarkdownIt("commonmark").disable(["inline", "code", "html_block"])


def without_code(lines: Sequence[TextLine], format_: str) -> list[TextLine]:
    """Return the lines outside code and comments, in their order.

    `format_` is the document's short format name; only in Markdown is indented text code. Blank
    lines may be missing: two lines whose numbers do not follow each other have one between them.
    """
    if format_ == "org":
        return _outside_org_source(lines)
    texts: list[str] = []
    places: list[int] = []  # of the texts among the lines; -1 for a blank one
    for at, line in enumerate(lines):
        if at and line.line != lines[at - 1].line + 1:
            texts.append("")
            places.append(-1)
        texts.append(line.text)
        places.append(at)
    text = "\n".join(texts)
    if not _SIGNS.search(text):
        return list(lines)
    code = set()
    for token in (_PARSER if format_ == "markdown" else _PLAIN).parse(text):
        hidden = token.type in {"fence", "code_block"} or (
            token.type == "html_block" and _UNSEEN.match(token.content)
        )
        if hidden and token.map:
            code.update(places[token.map[0] : token.map[1]])
    return [line for at, line in enumerate(lines) if at not in code]


def _outside_org_source(lines: Sequence[TextLine]) -> list[TextLine]:
    kept, inside = [], False
    for line in lines:
        if mark := _ORG_SOURCE.match(line.text):
            inside = mark[1].lower() == "begin"
        elif not inside:
            kept.append(line)
    return kept
