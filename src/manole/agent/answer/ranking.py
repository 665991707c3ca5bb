"""The ranking of units: how likely each is the one that decides a question.

Each unit is weighed by signals that are cheap to have: how near it is to the question in meaning,
alone and with its passage and headings; the words that they share, weighted by how rare they are
among the candidates (inverse document frequency), numbers and names twice, a code such as E07 more
than all others; the rank of its passage in the search; and its form, as a heading or a question
decides nothing. Where the model guessed a sentence (`guess.py`), meaning and words are those of
question and guess. The weights are a conditional logit, fitted on questions whose deciding sentence
is known (`training/ranking.py` writes `ranking.json`; McFadden 1974; ListNet with one right answer,
Cao et al. 2007).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from manole.agent.answer.injection_filter import steers
from manole.agent.answer.units import Unit
from manole.text.question import Question
from manole.text.words import content_words, has_digit, stem, stems
from manole.tools.objects import FoundPassage

_GUESSED = 0.5  # weight of a guessed word beside one of the question: guesses may be wrong
_LONG = 400  # characters from which a unit is long

Scores = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]


def context(passage: FoundPassage) -> str:
    """Return the title and headings above a passage, without those that give orders."""
    above = [passage.title, *passage.headings]
    return " ".join(dict.fromkeys(name for name in above if name and not steers(name)))


def context_stems(passage: FoundPassage) -> frozenset[str]:
    """Return the stems of the context and of the file's name."""
    return stems(context(passage) + " " + re.sub(r"[_\-./]+", " ", passage.file))


def weigh(
    question: Question,
    like: str,
    passages: Sequence[FoundPassage],
    units: Sequence[Unit],
    embed: Embed,
) -> Scores:
    """Return the weight of each unit, about 0 to 1; `passages` are the units' own, best first."""
    known = signals(question, like, passages, units, embed)
    weights, intercept = _fitted()
    total = sum(weight * known[name] for name, weight in weights.items())
    return np.asarray(np.maximum(total + intercept, 0.0), np.float32)


def signals(
    question: Question,
    like: str,
    passages: Sequence[FoundPassage],
    units: Sequence[Unit],
    embed: Embed,
) -> dict[str, Scores]:
    """Return each signal of all units, most of them 0 to 1."""
    own = [unit.passage for unit in units]
    above = [context(passage) for passage in passages]
    read = [f"{above[unit.passage]} {unit.text}".strip() for unit in units]
    named = [led or passage.file for led, passage in zip(above, passages, strict=True)]
    near = likeness(question.text, like, [*read, *named], embed)
    meaning, headings = near[: len(units)], near[len(units) :]
    best = np.zeros(len(passages), np.float32)
    mean = np.zeros(len(passages), np.float32)
    for at in set(own):
        inside = meaning[[n for n, other in enumerate(own) if other == at]]
        best[at], mean[at] = inside.max(), inside.mean()
    wanted = _wanted(question, like)
    texts = [unit.text.strip() for unit in units]
    known = [context_stems(passage) for passage in passages]
    held = [stems(text) | known[at] for text, at in zip(texts, own, strict=True)]
    texts_stems = [stems(passage.text) for passage in passages]
    whole = [one | name for one, name in zip(texts_stems, known, strict=True)]
    codes = {word for word in question.content_words if has_digit(word)}
    found = {
        "meaning": meaning,
        "headings": headings[own],
        "passage_best": best[own],
        "passage_mean": mean[own],
        "words": rare_shares(wanted, held),
        "passage_words": rare_shares(wanted, [whole[at] for at in own]),
        "codes": [
            len(codes & frozenset(content_words(text))) / (len(codes) or 1) for text in texts
        ],
        "rank": [1 / (1 + at) for at in own],
        "row": [text.startswith("|") for text in texts],
        "bare": [not unit.says for unit in units],
        "length": [min(len(text), _LONG) / _LONG for text in texts],
        "asks": [text.endswith("?") for text in texts],
        "leads": [text.endswith(":") for text in texts],
    }
    return {name: np.asarray(values, np.float32) for name, values in found.items()}


def _wanted(question: Question, like: str) -> dict[str, float]:
    """Return the stems to look for, each with its weight."""
    names = {stem(word.lower()) for word in question.names}
    wanted = {stem(word): _GUESSED for word in content_words(like)}
    for word in map(stem, question.content_words):
        wanted[word] = 2.0 if has_digit(word) or word in names else 1.0
    others = sum(weight for word, weight in wanted.items() if word not in question.codes)
    return wanted | dict.fromkeys(question.codes, 1 + others)  # more than all other words


def remembering(embed: Embed) -> Embed:
    """Return an embedder that keeps what it has embedded."""
    kept: dict[str, npt.NDArray[np.float32]] = {}

    def vectors(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        fresh = [text for text in dict.fromkeys(texts) if text not in kept]
        if fresh:
            kept.update(zip(fresh, embed(fresh), strict=True))
        return np.stack([kept[text] for text in texts])

    return vectors


def likeness(question: str, like: str, texts: Sequence[str], embed: Embed) -> Scores:
    """Return the cosine similarity of each text to a question and the guessed sentence, 0 to 1."""
    asked = [question, like] if like else [question]
    vectors = embed([*asked, *texts])
    wanted = vectors[: len(asked)].mean(axis=0)
    wanted /= np.linalg.norm(wanted) or 1.0
    return np.asarray(np.clip(vectors[len(asked) :] @ wanted, 0, 1), np.float32)


def rare_shares(wanted: Mapping[str, float], held: Sequence[frozenset[str]]) -> list[float]:
    """Return the share of the wanted stems in each set, 0 to 1.

    A stem counts its given weight, times its inverse document frequency among the sets.
    """
    frequency = Counter(s for found in held for s in wanted.keys() & found)
    rare = {s: n * math.log(1 + len(held) / (1 + frequency[s])) for s, n in wanted.items()}
    total = sum(rare.values()) or 1.0
    return [sum(rare[s] for s in rare.keys() & found) / total for found in held]


@cache
def _fitted() -> tuple[dict[str, float], float]:
    told = json.loads(files(__package__).joinpath("ranking.json").read_text("utf-8"))
    return told["weights"], told["intercept"]
