"""The parser of questions: what is asked of what, by a small encoder trained for it (`training/`).

It tells whether a question can be computed or has to be read, which relation it asks, what is given
(a count, a sum, rows …), grouped and ordered by what, which of its words are values, and whether a
tool answers it by itself. It reads six languages, in some 20 ms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from manole.models.encode.tokenizing import load_tokenizer
from manole.text.words import SHORTENED, fold

_WEIGHTS = Path(__file__).parent / "weights"
_START, _END = 0, 2  # ids of tokens
_LONGEST = 128  # tokens of a question with what it leans on; the rest is not read
_LEANS = 0.8  # probability from which a question leans on the one before (`training/leaning.py`)
_ASKS = 0.9  # probability from which a word surely carries no mark, set by hand
_ON = 0.5  # probability from which a word is denied, or an alternative
_COMPARING = frozenset({"over", "least", "under", "most", "between"})
_PLACES = frozenset({"scope", "file"})  # that side by side are one name: "pump x300.pdf"
_EXTENSION = re.compile(r"\.[a-z]\w{0,4}$", re.I)  # ends the name of a file
# Tags whose words stand beside others that say no more: "PDF files", "im Januar".
_THINGS = frozenset({"", "kind", "type", "ext", "file", "folder", "scope", "period"})
_EDGES = re.compile(r"^[^\w#.<>€$£%+-]+|(?:[^\w+#%€$£]|(?<=\w)['’]s)+$")  # around a word
_APART = re.compile(rf"\S*?\w(?!{SHORTENED})['’](?=\w)|\S+")  # a word, or "l'" before one
_USUAL = 0.6  # probability up to which no tool answers a question by itself that one may
_TOOL = 0.3  # the least of that tool, both set by hand
READ = "query"  # the route of what can be computed; every other one has to be read
_TOLD = frozenset({"lookup", "explain"})  # routes whose answer is a sentence or two

Floats = npt.NDArray[np.float32]
_Word = tuple[int, int, list[int]]  # its bounds, and its pieces


@dataclass(frozen=True, slots=True)
class Mark:
    """A value in a question: its tag (`training/README.md`), and characters `start` to `end`."""

    tag: str
    text: str
    start: int
    end: int
    denied: bool = False
    either: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a question asks: a label by head, the probability of each, and its marks."""

    question: str
    labels: Mapping[str, str]
    sure: Mapping[str, float]
    marks: tuple[Mark, ...]
    unread: tuple[str, ...] = ()  # words without a mark with which nobody asks, or behind the end

    @property
    def computed(self) -> bool:
        """Whether it asks for what can be computed."""
        return self.labels["route"] == READ

    @property
    def tool(self) -> str:
        """The tool that answers it by itself (`training/README.md`), "-" for none."""
        return self.labels["tool"]

    @property
    def leans(self) -> bool:
        """Whether it leans on the question before."""
        return self.labels["leans"] == "yes" and self.sure["leans"] > _LEANS

    @property
    def told(self) -> str:
        """What a question that leans on this one is read with."""
        names = ("relation", "op", "column", "group", "order") if self.computed else ()
        frame = " ".join(self.labels[n] for n in names if self.labels[n] != "-")
        return f"{self.labels['route']} {frame}: {self.question}"


