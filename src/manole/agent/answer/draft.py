"""Writing the answer: from selected evidence, through the gate, with code-set citations."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from manole.agent.answer.conflicts import conflict
from manole.agent.answer.dictation import borne_out
from manole.agent.answer.evidence import Evidence, unmarked
from manole.agent.answer.grounding import (
    LOW_OVERLAP,
    StreamGate,
    declines,
    overlap,
    unsupported_names,
    without_counters,
)
from manole.agent.answer.injection_filter import is_marked
from manole.agent.answer.response_prefix import Lead, Tongue
from manole.agent.events import Outcome, Source
from manole.agent.languages import words_for, words_of
from manole.agent.prompts import prompt as template
from manole.models.chat.protocol import ChatModel, Completion, Message, Usage
from manole.text.figures import Known, missing
from manole.text.language import LANGUAGES, certain_language
from manole.text.periods import with_plain_dates
from manole.tools.objects import Found, FoundFile, FoundRow

_REFUSALS = ("not found", "no information", "no relevant information found")
_NEAREST = 400  # characters of an extract that are quoted whole

Confidence = Literal["high", "medium", "low"]


@dataclass
class Draft:
    """An answer in the making. `said` of its text are the model's words.

    `completions` are the model calls it took.
    """

    text: str = ""
    said: str = ""
    found: bool = True
    outcome: Outcome = "answered"
    corrected: bool = False
    confidence: Confidence = "high"
    grounding: float = 1.0
    cited: list[int] = field(default_factory=list)
    completions: list[Completion] = field(default_factory=list)


def messages_for(
    question: str, evidence: Sequence[Evidence], language: str = "", *, insists: bool = False
) -> list[Message]:
    """The prompt: a fixed system message, the extracts, the question, and how the answer begins.

    Where one `insists`, the model is told the language, and begins with it: after "In den Dateien
    steht:" it may quote an English file word for word, after "Auf Deutsch gesagt:" it translates.
    """
    extracts = "\n\n".join(f"[{e.n}] ({e.label}) {e.text}" for e in evidence)
    asked = template("answer.user").substitute(evidence=extracts, question=question)
    if not language:
        return [Message("system", template("answer.system").template), Message("user", asked)]
    words = words_of(language)
    if insists:
        asked = f"{asked}\n{template('language.user').substitute(language=words.name)}"
    return [
        Message("system", template("answer.system").template),
        Message("user", asked),
        Message("assistant", words.lead_again if insists else words.lead),
    ]


def grade(draft: Draft, question: str, evidence: Sequence[Evidence]) -> None:
    """Set a draft's grounding and confidence by what of it stands in the evidence."""
    texts = [question, *(f"{e.label} {e.text}" for e in evidence)]
    draft.grounding = round(overlap(draft.text, texts), 3)
    strangers = unsupported_names(draft.text, texts)
    best = max((e.score for e in evidence), default=0.0)
    if draft.grounding < LOW_OVERLAP or len(strangers) > 1:
        draft.confidence = "low"
    elif (
        draft.grounding < 0.6
        or strangers
        or best < 0.35
        or not borne_out(_own_words(draft), draft.cited, question, evidence)
    ):
        draft.confidence = "medium"


def grade_figures(draft: Draft, question: str, evidence: Sequence[Evidence]) -> None:
    """`grade`, and low where a figure stands nowhere: for styles that are not strict."""
    grade(draft, question, evidence)
    known = Known.of([question, *(text for e in evidence for text in (e.label, e.text))])
    if missing(_own_words(draft), known):
        draft.confidence = "low"


def _own_words(draft: Draft) -> str:
    """A draft's text without the numbers of its sources and lists."""
    return without_counters(unmarked(draft.text))


@dataclass(frozen=True, slots=True)
class Style:
    """How an answer is asked for and judged; the default is the agent's own.

    `strict` withdraws an answer whose figures the evidence lacks. `prompt` and `slot` are the
    messages the model reads and the family they belong to. An answer that is not in `language`
    (ISO 639-1; in any without) is asked for once more with the messages of `again`.
    """

    prompt: Callable[[str, Sequence[Evidence]], list[Message]] = messages_for
    language: str = ""
    again: Callable[[str, Sequence[Evidence]], list[Message]] = messages_for
    slot: str = "answer"
    strict: bool = True
    grade: Callable[[Draft, str, Sequence[Evidence]], None] = grade


AGENT = Style()


