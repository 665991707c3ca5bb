"""Grounding: what an answer says must stand in the evidence it is given.

Every number of the answer has to occur in the evidence or the question, else the answer is
withdrawn before the number is shown. Names are checked likewise and lower the confidence. Token
overlap below 0.2 marks low confidence (seed 001). Citations are set by code: each sentence gets
the extract that shares most with it, so `[n]` never depends on the model's counting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from manole.agent.answering.evidence import Evidence, unmarked
from manole.agent.figures import canonical, figures, numbers
from manole.documents.formats import DELIMITED_EXTENSIONS
from manole.index.words import STOP, fold, stem, words

LOW_OVERLAP = 0.2

# "1." and "2)" at the start of a line count its items; in bold, too.
_COUNTER = re.compile(r"[*_]{0,3}(\d{1,2})[.)][*_]{0,3}")
_LINE_COUNTER = re.compile(rf"^\s*{_COUNTER.pattern}(?=\s)", re.MULTILINE)
_DECLINES = re.compile(
    r"^\W*(not found|i could not find|i couldn't find|no (relevant )?information|"
    r"not (mentioned|stated|given|specified|provided)|the extracts? do(es)? not|"
    r"there is no (information|mention)|unknown\b|n/a\b|"
    r"none of the extracts|nicht gefunden|keine angabe)",
    re.IGNORECASE,
)
# "The extracts do not mention ...", anywhere in a reply.
_DENIES = re.compile(
    r"\b(extracts?|passages?|texts?|documents?|files?|sources?|information)\b[^.]{0,40}?"
    r"\b(do|does|did|is|are)(n['’]t| not)\b[^.]{0,20}?"
    r"\b(mention|say|state|provide|provided|contain|specify|answer|include|give|given|mentioned)\b",
    re.IGNORECASE,
)
_ABBREVIATION_WORDS = (
    "mr. mrs. ms. dr. prof. st. no. nr. vs. approx. ca. e.g. i.e. inc. ltd. co. jr. z.b. bzw."
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_WORDS.split())


def without_counters(text: str) -> str:
    """`text` without the counters of its numbered lists, which are no figures."""
    return _LINE_COUNTER.sub("", text)


def declines(answer: str) -> bool:
    """Whether an answer says that the evidence does not hold it."""
    text = answer.strip()
    return not text or bool(_DECLINES.search(text) or _DENIES.search(text))


def overlap(answer: str, evidence: Iterable[str]) -> float:
    """Share of the answer's content words that occur in the evidence, 0 to 1 (seed 001)."""
    plain = without_counters(unmarked(answer))
    said = [stem(w) for w in words(plain) if w not in STOP]
    if not said:
        return 1.0
    known = {stem(w) for text in evidence for w in words(text)}
    return sum(w in known for w in said) / len(said)


