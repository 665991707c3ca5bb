r"""Untrusted text as Markdown that is safe for programs that render it.

An answer, a quote or the name of a file may contain a picture whose address reports that it was
read, a link that shows another address than its own, or HTML. There are two remedies. `escaped`
makes a text appear exactly as it is, for the export of a conversation. `harmless` keeps lists,
tables, bold type and `[1]`, and breaks links, pictures and HTML: an answer for a chat program
remains readable without a renderer.

Both put a backslash within the beginning of a link, and entities for that of HTML, since some
processors do not know a backslash before `<`. A link or a picture needs `](` or the definition `]:`
(CommonMark 0.31.2, 4.7 and 6.3 to 6.5), which `harmless` always breaks.
"""

from __future__ import annotations

import re

from manole.agent.conversations.model import CONTROL

_AUTOLINK = r"(?<=mailto):|(?<=xmpp):|(?<=\bwww)\."  # what some processors make links of
_SPECIAL = re.compile(
    rf"[\\`*{{}}\[\]#|~$^@]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|{_AUTOLINK}", re.IGNORECASE
)
_NUMBERED = re.compile(r"^(\d+)([.)])(?!\S)")
_LEADING = re.compile(r"^(?=[-+=:!?])")
# Each looks back only, so that the text may come in pieces.
_LINKING = re.compile(rf"(?<=\])[(:]|(?<=:)/|{_AUTOLINK}", re.IGNORECASE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # HTML, a comment, or <http://...>


def escaped(line: str) -> str:
    """Return Markdown that shows just the given line of text, in any place."""
    text = CONTROL.sub("", line)
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(char, entity)
    text = _SPECIAL.sub(r"\\\g<0>", text)
    return _LEADING.sub(r"\\", _NUMBERED.sub(r"\1\\\2", text))


def harmless(text: str) -> str:
    """Return Markdown without pictures, links and HTML; other markup stays."""
    return _TAG.sub("&lt;", _LINKING.sub(r"\\\g<0>", CONTROL.sub("", text)))


class HarmlessPieces:
    """The same as `harmless`, for a text that comes in pieces."""

    def __init__(self) -> None:
        self._text = ""
        self._given = 0

    def feed(self, piece: str) -> str:
        """Add a piece; return the next part of the text that can be shown."""
        self._text += piece
        whole = harmless(self._text)
        return self._after(whole.removesuffix("<"))  # the next character decides what it begins

    def end(self) -> str:
        """Return the rest."""
        return self._after(harmless(self._text))

    def _after(self, whole: str) -> str:
        new = whole[self._given :]
        self._given += len(new)
        return new
