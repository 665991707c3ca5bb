"""The journal of a real library, and `passages_of` of the real store beneath it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio

from manole.documents.model import Status
from manole.index.store.lance import LanceStore
from manole.index.store.records import FileRecord, PassageRecord
from manole.index.view.entries import FEWEST, entries_of
from manole.library import Library

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {
    "days/2022-05-01.md": "---\ntags: [bees]\n---\n\nThe bees swarmed.\nMatei caught them.\n",
    "days/2022-05-03.md": "# New hive\n\nPainted it blue. #bees\n",
    "garden.txt": "2 May 2022\nSowed beans.\n\n4 May 2022\nSowed maize.\n",
    "log.csv": "date,note\n2022-05-05,Ordered frames\n2022-05-06,Frames came\n",
    "letter.txt": "Bucharest, 9 May 2022\n\nDear Matei, thank you for the honey.\n",
    "bank.csv": "date,amount\n2022-05-07,12.50\n2022-05-08,3.20\n",
}
EXPORT = {"entries": [{"creationDate": "2022-04-30T20:00:00Z", "text": "Bought a hive\\."}]}


def write(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "Journal.json").write_text(json.dumps(EXPORT, indent=1), "utf-8")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(tmp_path_factory, session_settings):
    folder = write(tmp_path_factory.mktemp("bees"))
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        yield library


async def entries(library: Library, settings, kind: str):
    """The entries of the library's folder under another `index.kind`."""
    index = settings.index.model_copy(update={"kind": kind})
    changed = settings.model_copy(update={"index": index})
    async with await Library.open(library.roots[0], changed) as again:
        return await again.entries()


async def test_every_journal_of_a_folder_oldest_first(library):
    found = await library.entries()
    assert [(e.date.isoformat(), e.file) for e in found] == [
        ("2022-04-30", "Journal.json"),
        ("2022-05-01", "days/2022-05-01.md"),
        ("2022-05-02", "garden.txt"),
        ("2022-05-03", "days/2022-05-03.md"),
        ("2022-05-04", "garden.txt"),
        ("2022-05-05", "log.csv"),
        ("2022-05-06", "log.csv"),
    ]


async def test_lines_and_tags_come_through_the_index(library):
    by_file = {e.file: e for e in await library.entries()}
    swarm = by_file["days/2022-05-01.md"]
    assert swarm.tags == ("bees",)
    hive = by_file["days/2022-05-03.md"]
    assert (hive.title, hive.tags) == ("New hive", ("bees",))
    for entry in await library.entries():
        written = (library.roots[0] / entry.file).read_text("utf-8").split("\n")
        for line in entry.lines:
            assert line.text.strip(".") in written[line.line - 1]


async def test_the_entries_are_kept_until_a_sync(library):
    assert await library.entries() is await library.entries()


async def test_declared_as_a_journal_every_dated_text_is_an_entry(library, session_settings):
    files = [e.file for e in await entries(library, session_settings, "journal")]
    assert files.count("letter.txt") == 1
    assert files.count("bank.csv") == 2
    assert len(files) == 10


async def test_declared_as_files_there_is_no_journal(library, session_settings):
    assert await entries(library, session_settings, "files") == []


async def test_what_is_said_without_a_setting_is_auto(library, session_settings):
    assert session_settings.index.kind == "auto"
    assert await entries(library, session_settings, "auto") == await library.entries()


async def test_a_sync_renews_the_entries(tmp_path, session_settings):
    folder = tmp_path / "days"
    folder.mkdir()
    (folder / "2022-05-01.md").write_text("The bees swarmed.")
    (folder / "2022-05-02.md").write_text("Sowed beans.")
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        assert await library.entries() == []  # two dated texts are no journal
        (folder / "2022-05-03.md").write_text("New hive.")
        await library.sync()
        assert [e.text for e in await library.entries()] == [
            "The bees swarmed.", "Sowed beans.", "New hive.",
        ]  # fmt: skip
        (folder / "2022-05-02.md").write_text("Sowed beans and maize.")
        (folder / "2022-05-01.md").rename(folder / "2022-05-04.md")
        async with await Library.open(folder, session_settings) as other:  # another process
            await other.sync()
        assert [(e.date.day, e.text) for e in await library.entries()] == [
            (2, "Sowed beans and maize."), (3, "New hive."), (4, "The bees swarmed."),
        ]  # fmt: skip
        (folder / "2022-05-03.md").unlink()
        await library.sync()
        assert await library.entries() == []


async def test_exports_of_the_same_name_in_two_folders(tmp_path, session_settings):
    folders = [tmp_path / name for name in ("mine", "hers")]
    for at, folder in enumerate(folders):
        folder.mkdir()
        items = [
            {"date": f"2022-0{at + 1}-{day:02}", "time": "09:00", "title": f"{folder.name} {day}"}
            for day in (1, 2, 3)
        ]
        (folder / "journal.json").write_text(json.dumps({"entries": items}))
    async with await Library.open(folders, session_settings) as library:
        await library.sync()
        titles = [e.title for e in await library.entries()]
    assert titles == ["mine 1", "mine 2", "mine 3", "hers 1", "hers 2", "hers 3"]


