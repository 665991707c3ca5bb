"""The draft of an answer, written from selected evidence through the gate, cited by code.

The reply begins with a few words that are not shown. Asked "can I ...?", a small model says yes.
Made to continue "The files say that", it repeats the rule that decides, with its "not" and its
"unless", and a person draws the conclusion: of 45 look-ups and explanations in everyday words 25
were right with this prefix, 21 with the same words as an instruction. The prefix is in the
question's language (`manole.agent.languages`), and so is the answer in most cases; where it is not,
it is requested once more with the language named.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from manole.agent.answer.contradictions import conflict
from manole.agent.answer.evidence import MARKED, Evidence, borne_out, unmarked
from manole.agent.answer.grounding import (
    LOW_OVERLAP,
    StreamGate,
    declines,
    overlap,
    unsupported_names,
    without_counters,
)
from manole.agent.events import Outcome, StatusEvent
from manole.agent.languages import Words, words_of
from manole.agent.prompts import prompt as template
from manole.errors import ModelError
from manole.models.chat.protocol import ChatModel, Completion, Message, Usage
from manole.text.figures import Known, missing
from manole.text.language import LANGUAGES, SAID, certain_language
from manole.text.periods import Period, with_plain_dates
from manole.text.question import Question
from manole.tools.base import Confidence

_QUOTED = re.compile(r"[“„«][^”“»]*(?:[”“»]|$)|\[\d+\]")  # the files' own words
_REFUSALS = ("not found", "no information", "no relevant information found")
_NEAREST = 400  # characters up to which an extract is quoted whole: a paragraph
LOOSE = 0.6  # share of an answer's words in the evidence below which it is not certain, by hand
_LONGEST = 8  # characters for each token that a reply may have; an endpoint may heed no limit
_WEAK = 0.35  # score of the best extract below which an answer is not certain: a third of a match


@dataclass
class Draft:
    """An unfinished answer.

    `written` is the part of its text that the model wrote, `completions` are the calls for it.
    `cut` is the number of characters after which the reply was cut, 0 where it was not.
    """

    text: str = ""
    written: str = ""
    found: bool = True
    outcome: Outcome = "answered"
    corrected: bool = False
    confidence: Confidence = "high"
    grounding: float = 1.0
    cited: list[int] = field(default_factory=list)
    completions: list[Completion] = field(default_factory=list)
    cut: int = 0


def longest_reply(max_tokens: int) -> int:
    """Return the characters after which a reply of so many tokens is cut."""
    return _LONGEST * max_tokens


def cut_after(characters: int) -> StatusEvent:
    """Return the message that a reply was cut."""
    return StatusEvent(message=f"The reply was cut after {characters:,} characters.")


def check_reply(text: str) -> None:
    """Raise `ModelError` for a reply without any text."""
    if not text.strip():
        raise ModelError("The model wrote no answer.", "Ask again, or ask in other words.")


def messages_for(question: str, evidence: Sequence[Evidence]) -> list[Message]:
    """Return the prompt: a fixed system message, extracts, question."""
    extracts = "\n\n".join(f"[{e.n}] ({e.label}) {e.text}" for e in evidence)
    asked = template("answer.user").substitute(evidence=extracts, question=question)
    return [Message("system", template("answer.system").template), Message("user", asked)]


def grade(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> None:
    """Set the grounding and confidence of a draft by how much of it is in the evidence."""
    texts = [question.text, *(f"{e.label} {e.text}" for e in evidence)]
    draft.grounding = round(overlap(draft.text, texts), 3)
    strangers = unsupported_names(draft.text, texts)
    best = max((e.score for e in evidence), default=0.0)
    if draft.grounding < LOW_OVERLAP or len(strangers) > 1:
        draft.confidence = "low"
    elif (
        draft.grounding < LOOSE
        or strangers
        or best < _WEAK
        or not borne_out(_own_words(draft), draft.cited, question, evidence)
    ):
        draft.confidence = "medium"


def grade_figures(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> None:
    """Grade a draft of a style that is not strict: low where a figure is nowhere."""
    grade(draft, question, evidence)
    known = Known.of([question.text, *(text for e in evidence for text in (e.label, e.text))])
    if missing(_own_words(draft), known):
        draft.confidence = "low"


def _own_words(draft: Draft) -> str:
    """Return the text of a draft without the numbers of its sources and lists."""
    return without_counters(unmarked(draft.text))


@dataclass(frozen=True, slots=True)
class Style:
    """The way an answer is requested and judged; the default is the agent's own.

    `strict` withdraws an answer whose figures the evidence lacks. `prompt` makes the messages,
    `slot` is the family of prompts they belong to. An answer that `leads` begins in the question's
    language, and is requested once more where it goes on in another.
    """

    prompt: Callable[[str, Sequence[Evidence]], list[Message]] = messages_for
    leads: bool = False
    slot: str = "answer"
    strict: bool = True
    grade: Callable[[Draft, Question, Sequence[Evidence]], None] = grade

    def messages(
        self, question: Question, evidence: Sequence[Evidence], *, insists: bool
    ) -> list[Message]:
        """Return the prompt, with the answer's beginning if it `leads`.

        With `insists` both name the language: after "In den Dateien steht:" a model may quote an
        English file word for word, after "Auf Deutsch gesagt:" it translates.
        """
        asked = self.prompt(question.whole.text, evidence)
        if not self.leads:
            return asked
        words = words_of(question.language)
        if insists:
            named = template("language.user").substitute(language=words.name)
            asked[-1] = Message("user", f"{asked[-1].content}\n{named}")
        return [*asked, Message("assistant", words.lead_again if insists else words.lead)]


PLAIN = Style()
AGENT = Style(leads=True)


class _PrefixFilter:
    """The filter that removes the prefix from a reply that repeats it, and capitalizes the rest."""

    def __init__(self, text: str) -> None:
        self._text = text.lower()
        self._held: str | None = ""

    def feed(self, piece: str) -> str:
        """Take a piece of the reply; return what may be passed on."""
        if self._held is None:
            return piece
        self._held += piece
        begun = self._held.lstrip()
        if not begun or (self._text and self._text.startswith(begun.lower())):
            return ""  # it may still be the prefix
        return self.flush()

    def flush(self) -> str:
        """Return the rest of a reply that ended while it might still be the prefix."""
        rest, self._held = (self._held or "").lstrip(), None
        if self._text and rest.lower().startswith(self._text):
            rest = rest[len(self._text) :].lstrip(" ,:")
        return rest[:1].upper() + rest[1:]


class LanguageCheck:
    """The check whether an answer's first words are in the right language.

    Names and quotations do not count. Without a language, any is right.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = ""
        self.is_undecided = bool(language)  # more words are needed
        self.is_foreign = False  # beyond doubt in another language

    def feed(self, text: str) -> None:
        """Take a piece of the answer, until its language is known."""
        if not self.is_undecided:
            return
        self._text += text
        own = _QUOTED.sub(" ", self._text)
        self.is_undecided = sum(map(str.isalpha, own)) < SAID
        self.is_foreign = certain_language(own) not in {None, self._language}


