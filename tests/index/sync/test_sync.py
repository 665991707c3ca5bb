"""A sync with all its real parts: scan, extraction, splitting, embedding, store."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from contract.memory import memory
from contract.records import ANY

from manole.index.search.hybrid import search
from manole.index.store.lance import LanceStore
from manole.index.store.page_records import LineEmbedder
from manole.index.store.records import Filters
from manole.index.sync.apply import sync
from manole.index.sync.options import SyncOptions, SyncParts
from manole.index.sync.report import Progress, SyncReport
from rounds import rounds

OPTIONAL_PARTS = {"pace", "pages", "pictures", "captions", "voices"}


class Setup:
    """A folder and its index, with the parts a sync needs."""

    def __init__(self, tmp_path, store, extractor, splitter, embedder):
        self.folder, self.index = tmp_path / "files", tmp_path / "index"
        self.folder.mkdir(exist_ok=True)
        self.store, self.embedder = store, embedder
        self._parts = (extractor, splitter, embedder)

    def write(self, path: str, text: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    async def sync(self, progress=None, **options) -> SyncReport:
        embedder = self.embedder
        parts = {name: options.pop(name) for name in OPTIONAL_PARTS & options.keys()}
        async with self.store.writing(dimensions=embedder.dimensions, embedder=embedder.name):
            parts = SyncParts(self.store, *self._parts, **parts)
            return await sync(parts, [self.folder], SyncOptions(**options), progress)

    async def matched(self, query: str) -> list[str]:
        found = await self.store.take(await self.store.match(query, 50, ANY))
        return sorted({passage.path for passage in found})


@pytest.fixture
async def lib(tmp_path, extractor, splitter, embedder):
    store = await LanceStore.open(tmp_path / "index")
    yield Setup(tmp_path, store, extractor, splitter, embedder)
    await store.close()


def counts(report: SyncReport) -> tuple[int, ...]:
    return (
        report.added, report.changed, report.renamed, report.deleted, report.unchanged
    )  # fmt: skip


async def test_a_first_sync_finds_everything_by_words_and_by_sense(lib):
    lib.write("pets/cat.txt", "The cat sleeps on the sofa all day.")
    lib.write("money/gas.md", "# Gas bill\n\nThe heating cost 120 euros in March.")
    report = await lib.sync()
    assert counts(report) == (2, 0, 0, 0, 0)
    assert report.statuses == {"indexed": 2}
    assert report.passages == report.embedded == (await lib.store.count())[1] == 2
    assert 0 < report.embed_seconds < report.seconds
    assert report.tokens > 20
    assert await lib.matched("sofa") == ["pets/cat.txt"]
    vector = lib.embedder.embed_query("a feline resting at home")
    (found,) = await lib.store.take(await lib.store.nearest(vector, 1, ANY))
    assert found.path == "pets/cat.txt"


async def test_a_sync_and_a_search_ask_nothing_of_a_store_but_the_protocol(
    tmp_path, extractor, splitter, embedder
):
    lib = Setup(tmp_path, await memory(tmp_path / "index"), extractor, splitter, embedder)
    lib.write("pets/cat.txt", "The cat sleeps on the sofa all day.")
    lib.write("money/gas.md", "# Gas bill\n\nThe heating cost 120 euros in March.")
    assert counts(await lib.sync()) == (2, 0, 0, 0, 0)
    hits = await search(lib.store, embedder, "a feline resting")
    assert hits[0].passage.path == "pets/cat.txt"
    (lib.folder / "pets" / "cat.txt").rename(lib.folder / "cat.txt")
    lib.write("money/gas.md", "# Gas bill\n\nThe heating cost 90 euros in May.")
    report = await lib.sync(pages=LineEmbedder(embedder))
    assert counts(report) == (0, 1, 1, 0, 0)
    assert await lib.matched("May sofa") == ["cat.txt", "money/gas.md"]


async def test_a_second_sync_reads_only_what_changed(lib):
    for name in ("same", "edited", "moved", "gone", "touched"):
        lib.write(f"{name}.txt", f"the {name} story")
    await lib.sync()
    before = {file.path: file for file in await lib.store.files()}
    lib.write("edited.txt", "a new tale altogether")
    lib.write("new.txt", "a fresh start")
    (lib.folder / "sub").mkdir()
    (lib.folder / "moved.txt").rename(lib.folder / "sub" / "away.txt")
    (lib.folder / "gone.txt").unlink()
    os.utime(lib.folder / "touched.txt", (10**9, 10**9))
    tokens = lib.embedder.tokens_inside
    report = await lib.sync()
    assert counts(report) == (1, 1, 1, 1, 2)
    assert report.embedded == 2  # the new file and the edited one
    assert lib.embedder.tokens_inside - tokens == report.tokens
    after = {file.path: file for file in await lib.store.files()}
    assert set(after) == {"edited.txt", "new.txt", "same.txt", "sub/away.txt", "touched.txt"}
    assert after["same.txt"] == before["same.txt"]
    assert after["sub/away.txt"].id == before["moved.txt"].id
    assert after["touched.txt"].mtime_ns == 10**18
    assert await lib.matched("story") == ["same.txt", "sub/away.txt", "touched.txt"]
    assert await lib.matched("gone edited") == ["edited.txt"]  # by its name alone
    assert await lib.store.count() == (5, 5)
    # A touched file's passages know the new day as well.
    day = Filters(paths=("touched.txt",), date_to=after["touched.txt"].modified.date())
    assert len(await lib.store.match("story", 5, day)) == 1


async def test_two_files_with_the_same_bytes_may_swap_and_multiply(lib):
    lib.write("a.txt", "twins of one text")
    lib.write("b.txt", "twins of one text")
    await lib.sync()
    (lib.folder / "a.txt").rename(lib.folder / "c.txt")
    (lib.folder / "b.txt").rename(lib.folder / "d.txt")
    lib.write("e.txt", "twins of one text")
    report = await lib.sync()
    assert (report.renamed, report.added, report.deleted) == (2, 1, 0)
    assert await lib.matched("twins") == ["c.txt", "d.txt", "e.txt"]


async def test_bad_files_have_a_reason_and_never_stop_the_others(lib):
    lib.write("good.txt", "all is well")
    lib.write("broken.pdf", "%PDF-1.4 and no more")
    lib.write("empty.txt", "")
    (lib.folder / "binary.txt").write_bytes(bytes(range(256)) * 40)
    lib.write("line\nbreak 😀.txt", "a strange name")
    report = await lib.sync()
    assert await lib.matched("well strange") == ["good.txt", "line\nbreak 😀.txt"]
    files = {file.path: file for file in await lib.store.files()}
    assert files["broken.pdf"].status == "failed"
    problems = {file.path for file in report.problems}
    assert {"broken.pdf", "empty.txt", "binary.txt"} <= problems
    assert all(files[path].reason for path in problems)
    # They are tried again when they change, and not before.
    assert counts(await lib.sync()) == (0, 0, 0, 0, 5)
    lib.write("broken.pdf", "%PDF-1.4 and still no more")
    assert counts(await lib.sync()) == (0, 1, 0, 0, 4)


async def test_force_reads_every_file_again(lib):
    lib.write("a.txt", "apple")
    await lib.sync()
    report = await lib.sync(force=True)
    assert counts(report) == (0, 1, 0, 0, 0)
    assert report.embedded == 1


async def test_one_file_is_read_again_on_request(lib):
    for name in ("one", "two"):
        lib.write(f"in/{name}.txt", f"the story of {name}")
    await lib.sync()
    before = {file.path: file for file in await lib.store.files()}
    report = await lib.sync(again=["in/two.txt", "in/none.txt"])
    assert counts(report) == (0, 1, 0, 0, 1)
    after = {file.path: file for file in await lib.store.files()}
    assert after["in/one.txt"] == before["in/one.txt"]
    assert after["in/two.txt"].indexed_at > before["in/two.txt"].indexed_at
    assert after["in/two.txt"].id == before["in/two.txt"].id
    assert await lib.matched("story") == ["in/one.txt", "in/two.txt"]


async def test_a_file_the_splitter_chokes_on_fails_alone(lib):
    class FakeChokingSplitter:
        def split(self, document):
            if "poison" in document.pages[0].text:
                raise ValueError("cannot")
            return splitter.split(document)

    extractor, splitter, embedder = lib._parts
    lib._parts = (extractor, FakeChokingSplitter(), embedder)
    lib.write("bad.txt", "poison")
    lib.write("good.txt", "bread")
    report = await lib.sync()
    assert report.statuses == {"failed": 1, "indexed": 1}
    assert await lib.matched("bread") == ["good.txt"]


async def test_an_empty_folder_is_no_error(lib):
    report = await lib.sync()
    assert counts(report) == (0, 0, 0, 0, 0)
    assert report.statuses == {}


async def test_a_folder_that_cannot_be_looked_into_loses_nothing(lib, monkeypatch):
    lib.write("shut/a.txt", "apple")
    lib.write("open/b.txt", "pear")
    await lib.sync()
    real = os.open

    def fake_open(path, *others, **more):  # permissions mean nothing to root, who may run tests
        if path == "shut":
            raise PermissionError(13, "Permission denied", path)
        return real(path, *others, **more)

    monkeypatch.setattr(os, "open", fake_open)
    report = await lib.sync()
    assert report.unreadable == [("shut", "Permission denied")]
    assert (report.deleted, report.unchanged) == (0, 2)
    assert await lib.matched("apple") == ["shut/a.txt"]


async def test_changing_the_embedder_embeds_everything_again(lib):
    lib.write("a.txt", "apple")
    await lib.sync()

    class FakeEmbedder:
        name, dimensions, max_tokens = "fake", 3, 256
        seconds_inside = tokens_inside = 0

        def embed(self, texts):
            import numpy as np

            return np.tile(np.array([0, 1, 0], np.float32), (len(texts), 1))

    lib.embedder = FakeEmbedder()
    lib._parts = (*lib._parts[:2], lib.embedder)
    report = await lib.sync()
    assert (report.unchanged, report.embedded) == (1, 1)
    assert lib.store.embedder == "fake"
    assert await lib.store.count() == (1, 1)


async def test_progress_tells_stage_and_count(lib):
    for name in "abc":
        lib.write(f"{name}.txt", f"text {name}")
    told: list[Progress] = []
    await lib.sync(progress=told.append)
    last = {item.stage: (item.done, item.total) for item in told}
    assert last == {"scan": (3, 3), "read": (3, 3), "embed": (3, 3), "finish": (1, 1)}


async def test_a_cancelled_sync_is_finished_by_the_next(lib):
    for i in range(40):
        lib.write(f"{i}.txt", f"number {i} " * 50)
    begun = asyncio.Event()

    def watch(progress: Progress) -> None:
        if progress.stage == "embed":
            begun.set()

    task = asyncio.create_task(lib.sync(progress=watch))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    report = await lib.sync()
    total, embedded = await lib.store.count()
    assert total == embedded
    assert report.statuses == {"indexed": 40}
    assert await lib.matched("number") == sorted(f"{i}.txt" for i in range(40))


async def test_a_reader_sees_a_changed_file_wholly_old_or_wholly_new(lib):
    old = "\n\n".join(f"old paragraph {i} " + "word " * 150 for i in range(8))
    lib.write("a.txt", old)
    await lib.sync()
    (file,) = await lib.store.files()
    reader = await LanceStore.open(lib.index)
    seen: set[tuple[bool, int]] = set()

    async def read(stop: asyncio.Event) -> None:
        while not stop.is_set():
            texts = [item.text for item in await reader.passages(file.id)]
            kinds = {text.startswith("new") for text in texts}
            assert len(kinds) == 1
            seen.add((kinds.pop(), len(texts)))

    stop = asyncio.Event()
    task = asyncio.create_task(read(stop))
    lib.write("a.txt", old.replace("old", "new") + "\n\nnew end " + "word " * 200)
    await lib.sync()
    await asyncio.sleep(0.05)
    stop.set()
    await task
    await reader.close()
    assert len({kind for kind, _ in seen}) == len(seen)  # one length for each of the two


KILLED = """
import asyncio, sys
from pathlib import Path
from manole.documents.extract import Extractor
from manole.documents.split import Splitter
from manole.index.sync import embedding
from manole.index.sync import apply as module
from manole.index.sync.options import SyncOptions, SyncParts
from manole.index.store.lance import LanceStore
from manole.models.encode.embedder import load_embedder
from manole.models.weights.cache import Weights
from manole.documents.limits import Limits
from manole.settings import Settings

