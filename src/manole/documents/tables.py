"""Tables of a file, from its lines as they are indexed: CSV and TSV, and Markdown pipe tables.

CSV is read by Python's `csv`. The delimiter is the one that gives most of the first rows the same
number of cells (`csv.Sniffer` takes the decimal commas of `1;2,5` for delimiters). A row that
`csv` cannot make sense of, mostly because a quote is opened and never closed, is read by itself,
so that it does not swallow the rows below it. Then the header is looked for: above it people and
banks write titles, comments and pairs such as `Account;AT48 3200`.

Pipe tables are found by `markdown-it-py`, which knows what is code, a comment or a quotation. Its
time for a row is some 0.1 ms, so it is shown the header and the rule below it; the rows that
follow and cannot be anything else are split here. Readers of Office files write every table with
pipes. Sheets among them have no header of their own, so theirs is looked for as in CSV.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, takewhile
from typing import Any

from markdown_it import MarkdownIt

from manole.documents.fields.model import TextLine

_CSV = frozenset({"csv", "tsv"})
_SHEETS = frozenset({"xlsx", "xlsm", "xltx", "xlsb", "xls", "ods"})
_DELIMITERS = "\t;|,"  # in doubt the first: commas stand in numbers and sentences too
_NO_DELIMITER = "\x1f"  # in no text, for files of one column
_SAMPLE = 50  # rows from which the delimiter and the usual width are told
_LONG_CELL = 20_000  # characters; over several lines it is a quote that was never closed
_SEPARATOR = re.compile(r"\s*\"?sep=([\t;|,])\"?\s*", re.IGNORECASE)  # Excel's own first line
_FIGURE = re.compile(  # an amount, a number, a day, a time
    r"[-+−–(~]?\s*[$€£¥]?\s*[-+]?\d[\d\s.,:/'’-]*(?:e[-+]?\d+)?\s*(?:[%$€£¥]|[A-Z]{3})?\)?"
)

_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"([ \t]*+)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_PLAIN_ROW = re.compile(r"\||[^\W_](?!\d*[.)](?:\s|$))")  # starts no list, heading, quotation, ...
_MARKUP = re.compile(r"[\\`*~\[<]|\b_|_\b|&#?\w+;")
_RARE = re.compile(r"[\\`<&]")  # what changes how the rest is read
_BOLD = re.compile(r"(?<!\*)\*\*(\w[^*]*)(?<=\w)\*\*(?!\*)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]+\)")
_TIMES = re.compile(r"(?<=\w)\*(?=\w)")  # of `5*3*2`, which is no emphasis
_TIMES_KEPT = "\ue000"
_ESCAPED = re.compile(r"\\([\\`|])")
_FORMATTING = re.compile(
    r"<!--.*|</?(?:a|b|big|br|code|del|div|em|font|i|img|ins|kbd|mark|p|q|s|small|span|strong|sub"
    r"|sup|u|wbr)\b.*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row. `cells` are as many as the table has columns, their blanks collapsed.

    `line` is the row's 1-based first line on its page; `text` the row as it stands in the file,
    blanks and line ends collapsed, for quoting.
    """

    cells: tuple[str, ...]
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table with at least one row.

    `columns` are the cells of its header, blanks collapsed, "" where one is empty; all of them
    are "" in a table without header. `page` is `None` in formats without pages, `line` the
    header's 1-based line (without header the first row's). `title` is the line that stands alone
    above the header of a CSV file or sheet, else the nearest Markdown heading above on the page.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    page: int | None
    title: str | None
    line: int


def read_tables(lines: Sequence[TextLine], format_: str) -> list[Table]:
    """The tables among a file's `lines`, in their order.

    `format_` is the document's short format name. Lines may be missing where they are blank; two
    lines whose numbers do not follow each other have a blank one between them. A row that is
    shorter than the header is padded with "", a longer one cut; rows without words are left out,
    and so are columns at the right edge without words. Tables without rows are left out, and
    tables of one column outside of CSV. Nothing raises: a broken file gives what it holds.
    """
    if format_ in _CSV:
        tables = [_csv_table(page, format_) for _, page in _by_page(lines)]
        return [table for table in tables if table is not None]
    if not any("|" in line.text for line in lines):
        return []
    return [table for _, page in _by_page(lines) for table in _pipe_tables(page, format_)]


def _by_page(lines: Sequence[TextLine]) -> Iterator[tuple[int | None, list[TextLine]]]:
    for page, group in groupby(lines, key=lambda line: line.page):
        yield page, list(group)


# --- header, title and rows, common to CSV and sheets