async def write(
    question: Question,
    evidence: Sequence[Evidence],
    model: ChatModel,
    max_tokens: int,
    style: Style = PLAIN,
) -> AsyncIterator[str | Draft]:
    """Stream the text of the answer, then the finished `Draft`.

    Text is held back while it may still become a refusal, or be in another language than the
    question. When a figure is not in the evidence, or the language is wrong twice, the answer so
    far is withdrawn and the best extract quoted instead. Raises `ModelError` for an empty reply.
    """
    draft = Draft()
    language = question.language if style.leads and _may_stray(question, evidence) else ""
    for insists in (False, True):
        gate = StreamGate(evidence, question, strict=style.strict)
        check, held = LanguageCheck(language), ""
        asked = style.messages(question, evidence, insists=insists)
        reply = _streamed(model, asked, gate, check, draft, max_tokens, style.slot)
        async with aclosing(reply):  # type: ignore[type-var]  # an async generator
            async for text in reply:
                held += text
                check.feed(text)
                if held and not (check.is_undecided or check.is_foreign or _may_decline(held)):
                    yield held
                    held = ""
        if not check.is_foreign:
            break
    if gate.blocked is not None or check.is_foreign:
        withdraw(draft, question, evidence)
    else:
        _finish(draft, gate, style)
        if held and draft.found:
            yield held
    yield draft


async def _streamed(
    model: ChatModel,
    prompt: list[Message],
    gate: StreamGate,
    check: LanguageCheck,
    draft: Draft,
    max_tokens: int,
    slot: str,
) -> AsyncIterator[str]:
    """Yield what the gate lets through of a reply without its prefix; add the call to the draft.

    The reply is cut off where the gate blocks, the language is wrong, or it is far too long.
    """
    reply, written, started = "", 0, time.perf_counter()
    draft.cut, most = 0, longest_reply(max_tokens)
    prefix = _PrefixFilter(prompt[-1].content if prompt[-1].role == "assistant" else "")
    async with aclosing(
        model.stream(prompt, max_tokens=max_tokens, slot=slot)  # type: ignore[type-var]  # an async generator
    ) as stream:
        async for item in stream:
            if isinstance(item, Completion):
                draft.completions.append(item)
                break
            written += 1
            yield gate.feed(prefix.feed(item.text[: most - len(reply)]))
            reply += item.text
            withheld = gate.blocked is not None or check.is_foreign
            draft.cut = most if len(reply) > most and not withheld else 0
            if withheld or draft.cut:
                draft.completions.append(await _cut_off(model, prompt, written, started))
                break
    check_reply(reply)
    if not check.is_foreign:
        yield gate.feed(prefix.flush()) + gate.flush()


