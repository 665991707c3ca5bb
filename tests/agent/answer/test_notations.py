"""Answers in another notation than their extract's."""

from __future__ import annotations

import pytest

from manole.agent.answer.evidence import Evidence, borne_out
from manole.agent.answer.grounding import StreamGate
from manole.text.question import Question


def extract(text, file="brief.txt", label="brief.txt"):
    return Evidence(1, file, None, 1, 1, label, text, 0.9, ((text, 1, 1),))


BILL = extract("Gesamtbetrag 1.234,50 €, zahlbar bis zum 4. Juni 2024. Zwölf Stück zu 8,00 €.")


@pytest.mark.parametrize(
    "answer",
    ["The total is 1,234.50 euros, due on June 4, 2024.",
     "Le total est de 1 234,50 € au 4 juin 2024.",
     "El total es 1234,5 euros hasta el 4 de junio de 2024.", "Due 2024-06-04: EUR 1'234.50."],
)  # fmt: skip
def test_an_answer_in_another_notation_passes_the_gate(answer):
    gate = StreamGate([BILL], Question("?"))
    assert (gate.feed(answer) + gate.flush()).removesuffix(" [1]") == answer
    assert gate.blocked is None


@pytest.mark.parametrize(
    ("answer", "blocked"),
    [("Le total est de 1 234,05 € cette année.", "1 234,05"),
     ("It is due on June 5, 2024, they say.", "June 5, 2024"),
     ("Fällig am 4. Juli 2024, heißt es.", "4. Juli 2024"),
     ("It costs 1,324.50 euros.", "1,324.50")],
)  # fmt: skip
def test_a_near_miss_does_not(answer, blocked):
    gate = StreamGate([BILL], Question("?"))
    shown = gate.feed(answer) + gate.flush()
    assert gate.blocked == blocked
    assert blocked not in shown


def test_a_verb_is_no_month_in_an_answer():
    gate = StreamGate([extract("Children under 12 travel free.")], Question("?"))
    answer = "Children under 12 may travel free."
    assert (gate.feed(answer) + gate.flush()).removesuffix(" [1]") == answer
    assert gate.blocked is None


def test_what_may_be_read_in_two_ways_earns_no_confidence():
    letter = extract("The visit is on 03/04/2024 and costs 1.234 in all.")
    assert borne_out("The visit is on 03/04/2024.", [1], Question("?"), [letter])
    assert not borne_out("The visit is on 3 April 2024.", [1], Question("?"), [letter])
    assert not borne_out("It costs 1234.", [1], Question("?"), [letter])


def test_cells_of_a_table_are_figures_of_their_own():
    table = extract("2024-06-30,1 EMH 555 0098,55017,Jonas", "meter.csv", "meter.csv")
    gate = StreamGate([table], Question("?"))
    assert gate.feed("On 30 June 2024 it read 55017 kWh.") + gate.flush()
    assert gate.blocked is None
