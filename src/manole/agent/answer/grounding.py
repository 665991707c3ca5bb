"""Grounding: the check that what an answer states is in its evidence.

Every number of the answer must occur in the evidence or the question, else the answer is withdrawn
before the number is shown; numbers and days are compared by their meaning (`manole.text.figures`).
Names are checked as well and lower the confidence, and so does a token overlap below `LOW_OVERLAP`.
Citations are set by code: each sentence gets the extract that shares most with it, so `[n]` never
depends on the model's counting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from manole.agent.answer.evidence import Evidence, unmarked
from manole.agent.languages import words_of
from manole.text.dates import month_of
from manole.text.figures import Held, Known, figures, numbers
from manole.text.language import LANGUAGES
from manole.text.names import capitalised
from manole.text.question import Question
from manole.text.sentences import ends
from manole.text.words import STOP, all_stems, fold, stem, stems, words

LOW_OVERLAP = 0.2  # share of an answer's words in the evidence below which it is made up, by hand

# "1." and "2)" at the start of a line count its items; in bold, too.
_COUNTER = re.compile(r"[*_]{0,3}(\d{1,2})[.)][*_]{0,3}")
_LINE_COUNTER = re.compile(rf"^\s*{_COUNTER.pattern}(?=\s)", re.MULTILINE)
# "The extracts do not mention ...", anywhere in a reply.
_DENIES = re.compile(
    r"\b(extracts?|passages?|texts?|documents?|files?|sources?|information)\b[^.]{0,40}?"
    r"\b(do|does|did|is|are)(n['’]t| not)\b[^.]{0,20}?"
    r"\b(mention|say|state|provide|provided|contain|specify|answer|include|give|given|mentioned)\b",
    re.IGNORECASE,
)
_RUN, _LINK = 12, 4  # words of the longest figure ("5 de mayo de 2024"); letters of its links


def without_counters(text: str) -> str:
    """Return `text` without the counters of its numbered lists, which are no figures."""
    return _LINE_COUNTER.sub("", text)


def declines(answer: str) -> bool:
    """Return whether a reply says that the evidence has no answer."""
    text = answer.strip()
    begins = any(words_of(language).begins_declining(text) for language in LANGUAGES)
    return not text or begins or bool(_DENIES.search(text))


def overlap(answer: str, evidence: Iterable[str]) -> float:
    """Return the share of the answer's content words that occur in the evidence, 0 to 1."""
    plain = without_counters(unmarked(answer))
    own = [stem(w) for w in words(plain) if w not in STOP]
    if not own:
        return 1.0
    known = frozenset().union(*map(all_stems, evidence))
    return sum(w in known for w in own) / len(own)


def unsupported_names(answer: str, evidence: Iterable[str]) -> list[str]:
    """Return capitalised words inside the answer's sentences that no evidence has."""
    known = frozenset().union(*map(all_stems, evidence))
    names = [name for name in capitalised(answer) if len(name) > 2]
    return [n for n in names if stem(fold(n)) not in known and fold(n) not in STOP]


