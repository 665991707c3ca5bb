"""The functions and classes of a source file, as a table.

They are found by the words that begin them, in some dozen languages, not by parsing: a file need
not be whole. A definition ends where its indentation does, with the bracket that closes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manole.documents.fields.model import TextLine
from manole.documents.tables.model import Table, TableRow, collapsed

LEAST = 2  # definitions that make a table
COLUMNS = ("name", "kind", "line", "lines", "about")
_LONGEST, _HEAD = 500, 12  # characters of a line, and lines of a definition's head, that are read
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|"
    r"open|sealed|data|virtual|inline|unsafe|extern|const|local|pub(?:\([^)]{0,20}\))?)[ \t]+){0,6}"
)
_WORDS = (
    "def|defp|class|function|func|fun|fn|sub|interface|trait|struct|enum|module|object|record|impl|"
    "proc|protocol"
)
_DEFINED = re.compile(
    rf"[ \t]*{_MODIFIERS}(?P<word>{_WORDS})(?:[ \t]+|[ \t]*\*[ \t]*)(?:\([^()]{{0,80}}\)[ \t]*)?"
    r"(?P<name>[^\W\d][\w$]*(?:(?:::|[.:])[\w$]+){0,5}[?!]?)"
    r"(?=[ \t]*(?:[(:{<\[;=]|$|(?:extends|implements|for|with|where)\b))"
)
_TYPE = re.compile(r"[ \t]*type[ \t]+(?P<name>\w+)[ \t]+(?P<word>struct|interface)\b")  # of Go
_ARROW = re.compile(
    rf"[ \t]*{_MODIFIERS}(?:const|let|var)[ \t]+(?P<name>[\w$]+)[ \t]*(?::[^=]{{1,80}})?=[ \t]*"
    r"(?:async[ \t]*)?(?:function\b|\([^()]{0,200}\)[^=;{]{0,80}=>|[\w$]+[ \t]*=>)"
)
# Of C, Java, C#, shells, methods of JavaScript: a name and its arguments, before a bracket.
_CALLED = re.compile(
    r"[ \t]*(?:[A-Za-z_][\w:<>,*&\[\].]*[ \t]+){0,6}[*&]{0,3}(?P<name>~?[A-Za-z_][\w:-]*)[ \t]*"
    r"\([^;{}]{0,300}\)[ \t]*(?:const|noexcept|override|final|throws [\w., ]{1,100}"
    r"|(?::|->)[ \t]*[^{}()=]{1,100})?[ \t]*\{?[ \t]*"
)
_NO_NAMES = frozenset({
    "if", "for", "foreach", "while", "switch", "catch", "return", "else", "new", "throw", "do",
    "sizeof", "case", "with", "elif", "match", "when", "until", "unless", "using", "lock",
    "function", "synchronized", "await", "yield",
})  # fmt: skip
_KINDS = {"impl": "implementation"} | {
    word: word
    for word in ("class", "interface", "trait", "struct", "enum", "module", "object", "record",
                 "protocol")
}  # fmt: skip
_OPEN = frozenset({"{", "):", ")", ") {", ") ->"})  # lines that a definition may go on with
_CLOSING = re.compile(r"(?:[})\]]|end\b|fi\b|esac\b)")
_IS_COMMENT = re.compile(r"[ \t]*(?:/\*|\*|//|#(?=[ \t#])|--|;;|[@\[])")
_SAID = re.compile(
    r"[ \t]*(?:/\*+|\*+/?|//[/!]?|#+|--+|;;+|[@\[].*)?[ \t]*(.*?)[ \t]*(?:\*/)?[ \t]*"
)
_DOCSTRING = re.compile(r"""[ \t]*[rR]?(?:\"{3}|'{3})[ \t]*(.*?)(?:\"{3}|'{3})?[ \t]*""")
_SOURCE = re.compile(r"<\?php|#!")


def is_source(lines: Sequence[TextLine], format_: str) -> bool:
    """Return whether a file is a program: by its format, or by its first line."""
    first = next((line.text for line in lines if line.text.strip()), "")
    return format_ == "code" or (format_ == "text" and _SOURCE.match(first) is not None)


def definition_table(lines: Sequence[TextLine]) -> Table | None:
    """Return the table of the functions and classes of a file; `None` for fewer than two."""
    full = [
        TextLine(line.text[:_LONGEST], line.page, line.line) for line in lines if line.text.strip()
    ]
    indents = [_indent(line.text) for line in full]
    rows: list[TableRow] = []
    around: list[tuple[int, str]] = []  # the indents and kinds of definitions that hold others
    for at, line in enumerate(full):
        below = full[at + 1].text if at + 1 < len(full) else ""
        if (found := _found(line.text, below)) is None:
            continue
        name, kind = found
        while around and around[-1][0] >= indents[at]:
            around.pop()
        if kind == "function" and around and around[-1][1] != "function":
            kind = "method"
        around.append((indents[at], "function" if kind == "method" else kind))
        length = full[_end(full, indents, at)].line - line.line + 1
        cells = (name, kind, str(line.line), str(length), _about(full, at))
        rows.append(TableRow(cells, line.line, collapsed(line.text)))
    if len(rows) < LEAST:
        return None
    return Table(COLUMNS, tuple(rows), lines[0].page, None, rows[0].line)


def _found(text: str, below: str) -> tuple[str, str] | None:
    """Return the name and the kind of what a line defines; `below` is the next line."""
    if match := _DEFINED.match(text) or _TYPE.match(text):
        return match["name"], _KINDS.get(match["word"], "function")
    if match := _ARROW.match(text):
        return match["name"], "function"
    opens = "(" in text and (text.rstrip().endswith("{") or below.strip() == "{")
    if opens and (match := _CALLED.fullmatch(text)):
        if match["name"] in _NO_NAMES or text.split(None, 1)[0] in _NO_NAMES:
            return None
        return match["name"], "function"
    return None


def _indent(text: str) -> int:
    wide = text.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _end(lines: Sequence[TextLine], indents: Sequence[int], at: int) -> int:
    """Return the index of the last line of a definition."""
    own = indents[at]
    for index in range(at + 1, len(lines)):
        if indents[index] > own:
            continue
        text = lines[index].text.strip()
        goes_on = indents[index] == own and (text in _OPEN or text.endswith(("{", ":")))
        closes = indents[index] == own and _CLOSING.match(text) is not None
        if text in _OPEN or (closes and goes_on):
            continue
        return index if closes else index - 1
    return len(lines) - 1


def _about(lines: Sequence[TextLine], at: int) -> str:
    """Return the first line of what is said about a definition: below it, or right above it."""
    head = (n for n in range(at, min(at + _HEAD, len(lines))) if lines[n].text.rstrip()[-1] in ":{")
    body = next(head, at) + 1
    if body < len(lines) and (said := _DOCSTRING.fullmatch(lines[body].text)):
        return collapsed(said[1] or (lines[body + 1].text if body + 1 < len(lines) else ""))
    above = []
    while at and lines[at - 1].line == lines[at].line - 1 and _IS_COMMENT.match(lines[at - 1].text):
        at -= 1
        above.append(lines[at].text)
    said_above = (match[1] for text in reversed(above) if (match := _SAID.fullmatch(text)))
    return collapsed(next(filter(None, said_above), ""))
