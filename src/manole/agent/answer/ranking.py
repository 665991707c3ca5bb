"""The ranking of units: how likely each is the one that decides a question.

Each unit is weighed by two readings: what the reader finds, which reads question and passage
together (`models/encode/reader.py`), and how near the unit is to the question in meaning. Beside
them stand the words that they share, weighted by how rare they are among the candidates (inverse
document frequency), numbers and names twice, a code such as E07 more than all others; the rank of
its passage in the search; and its form, as a heading decides nothing. The weights are a conditional
logit, fitted on questions whose deciding sentence is known and that the reader was not taught with
(`training/ranking.py` writes `ranking.json`; McFadden 1974; ListNet with one right answer, Cao et
al. 2007). How likely a unit decides at all, a logistic regression tells from both
readings: the reader alone gives a short question over a short text next to nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from manole.agent.answer.confidence import CLEAR, POSSIBLE
from manole.agent.answer.injection_filter import steers
from manole.agent.answer.units import Unit
from manole.agent.answer.wording import worded_all
from manole.models.encode.embedder import Embedder
from manole.models.encode.heads import Vectors
from manole.models.encode.reader import reader
from manole.text.question import Question
from manole.text.words import has_digit, path_words, stem, stems
from manole.tools.objects import FoundPassage

_LIKELY = 24  # units that are embedded, of some hundred
# The share of the question's rare words in a passage from which what is possible is likely: of nine
# such sentences seven were right, of 22 others seven, and six had no answer.
_WORDED = 0.5
_LACKING = 0.6  # what remains of a sentence that does not name whose something is, by hand
_SURE = 8.0  # logit of the reader beyond which it tells nothing more

Scores = npt.NDArray[np.float32]


def context(passage: FoundPassage) -> str:
    """Return the title and headings above a passage, without those that give orders."""
    above = [passage.title, *passage.headings]
    return " ".join(dict.fromkeys(name for name in above if name and not steers(name)))


def standing_above(passage: FoundPassage) -> str:
    """Return what tells a passage from others of its sort: the words of its path, and its context.

    Figures of a path say little to a small network; a name that gives orders is left out.
    """
    said = path_words(passage.file)
    return f"{'' if steers(said) else said} {context(passage)}".strip()


def context_stems(passage: FoundPassage) -> frozenset[str]:
    """Return the stems of the context and of the file's name."""
    return stems(context(passage) + " " + re.sub(r"[_\-./]+", " ", passage.file))


def called(passage: FoundPassage) -> frozenset[str]:
    """Return the stems of the names of a passage's file: its path and its title."""
    return stems(f"{path_words(passage.file)} {passage.title or ''}")


