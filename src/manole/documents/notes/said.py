"""The sentences of a text with their lines, and the words by which they speak of a day.

A line of a form (`Valid  1 October 2024 to 30 September 2025`, `Notice period: 3 months`) is a
sentence of its own. Patterns are for `plain` text. Languages: English, German, French, Spanish;
the commonest words of Dutch and Italian.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect, bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from manole.documents.fields.model import TextLine
from manole.text.date_words import MONTHS, any_of
from manole.text.sentences import spans
from manole.text.words import fold

# What leads to a day by which something is to be done.
BY = (
    r"(?:\b(?:by|until|till|before|(?:no|not) later than|at the latest|bis(?: zum)?|vor dem|"
    r"spatestens(?: am| zum)?|avant|d.ici|(?:au )?plus tard|antes del?|hasta|mas tardar|voor|"
    r"uiterlijk|entro)|\bjusqu\S+)"
)
PAY = re.compile(
    r"\b(?:due|pay\w*|fallig\w*|zahl\w*|uberweis\w*|begleich\w*|regler|reglement|payer|payable|"
    r"exigible|vence\w*|pagar\w*|pago|pagader\w*|abonar\w*|betal\w*|pagamento)\b"
)
CANCEL = re.compile(
    r"(?:\b(?:cancel\w*|terminat\w*|notice|resili\w*|denonc\w*|conge|denuncia\w*|de baja|"
    r"rescind\w*|"
    r"rescision|opzeg\w*|opgezegd|disdetta|ended)|kundig\w*|kundbar)\b"
)
YEARLY = re.compile(
    r"\b(?:(?:a|per|each|every) (?:calendar )?year|yearly|annual\w*|jahrlich\w*|jahres\w+|"
    r"jedes jahr|pro jahr|im jahr|jeweils|par an|annuel\w*|chaque annee|al ano|anual\w*|cada ano|"
    r"per jaar|jaarlijks\w*|all.anno)\b"
)
EXAMPLE = re.compile(
    r"\b(?:examples?|for instance|e\. ?g\.|suppose|beispiel\w*|z\. ?b\.|bspw|exemples?|p\. ?ex|"
    r"ejemplo|bijvoorbeeld|esempio)"
)
_CELLS = re.compile(r"\S[ ]{2,}\S|\t")
_LABELLED = re.compile(r"\s*[^\W\d_][^.:]{1,40}:\s")
_DAY = re.compile(rf"\d\d?\. (?:{any_of(MONTHS)})\b", re.IGNORECASE)  # no item of a list
_FULL = 0.8  # share of the longest line that letters of many widths fill at least
_MOST = 1500  # characters of a sentence: more than people write
_FIGURES, _MANY = re.compile(r"\d+"), 40  # numbers in a sentence, at most: it would be a table
_SHORT = 70  # characters of a line "label: value", at most


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the same `plain`, in one line; its lines begin at `starts` in it."""

    text: str
    plain: str
    lines: tuple[TextLine, ...]
    starts: tuple[int, ...]

    def line(self, at: int = 0) -> TextLine:
        """Return the line of a place in the text."""
        return self.lines[max(0, bisect(self.starts, at) - 1)]


def sentences_of(lines: Sequence[TextLine]) -> list[Sentence]:
    """Return the sentences of a text, page by page, but for those that are tables of numbers."""
    found = []
    for page in dict.fromkeys(line.page for line in lines):
        own = [line for line in lines if line.page == page]
        starts, text = [], ""
        width = max(len(line.text.strip()) for line in own)
        for line, below in zip_longest(own, own[1:]):
            after = below.text.strip() if below else ""
            bare = unicodedata.normalize("NFC", line.text.strip())
            alone = _CELLS.search(bare) or (_LABELLED.match(bare) and len(bare) <= _SHORT)
            if alone:
                text += "\n"
            elif text.endswith("\n") and _DAY.match(bare):
                text = f"{text[:-1]} "
            starts.append(len(text))
            text += bare + ("\n\n" if alone or _ends(bare, after, width) else "\n")
        for start, end in _bounded(text):
            held = range(max(0, bisect(starts, start) - 1), bisect_left(starts, end))
            begins = tuple(starts[n] - start for n in held)
            said = text[start:end]
            if len(_FIGURES.findall(said)) > _MANY:
                continue
            bare = plain(said).replace("\n", " ")
            found.append(Sentence(said, bare, tuple(own[n] for n in held), begins))
    return found


def _ends(line: str, after: str, width: int) -> bool:
    """Return whether a line was ended on purpose: the next one's first word had room in it."""
    return not after[:1].islower() and len(line) + 1 + len(after.split(" ", 1)[0]) < width * _FULL


def _bounded(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences; one that no person writes is cut at a line end."""
    for start, end in spans(text):
        while end - start > _MOST:
            cut = text.rfind("\n", start + 1, start + _MOST)
            cut = cut if cut > 0 else start + _MOST
            yield start, cut
            start = cut
        yield start, end


class _Plain(dict[int, str]):
    """The plain letter of each letter, as `str.translate` takes it."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        found = self[code] = folded if len(folded := fold(letter)) == 1 else letter
        return found


_LETTERS = _Plain()


def plain(text: str) -> str:
    """Return a text of the same length in small letters without accents."""
    return text.lower() if text.isascii() else text.translate(_LETTERS)


def one_line(text: str, start: int, end: int, most: int) -> str:
    """Return a sentence as one line; of a long one, whole words around a place."""
    if len(text) > most:
        first = max(0, min(start, (start + end - most) // 2))
        last = min(len(text), first + most)
        first = text.find(" ", first, start) + 1 if first else 0
        last = text.rfind(" ", end, last) if last < len(text) else last
        text = text[max(0, first) : last if last > end else end]
    return " ".join(text.split())