def _with_header(rows: list[TableRow], page: int | None, title: str | None = None) -> Table | None:
    """The table that `rows` make, where nothing says which of them is the header."""
    rows = [row for row in rows if any(row.cells)]
    if not rows:
        return None
    usual = _usual_width(rows)
    above = _rows_above(rows, usual)
    alone = (next(filter(None, row.cells)) for row in rows[:above] if _filled(row) == 1)
    title = next(alone, title)
    first = rows[above]
    if _is_data(first):
        return _table(("",) * max(usual, len(first.cells)), rows[above:], page, title, first.line)
    return _table(first.cells, rows[above + 1 :], page, title, first.line)


def _table(
    columns: tuple[str, ...], rows: list[TableRow], page: int | None, title: str | None, line: int
) -> Table | None:
    kept = [_fitted(row, len(columns)) for row in rows]
    kept = [row for row in kept if any(row.cells)]
    if not kept:
        return None
    width = max(_width(columns), *(_width(row.cells) for row in kept), 1)
    return Table(columns[:width], tuple(_fitted(row, width) for row in kept), page, title, line)


def _fitted(row: TableRow, width: int) -> TableRow:
    if len(row.cells) == width:
        return row
    return replace(row, cells=(row.cells + ("",) * (width - len(row.cells)))[:width])


def _usual_width(rows: list[TableRow]) -> int:
    """The width that most of the first cells stand in, so that pairs above do not count much."""
    cells = Counter[int]()
    for row in rows[:_SAMPLE]:
        cells[_width(row.cells)] += _width(row.cells)
    return cells.most_common(1)[0][0]


def _rows_above(rows: list[TableRow], usual: int) -> int:
    """How many rows stand above the header: titles, and pairs if a true header follows them."""
    alone = sum(1 for _ in takewhile(lambda row: _is_alone(row, usual), rows))
    if usual >= 4:
        pairs = sum(1 for _ in takewhile(lambda row: _width(row.cells) <= 2, rows))
        pairs = max(pairs, alone)
        if _begins_table(rows[pairs:]):
            return pairs
    return alone if alone < len(rows) else 0


def _begins_table(rows: list[TableRow]) -> bool:
    """Whether the first row names columns, and the next ones are as wide as it is."""
    if len(rows) < 2 or any(map(_FIGURE.fullmatch, rows[0].cells)):
        return False
    return len({len(row.cells) for row in rows[:4]}) == 1


def _is_alone(row: TableRow, usual: int) -> bool:
    wider = usual > 1 if row.cells[0] else usual > 2
    return wider and _filled(row) == 1 and not _is_data(row)


def _is_data(row: TableRow) -> bool:
    """Whether a row holds figures only. Years above columns start with an empty cell."""
    return bool(row.cells[0]) and all(_FIGURE.fullmatch(cell) for cell in row.cells if cell)


def _width(cells: tuple[str, ...]) -> int:
    """The number of cells up to the last that has words."""
    return next((at for at in range(len(cells), 0, -1) if cells[at - 1]), 0)


def _filled(row: TableRow) -> int:
    return sum(map(bool, row.cells))


def _collapsed(text: str) -> str:
    return " ".join(text.split())


# --- CSV


def _csv_table(lines: list[TextLine], format_: str) -> Table | None:
    texts = [line.text for line in lines]
    texts[0] = texts[0].removeprefix("\ufeff")
    separator = _SEPARATOR.fullmatch(texts[0])
    if separator:
        texts[0] = ""
    delimiter = separator[1] if separator else _delimiter(texts, format_)
    rows = [
        TableRow(
            tuple(map(_collapsed, cells)), lines[start].line, _collapsed(" ".join(texts[start:end]))
        )
        for start, end, cells in _records(texts, delimiter)
    ]
    return _with_header(_without_comments(rows), lines[0].page)


def _delimiter(texts: list[str], format_: str) -> str:
    """The delimiter that gives most of the first rows one width, of two cells or more."""
    best, most = "", 0.0
    for delimiter in _DELIMITERS:
        records = (cells for _, _, cells in _records(texts, delimiter))
        filled = (cells for cells in records if any(cells) and not cells[0].startswith("#"))
        widths = [len(cells) for cells in islice(filled, _SAMPLE)]
        wide = Counter(width for width in widths if width > 1).most_common(1)
        share = wide[0][1] / len(widths) if wide else 0.0
        if share and delimiter == "\t" and format_ == "tsv":
            return delimiter
        if share > most:
            best, most = delimiter, share
    if most >= 0.5:
        return best
    for text in texts:
        counts = {text.count(delimiter): delimiter for delimiter in _DELIMITERS}
        if max(counts):
            return counts[max(counts)]
    return _NO_DELIMITER


