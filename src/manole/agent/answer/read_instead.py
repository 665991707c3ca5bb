"""Decides whether a passage covers more of the question than the result of a query.

A query accounts for words of a question by its values, by the columns it selects, and by the rows
behind its result. Where one of the best passages, of another file, has all of these words, some
more, and nearly all of the question, the query left out what matters ("the class trip" of what that
costs; "lentils" where it counted recipes): then the passage is read instead. A single further word
may be chance ("what do they *come* to"), unless it is what should be counted.

A query that the model alone wrote has to account for every word ("which room is larger, Emil's or
Ida's" is answered by no list of rents): of 34 in 210 looked-at questions three were right.
"""

from __future__ import annotations

from collections.abc import Collection, Set

from manole.agent.answer.injection_filter import inert
from manole.agent.answer.ranking import context_stems
from manole.errors import ManoleError
from manole.text.dates import find_dates
from manole.text.lexicon import names_by_word
from manole.text.words import stems_apart
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.search import SEARCH_LIMIT, search_question

_BEST = 3  # passages of a search that are compared, those shown first
_MOST = 0.7  # share of the question's words that the passage must have


def left_out(state: TurnState, asking: Set[str], told: str) -> list[str]:
    """Return the words of a question for which nothing stands in `told`, in any language.

    `asking` are stems of words that say what to do. What was asked before stands behind a question.
    """
    question = state.question
    before = (message.content for message in state.history if message.role == "user")
    needless = asking | stems_apart(" ".join(before))
    known = stems_apart(told)
    return [
        word
        for word, names in names_by_word(_without_days(question.text), question.language).items()
        if not (stems_apart(word) & needless or any(stems_apart(n) & known for n in (word, *names)))
    ]


def _without_days(text: str) -> str:
    """Return a text without its days, of which a query has a form of its own."""
    for start, end, _ in reversed(find_dates(text)):
        text = f"{text[:start]} {text[end:]}"
    return text


async def read_instead(
    state: TurnState,
    asking: Set[str],
    told: str,
    files: Collection[str],
    counted: str = "",
) -> str | None:
    """Return the file of such a passage, if any.

    `asking` are stems of words that say what to do, `told` is the text that the query accounts for,
    `counted` names what it should count, and `files` are those behind its result.
    """
    asked, noun = stems_apart(_without_days(state.question.text)) - asking, stems_apart(counted)
    mine = (asked & stems_apart(told)) - noun
    if mine == asked:
        return None
    passages = list(state.environment.objects(FoundPassage))
    if not passages:
        within = state.scope.filters()
        try:
            hits, _ = await search_question(state, state.question, SEARCH_LIMIT, within)
        except ManoleError:
            return None  # what the query gave stands
        passages = [FoundPassage.of(hit) for hit in hits]
    for passage in passages[:_BEST]:
        held = asked & (stems_apart(inert(passage.text)) | context_stems(passage))
        more = held - mine
        says = len(more) > 1 or (more & noun and len(held) > 1)
        nearly = mine <= held and len(held) >= _MOST * len(asked)
        if says and nearly and passage.file not in files:
            return passage.file
    return None