def unsupported_names(answer: str, evidence: Iterable[str]) -> list[str]:
    """Capitalised words inside the answer's sentences that no evidence has."""
    known = {stem(w) for text in evidence for w in words(text)}
    names = re.findall(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Þ][\w’'-]{2,}", answer)
    return [n for n in names if stem(fold(n)) not in known and fold(n) not in STOP]


@dataclass
class StreamGate:
    """Lets an answer through word by word, as long as its numbers are in the evidence.

    `feed` and `flush` return the text that may be shown. When `blocked` is set, the word with
    that figure was held back and nothing more comes. The model's own `[n]` are dropped and ours put
    at the end of each sentence. The counters of a numbered list (1, 2, ... at the start of lines
    that go on) are no figures.
    """

    evidence: Sequence[Evidence]
    question: str
    strict: bool = True  # False: let numbers through that stand nowhere, and cite
    blocked: str | None = None
    cited: list[int] = field(default_factory=list)
    _wanted: set[str] = field(default_factory=set)  # all figures, also of what is dictated
    _buffer: str = ""
    _sentence: str = ""
    _counted: int = 0  # the last counter of a numbered list
    _counter: str = ""  # one that waits for its item, with the space before it
    _shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._known = numbers(self.question)
        for item in self.evidence:
            self._known |= item.figures | numbers(item.label)
            self._wanted |= numbers(item.text)
            if item.file.rsplit(".", 1)[-1].lower() in DELIMITED_EXTENSIONS:
                # `0098,55017` are two cells; the first is the end of an identifier, no figure.
                cells = figures(item.text.replace(",", " , "))
                self._known |= {canonical(cell) for cell in cells if not cell.startswith("0")}

    @property
    def text(self) -> str:
        """Everything let through so far."""
        return "".join(self._shown)

    def feed(self, text: str) -> str:
        """Take in a piece; return what may be shown of it, however the answer is cut in pieces."""
        return "".join(map(self._take, text))

    def _take(self, character: str) -> str:
        self._buffer += character
        if self.blocked is not None:
            return ""
        # The last word may go on, and the space before it may belong to a marker such as [1, 2].
        match = re.match(r"(.*?\S)(\s+(?:\S*|\[[\d,\s]*\]?\S*))$", self._buffer, re.DOTALL)
        if not match or re.fullmatch(r"\s*\[[\d,\s]*\]?\S*", self._buffer):
            return ""
        self._buffer = match[2]
        return self._release(match[1])

    def flush(self) -> str:
        """The end of the answer: return what is left."""
        if self.blocked is not None:
            return ""
        rest, self._buffer = self._buffer, ""
        shown = self._release(rest)
        if self.blocked is None and self._counter:
            shown += self._without_item()
        if self.blocked is None and self._sentence.strip():
            marker = self._close()
            self._shown.append(marker)
            shown += marker
        return shown

    def _release(self, text: str) -> str:
        out = ""
        for space, word in re.findall(r"(\s*)(\S+)", unmarked(text)):
            if self._counter and "\n" in space:
                out += self._without_item()
                if self.blocked is not None:
                    break
            if self._counts(space, word, out):
                self._counter = space + word
                continue
            self.blocked = self._unsupported(word)
            if self.blocked is not None:
                break
            piece, self._counter = self._counter + space + word, ""
            self._sentence += piece
            out += piece
            if _ends_sentence(word):
                out += self._close()
        self._shown.append(out)
        return out

    def _counts(self, space: str, word: str, out: str) -> bool:
        """Whether a word, at a line's start, counts on in a numbered list: 1, or one more."""
        match = _COUNTER.fullmatch(word)
        if not match or self._counter:
            return False
        starts = "\n" in space or not (out or any(self._shown))
        number = int(match[1])
        if not starts or number not in {1, self._counted + 1}:
            return False
        self._counted = number
        return True

    def _without_item(self) -> str:
        """A counter that no item follows is a figure like any other."""
        piece, self._counter = self._counter, ""
        self.blocked = self._unsupported(piece)
        if self.blocked is not None:
            return ""
        self._sentence += piece
        return piece

    def _unsupported(self, word: str) -> str | None:
        """The first figure of a word that the evidence does not have, or only wants said."""
        for figure in figures(word):
            number = canonical(figure)
            if number not in self._known and (self.strict or number in self._wanted):
                return figure
        return None

    def _close(self) -> str:
        """End a sentence: ` [n]` of the extract that supports it best."""
        sentence, self._sentence = self._sentence, ""
        item = best_support(sentence, self.evidence, self.question)
        if item is None:
            return ""
        if item.n not in self.cited:
            self.cited.append(item.n)
        return f" [{item.n}]"


def best_support(
    sentence: str, evidence: Sequence[Evidence], question: str = ""
) -> Evidence | None:
    """The extract that shares most with a sentence: its numbers first, then its words, then
    the question's. `None` without evidence.
    """  # noqa: D205
    said = {stem(w) for w in words(sentence) if w not in STOP}
    asked = {stem(w) for w in words(question) if w not in STOP}
    said_figures = numbers(sentence) - numbers(question)

    def support(item: Evidence) -> tuple[float, float]:
        text = f"{item.label} {item.text}"
        known = {stem(w) for w in words(text)}
        shared = 2.0 * len(said_figures & numbers(text)) + len((said - asked) & known)
        return shared + 0.5 * len(asked & known) / (len(asked) or 1) * 2, item.score

    return max(evidence, key=support, default=None)


def _ends_sentence(word: str) -> bool:
    bare = word.rstrip('"”’)')
    if bare.lower() in _ABBREVIATIONS or re.fullmatch(r"([A-Z]\.)+|\d+\.", bare):
        return False
    return bare.endswith((".", "!", "?", "。", "！", "？"))
