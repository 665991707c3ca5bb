"""A sync of a few places: it does there what a whole one does, and looks at nothing else."""

from __future__ import annotations

import os
import shutil

import pytest
from contract.records import ANY
from test_sync import counts, lib  # noqa: F401  (a fixture)

from manole.errors import UsageError, WouldDropError
from manole.index.sync.plan import places_of


@pytest.fixture
async def filled(lib):  # noqa: F811
    """Ten files in two folders, indexed."""
    for number in range(5):
        lib.write(f"in/{number}.txt", f"the story number {number} of a cat")
        lib.write(f"out/{number}.txt", f"the tale number {number} of a dog")
    await lib.sync()
    return lib


async def small(lib, *names, **options):  # noqa: F811
    paths = [lib.folder / name for name in names]
    return await lib.sync(only=places_of(paths, [lib.folder]), **options)


async def known(lib):  # noqa: F811
    return {file.path: file for file in await lib.store.files()}


async def test_what_is_added_changed_and_gone_is_seen_where_it_is_looked_for(filled):
    filled.write("in/new.txt", "an elephant")
    filled.write("in/1.txt", "a giraffe altogether")
    (filled.folder / "in/2.txt").unlink()
    filled.write("out/new.txt", "a zebra")
    report = await small(filled, "in/new.txt", "in/1.txt", "in/2.txt")
    assert counts(report) == (1, 1, 0, 1, 0)
    assert (report.passages, report.embedded, report.statuses) == (2, 2, {})
    assert await filled.matched("elephant giraffe zebra") == ["in/1.txt", "in/new.txt"]
    assert await filled.store.count() == (10, 10)
    assert counts(await filled.sync()) == (1, 0, 0, 0, 10)


async def test_a_folder_is_looked_through(filled):
    filled.write("in/deep/er/new.txt", "an elephant")
    (filled.folder / "in/2.txt").unlink()
    assert counts(await small(filled, "in")) == (1, 0, 0, 1, 4)
    shutil.rmtree(filled.folder / "in" / "deep")
    assert counts(await small(filled, "in/deep")) == (0, 0, 0, 1, 0)


async def test_nothing_else_of_the_library_is_asked_for(filled, monkeypatch):
    def refuse(*_):
        raise AssertionError("this looks at every row")

    filled.write("in/1.txt", "a giraffe altogether")
    for name in ("files", "stale", "count", "missing_vectors"):
        monkeypatch.setattr(filled.store, name, refuse)
    for name in ("count", "missing", "counts"):
        monkeypatch.setattr(filled.store.pages, name, refuse)
    report = await small(filled, "in/1.txt", "in/3.txt")
    assert counts(report) == (0, 1, 0, 0, 1)
    vector = filled.embedder.embed_query("a tall animal from Africa")
    (found,) = await filled.store.take(await filled.store.nearest(vector, 1, ANY))
    assert found.path == "in/1.txt"


async def test_a_renamed_file_and_a_moved_folder_keep_their_vectors(filled):
    before = await known(filled)
    (filled.folder / "in/1.txt").rename(filled.folder / "in/one.txt")
    report = await small(filled, "in/1.txt", "in/one.txt")
    assert counts(report) == (0, 0, 1, 0, 0)
    (filled.folder / "out").rename(filled.folder / "away")
    report = await small(filled, "out", "away")
    assert (counts(report), report.tokens) == ((0, 0, 5, 0, 0), 0)
    after = await known(filled)
    assert after["away/4.txt"].id == before["out/4.txt"].id
    assert after["in/one.txt"].id == before["in/1.txt"].id
    assert await filled.matched("tale") == [f"away/{number}.txt" for number in range(5)]
    assert await filled.store.count() == (10, 10)


async def test_a_touched_file_is_not_read(filled):
    os.utime(filled.folder / "in/1.txt", (10**9, 10**9))
    report = await small(filled, "in/1.txt")
    assert (counts(report), report.passages) == ((0, 0, 0, 0, 1), 0)
    assert (await known(filled))["in/1.txt"].mtime_ns == 10**18


async def test_ignore_files_hold_for_single_files_too(filled):
    filled.write("in/.gitignore", "1.txt\nnew.txt\n")
    filled.write("in/new.txt", "an elephant")
    assert counts(await small(filled, "in/new.txt")) == (0, 0, 0, 0, 0)
    assert counts(await small(filled, "in")) == (0, 0, 0, 1, 4)  # the folder of the ignore file
    (filled.folder / "in/.gitignore").unlink()
    assert counts(await small(filled, "in")) == (2, 0, 0, 0, 4)


async def test_names_like_others_are_told_apart(filled):
    filled.write("in.txt", "beside the folder")
    filled.write("in-more/1.txt", "another folder")
    await small(filled, "in.txt", "in-more")
    shutil.rmtree(filled.folder / "in")
    assert counts(await small(filled, "in")) == (0, 0, 0, 5, 0)
    assert {"in.txt", "in-more/1.txt"} <= (await known(filled)).keys()


async def test_a_name_that_is_no_text_is_found_again(filled):
    name = os.fsdecode(b"in/caf\xe9.txt")
    (filled.folder / name).write_text("a cup of coffee")
    assert counts(await small(filled, name)) == (1, 0, 0, 0, 0)
    (filled.folder / name).unlink()
    assert counts(await small(filled, name)) == (0, 0, 0, 1, 0)


async def test_most_files_gone_stops_a_sync_before_it_changes_anything(filled):
    for number in range(5):
        (filled.folder / f"in/{number}.txt").unlink()
    (filled.folder / "out/1.txt").unlink()
    filled.write("out/new.txt", "an elephant")
    with pytest.raises(
        WouldDropError, match=r"6 of 10 files are no longer there \(6 below"
    ) as error:
        await filled.sync()
    assert "--yes" in error.value.hint
    with pytest.raises(WouldDropError):
        await small(filled, "in", "out")
    assert (await known(filled)).keys() == {f"{d}/{n}.txt" for d in ("in", "out") for n in range(5)}
    assert counts(await filled.sync(yes=True)) == (1, 0, 0, 6, 4)


async def test_half_of_the_files_may_go(filled):
    shutil.rmtree(filled.folder / "in")
    assert counts(await filled.sync()) == (0, 0, 0, 5, 5)


async def test_files_that_are_left_out_from_now_on_or_moved_do_not_count_as_gone(filled):
    (filled.folder / "in").rename(filled.folder / "away")
    (filled.folder / "out").rename(filled.folder / "elsewhere")
    assert counts(await filled.sync()) == (0, 0, 10, 0, 0)
    assert counts(await filled.sync(exclude=["*.txt"])) == (0, 0, 0, 10, 0)


async def test_a_root_that_is_missing_is_no_empty_one(filled):
    away = filled.folder.with_name("moved")
    filled.folder.rename(away)
    for again in (filled.sync(), small(filled, "in"), filled.sync(yes=True)):
        with pytest.raises(UsageError, match="cannot be looked into"):
            await again
    filled.folder.mkdir()
    with pytest.raises(WouldDropError, match="10 of 10"):
        await filled.sync()
    filled.folder.rmdir()
    away.rename(filled.folder)
    assert counts(await filled.sync()) == (0, 0, 0, 0, 10)


def test_places_that_lie_in_others_are_looked_at_once(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    paths = [one / "a/b.txt", one / "a", one / "a/c/d", one / "ab", two, two / "x", tmp_path / "no"]
    assert places_of(paths, [one, two]) == {one: ["a", "ab"], two: [""]}