@dataclass
class StreamGate:
    """The gate that lets an answer through word by word while its numbers are in the evidence.

    `feed` and `flush` return the text that may be shown. Where `blocked` is set, the word with that
    figure was held back and nothing more follows. The model's own `[n]` are dropped and ours added
    at the end of each sentence. The counters of a numbered list (1, 2, ... at the start of lines
    with text) are no figures.
    """

    evidence: Sequence[Evidence]
    question: Question
    strict: bool = True  # False: let numbers through that are nowhere, and cite
    blocked: str | None = None
    cited: list[int] = field(default_factory=list)
    _known: Known = field(default_factory=Known)
    _wanted: Known = field(default_factory=Known)  # all figures, also of what is dictated
    _buffer: str = ""
    _sentence: str = ""
    _counted: int = 0  # the last counter of a numbered list
    _counter: str = ""  # a counter before its item, with the space before it
    _run: list[tuple[str, str]] = field(default_factory=list)  # words of a figure, as yet unjudged
    _shown: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._known.add(self.question.whole.text)
        for item in self.evidence:
            item.add_figures(self._known)
            self._wanted.add(item.text)

    @property
    def text(self) -> str:
        """The text let through so far."""
        return "".join(self._shown)

    def feed(self, text: str) -> str:
        """Take a piece of any length; return what may be shown of it."""
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
        """End the answer; return what is left."""
        if self.blocked is not None:
            return ""
        rest, self._buffer = self._buffer, ""
        shown = self._release(rest)
        if self.blocked is None and self._run:
            last = self._judged()
            self._shown.append(last)
            shown += last
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
                out += self._judged()
                if self.blocked is not None:
                    break
                self._counter = space + word
                continue
            figure = self._goes_on(word)
            if not figure:
                out += self._judged()
                if self.blocked is not None:
                    break
            # The counter of an item is judged only where it is the day of a month.
            judged = self._counter if month_of(_bare(word)) else ""
            piece, self._counter = self._counter + space + word, ""
            if figure:
                self._run.append((piece, judged + space + word))
            else:
                out += self._said(piece, word)
        self._shown.append(out)
        return out

    def _goes_on(self, word: str) -> bool:
        """Return whether a word may continue a figure: `5.`, `Mai`, the `de` between, `2024`."""
        if len(self._run) >= _RUN or (self._run and _ends_sentence(self._run[-1][1].strip())):
            return False
        if re.search(r"\d", word) or month_of(_bare(word)):
            return True
        last = self._run[-1][1].strip() if self._run else ""
        return bool(last) and not last.isalpha() and word.isalpha() and len(word) <= _LINK

    def _judged(self) -> str:
        """Return the waiting words, if their figure is known."""
        self.blocked = self._unsupported("".join(judged for _, judged in self._run))
        run, self._run = self._run, []
        if self.blocked is not None:
            return ""
        return "".join(self._said(piece, piece.split()[-1]) for piece, _ in run)

    def _said(self, piece: str, word: str) -> str:
        """Return a piece with its citation where it ends a sentence."""
        self._sentence += piece
        return piece + (self._close() if _ends_sentence(word) else "")

    def _counts(self, space: str, word: str, out: str) -> bool:
        """Return whether a word at the start of a line is the next counter of a numbered list."""
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
        """Return a counter without an item, which is a figure like any other."""
        piece, self._counter = self._counter, ""
        self.blocked = self._unsupported(piece)
        if self.blocked is not None:
            return ""
        self._sentence += piece
        return piece

    def _unsupported(self, text: str) -> str | None:
        """Return the first figure of a text that the evidence lacks or only dictates."""
        for figure in figures(text):
            if self._known.holds(figure) is Held.NO and (
                self.strict or self._wanted.holds(figure) is not Held.NO
            ):
                return figure.text
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
    sentence: str, evidence: Sequence[Evidence], question: Question
) -> Evidence | None:
    """Return the extract that shares most with a sentence; `None` without evidence.

    Numbers count double; the words of the question, all of them together, as one.
    """
    own, asked = stems(sentence), question.stems
    own_figures = numbers(sentence) - question.numbers

    def support(item: Evidence) -> tuple[float, float]:
        text = f"{item.label} {item.text}"
        known = all_stems(text)
        shared = 2.0 * len(own_figures & numbers(text)) + len((own - asked) & known)
        return shared + len(asked & known) / (len(asked) or 1), item.score

    return max(evidence, key=support, default=None)


def _bare(word: str) -> str:
    return word.strip('.,;:!?()*_"”“')


def _ends_sentence(word: str) -> bool:
    """Return whether a word ends a sentence; `5.` may be a day before its month."""
    return ends(word) and not re.fullmatch(r"\d{1,2}\.", word.rstrip('"”’)'))
