"""The rewriting of a question that refers to the conversation as one that stands alone.

Those that only exchange or point at one thing are completed by rules (`rules`). Of the others the
parser tells whether they lean on the talk; what they lean on stands behind them, as parser, reader
and embedder are taught to read them. A model rewrites them where nothing clear is found so. Its
rewriting is checked: it may lose no number and no name of the question, and add none that the
conversation lacks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import date

from manole.agent.events import Event, StatusEvent
from manole.agent.followups.rules import Talk, complete
from manole.agent.plan.marks import alike, unmarked
from manole.agent.plan.understand import is_sure, leans, understood
from manole.agent.prompts import prompt
from manole.agent.turn import GetModel, TurnUsage
from manole.errors import ManoleError
from manole.models.chat.protocol import Completion, Message
from manole.models.parser import parser
from manole.text.figures import numbers
from manole.text.question import Question
from manole.text.words import STOP, stem, stems, words
from manole.tools.base import TurnState

_ANSWER_CHARS = 300  # of an answer: the rest helps little and costs evaluation
_QUESTION_CHARS = 200  # of a question: nearly all are shorter
_TOKENS = 60  # of the rewritten question: some forty words


async def connect(state: TurnState) -> AsyncIterator[Event]:
    """Complete the question of the turn by rules, or put the one that it leans on behind it."""
    before, state.question = state.question, await _connected(state.question, state.history)
    if state.question.leans_on:
        yield StatusEvent(message="Read with the question before it.")
    elif state.question.text != before.text:
        yield StatusEvent(message=f"Understood as: {state.question}")


async def stand_alone(state: TurnState, usage: TurnUsage, model: GetModel) -> AsyncIterator[Event]:
    """Make the question of the turn stand alone; without a model what it leans on stays behind."""
    if not state.question.leans_on:
        async for event in connect(state):
            yield event
    if not state.question.leans_on:
        return
    try:
        made, completion = await rewrite(state.question, state.history, model)
    except ManoleError as error:
        state.question = state.question.whole
        yield StatusEvent(message=f"{error.message} The question is taken as it stands.")
        return
    usage.add(completion)
    state.question = made
    yield StatusEvent(message=f"Understood as: {made}")


def by_rule(question: Question, talk: Talk | None) -> str | None:
    """Return the question as rules complete it, without a model; `None` where none does."""
    return complete(question.text, talk) if talk is not None else None


async def _connected(question: Question, history: Sequence[Message]) -> Question:
    talk = _talk(history, question.today)
    if talk is None:
        return question
    ruled = by_rule(question, talk) or await asyncio.to_thread(exchanged, question, talk)
    if ruled is not None:
        alike = replace(question, leans_on=(question.saying(talk.asked),)).exchanged
        return replace(question, text=ruled, instead_of=alike)
    leans_on = await asyncio.to_thread(_leant_on, question, history, talk)
    return replace(question, leans_on=leans_on)


def _leant_on(question: Question, history: Sequence[Message], talk: Talk) -> tuple[Question, ...]:
    """Return the questions without which it is not understood, oldest first: two at most."""
    if len(question.text) > _QUESTION_CHARS or not leans(question, history):
        return ()
    last = question.saying(talk.asked[:_QUESTION_CHARS])
    earlier = [at for at, message in enumerate(history) if message.role == "user"]
    if len(earlier) > 1 and leans(last, history[: earlier[-1]]):
        return question.saying(history[earlier[-2]].content[:_QUESTION_CHARS]), last
    return (last,)


async def rewrite(
    question: Question, history: Sequence[Message], model: GetModel
) -> tuple[Question, Completion]:
    """Return a question that leans on another one made whole, and the model call for it.

    Raises `ManoleError` when the model is missing.
    """
    completion = await (await model()).complete(
        [
            Message("system", prompt("rewrite.system").template),
            Message("user", f"{_conversation(question, history)}\n\nLast question: {question}"),
        ],
        max_tokens=_TOKENS,
        stop=["\n"],
        slot="rewrite",
    )
    text = completion.text.strip().strip('"“”')
    text = re.sub(r"^(rewritten |last )?question:\s*", "", text, flags=re.IGNORECASE)
    made = replace(question, text=text, leans_on=(), instead_of=question.exchanged)
    echoes = made.text == question.text
    if completion.finish == "length" or echoes or not faithful(made, question, history):
        made = question.whole
    return made, completion


def exchanged(question: Question, talk: Talk) -> str | None:
    """Return the last question with what this one names in its place: "and that of Kieffer?".

    Each mark takes the place of the only one of its sort; other words say nothing of their own.
    """
    before = parser().read(talk.asked)
    parsed = parser().read(question.text, before)
    rest = [word for part in unmarked(parsed.question, parsed.marks) for word in words(part)]
    if not (parsed.leans and parsed.marks and STOP.issuperset(rest)):
        return None
    text = talk.asked
    for mark in parsed.marks:
        old = [one for one in before.marks if alike(one, mark) and one.text in text]
        odd = mark.denied or mark.either or mark.tag == "period"  # which `rules` put in its place
        if odd or len(old) != 1 or old[0].denied:
            return None
        text = text.replace(old[0].text, mark.text)
    return text if text != talk.asked else None


async def settled(state: TurnState) -> bool:
    """Return whether the question is surely one to compute, so that nobody need complete it."""
    if by_rule(state.question, _talk(state.history, state.question.today)) is not None:
        return False  # it points at something of the talk
    question = await understood(state)
    return question.parsed.computed and is_sure(question)


def _talk(history: Sequence[Message], today: date) -> Talk | None:
    """Return the last question, completed by rules from earlier ones, and its answer."""
    talk: Talk | None = None
    for message in history:
        if message.role == "user":
            whole = (complete(message.content, talk) if talk else None) or message.content
            talk = Talk(whole, "", today)
        elif talk is not None and message.role == "assistant":
            talk = Talk(talk.asked, message.content, today)
    return talk


def _conversation(question: Question, history: Sequence[Message]) -> str:
    """Return the conversation for the model: every question, and the last answer, shortened."""
    asked = [m.content for m in history if m.role == "user"][:-1]
    said = history[-1].content if history and history[-1].role == "assistant" else ""
    lines = [*asked, *map(str, question.leans_on)]
    text = "\n".join(f"Person: {line[:_QUESTION_CHARS]}" for line in lines)
    return f"{text}\nAnswer: {said[:_ANSWER_CHARS]}" if said else text


def faithful(rewritten: Question, question: Question, history: Sequence[Message]) -> bool:
    """Return whether a rewriting keeps numbers, names and a word, and adds some of the talk's.

    It adds at most two others.

    The limits on length and new words are set by hand: a model that answers instead exceeds them.
    """
    text, own, added = rewritten.text, question.stems, rewritten.stems - question.stems
    if not text or len(text) > 4 * len(question.text) + 200:
        return False
    if not question.numbers <= rewritten.numbers:
        return False
    kept = set(map(stem, rewritten.words))
    if any(stem(name.lower()) not in kept for name in question.names):
        return False
    if own and own.isdisjoint(rewritten.stems):
        return False
    talk = frozenset[str]().union(*(stems(m.content) for m in history))
    if text != question.text and added.isdisjoint(talk):
        return False  # what the question leans on is missing still
    said = " ".join([question.text, *(m.content for m in history)])
    return len(added - talk) <= 2 and rewritten.numbers <= numbers(said)
