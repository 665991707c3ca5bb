"""Counts agree with their nouns, in English and in German."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import manole
from manole.sentences import catalog, said, speaking
from manole.text.counted import counted

CODE = Path(manole.__file__).parent


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "file", "0 files"), (1, "file", "1 file"), (2, "file", "2 files"),
        (1204, "entry", "1,204 entries"), (1, "entry", "1 entry"), (2, "day", "2 days"),
        (3, "search", "3 searches"), (1, "search", "1 search"), (5, "model call", "5 model calls"),
    ],
)  # fmt: skip
def test_a_count_agrees_with_its_noun(count, noun, text):
    assert counted(count, noun) == text


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("1 passage in 1 file:", "1 Textstelle in 1 Datei:"),
        ("2 passages in 1 file:", "2 Textstellen in 1 Datei:"),
        ("1 object in 0.04 s", "1 Fundstück in 0,04 s"),
        ("1 model call", "1 Modellaufruf"),
        ("/me: 1 file (1 indexed), 1 passage.", "/me: 1 Datei (1 indexiert), 1 Textstelle."),
    ],
)  # fmt: skip
def test_german_agrees_too(english, german):
    with speaking("de"):
        assert said(english) == german


def nouns_of() -> set[str]:
    """The nouns that code counts by `counted`."""
    found = set()
    for file in CODE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Name("counted"), [_, ast.Constant(str(noun))]):
                    found.add(noun)
    return found


def test_every_noun_that_is_counted_is_counted_in_german():
    nouns = nouns_of()
    assert len(nouns) > 15
    german = catalog("de")
    for noun in nouns:
        for text in (counted(1, noun), counted(2, noun)):
            assert german.phrase(text) != text
