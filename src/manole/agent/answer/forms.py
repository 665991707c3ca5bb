"""The forms of an answer that is more than a sentence, by the kind that is wanted (`guess.py`).

A list, two sides of a comparison, the gist of a whole text, the files that may be meant: each is
told by code in the files' own words (`Told`), and what the model writes stands above it.
"""

from __future__ import annotations

import asyncio

from manole.agent.answer.choices import Choices, choices
from manole.agent.answer.gist import Gist, gist, material
from manole.agent.answer.guess import Guess
from manole.agent.answer.listing import best, listings
from manole.agent.answer.looks import Looks, Told, ranked
from manole.agent.answer.selection import POOL
from manole.agent.answer.sides import sides
from manole.tools.environment import TurnState


async def form(state: TurnState, question: str, guess: Guess, looks: Looks) -> Told | None:
    """The list that is asked for, or the two sides of a comparison, where the files have them."""
    embed = state.library.embedder.embed
    if guess.kind == "list":
        lists = await listings(state, looks.passages)
        return await asyncio.to_thread(best, question, guess.text, looks.passages, lists, embed)
    if guess.kind == "compare":
        return await asyncio.to_thread(sides, question, guess.sentences, looks.look, embed)
    return None


async def several(state: TurnState, question: str, looks: Looks) -> Choices | None:
    """The files that may be meant, where the question fits several alike."""
    return await asyncio.to_thread(choices, question, looks.look, ranked(state)[:POOL])


async def summary(state: TurnState, question: str) -> Gist | None:
    """The most telling sentences of what is to be summed up."""
    files, passages = await material(state, question, ranked(state))
    return await asyncio.to_thread(gist, question, files, passages, state.library.embedder.embed)