module.FIRST_BATCH = module.TEXT_BATCH = 5
embedding.CHUNK, embedding.COMMIT, embedding.CALL = 8, 4, 2

async def main(index, folder):
    weights = Weights(Settings.load().cache_dir / "models")
    splitter = Splitter(weights.ensure("all-minilm-l6-v2")["tokenizer.json"])
    embedder = load_embedder(Settings(), weights)
    store = await LanceStore.open(index)
    def tell(progress):
        print(progress.stage, progress.done, flush=True)
    with Extractor(Limits()) as extractor:
        async with store.writing(dimensions=embedder.dimensions, embedder=embedder.name):
            parts = SyncParts(store, extractor, splitter, embedder)
            await module.sync(parts, [folder], SyncOptions(), tell)

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def kill_at(stage: str, count: int, index: Path, folder: Path) -> None:
    """Run a sync in a process of its own, and kill it when it says it has come that far."""
    run = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(index), str(folder)],
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert run.stdout
    try:
        for line in run.stdout:
            name, done = line.split()
            if name == stage and int(done) >= count:
                break
        else:
            pytest.fail(f"never came to {stage} {count}")
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        run.stdout.close()


KILLS = (  # where a sync dies: while it reads files, and while it embeds passages
    ("read", 7), ("embed", 6), ("read", 12), ("embed", 1), ("read", 1),
    ("embed", 9), ("read", 14), ("embed", 4), ("read", 4), ("embed", 12),
)[: rounds(4, 10)]  # fmt: skip


