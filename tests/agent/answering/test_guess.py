"""What a question wants and how a document might say it, as the model wrote it down."""

from __future__ import annotations

import pytest

from manole.agent.answering.guess import read, spoken


@pytest.mark.parametrize(
    ("reply", "kind", "language", "sentences"),
    [
        ("lookup en | Three rents.", "lookup", "en", ("Three rents.",)),
        ("compare de | Tarif A kostet 9. || Tarif B kostet 12.", "compare", "de",
         ("Tarif A kostet 9.", "Tarif B kostet 12.")),
        ("list en |", "list", "en", ()),
        ("LIST EN", "list", "en", ()),
        ("explain English | Because of rust.", "explain", "en", ("Because of rust.",)),
        ("The deposit is three rents.", "lookup", "en", ("The deposit is three rents.",)),
        ("", "lookup", "en", ()),
        ("lookup en | One. || Two. || Three.", "lookup", "en", ("One.",)),
    ],
)  # fmt: skip
def test_any_reply_is_read(reply, kind, language, sentences):
    found = read(reply)
    assert (found.kind, found.language, found.sentences) == (kind, language, sentences)


@pytest.mark.parametrize(
    ("language", "question", "taken"),
    [
        ("es", "How long should the red lentils cook?", "en"),
        ("fr", "what do i do when the boiler is cold", "en"),
        ("es", "¿Cuánto tiempo se cuecen las lentejas rojas?", "es"),
        ("fr", "Faut-il faire bouillir le vin chaud ?", "fr"),
        ("it", "Quanto dura la garanzia della lavatrice?", "it"),
        ("nl", "Waarom moet ik de filter elke maand schoonmaken?", "nl"),
        ("de", "Wie oft muss die Heizung gewartet werden?", "de"),
        ("en", "lentils?", "en"),
    ],
)
def test_a_language_is_believed_where_its_small_words_stand(language, question, taken):
    assert spoken(language, question) == taken
