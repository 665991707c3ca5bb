"""Evidence selection: from the passages found to the few sentences worth reading.

The model reads 40 tokens a second, so each sentence has to earn its place. A passage is cut into
units (sentences of prose, lines of tables and forms). Each unit is scored against the question by

* meaning: cosine similarity of the embeddings, the unit read together with its title;
* words: the share of the question's content words it holds, weighted by how rare they are among
  the candidates (inverse document frequency), numbers and names counting double;
* rank: how high its passage stands in the hybrid search.

Scores spread to neighbours, so that a sentence that leans on the one before brings it along. The
best units are taken until the token budget is full, then put back into reading order.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.agent.answering.orders import gives_orders
from manole.index.words import content_words, has_digit, stem, stems

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9À-Þ])|(?<=[。！？])")
_PARAGRAPH = 320  # characters: a paragraph of at most so many is one unit
_SHORT = 24  # characters: a shorter unit is joined to the one after it
_LONG = 420  # characters: a longer unit is cut

MEANING, WORDS, RANK, NEIGHBOUR = 0.5, 0.4, 0.15, 0.35
MONEY = 0.15  # for units with an amount, when the question asks for one
_ASKS_AMOUNT = re.compile(r"\b(totals?|amount|costs?|price|how much|pay|paid|due|betrag)\b", re.I)
_MONEY = re.compile(r"\d[.,]\d{2}(?!\d)")
# Together these decline 4 % of answerable XQuAD questions, and 71 % of those whose own article
# was taken out of the index (docs/benchmarks.md, "Declining").
MIN_COVER, UNSUPPORTED = 0.3, 0.62


@dataclass(frozen=True, slots=True)
class Evidence:
    """An extract handed to the model as `[n]`, and where it stands.

    `line` and `line_end` are of the extract's best unit, not of its passage. `score` is that
    unit's; 1 would be a perfect match in every signal. `units` are the sentences and lines that
    the extract is made of, each with its first and last line.
    """

    n: int
    file: str
    page: int | None
    line: int
    line_end: int
    label: str
    text: str
    score: float
    units: tuple[tuple[str, int, int], ...] = ()

    def quote(self, answer: str) -> tuple[str, int, int]:
        """The sentence or line that shares most words with `answer`, and its lines."""
        said = stems(answer)
        whole = (self.text, self.line, self.line_end)
        return max(self.units, key=lambda unit: len(said & stems(unit[0])), default=whole)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A part of a passage: its pieces of text, each with its line."""

    passage: int
    parts: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """The pieces, on lines as in the file."""
        text, last = "", None
        for piece, line in self.parts:
            text += ("" if last is None else " " if line == last else "\n") + piece
            last = line
        return text

    @property
    def line(self) -> int:
        """The first line."""
        return self.parts[0][1]

    @property
    def line_end(self) -> int:
        """The last line."""
        return self.parts[-1][1]


Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]


def select(
    question: str,
    passages: Sequence[dict[str, Any]],
    embed: Embed,
    *,
    budget: int,
    pool: int = 12,
) -> list[Evidence]:
    """At most about `budget` tokens of extracts from `passages` (tool objects, best first)."""
    candidates = list(passages[:pool])
    units = [u for i, p in enumerate(candidates) for u in _units(i, p)]
    if not units:
        return []
    scores = _spread(units, _score(question, candidates, units, embed))
    chosen: list[int] = []
    spent = 0.0
    seen_texts: set[str] = set()
    for index in sorted(range(len(units)), key=lambda i: -scores[i]):
        unit = units[index]
        cost = estimate_tokens(unit.text)
        if unit.text in seen_texts:
            continue
        if not any(units[c].passage == unit.passage for c in chosen):
            cost += estimate_tokens(_label(candidates[unit.passage])) + 5
        if chosen and spent + cost > budget:
            continue
        chosen.append(index)
        seen_texts.add(unit.text)
        spent += cost
        if spent > budget * 0.95:
            break
    return _assemble(candidates, units, chosen, scores)


