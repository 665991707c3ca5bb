"""The sentences of a text.

A sentence ends at a full stop or another end mark and its closing quotes, before a capital, a digit
or an opening sign; it may continue over line ends, but not over a blank line or into the next item
of a list. The point of an abbreviation ("Dr. Vogt", "z. B."), of a list's counter ("1. Pay") or of
a day ("5. Mai") is no end. In chats, which lack capitals, a small letter may begin a sentence too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manole.text.dates import month_of

_CLOSING = "\"'”’»)]"
_CLOSED = f"[{re.escape(_CLOSING)}]*"
_ITEM = r"(?:[-*•|#>]|\d+[.)]\s)"
_END = re.compile(
    rf"(?<![.!?…])[.!?…]+{_CLOSED}\s+|[。！？]+{_CLOSED}\s*"
    rf"|\n[^\S\n]*\n|\n(?=\s*{_ITEM})"
)
_SIGNS = ".!?…。！？"
_OPENING = frozenset("\"'“‘«¿¡([<")
# Abbreviations before a name, before a number, and behind a name; the last may end a sentence.
_TITLE = re.compile(
    r"(?<![^\W_])(?<!°)(?:(?:[^\W\d_]\.)*[^\W\d_]|mr|mrs|ms|dr|prof|st|vs|bzw|env)\.$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?<![^\W_])(?:no|nr|tel|art|abs|fig|abb|pp|approx|aprox|ca|circa|zzgl|inkl|mwst|std|stk|psch)\.$",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?<![^\W_])(?:inc|ltd|co|jr|etc|usw)\.$", re.IGNORECASE)
_COUNTER = re.compile(r"(?:^|\n)\s*\d{1,3}\.$")
_ORDINAL = re.compile(r"(?<![\w.,])\d{1,2}\.$")
_WORD = re.compile(r"[^\W\d_]+")
_LOOKED = 12  # characters before an end that are looked at


def sentences(text: str, *, small: bool = False) -> list[str]:
    """Return the sentences of a text; with `small`, a small letter may begin one."""
    return [text[start:end].strip() for start, end in spans(text, small=small)]


def spans(text: str, *, small: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence, without the blanks behind it."""
    start = 0
    for match in _END.finditer(text):
        if match[0][0] in ".!?…" and not _begins(text, match, small):
            continue
        yield start, match.start() + len(match[0].rstrip())
        start = match.end()
    if start < len(text):
        yield start, len(text)


def ends(text: str, also: str = "") -> bool:
    """Return whether a text ends as a sentence does, or in one of the signs `also`."""
    bare = text.rstrip().rstrip(_CLOSING + "*_")[-_LOOKED:]
    short = any(pattern.search(bare) for pattern in (_TITLE, _ABOUT, _SUFFIX))
    return bare.endswith((*_SIGNS, *also)) and not short


def _begins(text: str, end: re.Match[str], small: bool) -> bool:
    """Return whether a sentence begins behind an end mark."""
    first = text[end.end() : end.end() + 1]
    lines = end[0].count("\n")
    if not first or lines > 1 or (lines and re.match(_ITEM, text[end.end() : end.end() + _LOOKED])):
        return True
    before = text[max(0, end.start() - _LOOKED) : end.start() + 1]
    if _TITLE.search(before) or _COUNTER.search(before):
        return False
    if first.isdigit() and (_ABOUT.search(before) or _ORDINAL.search(before)):
        return False
    if (word := _WORD.match(text, end.end())) and month_of(word[0]) and _ORDINAL.search(before):
        return False
    if small:
        return not (first.islower() and _SUFFIX.search(before))
    return first in _OPENING or (first.isalnum() and not first.islower())