def _may_stray(question: Question, evidence: Sequence[Evidence]) -> bool:
    """Return whether an answer may be in another language: not where all is English."""
    read = {certain_language(item.text) for item in evidence}
    return question.language != LANGUAGES[0] or not read <= {None, LANGUAGES[0]}


def finished(text: str, question: Question, evidence: Sequence[Evidence], style: Style) -> Draft:
    """Return a draft of an answer that was written before, cited and graded."""
    draft = Draft()
    gate = StreamGate(evidence, question, strict=False)
    gate.feed(text.strip())
    gate.flush()
    _finish(draft, gate, style)
    return draft


def _finish(draft: Draft, gate: StreamGate, style: Style) -> None:
    """Fill a draft with what the gate let through."""
    text = gate.text.strip()
    if declines(text):
        draft.found, draft.confidence = False, "low"
        draft.text = words_of(gate.question.language).not_found
        draft.outcome = "nothing"
        return
    draft.text, draft.cited = text, gate.cited
    style.grade(draft, gate.question, gate.evidence)


async def _cut_off(
    model: ChatModel, prompt: Sequence[Message], written: int, started: float
) -> Completion:
    """Return the cost of a call that was stopped before the engine reported it."""
    read = await model.count_tokens("\n".join(m.content for m in prompt))
    usage = Usage(read, 0, written, total_s=time.perf_counter() - started)
    return Completion("", usage, "cancelled")


def withdraw(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> None:
    """Replace a draft that no file supports by a quotation."""
    draft.corrected, draft.found, draft.confidence = True, False, "low"
    draft.outcome = "nearest"
    text, draft.cited = quote(evidence, question)
    draft.text = f"{words_of(question.language).not_certain} {text}"


def quote(evidence: Sequence[Evidence], question: Question) -> tuple[str, list[int]]:
    """Return a quotation of the best extract, and of the next if it is about as good; their `[n]`.

    Each is quoted by its best sentence.
    """
    first, *others = sorted(evidence, key=lambda e: -e.score)
    words = words_of(question.language)
    said = words.closest.format(quote=_quotation(first, question, words), n=first.n)
    for other in others[:1]:
        if other.score >= MARKED * first.score:
            text = words.close_too.format(quote=_quotation(other, question, words), n=other.n)
            return f"{said}\n{text}", [first.n, other.n]
    return said, [first.n]


def _quotation(item: Evidence, question: Question, words: Words) -> str:
    """Return the best sentence of an extract as people read it, with its day."""
    text = item.plain
    if item.best in text:  # it is no dictation
        text = item.worded or text
    if len(text) > _NEAREST:
        text = item.quote(question.text)[0]
        text = with_plain_dates(text, item.day) if item.day else text
    return f"{words.written(item.day)}: {text}" if item.day else text


def not_found(draft: Draft, question: Question) -> Draft:
    """Return a draft that found nothing; it keeps the model calls of the given one."""
    return Draft(
        text=words_of(question.language).not_found, found=False, outcome="nothing",
        confidence="low", corrected=bool(draft.text), completions=draft.completions,
    )  # fmt: skip


def nowhere(question: Question, name: str, near: Sequence[str]) -> Draft:
    """Return the sentence for a name that is nowhere, with names that are like it."""
    words = words_of(question.language)
    text = words.nowhere.format(name=name)
    return Draft(text=_beside(text, near, words), found=False, outcome="nothing")


def without_entries(question: Question, period: Period, beside: Sequence[Evidence] = ()) -> Draft:
    """Return the sentence for a time without entries, with the days of the entries `beside` it."""
    words = words_of(question.language)
    days = [f"{words.written(item.day)} [{item.n}]" for item in beside if item.day]
    text = _beside(words.no_entry.format(time=words.dated(period)), days, words)
    return Draft(text=text, found=False, outcome="nothing", cited=[item.n for item in beside])


def _beside(text: str, near: Sequence[str], words: Words) -> str:
    return f"{text} {words.nearest.format(names=', '.join(near))}" if near else text


def nearest(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> Draft:
    """Add a quotation of the best extract, if any, to a draft that found nothing."""
    if evidence:
        quoted, cited = quote(evidence, question)
        stated = words_of(question.language).not_stated
        draft.text, draft.cited, draft.outcome = f"{stated} {quoted}", cited, "nearest"
    return draft


def _may_decline(text: str) -> bool:
    """Return whether the text declines, or may still become "Not found."."""
    start = text.strip().lower()
    return declines(start) or any(refusal.startswith(start) for refusal in _REFUSALS)


def contradict(draft: Draft, question: Question, evidence: Sequence[Evidence]) -> str:
    """Add a contradicting source below an answer, which is then not certain.

    Return what was added, "" where nothing contradicts.
    """
    found = conflict(question, draft.text, draft.cited, evidence) if draft.found else None
    if found is None:
        return ""
    note = f"\n{found.sentence(words_of(question.language))}"
    draft.text += note
    draft.cited.append(found.n)
    draft.confidence = "medium" if draft.confidence == "high" else draft.confidence
    return note
