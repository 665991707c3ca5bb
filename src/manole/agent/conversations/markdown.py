r"""Untrusted text for whoever shows Markdown.

An answer, a quote, the name of a file: each may hold a picture whose address tells somebody that it
was read, a link that shows another address than its own, or HTML. There are two ways to say such a
text. `escaped` shows it as it stands, whatever it holds, as the export of a conversation needs it.
`harmless` leaves lists, tables and bold type alone, and a `[1]` a `[1]`, and breaks what leads
elsewhere: an answer for a chat program remains one that can be read without a Markdown reader.

Both put a backslash within what would begin a link, and entities for what would begin HTML, since
some processors do not know a backslash before `<`. A link or a picture needs `](` or the definition
`]:` (CommonMark 0.31.2, 4.7 and 6.3 to 6.5), which `harmless` lets nobody write.
"""

from __future__ import annotations

import re

from manole.agent.conversations.model import CONTROL

_AUTOLINK = r"(?<=mailto):|(?<=xmpp):|(?<=\bwww)\."  # what some processors make links of
_SPECIAL = re.compile(rf"[\\`*_{{}}\[\]#|~$^@]|:(?=//)|{_AUTOLINK}", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d+)([.)])")
_LEADING = re.compile(r"^(?=[-+=:!?])")
# Each looks back only, so that the text may come in pieces.
_LINKING = re.compile(rf"(?<=\])[(:]|(?<=:)/|{_AUTOLINK}", re.IGNORECASE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # HTML, a comment, or <http://...>


def escaped(line: str) -> str:
    """One line of text as Markdown that shows just that text, wherever it stands."""
    text = CONTROL.sub("", line)
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(char, entity)
    text = _SPECIAL.sub(r"\\\g<0>", text)
    return _LEADING.sub(r"\\", _NUMBERED.sub(r"\1\\\2", text))


def harmless(text: str) -> str:
    """Markdown without pictures, links and HTML; the rest of its forms stay."""
    return _TAG.sub("&lt;", _LINKING.sub(r"\\\g<0>", CONTROL.sub("", text)))


class HarmlessPieces:
    """`harmless` for a text that comes in pieces."""

    def __init__(self) -> None:
        self._text = ""
        self._given = 0

    def feed(self, piece: str) -> str:
        """What can be shown of the text so far, after what was given before."""
        self._text += piece
        whole = harmless(self._text)
        return self._after(whole.removesuffix("<"))  # the next character tells what it begins

    def end(self) -> str:
        """What is left."""
        return self._after(harmless(self._text))

    def _after(self, whole: str) -> str:
        new = whole[self._given :]
        self._given += len(new)
        return new
