"""A diary of five days, and a question to it."""

from datetime import date

from agent.turns import chosen
from manole.agent.loop import make

ENTRIES = {
    "2023-03-04": "Stressed again: the exam in statistics is next week and I sleep badly.",
    "2023-08-19": "A quiet week at the lake. Nothing to do, nowhere to be.",
    "2024-05-02": "My boss moved the deadline. I am stressed and cannot think of anything else.",
    "2024-11-30": "Bought a bread knife.",
    "2024-12-20": "Stressed about the move: boxes everywhere and no van yet.",
}
TODAY = date(2025, 1, 15)
STRESSED = "What have I been stressed about lately, and in 2023?"


async def asked(journal, settings, model, question, strategy="agent"):
    kept = chosen(settings, strategy) if strategy else settings
    ways = make(kept, journal, model, today=lambda: TODAY)
    return [event async for event in ways.ask(question)]
