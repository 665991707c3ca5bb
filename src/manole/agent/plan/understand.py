"""Reads the question of a turn with the parser, behind those that it may lean on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import get_args

from manole.agent.answer.extracts import Kind
from manole.agent.plan.marks import GIVEN, Asked, asked
from manole.agent.plan.values import parts_of
from manole.models.chat.protocol import Message
from manole.models.parser import Parsed, parser
from manole.text.question import Question
from manole.text.sentences import sentences
from manole.text.words import stems
from manole.tools.base import Confidence, TurnState

_JOINTS = re.compile(r"[,;?]?\s+(?:and|und|et|y|e|en)\s+", re.IGNORECASE)  # between questions
_PARTS = 6  # sentences from which a text is a story, and no list of questions
# The lowest probability of a label from which the parser is believed, and from which the answer is
# more than a guess: of 126 and 94 questions by others, .80 and .84 were answered right.
SURE, CLEAR = 0.75, 0.92
_DONE = ("op", "group", "order", "limit")  # those of what is done with a table
_TELLING = ("relation", "op", "column", "group", "order", "limit")  # labels of a computed one


@dataclass(frozen=True, slots=True)
class Read:
    """A query that the parser's reading makes, and how far that is trusted.

    `settled`: it needs no second opinion. `framed` is the lowest probability of what is computed, 0
    where words of the question are left out, or nothing is named. `renamed` is the question with
    its names as a table writes them, where that is another way.
    """

    sql: str
    settled: bool
    framed: float
    confidence: Confidence
    renamed: Asked | None = None


async def understood(state: TurnState) -> Asked:
    """Return what the question of a turn asks."""
    return await asyncio.to_thread(_read, _said(state.question, state.history))


async def understood_before(state: TurnState) -> Asked:
    """Return what the question before that of a turn asks, of which there is one."""
    return await asyncio.to_thread(_read, _said(state.question, state.history)[:-1])


@lru_cache(maxsize=32)
def _read(said: tuple[str, ...]) -> Asked:
    """Return what the last of the questions of a conversation asks."""
    before: Asked | None = None
    for text in said:
        parsed = parser().read(text, before.parsed if before else None)
        before = asked(parsed, before)
    assert before is not None  # there is at least one
    return before


def leans(question: Question, history: Sequence[Message]) -> bool:
    """Return whether the question needs those before it to be understood."""
    return _read(_said(question, history)).parsed.leans


def _said(question: Question, history: Sequence[Message]) -> tuple[str, ...]:
    """Return the questions of a conversation, the last one too."""
    return (*(message.content for message in history if message.role == "user"), question.text)


def apart(text: str) -> list[str]:
    """Return the questions of a text that are asked at once: one, if none stands alone behind it.

    What leans on the question before ("… and who sent it?") belongs to it.
    """
    parts = sentences(text, small=True)
    if text.count("?") < 2 or len(parts) > _PARTS:
        return [text]
    questions: list[str] = []
    before: Parsed | None = None
    for part in parts:
        now = parser().read(part, before)
        asks = part.endswith("?") and bool(now.marks or now.unread)  # "can you help me?"
        if questions and not (asks and before and not now.leans):
            questions[-1] += f" {part}"
        else:
            questions.append(part)
        before = now if asks else before
    return questions


def clauses(question: Asked) -> tuple[Asked, ...]:
    """Return the two questions for which one asks that no single plan answers, none if it is one.

    "What do the invoices add up to per year, and which year was the worst?"
    """
    parsed = question.parsed
    if parsed.labels["op"] != "beyond" or parsed.leans:
        return ()
    for joint in _JOINTS.finditer(parsed.question):
        first = asked(parser().read(parsed.question[: joint.start()]), None)
        later = parser().read(parsed.question[joint.end() :], first.parsed)
        parts = first, asked(later, first)
        if all(p.parsed.computed and p.parsed.labels["op"] in GIVEN for p in parts):
            return parts
    return ()


@cache
def asking_stems() -> frozenset[str]:
    """Return the stems of the words with which people ask."""
    return stems(" ".join(parser().asking))


def unasked(question: Asked) -> list[str]:
    """Return the words that were not read, and with which nobody asks."""
    asks = asking_stems()
    return [w for w in question.parsed.unread if not stems(" ".join(parts_of(w))) <= asks]


def certainty(question: Asked) -> float:
    """Return the lowest probability of what a question was read as, 0 if it leaves words out."""
    route = question.parsed.sure["route"]
    return min(route, framed(question)) if question.parsed.computed else route


def framed(question: Asked) -> float:
    """Return the lowest probability of what is computed, 0 if it leaves words out."""
    sure = question.parsed.sure
    return 0.0 if question.parsed.unread else min(sure[name] for name in _TELLING)


def framed_in_table(question: Asked, unread: Sequence[str]) -> float:
    """Return the lowest probability of what would be done with a table, 0 if words are `unread`."""
    return 0.0 if unread else min(question.parsed.sure[name] for name in _DONE)


def certainty_of_table(question: Asked, unread: Sequence[str]) -> float:
    """Return the lowest probability of what is done with a table, 0 if words are left `unread`.

    Which relation and column the parser took it for says nothing where the table was found.
    """
    return min(question.parsed.sure["route"], framed_in_table(question, unread))


def kind_of(question: Asked, least: float = SURE) -> Kind | None:
    """Return the kind of answer that a question to be read wants, if it is at least so likely."""
    route = question.parsed.labels["route"]
    sure = question.parsed.sure.get("kind", 0.0) >= least
    return next((kind for kind in get_args(Kind) if kind == route and sure), None)


def done_with_figures(parsed: Parsed) -> str:
    """Return what is done with the figures that a question asks for, "" where that is not sure.

    "Which bill was the dearest?" asks for the most; a count is of things, or of a unit.
    """
    sure = parsed.labels["op"] == "count" or is_believed(parsed.sure["op"])
    if not (parsed.computed and sure):
        return ""
    picked = parsed.labels["op"] == "rows" and parsed.labels["limit"] == "1"
    order = {"desc": "max", "asc": "min"}.get(parsed.labels["order"], "")
    return order if picked and order else parsed.labels["op"]


def is_sure(question: Asked) -> bool:
    """Return whether the parser is believed."""
    return certainty(question) >= SURE


def is_believed(probability: float) -> bool:
    """Return whether the parser is believed in what is as probable."""
    return probability >= SURE


def is_open(question: Asked) -> bool:
    """Return whether the parser leaves open if the question is read or computed."""
    return question.parsed.sure["route"] < SURE


def is_clear(question: Asked) -> bool:
    """Return whether what the parser read is more than a guess."""
    return certainty(question) >= CLEAR