async def test_an_export_that_is_gone_is_no_error(tmp_path, session_settings):
    folder = write(tmp_path / "bees")
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        shutil.rmtree(folder / "days")
        (folder / "Journal.json").unlink()
        files = [e.file for e in await library.entries()]
    assert "Journal.json" not in files
    assert "days/2022-05-01.md" in files  # read from the index


# -- on the store alone ------------------------------------------------------------------------


def a_file(key: str, path: str, *texts: str, **changes) -> tuple[FileRecord, list[PassageRecord]]:
    file = FileRecord(
        id=key, root="/r", path=path, size=1, mtime_ns=10**18, content_hash="h" + key,
        status=Status.INDEXED, passages=len(texts), format="markdown",
    )  # fmt: skip
    file = replace(file, **changes)
    made, line = [], 1
    for i, text in enumerate(texts):
        end = line + text.count("\n")
        made.append(
            PassageRecord(
                id=f"{key}:{i}", file_id=key, root=file.root, path=path, ordinal=i, page=None,
                line_start=line, line_end=end, start=0, end=len(text), text=text,
            )
        )  # fmt: skip
        line = end + 1
    return file, made


@pytest_asyncio.fixture(loop_scope="module")
async def store(tmp_path):
    store = await LanceStore.open(tmp_path / "index")
    async with store.writing(dimensions=4, embedder="e"):
        yield store
    await store.close()


def nowhere(path: Path) -> Path:
    raise AssertionError(f"{path} was read")


@pytest.mark.parametrize(("count", "found"), [(FEWEST - 1, 0), (FEWEST, FEWEST)])
async def test_fewer_dated_texts_are_no_journal(store, count, found):
    pairs = [a_file(f"f{n}", f"2022-05-0{n + 1}.md", "The bees swarmed.") for n in range(count)]
    await store.replace(pairs)
    files = await store.files()
    assert len(await entries_of(store, files, "auto", nowhere)) == found
    assert len(await entries_of(store, files, "journal", nowhere)) == count
    assert await entries_of(store, files, "files", nowhere) == []


async def test_entries_that_are_cut_into_passages_are_whole(store):
    texts = ["1 May 2022\nThe bees\nswarmed", "and flew away.\n2 May 2022\nSowed", "beans.\n"]
    texts += ["3 May 2022\nRain."]
    await store.replace([a_file("a", "garden.md", *texts)])
    found = await entries_of(store, await store.files(), "auto", nowhere)
    assert [e.text for e in found] == [
        "The bees\nswarmed\nand flew away.",
        "Sowed\nbeans.",
        "Rain.",
    ]


async def test_files_without_text_and_of_other_formats_are_not_read(store):
    await store.replace(
        [
            a_file("a", "2022-05-01.md"),
            a_file("b", "2022-05-02.pdf", "The bees swarmed.", format="pdf"),
            a_file("c", "2022-05-03.md", "x", format=None),
        ]
    )
    files = await store.files()
    assert await entries_of(store, files, "journal", nowhere) == []


async def test_the_time_of_day_orders_the_entries_of_a_day(store):
    text = "[2022-05-01 21:00] Late.\n\n[2022-05-01 06:00] Early.\n\n[2022-05-01] Undated."
    await store.replace([a_file("a", "journal.txt", text, format="text")])
    found = await entries_of(store, await store.files(), "auto", nowhere)
    assert [e.title for e in found] == ["Undated.", "Early.", "Late."]
    assert {e.date for e in found} == {date(2022, 5, 1)}


async def test_passages_of_several_files_each_in_order(store):
    pairs = [
        a_file("a", "a.md", "one", "two", "three"),
        a_file("b", "b.md", "four"),
        a_file("c", "c.md"),
    ]
    await store.replace(pairs)
    found = await store.passages_of(["c", "a", "gone"])
    assert list(found) == ["c", "a", "gone"]
    assert [p.text for p in found["a"]] == ["one", "two", "three"]
    assert found["c"] == found["gone"] == []
    assert found["a"] == await store.passages("a")
    assert await store.passages_of([]) == {}


async def test_passages_of_more_files_than_one_query_asks_for(store):
    pairs = [a_file(f"f{n:04}", f"{n}.md", f"text {n}") for n in range(2100)]
    await store.replace(pairs)
    found = await store.passages_of([file.id for file, _ in pairs])
    assert [texts[0].text for texts in found.values()] == [f"text {n}" for n in range(2100)]


@pytest.mark.parametrize("key", ["'", "a' OR 'x' = 'x", "%", "é\n"])
async def test_a_file_id_is_never_read_as_a_query(store, key):
    await store.replace([a_file(key, "x.md", "mine"), a_file("other", "y.md", "not mine")])
    found = await store.passages_of([key])
    assert [p.text for p in found[key]] == ["mine"]
