"""Follow-ups that a rule completes, and those it leaves to a model."""

from __future__ import annotations

from datetime import date

import pytest

from manole.agent.followups.rules import Talk, complete, names_in

LIST = "3 files:\n- a/b.pdf (3 kB, changed 2024-01-02)\n- a/c d.pdf (2 kB)\n- x.md (1 kB)"
ONE = "The largest file: a/b.pdf (3 kB, changed 2024-01-02) [1]"


def completed(asked, question, answer=""):
    return complete(question, Talk(asked, answer, date(2025, 1, 15)))


@pytest.mark.parametrize(
    ("asked", "question", "whole"),
    [
        ("What did we pay in 2023?", "and in 2022?", "What did we pay in 2022?"),
        ("What did we pay in 2023?", "2021?", "What did we pay in 2021?"),
        ("What did we pay last year?", "and in 2022?", "What did we pay in 2022?"),
        ("What did we pay?", "And in 2022?", "What did we pay in 2022?"),
        ("What did we pay?", "and last year?", "What did we pay last year?"),
        ("What did we pay since 2020?", "and before 2020?", "What did we pay before 2020?"),
        ("What came from March 2023?", "and the one from April?", "What came from April 2023?"),
        ("What came in March 2023?", "and in 2022?", "What came in March 2022?"),
        ("Wie hoch war sie?", "und die vom März?", "Wie hoch war sie vom März?"),
        ("What is Emma allergic to?", "what about Jonas?", "What is Jonas allergic to?"),
        ("Wie hoch ist die Miete?", "und die Kaution?", "Wie hoch ist die Kaution?"),
        ("How much is the rent?", "and the deposit?", "How much is the deposit?"),
        (
            "How much is a tyre change for the Alva 3?",
            "and a windscreen replacement?",
            "How much is a windscreen replacement for the Alva 3?",
        ),
        ("How much flour for 2 people?", "and for 3 people?", "How much flour for 3 people?"),
    ],
)
def test_one_thing_is_swapped(asked, question, whole):
    assert completed(asked, question) == whole


@pytest.mark.parametrize(
    ("asked", "answer", "question", "whole"),
    [
        ("Which PDFs are in the folder a?", LIST, "which of them is the largest?",
         "Which is the largest of the PDFs in the folder a?"),
        ("Which invoices are from 2023?", LIST, "and which of them is the highest?",
         "Which is the highest of the invoices from 2023?"),
        ("List the files", LIST, "open the second one", "open a/c d.pdf"),
        ("List the files", LIST, "summarize the last one", "summarize x.md"),
        ("What is the largest file?", ONE, "how big is it?", "how big is a/b.pdf?"),
        ("What is Emma allergic to?", "Nuts. [1]", "When is her birthday?",
         "When is Emma's birthday?"),
        ("Who is the landlady?", "It is Mrs Hollerbach. [1]", "When was she born?",
         "When was Mrs Hollerbach born?"),
    ],
)  # fmt: skip
def test_what_was_said_is_pointed_at(asked, answer, question, whole):
    assert completed(asked, question, answer) == whole


@pytest.mark.parametrize(
    "doubt",
    ["aren't there more than 2?", "arent there more than 2", "are there not more than two?",
     "sind das nicht mehr als 2?", "Aren't there more?", "is that all?", "Sind das alle?",
     "aren't there more than 2 invoices?", "gibt es nicht mehr davon?", "Are those only 2?"],
)  # fmt: skip
def test_a_doubted_number_is_looked_up_again(doubt):
    asked = "Which invoices are from 2023?"
    assert completed(asked, doubt, "2 papers: a.pdf [1], b.pdf [2]") == asked


@pytest.mark.parametrize(
    "question", ["aren't there more than 2 dogs?", "is that all the money we have?"]
)
def test_a_number_of_something_else_is_no_doubt(question):
    assert completed("Which invoices are from 2023?", question, "2 papers.") is None


BILLS = (
    "2 papers:\n- bills/2023_sofa_MS-5.pdf, Seeger, 2023-05-12, 1,690.00 EUR [1]\n"
    "- bills/2023_vet_TP-2.pdf, Dr. Haddad, 2023-11-16, 347.24 EUR [2]"
)


@pytest.mark.parametrize(
    ("answer", "question", "whole"),
    [
        (BILLS, "and the one from the vet?", "and bills/2023_vet_TP-2.pdf?"),
        (BILLS, "What about the one from the vet, what was it for?",
         "what was bills/2023_vet_TP-2.pdf for?"),
        (BILLS, "who wrote the one for the sofa?", "who wrote bills/2023_sofa_MS-5.pdf?"),
        (BILLS, "open the second one", "open bills/2023_vet_TP-2.pdf"),
        (BILLS, "and the one from the plumber?", None),
        (BILLS, "what about that invoice?", None),  # there are two
        ("bills/a.pdf, 3.00 EUR [1]", "what about that invoice?", "what about bills/a.pdf?"),
        ("bills/a.pdf, 3.00 EUR [1]", "When is that bill due?", "When is bills/a.pdf due?"),
        ("bills/a.pdf, 3.00 EUR [1]", "what about that dog?", None),
    ],
)  # fmt: skip
def test_a_paper_of_the_answer_is_named(answer, question, whole):
    assert completed("Which invoices are from 2023?", question, answer) == whole


@pytest.mark.parametrize(
    ("asked", "answer", "question"),
    [
        ("When does the contract end?", "", "Who signed it?"),
        ("What is the notice period of the contract?", "", "and the deposit?"),
        ("How much is the rent?", "", "and Jonas?"),
        ("Who signed it?", "Mara Linde and Jonas Linde.", "When was he born?"),
        ("What came between May 2022 and July 2023?", "", "and in August?"),
        ("List the files", LIST, "open the fifth one"),
        ("How many files are there?", "", "How many images are there?"),
    ],
)
def test_what_can_be_read_in_two_ways_is_left(asked, answer, question):
    assert completed(asked, question, answer) is None


def test_names_are_neither_first_words_nor_months_nor_german_nouns():
    assert names_in("When did Mrs Hollerbach meet Jonas in March?") == ["Mrs Hollerbach", "Jonas"]
    assert names_in("Wie hoch ist die Miete?") == []