def relevant(question: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The extracts that hold at least `MIN_COVER` of the question's content words.

    The others mislead a small model more often than they help it, and cost tokens.
    """
    wanted = stems(question)
    if not wanted:
        return list(evidence)
    return [
        e for e in evidence if len(wanted & stems(f"{e.label} {e.text}")) >= MIN_COVER * len(wanted)
    ]


def support(question: str, evidence: Sequence[Evidence]) -> float:
    """How well the evidence can answer the question; below `UNSUPPORTED` it most likely cannot.

    The best extract's score, plus half the share of the question's content words that occur in
    the evidence, less a fifth of the share of its names and numbers that do not. Small models
    answer from whatever they are given, and decline far too often when told that they may, so
    this decides before one is asked (`docs/benchmarks.md`, "Declining").
    """
    text = " ".join(f"{e.label} {e.text}" for e in evidence)
    known = stems(text)
    covered = _share(stems(question), known)
    names = re.findall(r"(?<!^)\b[A-ZÀ-Þ][\w’'-]+|\b\d[\d.,]*", question)
    absent = [n for n in names if not stems(n) <= known]
    missing = len(absent) / len(names) if names else 0.0
    return max((e.score for e in evidence), default=0.0) + 0.5 * covered - 0.2 * missing


def coverage(question: str, evidence: Sequence[Evidence]) -> float:
    """The largest share of the question's content words that stand together in one extract."""
    wanted = stems(question)
    shares = (_share(wanted, stems(e.text)) for e in evidence)
    return max(shares, default=_share(wanted, frozenset()))


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    """The share of the wanted stems that were found; all, where none is wanted."""
    return len(wanted & found) / len(wanted) if wanted else 1.0


def estimate_tokens(text: str) -> float:
    """About how many tokens the chat models make of `text`: each digit and sign is one.

    Asking the engine would be exact and cost a round trip for each of some hundred sentences.
    """
    words = re.findall(r"[^\W\d_]+", text)
    letters = sum(max(1.0, len(word) / 5) for word in words)
    return letters + len(re.findall(r"\d", text)) + 0.8 * len(re.findall(r"[^\w\s]|_", text))


def _units(index: int, passage: dict[str, Any]) -> list[_Unit]:
    """What of a passage is taken or left as a whole: short paragraphs, else sentences and lines.

    A record of a few lines ("JONAS ... Allergies: penicillin") means nothing in parts. A piece
    too short to stand alone joins the one after it, but never across a blank line.
    """
    groups: list[list[tuple[str, int]]] = []
    for block in _blocks(passage):
        short = sum(len(text) for text, _ in block) <= _PARAGRAPH
        groups += [block] if short else _joined(block)
    return [_Unit(index, tuple(group)) for group in groups]


def _blocks(passage: dict[str, Any]) -> list[list[tuple[str, int]]]:
    """The pieces of each paragraph with their lines; what gives orders is left out."""
    blocks: list[list[tuple[str, int]]] = [[]]
    for offset, line in enumerate(passage["text"].split("\n")):
        if not line.strip():
            blocks.append([])
        for text in pieces(line):
            if not gives_orders(text):
                blocks[-1].append((text, passage["line"] + offset))
    return [block for block in blocks if block]


def _joined(block: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """The pieces of a long paragraph, short ones together with the next."""
    groups: list[list[tuple[str, int]]] = []
    held: list[tuple[str, int]] = []
    for piece in block:
        held.append(piece)
        if sum(len(text) for text, _ in held) >= _SHORT:
            groups.append(held)
            held = []
    return [*groups, held] if held else groups


def pieces(line: str) -> list[str]:
    """The sentences of a line, without rulers and empty table rows."""
    found = (piece.strip() for piece in _SENTENCE_END.split(line))
    kept = (p for p in found if p and not re.fullmatch(r"[\s|:\-=_*#.]+", p))
    return [part for piece in kept for part in _cut(piece)]


def _cut(text: str) -> list[str]:
    parts = []
    while len(text) > _LONG:
        at = text.rfind(" ", 0, _LONG)
        at = at if at > 0 else _LONG
        parts.append(text[:at])
        text = text[at:].strip()
    return [*parts, text]


def _score(
    question: str,
    passages: Sequence[dict[str, Any]],
    units: Sequence[_Unit],
    embed: Embed,
) -> npt.NDArray[np.float32]:
    contexts = [_context(p) for p in passages]
    vectors = embed([question, *(f"{contexts[u.passage]} {u.text}".strip() for u in units)])
    meaning = np.clip(vectors[1:] @ vectors[0], 0, 1)

    wanted = {stem(w): w for w in content_words(question)}
    unit_stems = [stems(u.text) | _context_stems(passages[u.passage]) for u in units]
    frequency = Counter(s for found in unit_stems for s in wanted.keys() & found)
    names = {stem(w.lower()) for w in re.findall(r"(?<!^)\b[A-ZÀ-Þ][\w’'-]+", question)}
    weights = {
        s: math.log(1 + len(units) / (1 + frequency[s])) * (2 if has_digit(s) or s in names else 1)
        for s in wanted
    }
    total = sum(weights.values()) or 1.0
    lexical = np.array(
        [sum(weights[s] for s in wanted.keys() & found) / total for found in unit_stems],
        dtype=np.float32,
    )
    rank = np.array([1 / (1 + u.passage) for u in units], dtype=np.float32)
    combined: npt.NDArray[np.float32] = (
        MEANING * meaning.astype(np.float32) + WORDS * lexical + RANK * rank
    )
    if stems("total amount cost price") & wanted.keys() or re.search(
        r"how much\b", question.lower()
    ):
        combined += MONEY * np.array([bool(_MONEY.search(u.text)) for u in units], np.float32)
    return combined


def _spread(units: Sequence[_Unit], scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    spread = scores.copy()
    for i, unit in enumerate(units):
        near = [
            scores[j]
            for j in (i - 1, i + 1)
            if 0 <= j < len(units) and units[j].passage == unit.passage
        ]
        if near:
            spread[i] += NEIGHBOUR * max(near)
    return spread


def _assemble(
    passages: Sequence[dict[str, Any]],
    units: Sequence[_Unit],
    chosen: Sequence[int],
    scores: npt.NDArray[np.float32],
) -> list[Evidence]:
    """Extracts in the order of their passages' rank; gaps inside one are marked."""
    evidence: list[Evidence] = []
    by_passage: dict[int, list[int]] = {}
    for index in sorted(chosen):
        by_passage.setdefault(units[index].passage, []).append(index)
    for passage_index, indexes in by_passage.items():
        passage = passages[passage_index]
        text = ""
        for before, index in zip([None, *indexes[:-1]], indexes, strict=True):
            joint = "" if before is None else " " if index == before + 1 else " … "
            text += joint + units[index].text
        best = max(indexes, key=lambda i: scores[i])
        evidence.append(
            Evidence(
                n=len(evidence) + 1,
                file=passage["file"],
                page=passage["page"],
                line=units[best].line,
                line_end=units[best].line_end,
                label=_label(passage),
                text=text,
                units=tuple((text, line, line) for i in indexes for text, line in units[i].parts),
                score=float(scores[best]) / (MEANING + WORDS + RANK) / (1 + NEIGHBOUR),
            )
        )
    return evidence


def _context(passage: dict[str, Any]) -> str:
    return " ".join(dict.fromkeys(filter(None, [passage.get("title"), *passage["headings"]])))


def _context_stems(passage: dict[str, Any]) -> frozenset[str]:
    return stems(_context(passage) + " " + re.sub(r"[_\-./]+", " ", passage["file"]))


def _label(passage: dict[str, Any]) -> str:
    """What the model is told of an extract's origin: file name, page, nearest heading."""
    name = passage["file"].rsplit("/", 1)[-1]
    headings = [h for h in passage["headings"] if h][-1:]
    return ", ".join([name, *(h[:60] for h in headings)])
