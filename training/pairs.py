"""Questions with the passages that were found for them, as tokens.

What `candidates.py` wrote is read, and perhaps rows of public sets beside it (`--public FILE`, an
xz-packed JSON line each: `question`, `sentences`, `positive`, the deciding ones). One
document in eight is held out (`split.py`).
"""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from lexicon import Lexicon
from split import held
from tokenizers import Tokenizer

START, PAD, END = 0, 1, 2
QUESTION, HEAD, WINDOW = 64, 48, 352  # tokens of a question, of what stands above, of all
_SWITCHED = 0.3  # share of the questions with things named as in another language
ROOM = 900  # characters of a public passage around its deciding sentence


@dataclass(slots=True)
class Passage:
    """A passage as tokens: what stands above it, and its units."""

    file: str
    head: list[int]
    units: list[list[int]]

    @property
    def held(self) -> bool:
        """Whether it is held out."""
        return held(self.file)


@dataclass(slots=True)
class Entry:
    """A passage that was found, its deciding units, and those that only look so."""

    passage: int
    right: list[int]
    alike: list[int]
    missed: bool = False


@dataclass(slots=True)
class Asked:
    """A question as tokens, with what was found for it, best first."""

    question: list[int]
    file: str
    answerable: bool
    found: list[Entry] = field(default_factory=list)

    @property
    def hand(self) -> str:
        """Who wrote it; "" for a public one."""
        return self.file.partition("/")[0]


class Sentences:
    """All passages and questions."""

    def __init__(
        self,
        candidates: Path,
        words: Tokenizer,
        public: Path | None,
        lexicon: Lexicon | None = None,
    ) -> None:
        """Read and tokenize them; with a lexicon some questions are worded with its names."""
        with lzma.open(candidates, "rt") as opened:
            told = json.load(opened)
        self._words = words
        self.passages = [self._passage(p["file"], p["head"], p["units"]) for p in told["passages"]]
        self.own, chance = [], random.Random(3)
        for row in told["questions"]:
            text = row["question"]
            if lexicon and not held(row["file"]) and chance.random() < _SWITCHED:
                text = lexicon.switched(text, row["lang"], chance)
            found = [Entry(*entry) for entry in row["found"]]
            ids = self._ids(text)[:QUESTION]
            self.own.append(Asked(ids, row["file"], row["answerable"], found))
        self.public = list(self._public(public)) if public else []
        self.taught = [q for q in self.own if not held(q.file)]
        self.kept = [q for q in self.own if held(q.file)]

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._words.encode(text, add_special_tokens=False).ids
        return ids

    def _passage(self, file: str, head: str, units: Sequence[str]) -> Passage:
        return Passage(file, self._ids(head)[:HEAD], [self._ids(unit) for unit in units])

    def _public(self, path: Path) -> list[Asked]:
        chance, found = random.Random(3), []
        with lzma.open(path, "rt") as opened:
            rows = [json.loads(line) for line in opened]
        for row in rows:
            said, right = row["sentences"], set(row["positive"])
            if not said:
                continue
            first = last = min(right) if right else chance.randrange(len(said))
            size = len(said[first])
            while size < ROOM and (first > 0 or last < len(said) - 1):
                if first > 0 and (chance.random() < 0.5 or last == len(said) - 1):
                    first -= 1
                    size += len(said[first])
                else:
                    last += 1
                    size += len(said[last])
            title = row.get("title") or ""
            self.passages.append(self._passage("", title, said[first : last + 1]))
            decide = [at - first for at in sorted(right) if first <= at <= last]
            entry = Entry(len(self.passages) - 1, decide, [])
            found.append(Asked(self._ids(row["question"])[:QUESTION], "", bool(right), [entry]))
        return found


def padded(rows: Sequence[Sequence[int]], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tokens and mask."""
    length = max(map(len, rows))
    tokens, mask = torch.full((len(rows), length), PAD), torch.zeros(len(rows), length)
    for at, row in enumerate(rows):
        tokens[at, : len(row)], mask[at, : len(row)] = torch.tensor(row), 1
    return tokens.to(device), mask.to(device)


def window(question: Asked, passage: Passage) -> tuple[list[int], list[tuple[int, int, int]]]:
    """Return the tokens that the reader reads, and each unit with its place in them."""
    ids = [START, *question.question, END, *passage.head, END]
    places = []
    for number, unit in enumerate(passage.units):
        begin = len(ids)
        ids += [*unit, END]
        if begin < WINDOW:
            places.append((number, begin, min(len(ids), WINDOW)))
    return ids[:WINDOW], places
