"""Every library at once, as callers use it, with all its real parts."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import date

import pytest

from agent.fake_models import FakeModel
from manole.agent.loop import make
from manole.errors import NotIndexedError, UsageError
from manole.index.store.libraries import folder_of, folder_of_all, libraries, remove
from manole.index.store.records import Filters
from manole.joined import ALL, JoinedLibrary
from manole.library import Library
from manole.serve.service import Service
from manole.settings import Settings

HOME = {
    "lease.md": "# Lease\n\nThe notice period of the flat is three months.",
    "letters/landlord.txt": "The landlord lets us keep the cat.",
    "diary.md": "## 2024-03-01\n\nA walk.\n\n## 2024-03-09\n\nRain.\n\n## 2024-04-02\n\nSun.",
}
WORK = {
    "contract.md": "# Contract\n\nThe notice period of the job is six weeks.",
    "lease.md": "# Lease of the van\n\nThe van costs 310 euros a month.",
}


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)


def fill(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


async def index(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        return library.name


@pytest.fixture
async def joined(tmp_path, settings):
    """Two libraries, as one."""
    for name, files in {"home": HOME, "work": WORK}.items():
        await index(fill(tmp_path / name, files), settings)
    async with await JoinedLibrary.all(settings) as library:
        yield library


async def test_files_are_called_after_their_library(joined, tmp_path):
    paths = [file.path for file in await joined.files()]
    assert paths == sorted(f"home/{name}" for name in HOME) + sorted(f"work/{n}" for n in WORK)
    assert await joined.files() is await joined.files()  # not made anew for each question
    (lease,) = (file for file in await joined.files() if file.path == "work/lease.md")
    assert joined.file(lease) == tmp_path / "work" / "lease.md"
    assert joined.resolve("work/lease.md") == tmp_path / "work" / "lease.md"
    assert joined.resolve(tmp_path / "home" / "lease.md") == tmp_path / "home" / "lease.md"
    assert "310 euros" in (await joined.passages(lease))[0].text


async def test_a_path_of_this_machine_is_named_after_its_library(joined, tmp_path):
    assert joined.names_of(tmp_path / "home" / "letters") == ["home/letters"]
    assert joined.names_of(tmp_path / "work") == ["work"]
    assert joined.names_of("home/letters") == ["home/letters"]
    with pytest.raises(UsageError):
        joined.names_of(tmp_path)


@pytest.mark.parametrize("path", ["lease.md", "elsewhere/lease.md", "home/../../data", "/etc"])
async def test_nothing_outside_is_read(joined, path):
    with pytest.raises(UsageError):
        joined.found(path)


async def test_both_libraries_answer_a_search(joined):
    hits = await joined.search("how long is the notice period?", limit=2)
    assert {hit.passage.path for hit in hits} == {"home/lease.md", "work/contract.md"}
    assert all(hit.similarity is not None for hit in hits)


@pytest.mark.parametrize(
    ("only", "paths"),
    [
        (Filters(within=("work",)), {"work/contract.md", "work/lease.md"}),
        (
            Filters(within=("home/letters", "work/lease.md")),
            {"home/letters/landlord.txt", "work/lease.md"},
        ),
        (Filters(paths=("home/lease.md",)), {"home/lease.md"}),
        (Filters(within=("elsewhere",)), set()),
        (Filters(within=("home",), paths=("work/lease.md",)), set()),
        (Filters(within=("", "work")), {f"home/{n}" for n in HOME} | {f"work/{n}" for n in WORK}),
    ],
)  # fmt: skip
async def test_filters_name_files_as_the_whole_does(joined, only, paths):
    hits = await joined.search("the lease of the van, a contract, a cat, rain", 20, only)
    assert {hit.passage.path for hit in hits} == paths


async def test_a_text_that_two_libraries_have_is_found_once(joined, settings, tmp_path):
    await index(fill(tmp_path / "backup", {"old.md": WORK["contract.md"]}), settings)
    async with await JoinedLibrary.all(settings) as library:
        best = (await library.search("notice period of the job", limit=1))[0]
    assert {best.passage.path, *best.also} == {"work/contract.md", "backup/old.md"}


async def test_a_question_is_answered_from_all(joined, settings):
    strategy = make(settings, joined, FakeModel("SELECT count(*) FROM files"), today=date.today)
    end = [event async for event in strategy.ask("How many files do I have?")][-1]
    assert end.answer.startswith("You have 5 files")
    strategy = make(settings, joined, FakeModel("SELECT count(*) FROM files"), today=date.today)
    end = [event async for event in strategy.ask("How many files do I have?", scope="work")][-1]
    assert end.answer.startswith("You have 2 files")


async def test_diaries_are_one(joined):
    entries = await joined.entries()
    assert [entry.date.isoformat() for entry in entries] == [
        "2024-03-01",
        "2024-03-09",
        "2024-04-02",
    ]
    assert {entry.file for entry in entries} == {"home/diary.md"}


async def test_it_is_never_written(joined):
    calls = (joined.exclude, ["*.md"]), (joined.rename, "Papers")
    for attempt in (joined.sync(force=True), *(_later(*call) for call in calls)):
        with pytest.raises(UsageError, match="library list"):
            await attempt


async def _later(call, *inputs):
    call(*inputs)


async def test_folders_of_one_name_are_told_apart(joined, settings, tmp_path):
    name = await index(fill(tmp_path / "old" / "home", {"a.txt": "An attic."}), settings)
    async with await JoinedLibrary.all(settings) as library:
        tops = {file.path.split("/")[0] for file in await library.files()}
    assert name in tops and "work" in tops
    assert "home" not in tops


async def test_without_any_library_it_says_so(settings):
    with pytest.raises(NotIndexedError, match="no library"):
        await JoinedLibrary.all(settings)


async def test_what_was_made_of_all_goes_with_a_library(joined, settings):
    await joined.reader()
    assert folder_of_all(settings).is_dir()
    remove(libraries(settings)[0].name, settings)
    assert not folder_of_all(settings).exists()


async def test_a_library_that_cannot_be_read_leaves_the_others(joined, settings, tmp_path):
    broken = await index(fill(tmp_path / "broken", {"a.txt": "An attic."}), settings)
    meta = folder_of(broken, settings) / "meta.json"
    meta.write_text(meta.read_text().replace('"format": 1', '"format": 99'))
    said: list[str] = []
    async with await JoinedLibrary.all(settings, said.append) as library:
        assert len(await library.files()) == 5
    assert said == [f"{broken} is left out: The index of {tmp_path / 'broken'} has format 99; "
                    "this version reads 1."]  # fmt: skip
    async with Service(settings, FakeModel()) as service:
        opened = await service.opened(ALL)
        assert len(await opened.library.files()) == 5
        await index(fill(tmp_path / "later", {"b.txt": "A book."}), settings)
        assert len(await (await service.opened(ALL)).library.files()) == 6  # indexed elsewhere


async def test_a_service_joins_what_comes_and_parts_with_what_goes(joined, settings, tmp_path):
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(Service(settings, FakeModel()))
        opened = await service.opened(ALL)
        assert len(await opened.library.files()) == 5
        assert ALL not in {info.name for info in await service.libraries()}
        assert service.default is not opened
        await (await service.add(fill(tmp_path / "new", {"a.txt": "An attic."}))).sync().wait()
        assert "new/a.txt" in {
            file.path for file in await (await service.opened(ALL)).library.files()
        }
        await service.forget(next(i.name for i in libraries(settings) if i.name.startswith("work")))
        tops = {f.path.split("/")[0] for f in await (await service.opened(ALL)).library.files()}
        assert tops == {"home", "new"}
        for info in libraries(settings):
            await service.forget(info.name)
        with pytest.raises(NotIndexedError):
            await service.opened(ALL)
        assert service.default is None