def _records(texts: Sequence[str], delimiter: str) -> Iterator[tuple[int, int, list[str]]]:
    """Every record with the range of its lines, end exclusive.

    Takes linear time: lines that a broken quote has run over hold no quote that opens another.
    """
    start = before = 0
    reader = _reader(texts, start, delimiter)
    while start < len(texts):
        try:
            cells = next(reader)
            end = before + reader.line_num
            broken = end > start + 1 and max(map(len, cells)) > _LONG_CELL
        except csv.Error:
            broken = True
        if broken:
            cells, end = _by_itself(texts[start], delimiter), start + 1
            before, reader = end, _reader(texts, end, delimiter)
        yield start, end, cells
        start = end


def _reader(texts: Sequence[str], start: int, delimiter: str) -> Any:
    # `strict` tells quotes that are never closed, or closed inside of a cell.
    lines = (f"{texts[at]}\n" for at in range(start, len(texts)))
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)


def _by_itself(text: str, delimiter: str) -> list[str]:
    """The cells of one line whose quotes cannot be trusted."""
    if text.count('"') % 2 == 0:
        try:
            return next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
        except csv.Error:
            pass
    return [_unquoted(cell.strip()) for cell in text.split(delimiter)]


def _unquoted(cell: str) -> str:
    return cell[1:].removesuffix('"') if cell.startswith('"') else cell


def _without_comments(rows: list[TableRow]) -> list[TableRow]:
    """`rows` without the `#` lines at the top; one as wide as the rows is the header."""
    rows = [row for row in rows if any(row.cells)]
    if not rows:
        return []
    usual = _usual_width([row for row in rows if not row.cells[0].startswith("#")] or rows)
    comments = takewhile(lambda row: _is_comment(row, usual), rows)
    return rows[sum(1 for _ in comments) :]


def _is_comment(row: TableRow, usual: int) -> bool:
    named = row.cells[0] == "#" and _filled(row) > 1  # a column of numbers
    return row.cells[0].startswith("#") and not named and len(row.cells) != usual


# --- pipe tables


def _pipe_tables(lines: list[TextLine], format_: str) -> Iterator[Table]:
    if not any(_may_be_rule(line.text) for line in lines):
        return
    shown = _Shown.of(lines)
    env: dict[str, Any] = {}
    plain: Callable[[str], str] = _literal if format_ in _SHEETS else _Words(env)
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
    if format_ in _SHEETS:
        return _with_header(rows, page, title)
    return _table(rows[0].cells, rows[1:], page, title, rows[0].line)


def _pipe_row(cells: list[str], line: TextLine, plain: Callable[[str], str]) -> TableRow:
    return TableRow(tuple(map(plain, cells)), line.line, _collapsed(line.text))


def _blocks(format_: str) -> MarkdownIt:
    """Finds headings and tables. Outside of Markdown files `<` at the start is only a sign."""
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    return parser if format_ == "markdown" else parser.disable("html_block")


@dataclass(slots=True)
class _Shown:
    """What `markdown-it-py` is shown of a page.

    `places` are the indices of the shown `texts` among the page's lines, `hidden` the indices of
    the rows left out below a shown table rule.
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
    """The cells of a row, escaped pipes resolved, as GitHub's Markdown does it."""
    cells = _PIPE.split(text.strip())
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return [cell.replace("\\|", "|") for cell in cells]


def _literal(cell: str) -> str:
    """A sheet's cell: the reader escaped what it had to, and there is no markup."""
    return _collapsed(_ESCAPED.sub(r"\1", cell) if "\\" in cell else cell)


class _Words:
    """Takes inline Markdown out of cells. `env` holds the page's link targets."""

    def __init__(self, env: dict[str, Any]) -> None:
        self._env = env
        self._parser = MarkdownIt("commonmark").enable("strikethrough")

    def __call__(self, cell: str) -> str:
        cell = _collapsed(cell)
        if not _MARKUP.search(cell):
            return cell
        if not _RARE.search(cell):  # the parser takes 0.1 ms
            cell = _BOLD.sub(r"\1", _LINK.sub(r"\1", cell))
        if not _MARKUP.search(cell):
            return _collapsed(cell)
        (inline,) = self._parser.parseInline(_TIMES.sub(_TIMES_KEPT, cell), self._env)
        words = "".join(_word(token.type, token.content) for token in inline.children or ())
        return _collapsed(words.replace(_TIMES_KEPT, "*"))


def _word(type_: str, content: str) -> str:
    if type_ != "html_inline" or not _FORMATTING.fullmatch(content):
        return content
    return " " if content[:3].lower() == "<br" else ""
