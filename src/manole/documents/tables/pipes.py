"""The tables of Markdown and Office files, whose cells stand between pipes.

`markdown-it-py` finds them, because it knows code, comments and quotations. It takes about 0.1 ms a
row, so it gets only the header and the rule below it; the rows that follow and cannot be anything
else are split here. Readers of Office files write every table with pipes. Sheets among them have no
marked header, so it is looked for as in CSV.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt

from manole.documents.fields.model import TextLine
from manole.documents.formats import SHEETS
from manole.documents.tables.header import with_header
from manole.documents.tables.model import Table, TableRow, as_table, collapsed

_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"([ \t]*+)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_PLAIN_ROW = re.compile(r"\||[^\W_](?!\d*[.)](?:\s|$))")  # starts no list, heading, quotation, ...
_ESCAPED = re.compile(r"\\([\\`|])")
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


def pipe_tables(lines: list[TextLine], format_: str) -> Iterator[Table]:
    """Yield the tables among the lines of one page."""
    if not any(_may_be_rule(line.text) for line in lines):
        return
    shown = _Shown.of(lines)
    env: dict[str, Any] = {}
    plain: Callable[[str], str] = _literal if format_ in SHEETS else _Words(env)
    title = None
    rows: list[TableRow] = []
    tokens = _blocks(format_).parse("\n".join(shown.texts), env)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            title = plain(tokens[at + 1].content) or title
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            cells: list[str] = []
            place = token.map[0] if token.map else 0
        elif token.type in ("th_open", "td_open"):
            cells.append(tokens[at + 1].content)
        elif token.type == "tr_close":
            rows.append(_pipe_row(cells, lines[shown.places[place]], plain))
            if len(rows) == 1:
                hidden = (lines[index] for index in shown.hidden.get(place + 1, ()))
                rows += [_pipe_row(_split(line.text), line, plain) for line in hidden]
        elif token.type == "table_close":
            table = _pipe_table(rows, lines[0].page, title, format_)
            if table is not None and len(table.columns) > 1:
                yield table


def _pipe_table(
    rows: list[TableRow], page: int | None, title: str | None, format_: str
) -> Table | None:
    if format_ in SHEETS:
        return with_header(rows, page, title)
    return as_table(rows[0].cells, rows[1:], page, title, rows[0].line)


def _pipe_row(cells: list[str], line: TextLine, plain: Callable[[str], str]) -> TableRow:
    return TableRow(tuple(map(plain, cells)), line.line, collapsed(line.text))


@dataclass(slots=True)
class _Shown:
    """The part of a page that `markdown-it-py` gets.

    `places` are the indices of the shown `texts` among the page's lines, `hidden` those of the rows
    left out below the table rule at each index.
    """

    texts: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    hidden: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: list[TextLine]) -> _Shown:
        shown = cls()
        rule: int | None = None
        indent = ""
        for index, line in enumerate(lines):
            if index and line.line != lines[index - 1].line + 1:
                shown._add("", index)
                rule = None
            if rule is not None and _is_row(line.text, indent):
                shown.hidden.setdefault(rule, []).append(index)
                continue
            above = shown.texts[-1] if shown.texts else ""
            shown._add(line.text, index)
            found = _RULE.fullmatch(line.text)
            if found and _is_header(above, found):
                rule, indent = len(shown.texts) - 1, found[1]
            else:
                rule = None
        return shown

    def _add(self, text: str, index: int) -> None:
        self.texts.append(text)
        self.places.append(index)


def _may_be_rule(text: str) -> bool:
    return "|" in text and "-" in text and not text.strip("|:-> \t")


def _is_header(text: str, rule: re.Match[str]) -> bool:
    return _is_row(text, rule[1]) and "|" in text and len(_split(text)) == len(_split(rule[0]))


def _is_row(text: str, indent: str) -> bool:
    return text.startswith(indent) and _PLAIN_ROW.match(text, len(indent)) is not None


def _split(text: str) -> list[str]:
    """Return the cells of a row with escaped pipes resolved, as GitHub's Markdown does it."""
    cells = _PIPE.split(text.strip())
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return [cell.replace("\\|", "|") for cell in cells]


def _literal(cell: str) -> str:
    """Return a sheet's cell without the reader's escapes; it has no markup."""
    return collapsed(_ESCAPED.sub(r"\1", cell) if "\\" in cell else cell)


def _blocks(format_: str) -> MarkdownIt:
    """Return a parser of headings and tables. Only in Markdown files does `<` start HTML."""
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    return parser if format_ == "markdown" else parser.disable("html_block")


class _Words:
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


def plain_words(text: str) -> str:
    """Return the words of inline Markdown on one line."""
    return _Words({})(text)


def _word(type_: str, content: str) -> str:
    if type_ != "html_inline" or not _FORMATTING.fullmatch(content):
        return content
    return " " if content[:3].lower() == "<br" else ""
