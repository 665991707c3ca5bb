"""What the sender of a mail wrote: without headers, quotations, greeting and signature."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from manole.documents.fields.model import TextLine
from manole.text.sentences import sentences

_LABEL = re.compile(r"(?:Subject|From|To|Cc|Date|Attachments): ")  # as `documents/mail.py` writes
_HEADER = re.compile(r"\W{0,2}[^\W\d_][\w -]{1,15}:\W{0,3}\s\S")  # of a mail that is quoted below
_RULE = re.compile(r"\s*(?:[-_]{5,}|-{2,}[^-]+-{2,}|-- ?)\s*")  # "-----Original Message-----"
_SAYS = re.compile(r"(?=.*\d)(?=.*(?:@|\d{4})).*:\s*")  # "On 3 May 2024 Nina <n@a.org> wrote:"
_GREETING = 40  # characters, at most


def own_words(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines that a sender wrote himself; none if all is quoted."""
    start = sum(1 for _ in takewhile(lambda line: _LABEL.match(line.text), lines))
    own: list[TextLine] = []
    body = lines[start:]
    for n, line in enumerate(body):
        heads = sum(bool(_HEADER.match(other.text)) for other in body[n : n + 3])
        below = heads == 3 and any("@" in other.text for other in body[n : n + 4])
        if below or _RULE.fullmatch(line.text[:200]):
            break
        if line.text.lstrip().startswith(">"):
            while (
                own
                and own[-1].text.strip()
                and any(_SAYS.fullmatch(o.text[-300:]) for o in own[-2:])
            ):
                own.pop()
        elif _SAYS.fullmatch(line.text[-300:]) and "@" in line.text:
            break
        else:
            own.append(line)
    said = [line for line in own if line.text.strip()]
    if len(said) > 1 and len(said[0].text) <= _GREETING and said[0].text.rstrip()[-1] in ",!":
        del said[0]
    return said


def first_words(lines: Sequence[TextLine], *, asks: bool = False) -> str:
    """Return how a text begins, or, where it is sought what it `asks`, its last question."""
    text = " ".join(line.text.strip() for line in lines)[:4000]
    asked = [one for one in sentences(text) if one.endswith("?")] if asks else []
    return asked[-1] if asked else text
