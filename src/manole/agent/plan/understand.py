"""Reads the question of a turn with the parser, behind those that it may lean on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from functools import cache

from manole.agent.followups.rewrite import by_rule
from manole.agent.plan.marks import Asked, asked
from manole.catalog.kinds import kind_meant
from manole.documents.fields.kinds import types_named
from manole.models.chat.protocol import Message
from manole.models.parser import parser
from manole.text.amounts import currency_of
from manole.text.sentences import sentences
from manole.text.words import fold, stems, words
from manole.tools.base import TurnState

# The lowest probability of a label from which the parser is believed, and from which the answer is
# more than a guess: of 126 and 94 questions by others, .80 and .84 were answered right.
SURE, CLEAR = 0.75, 0.92
# Marks whose values a query has to speak of.
_SPOKEN_OF = {
    "kind", "ext", "type", "folder", "file", "party", "recipient", "number", "topic", "value",
}  # fmt: skip
_TELLING = ("relation", "op", "column", "group", "order", "limit")  # labels of a computed one


async def understood(state: TurnState) -> Asked:
    """Return what the question of a turn asks."""
    return await asyncio.to_thread(_read, state.question.text, state.history)


def _read(question: str, history: Sequence[Message]) -> Asked:
    before: Asked | None = None
    said = [message.content for message in history if message.role == "user"]
    for text in (*said, question):
        parsed = parser().read(text, before.parsed if before else None)
        before = asked(parsed, before)
    assert before is not None  # the question is one of them
    return before


def apart(text: str) -> list[str]:
    """Return the questions of a text that are asked at once: one, if none stands alone behind it.

    What leans on the question before ("… and who sent it?") belongs to it.
    """
    questions: list[str] = []
    for sentence in sentences(text, small=True):
        before = parser().read(questions[-1]) if questions else None
        alone = sentence.endswith("?") and questions and questions[-1].endswith("?")
        if alone and not parser().read(sentence, before).leans:
            questions.append(sentence)
        else:
            questions[-1:] = [" ".join([*questions[-1:], sentence])]
    return questions or [text]


@cache
def asking_stems() -> frozenset[str]:
    """Return the stems of the words with which people ask."""
    return stems(" ".join(parser().asking))


def certainty(question: Asked) -> float:
    """Return the lowest probability of what a question was read as, 0 if it leaves words out."""
    if question.parsed.computed and question.parsed.unread:
        return 0.0
    sure, computed = question.parsed.sure, question.parsed.computed
    return min(sure[name] for name in ("route", *(_TELLING if computed else ())))


def is_sure(question: Asked) -> bool:
    """Return whether the parser is believed."""
    return certainty(question) >= SURE


def is_clear(question: Asked) -> bool:
    """Return whether what the parser read is more than a guess."""
    return certainty(question) >= CLEAR


async def settled(state: TurnState) -> bool:
    """Return whether the question is surely one to compute, so that nobody need complete it."""
    if by_rule(state.question, state.history) is not None:
        return False  # it points at something of the talk
    question = await understood(state)
    return question.parsed.computed and is_sure(question)


def left_out(question: Asked, sql: str) -> Iterator[str]:
    """Yield the values of a question that a query does not speak of, in any form."""
    said, told = fold(sql), stems(sql)
    for mark in question.marks:
        if mark.tag not in _SPOKEN_OF:
            continue
        known = {kind_meant(mark.text), currency_of(mark.text), *types_named(words(mark.text))}
        if mark.tag == "number":
            known = set(re.findall(r"\d+", mark.text))
        meant = any(fold(name) in said for name in known if name)
        denies = not mark.denied or "not " in said or "<>" in said or "!=" in said
        if not denies or not (meant or stems(mark.text) & told):
            yield mark.text
