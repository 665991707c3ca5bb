"""Text is put back together from passages, and read on until its end."""

from __future__ import annotations

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from manole.errors import UsageError
from manole.library import Library
from manole_mcp.reading import (
    PageText,
    as_range,
    chosen,
    file_in_index,
    joined,
    pages_of,
    path_in_index,
    portion,
)

LONG = "\n".join(
    f"{'  ' * (n % 3)}{n}. On day {n} the kettle of room {n * 7} was descaled by hand."
    if n % 9 else "" for n in range(3, 400)
)  # fmt: skip
PAGES = [PageText(1, 1, "one\ntwo"), PageText(2, 2, "three\nfour"), PageText(4, 1, "five")]


on_module = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(tmp_path_factory, session_settings):
    base = tmp_path_factory.mktemp("reading")
    folder = base / "papers"
    (folder / "sub").mkdir(parents=True)
    (folder / "long.txt").write_text(LONG)
    (folder / "sub" / "short.md").write_text("# Kettle\n\nIt whistles.\n")
    (folder / "empty.txt").write_text("")
    (base / "linked").symlink_to(folder)
    async with await Library.open(base / "linked", session_settings) as opened:
        await opened.sync()
        yield opened


@on_module
async def test_a_text_of_many_passages_is_the_files_text(library):
    file = await file_in_index(library, "long.txt")
    assert file.passages > 5
    (page,) = await pages_of(library, file)
    assert page.text == LONG


@on_module
async def test_lines_have_the_files_own_numbers(library):
    file = await file_in_index(library, "long.txt")
    pages = await pages_of(library, file)
    wanted = "\n".join(LONG.split("\n")[200:211])
    assert chosen(file.path, pages, lines="201-211") == wanted


@on_module
async def test_paths_as_people_and_programs_write_them(library):
    base = library.roots[0].parent
    for way in (
        "sub/short.md", "./sub/short.md", "sub/../sub/short.md", "manole://library/sub/short.md",
        str(base / "linked" / "sub" / "short.md"), str(base / "papers/sub/short.md"),
    ):  # fmt: skip
        assert (await file_in_index(library, way)).path == "sub/short.md"
    assert await path_in_index(library, "sub/") == "sub"
    for whole in ("", ".", "./", str(base / "papers")):
        assert await path_in_index(library, whole) == ""


@pytest.mark.parametrize(
    "given, message, hint",
    [
        ("short.md", "no short.md", "sub/short.md"),
        ("sub", "is a folder", "list_files"),
        ("nothing-like-it.txt", "no nothing-like-it", "name"),
        ("../x", "outside", "own files"),
        ("a\0b", "outside", "own files"),
        ("x" * 5000, "outside|no x", "name|own"),
    ],
)
@on_module
async def test_what_is_not_there_is_refused_with_a_hint(library, given, message, hint):
    with pytest.raises(UsageError, match=message) as caught:
        await file_in_index(library, given)
    assert any(part in caught.value.hint for part in hint.split("|"))


@on_module
async def test_a_file_without_text_says_why(library):
    file = await file_in_index(library, "empty.txt")
    with pytest.raises(UsageError, match="has no text in the index: "):
        await pages_of(library, file)


def test_nothing_joined_is_nothing():
    assert joined([]) == []


@pytest.mark.parametrize(
    "which, lines, text",
    [
        ("", "", "--- page 1 ---\none\ntwo\n\n--- page 2 ---\nthree\nfour\n\n--- page 4 ---\nfive"),
        ("2", "", "--- page 2 ---\nthree\nfour"),
        ("2-", "", "--- page 2 ---\nthree\nfour\n\n--- page 4 ---\nfive"),
        ("4-3", "", "--- page 4 ---\nfive"),
        ("2", "3", "--- page 2 ---\nfour"),
        ("2", "1-2", "--- page 2 ---\nthree"),
    ],
)
def test_pages_and_lines(which, lines, text):
    assert chosen("a.pdf", PAGES, which, lines) == text


@pytest.mark.parametrize(
    "which, lines, message",
    [
        ("3", "", "no text on page 3"),
        ("", "2", "each page anew"),
        ("2", "9-", "no text on lines 9"),
    ],
)
def test_pages_and_lines_that_are_not_there(which, lines, message):
    with pytest.raises(UsageError, match=message):
        chosen("a.pdf", PAGES, which, lines)
    with pytest.raises(UsageError, match="has no pages"):
        chosen("a.txt", [PageText(None, 1, "x")], "1")


@given(st.text(max_size=600), st.integers(1, 60))
def test_reading_on_gives_every_character_once(text, limit):
    read, at = "", 0
    while at is not None:
        part = portion(text, at, limit)
        assert len(part.text) <= limit
        read += part.text
        at = part.next_offset
    assert read == text


def test_an_offset_past_the_end_is_refused():
    with pytest.raises(UsageError, match="past its end"):
        portion("abc", 3, 10)


def test_ranges():
    read = {"": None, " ": None, "7": (7, 7), "2 - 4": (2, 4), "4-2": (2, 4), "5-": (5, None)}
    assert {text: as_range(text) for text in read} == read