def agent_style(language: str) -> Style:
    """The agent's own, for a question in that language (ISO 639-1)."""
    return _style(messages_for, language)


def summary_style(language: str) -> Style:
    """For a summary, which takes some sentences."""
    return _style(_summary_messages, language)


def _style(messages: Callable[..., list[Message]], language: str) -> Style:
    return Style(
        prompt=partial(messages, language=language),
        language=language,
        again=partial(messages, language=language, insists=True),
    )


def _summary_messages(
    question: str, evidence: Sequence[Evidence], language: str, *, insists: bool = False
) -> list[Message]:
    asked = f"{question}\n{template('summary.user').template}"
    return messages_for(asked, evidence, language, insists=insists)


async def write(
    question: str,
    evidence: Sequence[Evidence],
    model: ChatModel,
    max_tokens: int,
    style: Style = AGENT,
) -> AsyncIterator[str | Draft]:
    """Stream the answer's text, then the finished `Draft`.

    Text is held back while it might still turn out to be a refusal, or in another language than
    the question. When a figure is not in the evidence, or the language is wrong twice, the answer
    so far is withdrawn and the best extract quoted instead.
    """
    draft = Draft()
    language = style.language if _may_stray(style.language, evidence) else ""
    for messages in (style.prompt, style.again):
        gate = StreamGate(evidence, question, strict=style.strict)
        tongue, held = Tongue(language), ""
        reply = _heard(model, messages(question, evidence), gate, tongue, max_tokens, style.slot)
        async with aclosing(reply):  # type: ignore[type-var]  # an async generator
            async for item in reply:
                if isinstance(item, Completion):
                    draft.completions.append(item)
                    continue
                held += item
                tongue.hears(item)
                if held and not (tongue.waits or tongue.is_foreign or _may_decline(held)):
                    yield held
                    held = ""
        if not tongue.is_foreign:
            break
    if gate.blocked is not None or tongue.is_foreign:
        withdraw(draft, question, evidence)
    else:
        _finish(draft, gate, style)
        if held and draft.found:
            yield held
    yield draft


async def _heard(
    model: ChatModel,
    prompt: list[Message],
    gate: StreamGate,
    tongue: Tongue,
    max_tokens: int,
    slot: str,
) -> AsyncIterator[str | Completion]:
    """What the gate lets through of a reply without its lead, then what the call cost.

    It ends where the gate blocks or the language is wrong.
    """
    written, started = 0, time.perf_counter()
    lead = Lead(prompt[-1].content if prompt[-1].role == "assistant" else "")
    async with aclosing(
        model.stream(prompt, max_tokens=max_tokens, slot=slot)  # type: ignore[type-var]  # an async generator
    ) as stream:
        async for item in stream:
            if isinstance(item, Completion):
                yield item
                break
            written += 1
            yield gate.feed(lead.feed(item.text))
            if gate.blocked is not None or tongue.is_foreign:
                yield await _cut_off(model, prompt, written, started)
                return
    yield gate.feed(lead.flush()) + gate.flush()


def _may_stray(language: str, evidence: Sequence[Evidence]) -> bool:
    """Whether an answer may come in another language: not where all is in English."""
    read = {certain_language(item.text) for item in evidence}
    return language != LANGUAGES[0] or not read <= {None, language}


def finished(text: str, question: str, evidence: Sequence[Evidence], style: Style) -> Draft:
    """An answer that was written elsewhere, cited and graded."""
    draft = Draft()
    gate = StreamGate(evidence, question, strict=False)
    gate.feed(text.strip())
    gate.flush()
    _finish(draft, gate, style)
    return draft


def _finish(draft: Draft, gate: StreamGate, style: Style) -> None:
    """Take over what the gate let through."""
    text = gate.text.strip()
    if declines(text):
        draft.found, draft.confidence = False, "low"
        draft.text = words_for(gate.question).not_found
        draft.outcome = "nothing"
        return
    draft.text, draft.cited = text, gate.cited
    style.grade(draft, gate.question, gate.evidence)


async def _cut_off(
    model: ChatModel, prompt: Sequence[Message], written: int, started: float
) -> Completion:
    """The cost of a call that was stopped before the engine could tell."""
    read = await model.count_tokens("\n".join(m.content for m in prompt))
    usage = Usage(read, 0, written, total_s=time.perf_counter() - started)
    return Completion("", usage, "cancelled")


