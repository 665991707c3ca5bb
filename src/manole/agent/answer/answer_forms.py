"""Answers that are more than a sentence, by the kind that is wanted (`guess.py`).

A list, the two sides of a comparison, a summary, the files that may be meant: each is made by code
from the files' own words (`Told`), and the model's text comes above it.
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
    """Return the list that is asked for, or the sides of a comparison, if the files have them."""
    embed = state.library.embedder.embed
    if guess.kind == "list":
        lists = await listings(state, extracts.passages)
        return await asyncio.to_thread(best, question, guess.text, extracts.passages, lists, embed)
    if guess.kind == "compare":
        return await asyncio.to_thread(sides, question, guess.sentences, extracts.look, embed)
    return None


async def several(state: TurnState, question: str, extracts: Extracts) -> Choices | None:
    """Return the files that may be meant, where the question fits several equally."""
    return await asyncio.to_thread(choices, question, extracts.look, ranked(state)[:POOL])


async def summary(state: TurnState, question: str) -> Gist | None:
    """Return the sentences that represent best what is to be summarized."""
    files, passages = await material(state, question, ranked(state))
    return await asyncio.to_thread(gist, question, files, passages, state.library.embedder.embed)
