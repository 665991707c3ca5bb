"""Names: words with a capital inside a sentence, one or several in a row.

German writes every noun with a capital, so these only may be names; callers check further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manole.text.sentences import spans

_ADDRESS = re.compile(r"\s*<[^>]*>")
_CAPITAL = f"[{''.join(c for c in map(chr, range(0x41, 0x530)) if c.isupper())}]"
_WORD = rf"{_CAPITAL}[\w'’-]+"
_TITLE = r"(?:Mrs?|Ms|Dr|Prof|St|Herrn?|Frau)\.?\s"
_PERSON = rf"(?:{_TITLE})?{_WORD}(?:\s{_WORD})*"
NAME = rf"{_PERSON}(?:\s(?:of|von|de)\s{_PERSON})*"  # such as "University of Bremen"
_NAMES = {whole: re.compile(rf"\b{NAME if whole else _PERSON}") for whole in (False, True)}
_ONE = re.compile(_WORD)
_COUNTED = re.compile(r"\d[.)]\s$")


def person(address: str) -> str:
    """Return whom an address is of: `Garage Wiltgen <a@b>` without the rest."""
    return _ADDRESS.sub("", address).replace('"', "").strip()


def names(text: str, *, whole: bool = False) -> Iterator[re.Match[str]]:
    """Yield the names in a text, in order; with `whole`, those with "of" in them as one.

    The first word of a sentence or behind a number ("1. Add", "5. Mai") is no name, because it
    always has a capital; with `whole`, it is one if another follows: "Anna Miller".
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
    """Return the words of the names in a text, as written."""
    return [word for name in names(text) for word in _ONE.findall(name[0])]


def without_possessive(name: str) -> str:
    """Turn `Anna's` into `Anna`."""
    return re.sub(r"['’]s$", "", name)
