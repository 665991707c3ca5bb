"""From a question to a checked plan, kept so that the same question is planned once."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from manole.agent.kept import Kept
from manole.agent.ledger import Ledger
from manole.agent.plan.check import PlanError
from manole.agent.plan.facts import facts
from manole.agent.plan.tool import checked, filled
from manole.agent.plan.write import examples, known, plain, write_plan
from manole.agent.turn import GetModel
from manole.tools.environment import TurnState

_BEFORE = 2  # questions of the conversation that a plan is written behind
_TRIES = 2  # of a plan, the second told what is wrong with the first
_SMALL = 1000  # files of a library whose papers are read before the first plan
_VERSION = 1  # raised when the same words from the model mean something else


class Planner:
    """Plans the question of one turn."""

    def __init__(self, state: TurnState, model: GetModel, ledger: Ledger) -> None:
        self._state = state
        self._model = model
        self._ledger = ledger
        self._kept = Kept(state.library.path)

    async def plan(self) -> str | None:
        """The query that answers the question, `None` where something has to be read.

        Raises `ManoleError` where there is no model, and the question is not known.
        """
        state = self._state
        if sure := known().get(plain(state.question)):
            return sure
        small = len(await state.files()) <= _SMALL
        catalog = await filled(state, {"papers", "entries"} if small else ())
        told = facts(catalog, state.today, names=small)
        asked = [m.content for m in state.history if m.role == "user"][-_BEFORE:]
        before: list[tuple[str, str]] = []
        for question in asked:
            before.append((question, await self._written(question, told, before)))
        written = await self._written(state.question, told, before)
        tried: list[str] = []
        while len(tried) < _TRIES:
            if not written.startswith("SELECT"):
                return None
            try:
                await checked(state, written, insists=written in tried)
            except PlanError as error:
                if str(error).startswith("there is no table"):
                    return None  # what the model takes for one is read
                tried.append(written)
                again = [*before, (state.question, written)]
                written = await self._written(f"{state.question} ({error})", told, again)
                continue
            return written
        return None

    async def _written(self, question: str, told: str, before: Sequence[tuple[str, str]]) -> str:
        """What the model writes, from what was kept where it can."""
        parts = [
            str(_VERSION),
            str(self._state.settings.model.name),
            told,
            *map(str, examples()),
            *map(str, before),
            question,
        ]
        key = "plan:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()
        if found := (await asyncio.to_thread(self._kept.get, [key])).get(key):
            return found
        written, completion = await write_plan(question, told, await self._model(), before)
        self._ledger.add(completion)
        if written.startswith("SELECT"):
            await asyncio.to_thread(self._kept.put, {key: written})
        return written
