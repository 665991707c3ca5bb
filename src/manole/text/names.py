"""Names: words with a capital where no sentence begins, one or several in a row.

German writes every noun so, so a name is what may be one; who asks knows what else must hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manole.text.sentences import spans

_CAPITAL = f"[{''.join(c for c in map(chr, range(0x41, 0x530)) if c.isupper())}]"
_WORD = rf"{_CAPITAL}[\w'’-]+"
_TITLE = r"(?:Mrs?|Ms|Dr|Prof|St|Herrn?|Frau)\.?\s"
_PERSON = rf"(?:{_TITLE})?{_WORD}(?:\s{_WORD})*"
NAME = rf"{_PERSON}(?:\s(?:of|von|de)\s{_PERSON})*"  # of anything: "University of Bremen"
_NAMES = {whole: re.compile(rf"\b{NAME if whole else _PERSON}") for whole in (False, True)}
_ONE = re.compile(_WORD)
_COUNTED = re.compile(r"\d[.)]\s$")


def names(text: str, *, whole: bool = False) -> Iterator[re.Match[str]]:
    """The names of a text, in order; with `whole`, those with "of" in them as one.

    The first word of a sentence or behind a number ("1. Add", "5. Mai") is none, for its capital
    says nothing; with `whole`, it is where another one follows: "Anna Miller".
    """
    begins = {end - len(text[start:end].lstrip()) for start, end in spans(text)}
    at = 0
    while (match := _NAMES[whole].search(text, at)) is not None:
        at = match.end()
        counted = _COUNTED.search(text, max(0, match.start() - 3), match.start())
        if not (counted or match.start() in begins) or (whole and " " in match[0]):
            yield match
        elif (word := _ONE.match(text, match.start())) is not None:
            at = word.end()


def capitalised(text: str) -> list[str]:
    """The words of a text's names, each as it stands there."""
    return [word for name in names(text) for word in _ONE.findall(name[0])]


def without_possessive(name: str) -> str:
    """`Anna's` as `Anna`."""
    return re.sub(r"['’]s$", "", name)
