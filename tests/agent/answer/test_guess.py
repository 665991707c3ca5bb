"""What a question wants and how a document might say it, as the model wrote it down."""

from __future__ import annotations

import pytest

from manole.agent.answer.guess import read
from manole.text.language import language_of


@pytest.mark.parametrize(
    ("reply", "kind", "sentences"),
    [
        ("lookup en | Three rents.", "lookup", ("Three rents.",)),
        ("compare de | Tarif A kostet 9. || Tarif B kostet 12.", "compare",
         ("Tarif A kostet 9.", "Tarif B kostet 12.")),
        ("list en |", "list", ()),
        ("LIST EN", "list", ()),
        ("explain English | Because of rust.", "explain", ("Because of rust.",)),
        ("The deposit is three rents.", "lookup", ("The deposit is three rents.",)),
        ("", "lookup", ()),
        ("lookup en | One. || Two. || Three.", "lookup", ("One.",)),
    ],
)  # fmt: skip
def test_any_reply_is_read(reply, kind, sentences):
    found = read(reply)
    assert (found.kind, found.sentences) == (kind, sentences)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How long should the red lentils cook?", "en"),
        ("give me a short overview of how the dough is made here", "en"),
        ("what do i do when the boiler is cold", "en"),
        ("¿Cuánto tiempo se cuecen las lentejas rojas?", "es"),
        ("Faut-il faire bouillir le vin chaud ?", "fr"),
        ("Quanto dura la garanzia della lavatrice?", "it"),
        ("Waarom moet ik de filter elke maand schoonmaken?", "nl"),
        ("Wie oft muss die Heizung gewartet werden?", "de"),
        ("lentils?", "en"),
    ],
)
def test_a_questions_language_is_told_by_its_letters(question, language):
    assert language_of(question) == language
