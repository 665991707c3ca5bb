"""Every line with a pattern, from real files of a library."""

from __future__ import annotations

import pytest
import pytest_asyncio

from manole.catalog import grep as grepping
from manole.catalog.grep import grep
from manole.errors import UsageError
from manole.index.search.scope import Scope
from manole.library import Library
from manole.settings import Settings
from manole.text.line_matching import LinePattern

FILES = {
    "a/lease.txt": "The notice\nperiod is long.\nNotice period: three months\n",
    "b/letter.md": "# Letter\n\nNo notice period here.\n"
    + f"{'x' * 500} notice period {'y' * 500}\n",
    "hard.txt": f"{'a' * 60}!\nplain\n",
}


@pytest_asyncio.fixture
async def library(tmp_path):
    folder = tmp_path / "files"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield library


async def test_all_are_counted_and_some_are_shown(library):
    pattern = LinePattern("notice period")
    whole = await grep(library, pattern)
    assert [(h.file, h.line, h.line_end) for h in whole.lines] == [
        ("a/lease.txt", 1, 2), ("a/lease.txt", 3, 3), ("b/letter.md", 3, 3), ("b/letter.md", 4, 4),
    ]  # fmt: skip
    assert (whole.total, whole.counts["a/lease.txt"], whole.searched) == (4, 2, 3)
    part = await grep(library, pattern, limit=2, offset=1)
    assert part.lines == whole.lines[1:3]
    assert (part.total, part.next_offset, whole.next_offset) == (4, 3, None)


async def test_a_long_line_is_cut_around_its_mark(library):
    last = (await grep(library, LinePattern("notice period"))).lines[-1]
    ((start, end),) = last.marks
    assert last.text[start:end] == "notice period"
    assert last.text.startswith("…x") and last.text.endswith("y…") and len(last.text) < 500


async def test_only_the_scope_is_looked_at(library):
    found = await grep(library, LinePattern("notice"), Scope(("b",)))
    assert (set(found.counts), found.searched) == ({"b/letter.md"}, 1)
    assert (await grep(library, LinePattern("notice"), Scope(("nowhere",)))).searched == 0


async def test_an_expression_that_takes_too_long_is_told_and_the_rest_is_found(library):
    found = await grep(library, LinePattern(r"(a+)+$|plain|(?<=No) notice", regex=True))
    assert found.stopped == ["hard.txt"]
    assert set(found.counts) == {"b/letter.md"}


async def test_an_expression_has_an_end_for_all_files(library, monkeypatch):
    monkeypatch.setattr(grepping, "_SECONDS", 0.5)
    found = await grep(library, LinePattern(r"(\w+\s?)+!!", regex=True))
    assert len(found.stopped) + found.left > 1


@pytest.mark.parametrize("pattern", ["", "  ", "x" * 1001])
async def test_a_pattern_that_is_none_is_refused(library, pattern):
    with pytest.raises(UsageError, match="pattern"):
        await grep(library, LinePattern(pattern))


@pytest.mark.parametrize("pattern", ["(a", "a{99999999999}", "(" * 5000, "(?P<a>x)(?P<a>y)"])
async def test_an_expression_that_is_none_is_refused(library, pattern):
    with pytest.raises(UsageError):
        await grep(library, LinePattern(pattern, regex=True))
