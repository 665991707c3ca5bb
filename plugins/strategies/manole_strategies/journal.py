"""The strategy `journal`: a loop over the entries of a journal.

    selector -> search -> accumulate -> ... -> DONE -> synthesizer

The loop is `manole.agent.journal`; who chooses its searches is the setting `agent.led_by`. The
default strategy takes the same way for a question about a time of one's own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from pydantic import Field

from manole.agent.answer.compose import Composer
from manole.agent.events import Event, StatusEvent
from manole.agent.followups.rewrite import stand_alone
from manole.agent.journal import JournalFunctions, reflect
from manole.agent.turn import GetModel, TurnStrategy, TurnUsage
from manole.settings import Section
from manole.tools.base import TurnState
from manole.tools.journal import entries_in
from manole_strategies.baml import BamlFunctions
from manole_strategies.simple import answer


class JournalSettings(Section):
    """The section `journal`."""

    functions: Literal["chat", "baml"] = Field(
        "chat", description="what calls the model in --strategy journal: our own chat, or BAML"
    )


class Journal(TurnStrategy):
    """The strategy that answers from dated entries; where there are none, `simple` answers."""

    async def answered(
        self, state: TurnState, usage: TurnUsage, model: GetModel
    ) -> AsyncIterator[Event]:
        """Make a follow-up whole, search, accumulate, synthesize.

        Raises `UsageError` where BAML is to be used and is not installed.
        """
        composer = Composer(state, usage, model)
        if not await entries_in(state):
            yield StatusEvent(message="There is no journal here; all files are searched.")
            async for event in answer(state, composer):
                yield event
            return
        functions: JournalFunctions | None = None
        if state.settings.section("journal", JournalSettings).functions == "baml":
            functions = BamlFunctions(model, usage, state.settings)
        async for event in stand_alone(state, usage, model):
            yield event
        async for event in reflect(state, usage, model, composer, functions):
            yield event
        yield composer.complete()
