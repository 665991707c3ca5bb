"""Pages put together again from passages, cut around a place."""

from __future__ import annotations

import pytest

from manole.documents.model import Box, Status
from manole.errors import UsageError
from manole.index.store.records import FileRecord, PageRecord, PassageRecord
from manole.index.view.page_text import PageText
from manole.serve.view import page
from manole.serve.view.page import WINDOW, Spot, kind_of, page_count


async def view(store, file, **spot):
    return await page.view(store, file, Spot(**spot))


def a_file(**changes):
    plain = {"id": "f", "root": "/r", "path": "a.pdf", "size": 1, "mtime_ns": 0,
             "content_hash": "h", "status": Status.INDEXED, "format": "pdf",
             "passages": 1}  # fmt: skip
    return FileRecord(**plain | changes)


def a_passage(text, page=None, line=1, start=0, boxes=(), headings=()):
    return PassageRecord(
        id=f"f:{start}", file_id="f", root="/r", path="a.pdf", ordinal=start, page=page,
        line_start=line, line_end=line + text.count("\n"), start=start, end=start + len(text),
        text=text, boxes=boxes, headings=headings,
    )  # fmt: skip


class FakeStore:
    """A fake store that holds one file's passages and pages."""

    def __init__(self, passages, pages=()):
        self._passages = passages
        self._pages = {page.id: page for page in pages}

    @property
    def pages(self):
        return self

    async def passages(self, file_id, page=None):
        return [p for p in self._passages if page is None or p.page == page]

    async def get(self, ids):
        return {key: self._pages[key] for key in ids if key in self._pages}


HALF = Box(0.1, 0.1, 0.5, 0.2)


async def test_boxes_are_those_of_the_passage_where_lines_are_not_kept():
    store = FakeStore([a_passage("The rent is due.", 1, boxes=(HALF,))])
    seen = await view(store, a_file(), page=1, quote="rent is due")
    assert seen.boxes == (HALF,)
    assert (await view(store, a_file(), page=1)).boxes == ()


async def test_boxes_are_those_of_the_lines_in_their_order_though_they_say_the_same():
    boxes = [Box(0.1, n / 10, 0.9, n / 10 + 0.05) for n in range(3)]
    text = "the same line\nthe same line\nthe same line"
    lines = PageRecord("f:1", "f", 1, ("the same line",) * 3, tuple(boxes))
    store = FakeStore([a_passage(text, 1, boxes=(HALF,))], [lines])
    assert (await view(store, a_file(), page=1, line=2)).boxes == (boxes[1],)
    assert (await view(store, a_file(), page=1, line=1, line_end=3)).boxes == tuple(boxes)


async def test_gaps_between_passages_are_lines_again():
    passages = [a_passage("one", line=3, start=5), a_passage("two", line=6, start=12)]
    seen = await view(FakeStore(passages), a_file(format="text", path="a.txt"), line=6)
    assert seen.text.split("\n")[0] == "one"
    assert seen.text.split("\n")[3].strip() == "two"
    assert seen.first_line == 3
    assert [seen.text[a:b].strip() for a, b in seen.marks] == ["two"]


async def test_one_endless_line_is_cut_around_the_quotation():
    text = "word " * 30_000 + "the kettle whistles " + "word " * 30_000
    seen = await view(FakeStore([a_passage(text)]), a_file(format="text"), quote="kettle whistles")
    assert len(seen.text) <= WINDOW
    assert seen.first_line == 1
    assert seen.more_before
    assert seen.more_after
    assert [seen.text[a:b] for a, b in seen.marks] == ["kettle whistles"]


async def test_marks_of_more_lines_than_are_shown_are_cut():
    text = "\n".join(f"line {n} of many that are in this text" for n in range(1, 5001))
    store = FakeStore([a_passage(text)])
    seen = await view(store, a_file(format="text"), line=1, line_end=5000)
    assert len(seen.text) <= WINDOW
    assert seen.marks == ((0, len(seen.text)),)


async def test_a_mark_in_characters_beyond_the_first_plane():
    store = FakeStore([a_passage("🫖 the kettle 🫖 whistles")])
    seen = await view(store, a_file(format="text"), quote="kettle whistles")
    assert [seen.text[a:b] for a, b in seen.marks] == ["kettle 🫖 whistles"]


