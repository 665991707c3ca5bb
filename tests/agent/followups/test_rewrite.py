"""When a question leans on the talk before it, and which rewritings are believed."""

from __future__ import annotations

import pytest

from manole.agent.followups.rewrite import faithful
from manole.agent.plan.understand import leans
from manole.models.chat.protocol import Message
from manole.text.question import Question

HISTORY = (
    Message("user", "When does the rental contract with Mrs Hollerbach end?"),
    Message("assistant", "The contract is open-ended; the notice period is three months. [1]"),
)


@pytest.mark.parametrize(
    "question",
    ["And how much is it?", "What about the deposit?", "Who signed it?", "Why?", "and the rent?",
     "How long is that period?", "Is there another one?", "more", "Und die Kaution?"],
)  # fmt: skip
def test_these_lean_on_the_talk(question):
    assert leans(Question(question), HISTORY)


@pytest.mark.parametrize(
    "question",
    ["How many PDF files do I have?", "When was the boiler serviced by the technician?",
     "Did the plumber from Hannover repair the kitchen sink, the bathroom tap, the boiler and the "
     "garden hose when it leaked?"],
)  # fmt: skip
def test_these_stand_alone(question):
    assert not leans(Question(question), HISTORY)


@pytest.mark.parametrize(
    "question",
    ["who is our landlord", "what is Ida allergic to?", "Wann läuft der Reisepass von Jonas ab?"],
)
def test_another_subject_stands_alone_though_it_is_short(question):
    asked = Message("user", "what does error E07 on the boiler mean")
    assert not leans(Question(question), [asked])


def test_without_a_talk_nothing_leans():
    assert not leans(Question("And how much is it?"), ())


def test_a_rewriting_from_the_talks_words_is_believed():
    rewritten = Question("Who signed the rental contract with Mrs Hollerbach?")
    assert faithful(rewritten, Question("Who signed it?"), HISTORY)


@pytest.mark.parametrize(
    ("rewritten", "question"),
    [
        ("", "Who signed it?"),
        ("Who signed the contract in 2019?", "Who signed it?"),  # a number from nowhere
        ("How much is the contract?", "How much is it in 2024?"),  # a number lost
        ("Did he sign it?", "Did Jonas sign it?"),  # a name lost
        ("Which aeroplane flew over Portugal yesterday?", "Who signed it?"),  # another question
        ("Who signed what was signed?", "Who signed it?"),  # nothing of the talk
        ("Not found.", "Who signed it?"),  # nothing of the question
        ("The contract is open-ended. " * 40, "Who signed it?"),  # an essay
    ],
)
def test_other_rewritings_are_not(rewritten, question):
    assert not faithful(Question(rewritten), Question(question), HISTORY)