class Parser:
    """The network with its tokenizer and labels. Safe to call from several threads.

    `asking` are the words with which people ask, folded.
    """

    def __init__(self, folder: Path = _WEIGHTS) -> None:
        """Load it. Raises what onnxruntime raises where the files are damaged."""
        import onnxruntime  # takes 0.1 s, and only questions need it

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(folder / "parser.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = load_tokenizer(folder / "tokenizer.json")
        told = json.loads((folder / "labels.json").read_text("utf-8"))
        self._heads: dict[str, list[str]] = told["heads"]
        self.asking = frozenset((folder / "asking.txt").read_text("utf-8").split())
        self._places: dict[str, list[int]] = {}  # of each tag ("" for none): beginning, inside
        for at, label in enumerate(told["tags"]):
            self._places.setdefault(label.partition("-")[2], []).append(at)

    def read(self, question: str, before: Parsed | None = None) -> Parsed:
        """Return what a question asks, perhaps leaning on the one before."""
        asked = self._tokenizer.encode(question, add_special_tokens=False)
        end = asked.offsets[_LONGEST - 3][1] if len(asked.ids) > _LONGEST - 2 else len(question)
        asked.truncate(_LONGEST - 2)
        ids = [_START, *asked.ids, _END]
        if before is not None:
            told = self._tokenizer.encode(before.told, add_special_tokens=False)
            ids += [*told.ids, _END]
        ids = ids[:_LONGEST]
        own = np.zeros((1, len(ids)), np.float32)
        own[0, 1 : len(asked.ids) + 1] = 1
        feed = {"tokens": np.array([ids], np.int64), "mask": np.ones_like(own), "own": own}
        heads, tags, flags = self._session.run(None, feed)
        labels, sure = self._framed(heads[0])
        if before is None or len(asked.ids) > _LONGEST - 3:  # what comes before is not seen
            labels["leans"] = "no"
        count = len(asked.ids)
        chances = np.exp(tags[0, 1 : count + 1] - tags[0, 1 : count + 1].max(-1, keepdims=True))
        chances /= chances.sum(-1, keepdims=True)
        words = list(_words(question, asked.offsets))
        marks = tuple(self._marks(question, words, chances, flags[0, 1:]))
        unread = [*self._unread(question, words, marks, chances), *question[end:].split()]
        return Parsed(question, labels, sure, marks, tuple(unread))

    def _unread(
        self, question: str, words: Sequence[_Word], marks: Sequence[Mark], chances: Floats
    ) -> Iterator[str]:
        """Yield words without a mark that are none with which people ask, or not surely so.

        One that may belong to the mark beside it, as in "PDF files", says nothing else.
        """
        tags = [
            next((m.tag for m in marks if m.start <= start < m.end), "") for start, _, _ in words
        ]
        for at, (start, end, pieces) in enumerate(words):
            if tags[at]:
                continue
            beside = {"", *tags[max(at - 1, 0) : at + 2]} & _THINGS
            places = [place for tag in beside for place in self._places[tag]]
            asks = chances[pieces][:, places].sum(-1).min() > _ASKS
            said = question[start:end]
            if not asks or not self.asking.issuperset(re.findall(r"[^\W_]+", fold(said))):
                yield said

    def _framed(self, logits: Floats) -> tuple[dict[str, str], dict[str, float]]:
        """Return the likeliest label of each head, and its probability.

        That of the route is whether it is read or computed; that of what is read stands beside it,
        as "kind". A sentence tells both one fact and its reason, so these are one kind.
        """
        labels, sure, at = {}, {}, 0
        for name, known in self._heads.items():
            own = np.exp(logits[at : at + len(known)] - logits[at : at + len(known)].max())
            chances = dict(zip(known, (own / own.sum()).tolist(), strict=True))
            if name == "route" and chances[READ] <= 0.5:
                read = 1 - chances.pop(READ)
            if name == "tool" and chances["-"] <= _USUAL:
                others = {label: p for label, p in chances.items() if p >= _TOOL and label != "-"}
                chances = others or chances
            labels[name] = max(chances, key=chances.__getitem__)
            sure[name] = chances[labels[name]]
            if name == "route" and labels[name] != READ:
                told = _TOLD if labels[name] in _TOLD else {labels[name]}
                sure["kind"] = sum(map(chances.__getitem__, told))
                sure[name] = read
            at += len(known)
        return labels, sure

    def _marks(
        self, question: str, words: Iterable[_Word], chances: Floats, flags: Floats
    ) -> Iterator[Mark]:
        """Yield the marks: whole words, of each the tag and flags of its pieces together."""
        now: Mark | None = None
        for start, end, pieces in words:
            whole = chances[pieces].sum(0)
            tag = max(self._places, key=lambda t: whole[self._places[t]].sum())
            begins = chances[pieces[0]][self._places[tag]].argmax() == 0
            on = 1 / (1 + np.exp(-flags[pieces].mean(0))) > _ON
            # The second word of "less than" says nothing of its own.
            joins = (
                now is not None
                and "(" not in question[now.end : start]
                and (
                    (tag == now.tag and not begins)
                    or {tag, now.tag} <= _COMPARING
                    or (
                        {tag, now.tag} <= _PLACES
                        and question[now.end : start].isspace()
                        and (tag != now.tag or not _EXTENSION.search(now.text))
                    )
                )
            )
            if now is not None and joins:
                kept = "file" if {tag, now.tag} == _PLACES else now.tag
                now = replace(now, tag=kept, text=question[now.start : end], end=end)
                continue
            if now is not None:
                yield now
            text = question[start:end]
            tag = "file" if tag == "folder" and _EXTENSION.search(text) else tag
            now = Mark(tag, text, start, end, bool(on[0]), bool(on[1])) if tag else None
        if now is not None:
            yield now


def _words(question: str, offsets: Sequence[tuple[int, int]]) -> Iterator[_Word]:
    """Yield the bounds of each word, without punctuation around it, and its pieces.

    An article or pronoun that lost its vowel ("l'école", "dell'acqua") is a word of its own.
    """
    for match in _APART.finditer(question):
        bare = _EDGES.sub("", match[0])
        if not bare:
            continue
        start = match.start() + match[0].index(bare)
        end = start + len(bare)
        pieces = [n for n, (a, b) in enumerate(offsets) if b > start and a < end and b > a]
        if pieces:
            yield start, end, pieces


@cache
def parser() -> Parser:
    """Return the parser that is shipped."""
    return Parser()