def withdraw(draft: Draft, question: str, evidence: Sequence[Evidence]) -> None:
    """Quote a source in place of what no file says: nothing was found for certain."""
    draft.corrected, draft.found, draft.confidence = True, False, "low"
    draft.outcome = "nearest"
    text, draft.cited = quote(evidence, question)
    draft.text = f"{words_for(question).not_certain} {text}"


def quote(evidence: Sequence[Evidence], question: str) -> tuple[str, list[int]]:
    """What is nearest, word for word, and its number: where the model's words cannot be shown."""
    first = max(evidence, key=lambda e: e.score)
    words, text = words_for(question), first.plain
    if len(text) > _NEAREST:
        text = first.quote(question)[0]
        text = with_plain_dates(text, first.day) if first.day else text
    text = f"{words.written(first.day)}: {text}" if first.day else text
    return words.closest.format(quote=text, n=first.n), [first.n]


def not_found(draft: Draft, question: str) -> Draft:
    """The draft without what it says, at the cost it had."""
    return Draft(
        text=words_for(question).not_found, found=False, outcome="nothing", confidence="low",
        corrected=bool(draft.text), completions=draft.completions,
    )  # fmt: skip


def silent(draft: Draft) -> Draft:
    """A draft that declined where code has something to tell."""
    return Draft(confidence="low", corrected=True, completions=draft.completions)


def nearest(draft: Draft, question: str, evidence: Sequence[Evidence]) -> Draft:
    """A draft that found nothing, with what is nearest quoted in it, where something is."""
    if evidence:
        quoted, cited = quote(evidence, question)
        stated = words_for(question).not_stated
        draft.text, draft.cited, draft.outcome = f"{stated} {quoted}", cited, "nearest"
    return draft


def joined(one: Source, other: Source) -> Source:
    """Two quotations of the same extract as one; hidden text stands alone."""
    if is_marked(one.quote) or is_marked(other.quote):
        return one
    if other.quote in one.quote or one.quote in other.quote:
        return max(one, other, key=lambda source: len(source.quote))
    first, last = sorted((one, other), key=lambda source: source.line or 0)
    quote = f"{first.quote}\n{last.quote}"
    return first.model_copy(update={"quote": quote, "line_end": last.line_end})


def sources(evidence: Sequence[Evidence], cited: Sequence[int], answer: str = "") -> list[Source]:
    """What `[n]` points to, with the sentence that bears the answer out.

    Extracts that no sentence cites are marked so.
    """
    found = []
    for item in sorted(evidence, key=lambda item: item.n):
        text, line, line_end = item.quote(answer)
        found.append(
            Source(
                n=item.n,
                file=item.file,
                page=item.page,
                line=line,
                line_end=line_end,
                quote=text,
                cited=item.n in cited,
            )
        )
    return found


def file_sources(objects: Sequence[Found], start: int, limit: int = 50) -> list[Source]:
    """Files that a tool's answer speaks of, as sources from number `start` on."""
    files = [found.file for found in objects if isinstance(found, FoundFile)][:limit]
    return [Source(n=start + i, file=f) for i, f in enumerate(dict.fromkeys(files))]


def row_sources(objects: Sequence[Found], start: int) -> list[Source]:
    """The rows of a table as sources from number `start` on."""
    return [
        Source(
            n=start + row.n - 1,
            file=row.file,
            page=row.page,
            line=row.line,
            line_end=row.line,
            quote=row.quote,
        )
        for row in objects
        if isinstance(row, FoundRow)
    ]


def renumbered(text: str, start: int) -> str:
    """`text` with its `[1]`, `[2]` … counted from `start` on."""
    return re.sub(r"\[(\d+)\]", lambda m: f"[{int(m[1]) + start - 1}]", text)


def _may_decline(text: str) -> bool:
    """Whether the text declines, or is so short that it may still become "Not found."."""
    start = text.strip().lower()
    return declines(start) or any(refusal.startswith(start) for refusal in _REFUSALS)


def contradict(draft: Draft, question: str, evidence: Sequence[Evidence]) -> str:
    """Put what another source says otherwise below an answer, which is then not certain.

    Gives what was added, "" where nothing is said otherwise.
    """
    found = conflict(question, draft.text, draft.cited, evidence) if draft.found else None
    if found is None:
        return ""
    note = f"\n{found.told(words_for(question))}"
    draft.text += note
    draft.cited.append(found.n)
    draft.confidence = "medium" if draft.confidence == "high" else draft.confidence
    return note