async def test_a_file_that_was_not_read_has_no_text_whatever_the_store_holds():
    store = FakeStore([a_passage("left over", 1)])
    seen = await view(store, a_file(status=Status.FAILED, metadata={"pages": "4"}), page=4)
    assert (seen.text, seen.page, seen.pages) == ("", 4, 4)
    with pytest.raises(UsageError, match="no page 5"):
        await view(store, a_file(status=Status.FAILED, metadata={"pages": "4"}), page=5)


def test_kinds_are_told_by_the_format_and_not_by_what_a_text_says_of_itself():
    kinds = {"pdf": "pdf", "png": "image", "heic": "image", "tiff": "image", "email": "mail",
             "msg": "mail", "xlsx": "sheet", "ods": "sheet", "csv": "sheet", "markdown": "text",
             "docx": "text", "svg": "text", "html": "text", None: "text"}  # fmt: skip
    assert {name: kind_of(a_file(format=name)) for name in kinds} == kinds
    assert kind_of(a_file(format="markdown", metadata={"width": "5", "pages": "9"})) == "text"
    assert page_count(a_file(format="markdown", metadata={"pages": "9"}, pages=1)) == 1
    assert page_count(a_file(metadata={"pages": "9"}, pages=2)) == 9


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [(3, 3, "a"), (4, 5, "b\nc"), (1, 3, "a"), (5, 99, "c"), (6, 9, None), (1, 2, None)],
)
def test_lines_are_counted_from_the_pages_first(first, last, text):
    page = PageText(None, 3, "a\nb\nc")
    span = page.span(first, last)
    assert (page.text[slice(*span)] if span else None) == text


async def test_of_one_line_the_place_from_the_column_on():
    store = FakeStore([a_passage("no\na key, a key", 1)])
    seen = [await view(store, a_file(), quote="key", line=2, column=at) for at in (0, 2, 9)]
    assert [view.marks for view in seen] == [((5, 8),), ((5, 8),), ((12, 15),)]


async def test_it_is_told_whether_a_quotation_stands_there():
    store = FakeStore([a_passage("The rent is due.", 1)])
    assert (await view(store, a_file(), quote="rent is due")).quoted
    assert (await view(store, a_file(), quote="nothing like it", line=1)).quoted is False
    assert (await view(store, a_file(), line=1)).quoted is None


async def test_lines_say_what_is_marked_of_them():
    boxes = [Box(0.1, n / 10, 0.9, n / 10 + 0.05) for n in range(2)]
    lines = PageRecord("f:1", "f", 1, ("a key here", "and the end"), tuple(boxes))
    store = FakeStore([a_passage("a key here\nand the end", 1)], [lines])
    seen = await view(store, a_file(), page=1, quote="key here and")
    assert [line.marks for line in seen.lines] == [((2, 10),), ((0, 3),)]


async def test_a_quotation_that_went_to_another_page_is_found_there():
    store = FakeStore([a_passage("Nothing here.", 1), a_passage("The rent is due in May.", 2)])
    file = a_file(metadata={"pages": "2"}, pages=2)
    seen = await view(store, file, page=1, quote="The rent is due", line=1)
    assert (seen.page, seen.quoted, len(seen.marks)) == (2, True, 1)
    short = await view(store, file, page=1, quote="rent", line=1)
    assert (short.page, short.quoted) == (1, False)


async def test_a_quotation_may_be_just_the_lines_that_are_cited():
    texts = ["The manual\nOf the boiler.", "The manual\nOf the stove."]
    store = FakeStore([a_passage(text, page) for page, text in enumerate(texts, start=1)])
    file = a_file(metadata={"pages": "2"}, pages=2)
    for quote, last in [("The manual", 1), (texts[1], 2)]:
        seen = await view(store, file, page=2, quote=quote, line=1, line_end=last)
        assert (seen.page, seen.quoted, seen.marks) == (2, True, ((0, len(quote)),))
    rows = FakeStore([a_passage("name,age\nAda,36\nBob,13")])
    seen = await view(rows, a_file(format="csv"), quote="Bob,13", line=3, line_end=3)
    assert seen.quoted
