"""The lexicon of the program (`text/lexicon.py`): one thing a line, as six languages call it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

LEXICON = Path(__file__).parents[1] / "src/manole/text/lists/lexicon.tsv"
LANGUAGES = "en", "de", "fr", "es", "it", "nl"
_LONGEST = 3  # words of a phrase that is exchanged
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

Thing = dict[str, list[str]]  # what each language calls it, the usual word first


class Lexicon:
    """Things by what they are called."""

    def __init__(self) -> None:
        """Read them."""
        rows = (line.split("\t") for line in LEXICON.read_text("utf-8").splitlines())
        self.things: list[Thing] = [
            {lang: cell.split("|") for lang, cell in zip(LANGUAGES, row, strict=True)}
            for row in rows
        ]
        self._called: dict[str, dict[str, Thing]] = {lang: {} for lang in LANGUAGES}
        for thing in self.things:
            for lang, names in thing.items():
                for name in names:
                    self._called[lang].setdefault(_key(name), thing)

    def names(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """Yield for each thing its usual English name and one of another language."""
        for thing in self.things:
            for names in thing.values():
                yield thing["en"][0], names[0] if chance.random() < 0.5 else chance.choice(names)

    def switched(self, text: str, lang: str, chance: random.Random) -> str:
        """Return a text with most of the things that it names called as in another language.

        Code-switching (Qin et al. 2020, CoSDA-ML): the words between stay.
        """
        known, into = self._called[lang], chance.choice([one for one in LANGUAGES if one != lang])
        words, made, at = list(_WORD.finditer(text)), [], 0
        after = 0  # the character behind what is taken over
        while at < len(words):
            for size in range(_LONGEST, 0, -1):
                part = words[at : at + size]
                thing = known.get(_key(text[part[0].start() : part[-1].end()]))
                if thing is not None and len(part) == size:
                    break
            if thing is not None and chance.random() < 0.7:
                made += [text[after : part[0].start()], chance.choice(thing[into])]
                after = part[-1].end()
            at += size
        return "".join([*made, text[after:]])


def _key(name: str) -> str:
    return name.lower().removeprefix("to ").removesuffix("s")
