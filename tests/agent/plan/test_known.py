"""The questions of which every word is accounted for, and those that are other questions."""

from __future__ import annotations

import pytest

from manole.agent.plan.known import known, these

PDFS = "SELECT count(*) FROM files WHERE kind = 'pdf'"
INVOICES = (
    "SELECT path, issuer, date, total, currency FROM papers WHERE type = 'invoice' ORDER BY date"
)


@pytest.mark.parametrize(
    "question",
    ["how many PDFs", "How many PDFs?", "how many PDF files do I have?", "pdf count?",
     "How many PDFs are there in total?", "number of PDF files", "Wie viele PDFs habe ich?",
     "Wie viele PDF-Dateien gibt es?", "Wieviele PDF Dateien", "How many .pdf files have we got?"],
)  # fmt: skip
def test_a_count_of_a_kind_is_planned_by_code(question):
    assert known(question) == PDFS


@pytest.mark.parametrize(
    "question",
    ["list all invoices and their totals", "List all my invoices", "show me all the invoices",
     "Liste alle Rechnungen auf", "Zeig mir alle Rechnungen und ihre Beträge"],
)  # fmt: skip
def test_a_list_of_papers_shows_their_totals(question):
    assert known(question) == INVOICES


@pytest.mark.parametrize(
    "question",
    ["how many PDFs from 2023", "how many PDFs of the landlord", "How many people are there?",
     "How many Stromrechnungen do I have?", "how many pdf invoices", "How many?", "show me the",
     "list all invoices except those of 2023", "how many days", "show my contract", "list"],
)  # fmt: skip
def test_any_other_word_makes_it_another_question(question):
    assert known(question) is None


@pytest.mark.parametrize(
    ("phrase", "relation"),
    [
        ("files", "files"), ("dateien", "files"), ("folders", "folders"), ("ordner", "folders"),
        ("photos", "files WHERE kind = 'picture'"),
        ("prasentationen", "files WHERE kind = 'presentation'"),  # a question's words are folded
        ("text files", "files WHERE kind = 'text'"), ("text", None),
        ("jpgs", "files WHERE extension IN ('jpg', 'jpeg')"),
        ("docx files", "files WHERE extension IN ('docx')"),
        ("rechnungen", "papers WHERE type = 'invoice'"), ("stromrechnungen", None),
        ("contracts", "papers WHERE type = 'contract'"), ("letters", None), ("", None),
        ("files'; DROP TABLE files --", None),
    ],
)  # fmt: skip
def test_these_are_a_relation_and_its_condition(phrase, relation):
    assert these(phrase) == relation
