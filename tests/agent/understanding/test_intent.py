"""What kind of answer a question wants."""

from __future__ import annotations

import pytest

from manole.agent.understanding.intent import intent_of


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("What is the notice period?", "factual"),
        ("How many PDFs do I have?", "count"),
        ("Wie viele Rechnungen gibt es?", "count"),
        ("List all invoices", "list"),
        ("Which contracts end this year?", "list"),
        ("What is the difference between the two policies?", "compare"),
        ("Summarize the rental contract", "summarize"),
        ("Worum geht es in dem Brief?", "summarize"),
        ("When was the budget last modified?", "metadata"),
        ("How big is a/b.pdf?", "metadata"),
    ],
)
def test_the_words_tell(question, intent):
    assert intent_of(question) == intent
