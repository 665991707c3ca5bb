"""Kinds of files: from words to extensions, and back into words."""

from __future__ import annotations

import pytest

from manole.tools.kinds import describe, detect_kind, extensions_of


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("how many PDFs?", ".pdf"),
        ("pdf count", ".pdf"),
        ("how many .docx files", ".docx"),
        ("list *.csv", ".csv"),
        ("how many photos do I have", "images"),
        ("any pictures?", "images"),
        ("spreadsheets from 2024", "spreadsheets"),
        ("number of excel files", ".xlsx"),
        ("PowerPoint presentations", "presentations"),
        ("my emails", "e-mails"),
        ("my e-mails", "e-mails"),
        ("Word documents", "word documents"),
        ("markdown files", "markdown files"),
        ("text files", "text files"),
        ("videos", "videos"),
        ("how many jpegs", ".jpeg"),
        ("json", ".json"),
        (".py files", ".py"),
    ],
)
def test_a_named_kind_is_found(question, kind):
    found = detect_kind(question)
    assert found is not None
    assert extensions_of(found) == extensions_of(kind)


@pytest.mark.parametrize(
    "question",
    ["how many files", "a word about the contract", "let us go", "the key to the flat",
     "what does the doctor say", "c", ""],
)  # fmt: skip
def test_common_words_name_no_kind(question):
    assert detect_kind(question) is None


@pytest.mark.parametrize(
    ("name", "extensions"),
    [
        ("pdf", (".pdf",)),
        (".PDF", (".pdf",)),
        ("*.pdf", (".pdf",)),
        ("jpg", (".jpg", ".jpeg")),
        ("jpeg", (".jpg", ".jpeg")),
        ("presentation", (".pptx", ".ppt", ".odp", ".key")),
        ("xyz", (".xyz",)),
        ("", ()),
        ("  ", ()),
    ],
)
def test_extensions_of_a_name(name, extensions):
    assert extensions_of(name) == extensions


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (".pdf", "PDF files"), ("*.pdf", "PDF files"), ("pdfs", "PDF files"), ("", "files"),
        ("images", "images"), ("photos", "images"), ("slides", "presentations"),
    ],
)  # fmt: skip
def test_kinds_in_words(kind, words):
    assert describe(kind) == words
