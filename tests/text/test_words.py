"""Words of a question: which carry meaning, and which count as the same."""

from __future__ import annotations

import pytest

from manole.text.words import caseless, content_words, fold, has_digit, stem, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("invoices", "invoice"), ("houses", "house"), ("bills", "bill"), ("policies", "policy"),
        ("charged", "charge"), ("charges", "charge"), ("surrendered", "surrender"),
        ("boxes", "box"), ("paying", "pay"), ("cancellations", "cancellation"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("gas", "ga"), ("use", "us"), ("rent", "rental")])
def test_other_words_do_not(one, other):
    assert stem(one) != stem(other)


def test_numbers_and_dates_stay_whole():
    assert words("On 2024-03-05 it cost 1,234.50 EUR (E04).") == [
        "on", "2024-03-05", "it", "cost", "1,234.50", "eur", "e04",
    ]  # fmt: skip


def test_an_article_that_lost_its_vowel_is_a_word_of_its_own():
    assert words("l'école, dell’acqua d'Ida") == ["l", "ecole", "dell", "acqua", "d", "ida"]
    assert words("don't they've Emil's 1'234.50") == ["don't", "they've", "emil", "1'234.50"]


def test_accents_and_case_do_not_count():
    assert fold("ÜBERGABE Løkken café") == fold("übergabe løkken cafe")


def test_content_words_are_those_that_carry_meaning():
    assert content_words("What is the rent, and what was the rent before?") == ["rent"]
    assert content_words("Wie hoch ist die Miete?") == ["hoch", "miete"]
    assert content_words("Combien coûte l'eau de la maison ?") == ["coute", "eau", "maison"]
    assert content_words("") == []


def test_digits_are_seen():
    assert has_digit("e04")
    assert not has_digit("rent")


def test_what_is_compared_without_regard_to_case_keeps_its_accents():
    assert caseless("STRASSE") == caseless("Straße")
    assert caseless("Mu\u0308ller") == caseless("MÜLLER") != caseless("Muller")
