"""Texts compared sentence by sentence, however long and however they are cut."""

from __future__ import annotations

import textwrap

from manole.agent.versions.texts import Text, changes, families, sentences_of
from manole.documents.model import Status
from manole.index.store.records import FileRecord, PassageRecord


def text_of(path, text, size=1000, page=None):
    """A text as an index has it: in slices of so many characters."""
    file = FileRecord(path, "root", path, len(text), 0, path, Status.INDEXED)
    slices = textwrap.wrap(text, size) if "\n" not in text else [text]
    passages = [
        PassageRecord(f"{path}:{n}", path, "root", path, n, page, 1, 1, 0, len(part), part)
        for n, part in enumerate(slices)
    ]
    return Text(file, passages, list(sentences_of(passages)))


def test_a_line_of_three_megabytes_differs_where_it_was_changed():
    words = [f"w{n * 7919 % 99_991}" for n in range(450_000)]
    old = text_of("log v1.txt", " ".join(words))
    new = text_of(
        "log v2.txt", " ".join(["Anna", *words[:200_000], "77", "euros", *words[200_000:]])
    )
    assert len(new.passages) > 2500
    found = changes(old, new)
    assert 2 <= len(found) <= 8
    assert found[0].new is not None
    assert "77" in found[0].new.words | found[1].new.words
    assert changes(old, text_of("log v3.txt", " ".join(words), size=777)) == []


def test_one_word_without_end_is_compared():
    old, new = (
        text_of("a v1.txt", "x" * 3_000_000, 9000),
        text_of("a v2.txt", "y" * 3_000_000, 9000),
    )
    assert len(changes(old, new)) > 300
    assert families([old, new]) == []


def test_a_number_in_a_cell_of_its_own_is_a_change():
    old = text_of("budget v1.md", "| Rent | 900 |\n| Deposit | 900 |\n| Total | 1800 |")
    new = text_of("budget v2.md", "| Rent | 950 |\n| Deposit | 900 |\n| Total | 1850 |")
    shown = [(c.old and c.old.key, c.new and c.new.key) for c in changes(old, new)]
    assert shown == [("rent 900", "rent 950"), ("total 1800", "total 1850")]


def test_hyphens_line_breaks_and_markdown_are_no_change():
    old = text_of("a draft.md", "# Rules\n\n1. The **agreement** ends when both of us say so.\n")
    new = text_of("a final.txt", "Rules\nThe agree-\nment ends when both of\nus say so.\n", page=1)
    assert changes(old, new) == []
    assert len(families([old, new])) == 1


def test_a_version_is_no_version_of_what_only_its_draft_resembles():
    one, other = "The tenant is Anna Berg.", "The tenant is Tom Kruse."
    rest = " The flat has three rooms. The rent is 900 euros. Pets are allowed in all of the rooms."
    texts = [
        text_of("a/lease draft.md", f"The tenant is not known yet.{rest}"),
        text_of("a/lease.md", one + rest),
        text_of("b/lease.md", other + rest),
    ]
    (family,) = families(texts)
    assert [text.file.path for text in family] == ["a/lease draft.md", "a/lease.md"]
