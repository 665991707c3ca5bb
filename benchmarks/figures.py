"""Whether every number an answer shows stands in a source that it cites.

The check reads the cited files' own text, not the evidence that the answer was made from, so that
it says the same of any system. A source that names a page counts with that page's text only. What
the question itself says, and a cited file's name, are no inventions either. An answer that no
model wrote may show what code computed (a sum, a count): such numbers are counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from manole.agent.answer.grounding import without_counters
from manole.agent.plan.query_table import QUERY_TABLE
from manole.text.figures import numbers as plain
from manole_evaluate.gold import GoldReader
from manole_evaluate.normalise import is_number, tokens
from manole_evaluate.questions import Question
from manole_evaluate.runner import Answer

_MARKER = re.compile(r"\[\d+(?:\s*,\s*\d+)*\]")
_WRITTEN = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*")


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers of one answer, as written. `shown` holds all; the others are parts of it."""

    shown: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()  # in no cited source, and no model wrote the answer
    unsupported: tuple[str, ...] = ()  # in no cited source, and a model wrote the answer


async def of_answer(question: Question, answer: Answer, read: GoldReader) -> Figures | None:
    """The figures of an answer, its cited files read by `read`; None where nothing was answered."""
    if answer.declined or answer.error:
        return None
    sources = []
    for file, page in answer.cited:
        passages = await read(file)
        texts = [text for at, text in passages if page is None or at is None or at == page]
        sources.append("\n".join([file, *texts]))
    # With a table the model writes the query, code the answer.
    by_model = answer.model_calls > 0 and answer.tools[-1:] != (QUERY_TABLE,)
    return check(answer.reply, question.question, sources, by_model=by_model)


def check(reply: str, question: str, sources: Iterable[str], *, by_model: bool) -> Figures:
    """Sort the numbers of `reply` by where they stand.

    `sources` are the texts of what is cited, each with its file's name. `by_model` says whether
    a model wrote any of the reply.
    """
    known: set[str] = set()
    for text in (question, *sources):
        known |= plain(text)
        known.update(token for token in tokens(text) if is_number(token))
    shown = written(reply)
    missing = tuple(number for number in shown if not _forms(number) & known)
    return Figures(
        shown,
        computed=() if by_model else missing,
        unsupported=missing if by_model else (),
    )


def written(reply: str) -> tuple[str, ...]:
    """The numbers of a reply, once each; citations and the counters of a list are none."""
    text = without_counters(_MARKER.sub(" ", reply))
    return tuple(dict.fromkeys(match.group() for match in _WRITTEN.finditer(text)))


def _forms(number: str) -> set[str]:
    """What a written number may be: "1.234" is read the English and the German way."""
    forms = {token for token in tokens(number) if is_number(token)}
    read = plain(number)
    return forms | read if len(read) == 1 else forms or read
