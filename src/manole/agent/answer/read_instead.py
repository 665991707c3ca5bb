"""Decides whether a passage covers more of the question than the result of a query.

A query accounts for words of a question by its values, by the columns it selects, and by the rows
behind its result. Where one of the best passages, of another file, has all of these words, some
more, and nearly all of the question, the query left out what matters ("the class trip" of what that
costs; "lentils" where it counted recipes): then the passage is read instead. A single further word
may be chance ("what do they *come* to"), unless it is what should be counted.
"""

from __future__ import annotations

from collections.abc import Collection, Set

from manole.agent.answer.injection_filter import inert
from manole.agent.answer.ranking import context_stems
from manole.errors import ManoleError
from manole.text.dates import find_dates
from manole.text.words import stems_apart
from manole.tools.base import TurnState
from manole.tools.objects import FoundPassage
from manole.tools.search import SEARCH_LIMIT, search_question

_BEST = 3  # passages of a search that are compared, those shown first
_MOST = 0.7  # share of the question's words that the passage must have


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
    text = state.question.text
    for start, end, _ in reversed(find_dates(text)):
        text = f"{text[:start]} {text[end:]}"  # a query has days in a form of its own
    asked, noun = stems_apart(text) - asking, stems_apart(counted)
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