class Senses:
    """What units are weighed with, the index's embedder and the reader: each text is read once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self._logits: dict[tuple[str, str, tuple[str, ...]], list[float]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, each of length 1."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if fresh:
            self._vectors.update(zip(fresh, self._embedder.embed(fresh), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, of length 1."""
        return self._embedder.embed_query(text)

    def read(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[float]:
        """Return the reader's logit of each sentence of passages, each with what stands above."""
        keys = [(question, above, tuple(texts)) for above, texts in passages]
        if fresh := [key for key in dict.fromkeys(keys) if key not in self._logits]:
            logits = reader()(question, [(above, texts) for _, above, texts in fresh])
            self._logits.update(zip(fresh, logits, strict=True))
        return [logit for key in keys for logit in self._logits[key]]


def weigh(
    question: Question,
    passages: Sequence[FoundPassage],
    units: Sequence[Unit],
    senses: Senses,
) -> tuple[Scores, Scores]:
    """Return the weight of each unit, about 0 to 1, and the chance that it answers.

    `passages` are the units' own, best first.
    """
    known, fitted = signals(question, passages, units, senses), _fitted()
    total = sum(weight * known[name] for name, weight in fitted["weights"].items())
    weighed = np.asarray(np.maximum(total + fitted["intercept"], 0.0), np.float32)
    odds = fitted["chance"]
    logit = odds["intercept"] + odds["read"] * known["read"] + odds["meaning"] * known["meaning"]
    chances = 1 / (1 + np.exp(-logit))
    meant = (known["passage_words"] >= _WORDED) & (chances >= POSSIBLE)
    apart = question.owners or question.codes
    held = held_stems(question, passages, units) if apart else ()
    if owners := question.owners:  # what is somebody's names who that is
        own = np.array([owners <= found for found in held])
        if own.any():
            weighed, chances = (np.where(own, of, _LACKING * of) for of in (weighed, chances))
            meant &= own
    if codes := question.codes:  # what has them is meant, whatever the reader finds
        meant |= np.array([codes <= found for found in held])
    return np.asarray(weighed, np.float32), np.asarray(
        np.where(meant, np.maximum(chances, CLEAR), chances), np.float32
    )


def signals(
    question: Question,
    passages: Sequence[FoundPassage],
    units: Sequence[Unit],
    senses: Senses,
) -> dict[str, Scores]:
    """Return each signal of all units, most of them 0 to 1."""
    own = [unit.passage for unit in units]
    above = [standing_above(passage) for passage in passages]
    inside: dict[int, list[str]] = {}
    for at, of_passage in groupby(units, key=lambda unit: unit.passage):
        inside[at] = worded_all(passages[at], list(of_passage))
    read = np.array(senses.read(question.text, [(above[at], inside[at]) for at in inside]))
    # Only what the reader finds likely is embedded: it is slow, and the others do not decide.
    likely = np.argsort(-read, kind="stable")[:_LIKELY]
    led = [f"{above[units[at].passage]} {units[at].text}".strip() for at in likely]
    near = likeness(question.text, led, senses)
    meaning = np.full(len(units), near.min(initial=1.0), np.float32)
    meaning[likely] = near
    best = np.zeros(len(passages), np.float32)
    np.maximum.at(best, own, meaning)
    wanted = _wanted(question)
    texts = [unit.text.strip() for unit in units]
    held = held_stems(question, passages, units)
    called = _called(question)
    whole = [_meant(stems(p.text) | context_stems(p), called) for p in passages]
    found = {
        "read": np.clip(read, -_SURE, _SURE),
        "meaning": meaning,
        "passage_best": best[own],
        "words": rare_shares(wanted, held),
        "passage_words": rare_shares(wanted, [whole[at] for at in own]),
        "rank": [1 / (1 + at) for at in own],
        "bare": [not unit.says for unit in units],
        "leads": [text.endswith(":") for text in texts],
    }
    return {name: np.asarray(values, np.float32) for name, values in found.items()}


def held_stems(
    question: Question, passages: Sequence[FoundPassage], units: Sequence[Unit]
) -> list[frozenset[str]]:
    """Return the stems of each unit and what stands above it, by the question's names of things."""
    above, called = [context_stems(passage) for passage in passages], _called(question)
    return [_meant(stems(unit.text) | above[unit.passage], called) for unit in units]


def rare_stems(question: Question, held: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the question's stems, each with its share of their weight in `held`, in all 1."""
    return _rare(_wanted(question), held)


def _wanted(question: Question) -> dict[str, float]:
    """Return the stems to look for, each with its weight."""
    names = {stem(word.lower()) for word in question.names}
    wanted: dict[str, float] = {}
    for word in map(stem, question.content_words):
        wanted[word] = 2.0 if has_digit(word) or word in names else 1.0
    others = sum(weight for word, weight in wanted.items() if word not in question.codes)
    return wanted | dict.fromkeys(question.codes, 1 + others)  # more than all other words


def _called(question: Question) -> dict[str, str]:
    """Return the stem of a word of the question for the stem of each of its other names."""
    return {
        stem(name): stem(word) for word, names in question.names_by_word.items() for name in names
    }


def _meant(found: frozenset[str], called: Mapping[str, str]) -> frozenset[str]:
    """Return stems with those of the question's words that they are other names of."""
    return found | {called[name] for name in called.keys() & found}


def likeness(question: str, texts: Sequence[str], embedder: Embedder | Senses) -> Scores:
    """Return the cosine similarity of each text to a question, 0 to 1."""
    wanted = embedder.embed_query(question)
    return np.asarray(np.clip(embedder.embed(texts) @ wanted, 0, 1), np.float32)


def rare_shares(wanted: Mapping[str, float], held: Sequence[frozenset[str]]) -> list[float]:
    """Return the share of the wanted stems in each set, 0 to 1.

    A stem counts its given weight, times its inverse document frequency among the sets.
    """
    rare = _rare(wanted, held)
    return [sum(rare[s] for s in rare.keys() & found) for found in held]


def _rare(wanted: Mapping[str, float], held: Sequence[frozenset[str]]) -> dict[str, float]:
    frequency = Counter(s for found in held for s in wanted.keys() & found)
    rare = {s: n * math.log(1 + len(held) / (1 + frequency[s])) for s, n in wanted.items()}
    total = sum(rare.values()) or 1.0
    return {s: weight / total for s, weight in rare.items()}


class Fitted(TypedDict):
    """What `training/ranking.py` writes: weights, and the logistic regression of the chance."""

    weights: dict[str, float]
    intercept: float
    chance: dict[str, float]


@cache
def _fitted() -> Fitted:
    fitted: Fitted = json.loads(files(__package__).joinpath("ranking.json").read_text("utf-8"))
    return fitted
