"""The forms of an answer that is more than a sentence, by the kind that is wanted (`guess.py`).

A list, two sides of a comparison, the gist of a whole text, the files that may be meant: each is
told by code in the files' own words (`Told`), and what the model writes stands above it.
"""

from __future__ import annotations

import asyncio

from manole.agent.answer.choices import Choices, choices
from manole.agent.answer.comparison import sides
from manole.agent.answer.extractive_summary import Gist, gist, material
from manole.agent.answer.extracts import Extracts, Told, ranked
from manole.agent.answer.guess import Guess
from manole.agent.answer.listing import best, listings
from manole.agent.answer.selection import POOL
from manole.tools.environment import TurnState


async def form(state: TurnState, question: str, guess: Guess, extracts: Extracts) -> Told | None:
    """The list that is asked for, or the two sides of a comparison, where the files have them."""
    embed = state.library.embedder.embed
    if guess.kind == "list":
        lists = await listings(state, extracts.passages)
        return await asyncio.to_thread(best, question, guess.text, extracts.passages, lists, embed)
    if guess.kind == "compare":
        return await asyncio.to_thread(sides, question, guess.sentences, extracts.look, embed)
    return None


async def several(state: TurnState, question: str, extracts: Extracts) -> Choices | None:
    """The files that may be meant, where the question fits several alike."""
    return await asyncio.to_thread(choices, question, extracts.look, ranked(state)[:POOL])


async def summary(state: TurnState, question: str) -> Gist | None:
    """The most telling sentences of what is to be summed up."""
    files, passages = await material(state, question, ranked(state))
    return await asyncio.to_thread(gist, question, files, passages, state.library.embedder.embed)
