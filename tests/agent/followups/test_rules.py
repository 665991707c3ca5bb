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
        ("How much flour for 2 people?", "and for 3 people?", "How much flour for 3 people?"),
    ],
)
def test_one_thing_is_swapped(asked, question, whole):
    assert completed(asked, question) == whole


@pytest.mark.parametrize(
    ("asked", "answer", "question", "whole"),
    [
        ("How many PDFs do I have?", "There are 2 PDF files.", "aren't there more than 2?",
         "How many PDFs do I have, more than 2?"),
        ("How many PDFs do I have?", "There are 2 PDF files.", "aren't there more?",
         "How many PDFs do I have, more than 2?"),
        ("Which PDFs are in the folder a?", LIST, "which of them is the largest?",
         "Which is the largest of the PDFs in the folder a?"),
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
