"""Finding words in one file, as Ctrl+F would."""

from __future__ import annotations

import pytest

from manole.index.store.records import PassageRecord
from manole.serve.view.find_in_file import _each

TEXT = "The deposit is 900.\nDEPOSITS are dis-\ncharged in the end.\nThen the dépôt, the  end"


def passage(text, page=None, line=1):
    return PassageRecord(
        id=f"f:{line}", file_id="f", root="/r", path="a.txt", ordinal=line, text=text,
        page=page, line_start=line, line_end=line + text.count("\n"), start=0, end=len(text),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("deposit", [(1, "deposit"), (2, "DEPOSITS")]),
        ("discharged", [(2, "dis-\ncharged")]),
        ("depot", [(4, "dépôt")]),
        ("the end", [(3, "the end"), (4, "the  end")]),
        ("then", [(4, "Then")]),
        ("900.", [(1, "900")]),
        ("ischarged", []),
        ("landlord", []),
        ("?!", []),
    ],
)
def test_each_place_is_told_as_it_stands_there(words, found):
    got = [(p.line, p.quote) for p in _each([passage(TEXT)], words)]
    assert got == found


def test_places_on_one_line_are_told_apart_by_their_column():
    got = [(p.line, p.column) for p in _each([passage("a key, a key\n  and the key")], "key")]
    assert got == [(1, 2), (1, 9), (2, 10)]
    again = [(p.column, p.quote) for p in _each([passage("bonbon bon")], "bon")]
    assert again == [(0, "bonbon"), (7, "bon")]


def test_pages_are_told_in_their_order():
    pages = [passage("one key", 1), passage("no\nkey", 2), passage("", 3)]
    assert [(p.page, p.line) for p in _each(pages, "key")] == [(1, 1), (2, 2)]
