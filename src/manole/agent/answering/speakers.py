"""In a conversation it matters who said it: what Ann did is no answer to what Bob did.

In files such as chats, whose lines begin with a speaker (`Ann: ...`), a question about one of the
speakers is answered by what this person says of themselves, or by what is said to them ("your").
Where lines of somebody else about *their own* life fit the question clearly better, the question
has the wrong person in it, and a model would answer it all the same. Each line is scored by the
share of the question's words it holds, rare ones counting more, and by meaning; the margin was
found on a sample of the chat questions (docs/benchmarks.md, "The journal").
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from manole.agent.answering.evidence import Embed
from manole.documents.journal import SPEAKER
from manole.index.forms import LIGHT, key, keys
from manole.index.words import STOP, words

MARGIN = 0.08
_MOST = 70  # lines that are compared
_CHARS = 400  # of a line
_OWN = re.compile(r"\b(?:I|I['’]m|I['’]ve|I['’]d|me|my|mine|we|our|us|ich|mein\w*|wir|uns\w*)\b")
_YOURS = re.compile(r"\b(?:you|your|yours|you['’]re|you['’]ve|you['’]d|dein\w*|du|dir)\b", re.I)


def spoken_by_another(question: str, passages: Sequence[dict[str, Any]], embed: Embed) -> bool:
    """Whether the best answer to a question about one speaker is another one's own story."""
    lines = [line for p in passages for line in _lines(p["text"])][:_MOST]
    names = {name for name, _ in lines}
    asked = [n for n in names if re.search(rf"\b{re.escape(n)}\b", question)]
    if len(names) < 2 or len(asked) != 1:
        return False
    person = asked[0]
    scores = _scores(question, person, lines, embed)
    own = other = 0.0
    for (name, text), score in zip(lines, scores, strict=True):
        says_own, says_yours = bool(_OWN.search(text)), bool(_YOURS.search(text))
        if name == person:
            own = max(own, score)
            if says_yours and not says_own:
                other = max(other, score)
            continue
        if says_yours:
            own = max(own, score if not says_own else 0.9 * score)
        if says_own or not says_yours:
            other = max(other, score)
    return other - own > MARGIN


def _scores(
    question: str, person: str, lines: Sequence[tuple[str, str]], embed: Embed
) -> list[float]:
    wanted = {key(w) for w in words(question) if w not in STOP and w not in LIGHT}
    wanted -= {key(person.lower())}
    held = [keys(text) & wanted for _, text in lines]
    frequency = Counter(k for found in held for k in found)
    weights = {k: math.log(1 + len(lines) / (1 + frequency[k])) for k in wanted}
    total = sum(weights.values()) or 1.0
    unnamed = re.sub(rf"\b{re.escape(person)}\b(?:['’]s)?", "", question)
    vectors = embed([unnamed, *(text[:_CHARS] for _, text in lines)])
    meaning = vectors[1:] @ vectors[0]
    return [
        0.5 * sum(weights[k] for k in found) / total + float(similarity)
        for found, similarity in zip(held, meaning, strict=True)
    ]


def _lines(text: str) -> list[tuple[str, str]]:
    matches = ((SPEAKER.match(line), line) for line in text.split("\n"))
    return [(match[1], line[match.end() :]) for match, line in matches if match]