async def test_killed_again_and_again_an_index_stays_whole_and_is_finished(
    tmp_path, extractor, splitter, embedder
):
    folder, index = tmp_path / "files", tmp_path / "index"
    folder.mkdir()
    for i in range(30):
        (folder / f"{i}.txt").write_text(f"first version of number {i}")
    for round_, (stage, count) in enumerate(KILLS):
        kill_at(stage, count, index, folder)
        store = await LanceStore.open(index)
        # Readable at once; what is there is whole or known not to be.
        misfits, _ = await store.stale()
        for file in await store.files():
            whole = len(await store.passages(file.id)) == file.passages
            assert whole or file.id in misfits
        await store.close()
        for i in range(15 * round_, 15 * round_ + 15):  # half of the files, in turn
            (folder / f"{i % 30}.txt").write_text(f"{'second' * (round_ + 1)} version, {i}")
    store = await LanceStore.open(index)
    lib = Setup(tmp_path, store, extractor, splitter, embedder)
    report = await lib.sync()
    assert report.statuses == {"indexed": 30}
    assert await store.count() == (30, 30)
    assert await store.stale() == (set(), set())
    assert await lib.matched("first") == []
    for i in range(30):
        only = Filters(paths=(f"{i}.txt",))
        (found,) = await store.take(await store.match(f"{i}.txt number {i}", 1, only))
        assert found.text == (folder / f"{i}.txt").read_text()
        # The vector is that of the text as it is now, too.
        vector = embedder.embed([found.text])[0]
        (near,) = await store.nearest(vector, 1, only)
        assert near.score > 0.97
    await store.close()
