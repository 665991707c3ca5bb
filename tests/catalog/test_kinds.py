"""Kinds of files: what people call them, their extensions, and back into words."""

from __future__ import annotations

import pytest

from manole.catalog.kinds import KINDS, describe, extensions_of, kind_called, kind_of


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("PDFs", "pdf"), ("docx", "document"), ("photos", "picture"), ("pictures", "picture"),
        ("spreadsheets", "spreadsheet"), ("PowerPoints", "presentation"), ("e-mails", "mail"),
        ("markdown", "markdown"), ("vidéos", "video"), ("jpegs", "picture"), ("Bilder", "picture"),
        (".py", "code"),
    ],
)  # fmt: skip
def test_a_word_names_a_kind(word, kind):
    assert kind_called(word) == kind


@pytest.mark.parametrize("word", ["files", "go", "key", "doctor", "c", "", "text"])
def test_common_words_name_no_kind(word):
    assert kind_called(word) is None


@pytest.mark.parametrize(
    ("name", "extensions"),
    [
        ("pdf", (".pdf",)), (".PDF", (".pdf",)), ("*.pdf", (".pdf",)), ("jpg", (".jpg", ".jpeg")),
        ("jpeg", (".jpg", ".jpeg")), ("presentation", (".pptx", ".ppt", ".odp", ".key")),
        ("slideshows", (".pptx", ".ppt", ".odp", ".key")), ("docx", (".docx",)), ("xyz", (".xyz",)),
        ("", ()), ("  ", ()),
    ],
)  # fmt: skip
def test_extensions_of_a_name(name, extensions):
    assert extensions_of(name) == extensions


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_the_extensions_of_a_kind_are_of_that_kind(kind):
    assert {kind_of(extension[1:]) for extension in extensions_of(kind)} == {kind}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (".pdf", "PDF files"), ("*.pdf", "PDF files"), ("pdfs", "PDF files"), ("", "files"),
        ("images", "pictures"), ("photos", "pictures"), ("slideshow", "presentations"),
        ("text", "text files"), ("contacts", "contacts"), (".docx", "DOCX files"),
    ],
)  # fmt: skip
def test_kinds_in_words(kind, words):
    assert describe(kind) == words
