"""The parser that is shipped: what it reads in six languages, and in whatever is typed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import manole.models.parser as module
from manole.models.parser import parser

WEIGHTS = Path(module.__file__).parent / "weights"


def test_the_weights_are_those_that_were_exported():
    lines = (WEIGHTS / "SHA256SUMS").read_text().splitlines()
    told = dict(reversed(line.split("  ")) for line in lines)
    assert set(told) == {"asking.txt", "labels.json", "parser.onnx", "tokenizer.json"}
    for name, digest in told.items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize(
    ("question", "relation", "op"),
    [
        ("How many PDFs do I have?", "files", "count"),
        ("which are the five largest files", "files", "rows"),
        ("what did we spend on electricity per year", "papers", "sum"),
        ("Wie viele Rechnungen habe ich aus 2023?", "papers", "count"),
        ("quand ai-je nagé pour la dernière fois ?", "entries", "last"),
        ("¿cuántos correos me envió Ana?", "messages", "count"),
        ("quali compiti sono ancora aperti?", "tasks", "rows"),
        ("hoeveel foto's heb ik van 2022", "files", "count"),
    ],
)
def test_what_can_be_computed_is_read_as_such(question, relation, op):
    parsed = parser().read(question)
    assert parsed.computed
    assert (parsed.labels["relation"], parsed.labels["op"]) == (relation, op)


@pytest.mark.parametrize("question", ["welche Termine habe ich im Januar?", "bills in May"])
def test_a_word_before_a_period_says_no_more(question):
    assert parser().read(question).unread == ()


@pytest.mark.parametrize(
    "question",
    [
        "How many weeks of leave do I get?", "how high is the deposit",
        "What's the biggest mistake people make with sourdough?",
        "Wie lange ist die Kündigungsfrist?", "Pourquoi le chauffage fait-il du bruit ?",
        "who signed the lease", "¿Cómo se limpia el filtro?",
    ],
)  # fmt: skip
def test_what_only_looks_so_has_to_be_read(question):
    assert not parser().read(question).computed


def test_values_are_marked_where_they_stand():
    question = "how many PDFs or photos are in Taxes, but not from 2023"
    for mark in parser().read(question).marks:
        assert question[mark.start : mark.end] == mark.text


def test_a_follow_up_leans_on_what_came_before_and_a_new_question_does_not():
    first = parser().read("How many invoices do I have from 2023?")
    then = parser().read("and from 2024?", first)
    assert then.leans
    assert (then.labels["relation"], then.labels["op"]) == ("papers", "count")
    assert not parser().read("Who wrote the report on the bridge?", first).leans


@pytest.mark.parametrize(
    "question",
    ["?", "a", "x" * 4000, "pdf " * 1000, "日本語の質問", "\u200b", "'; DROP TABLE files --"],
)
def test_anything_can_be_typed(question):
    parsed = parser().read(question, parser().read(question))
    assert all(0 <= mark.start < mark.end <= len(question) for mark in parsed.marks)
    assert set(parsed.labels) == set(parsed.sure) - {"kind"}
    assert ("kind" in parsed.sure) == (not parsed.computed)


def test_a_fact_and_its_reason_are_read_alike():
    parsed = parser().read("What does error code E07 of the boiler mean?")
    assert not parsed.computed
    assert min(parsed.sure["route"], parsed.sure["kind"]) > 0.9


def test_what_is_behind_the_last_token_is_unread():
    asked = "How many PDF files do I have" + ", and I mean how many of them" * 30 + " from Anna?"
    assert "Anna?" in parser().read(asked).unread


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("what does pump x500.md say?", ["pump x500.md"]),
        ("compare a.md b.md", ["a.md", "b.md"]),
        ("what is in St. Mary lease.pdf", ["St. Mary lease.pdf"]),
    ],
)
def test_a_name_of_several_words_ends_with_its_extension(question, files):
    assert [m.text for m in parser().read(question).marks if m.tag in {"file", "scope"}] == files


@pytest.mark.parametrize(
    ("question", "mark"),
    [
        ("quante fatture dell'acqua ho", "acqua"), ("combien avons-nous payé à l’école", "école"),
        ("combien de photos d'Ida", "Ida"),
    ],
)  # fmt: skip
def test_a_word_behind_an_article_that_lost_its_vowel_is_marked(question, mark):
    parsed = parser().read(question)
    assert mark in [found.text for found in parsed.marks] and parsed.unread == ()


def test_a_shortened_word_is_one():
    parsed = parser().read("how many of Emil's photos don't I have")
    assert [mark.text for mark in parsed.marks] == ["Emil", "photos"]
