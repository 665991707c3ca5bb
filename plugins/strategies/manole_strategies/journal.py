"""The strategy `journal`: a loop over the entries of a journal.

    selector -> search -> accumulate -> ... -> DONE -> synthesizer

The searches that the question's own words name (times, a subject) are made without asking; while
they find nothing, the model's typed selector chooses the next one, at most `max_iterations` in all.
The default strategy takes the same way for questions that contrast several times.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from manole.agent.answer.compose import Composer
from manole.agent.events import Event, StatusEvent
from manole.agent.journal import reflect
from manole.agent.turn import GetModel, TurnStrategy, TurnUsage
from manole.tools.base import TurnState
from manole.tools.journal import entries_in
from manole_strategies.simple import answer


class Journal(TurnStrategy):
    """The strategy that answers from dated entries; where there are none, `simple` answers."""

    async def answered(
        self, state: TurnState, usage: TurnUsage, model: GetModel
    ) -> AsyncIterator[Event]:
        """Search, accumulate, synthesize."""
        composer = Composer(state, usage, model)
        if not await entries_in(state):
            yield StatusEvent(message="There is no journal here; all files are searched.")
            async for event in answer(state, composer):
                yield event
            return
        async for event in reflect(state, usage, model, composer):
            yield event
        yield composer.complete()
