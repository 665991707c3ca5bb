"""The index over vectors, small ones of real LanceDB: made, searched, refreshed, killed, mended."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from contract.records import ANY, a_pair

from manole.index.store import lance, lance_tables, vector_index
from manole.index.store.lance import LanceStore
from manole.index.store.records import Filters
from manole.index.store.vector_index import Limits

LIMITS = Limits(first=600, partition=100, exact=150, samples=40)
DIMENSIONS = 32
FILES, EACH = 100, 10  # 1,000 passages

HERE = Path(__file__).parent


def clustered(count: int, seed: int = 1) -> np.ndarray:
    """Unit vectors around fifty centres."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(50, DIMENSIONS))
    made = centres[random.integers(0, 50, count)] + 0.6 * random.normal(size=(count, DIMENSIONS))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def pairs(first: int, count: int):
    return [
        a_pair(f"f{i}", f"d{i % 20}/{i}.txt", *[f"word{i} part{k}" for k in range(EACH)])
        for i in range(first, first + count)
    ]


def ids_of(first: int, count: int) -> list[str]:
    return [f"f{i}:{k}" for i in range(first, first + count) for k in range(EACH)]


@asynccontextmanager
async def writing(store: LanceStore, dimensions: int = DIMENSIONS):
    async with store.writing(dimensions=dimensions, embedder="e"):
        yield


async def fill(store: LanceStore, first: int, count: int) -> dict[str, np.ndarray]:
    """Add files, whole; the vectors by id."""
    ids, made = ids_of(first, count), clustered(count * EACH, seed=first + 1)
    await store.replace(pairs(first, count))
    await store.put_vectors(ids, made)
    return dict(zip(ids, made, strict=True))


def true_best(known: dict[str, np.ndarray], question: np.ndarray, limit: int = 10) -> list[str]:
    return sorted(known, key=lambda key: -float(known[key] @ question))[:limit]


async def found(store: LanceStore, question: np.ndarray, filters: Filters = ANY) -> list[str]:
    return [item.id for item in await store.nearest(question, 10, filters)]


async def recall(store, known, filters: Filters = ANY) -> float:
    questions = clustered(30, seed=99)
    hits = [set(await found(store, q, filters)) & set(true_best(known, q)) for q in questions]
    return sum(map(len, hits)) / (10 * len(questions))


async def opened(path: Path) -> LanceStore:
    return await LanceStore.open(path, limits=LIMITS)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, dict[str, np.ndarray]]:
    """An index with a thousand vectors, as a sync leaves it; tests work on copies."""
    path = tmp_path_factory.mktemp("made") / "index"

    async def make():
        store = await opened(path)
        async with writing(store):
            known = await fill(store, 0, FILES)
            await store.finish()
        await store.close()
        return known

    return path, asyncio.run(make())


@pytest.fixture
async def indexed(made, tmp_path):
    """A copy of it, and its vectors by id."""
    shutil.copytree(made[0], tmp_path / "index")
    store = await opened(tmp_path / "index")
    yield store, dict(made[1])
    await store.close()


async def test_there_is_no_index_before_it_is_worth_it(tmp_path):
    store = await opened(tmp_path)
    async with writing(store):
        known = await fill(store, 0, 59)
        await store.finish()
        assert await store.vector_index() is None
        assert await recall(store, known) == 1.0
        known |= await fill(store, 100, 1)
        await store.finish()
    index = await store.vector_index()
    assert (index.rows, index.indexed, index.parts) == (600, 600, 1)
    assert index.tuned.recall >= LIMITS.wanted
    await store.close()


async def test_the_index_finds_what_comparing_all_finds_with_the_same_scores(indexed):
    store, known = indexed
    assert (await store.vector_index()).tuned.recall >= LIMITS.wanted
    assert await recall(store, known) >= 0.97
    question = clustered(1, seed=5)[0]
    best = await store.nearest(question, 10, ANY)
    scores = [item.score for item in best]
    assert scores == sorted(scores, reverse=True)
    assert scores == pytest.approx([float(known[item.id] @ question) for item in best], abs=2e-3)
    assert (await store.take(best))[0].text.startswith("word")


async def test_the_index_is_used(indexed):
    store, _ = indexed
    table = store.tables["passages"]
    plan = table.query().nearest_to(clustered(1)[0]).distance_type("cosine").limit(5)
    assert "ANNSubIndex" in await plan.explain_plan()
    # One partition of ten finds less than all: that the effort matters shows that it is used.
    questions = clustered(40, seed=3)
    best = await vector_index.best_cosines(table, questions)
    little = await store.tables.vectors.recall(table, (1, 1), questions, best)
    much = await store.tables.vectors.recall(table, (100, 20), questions, best)
    assert little < much
    assert much >= 0.95


async def test_what_was_added_since_is_found_and_what_was_deleted_is_not(indexed):
    store, known = indexed
    async with writing(store):
        new = await fill(store, 500, 3)
        await store.delete(["f1", "f2"])
    index = await store.vector_index()
    assert index.indexed < index.rows == len(known) + 10
    known = {key: v for key, v in (known | new).items() if key.split(":")[0] not in {"f1", "f2"}}
    for key, vector in new.items():
        assert (await found(store, vector))[0] == key
    assert await recall(store, known) >= 0.97


@pytest.mark.parametrize(
    ("filters", "files"),
    [
        (Filters(paths=("d3/3.txt",)), {"f3"}),
        (Filters(within=("d7",)), {f"f{i}" for i in range(7, FILES, 20)}),
        (Filters(within=("nowhere",)), set()),
    ],
)
async def test_a_filter_that_leaves_few_is_exact(indexed, filters, files):
    store, known = indexed
    left = {key: v for key, v in known.items() if key.split(":")[0] in files}
    assert len(left) <= LIMITS.exact
    for question in clustered(10, seed=4):
        assert await found(store, question, filters) == true_best(left, question)


async def test_a_filter_that_leaves_many_loses_little(indexed):
    store, known = indexed
    numbers = [i for i in range(FILES) if i % 20 >= 10]
    left = {key: v for key, v in known.items() if int(key[1:].split(":")[0]) in numbers}
    assert len(left) > LIMITS.exact
    filters = Filters(paths=tuple(f"d{i % 20}/{i}.txt" for i in numbers))
    assert await recall(store, left, filters) >= 0.97


async def test_passages_without_vectors_are_not_found_by_them_and_are_counted(indexed):
    store, known = indexed
    async with writing(store):
        await store.replace(pairs(700, 2))
        assert await store.count() == (len(known) + 20, len(known))
        assert {p.file_id for p in await store.missing_vectors(50)} == {"f700", "f701"}
    assert await recall(store, known) >= 0.97
    only = Filters(within=("d0/700.txt",))
    assert await found(store, clustered(1)[0], only) == []
    assert len(await store.match("word700", 20, only)) == EACH


async def test_the_index_is_made_anew_when_the_vectors_doubled(indexed):
    store, known = indexed
    before = (await store.vector_index()).tuned
    async with writing(store):
        known |= await fill(store, 200, 30)
        await store.finish()
        grown = await store.vector_index()
        assert grown.tuned.trained == before.trained
        assert (grown.indexed, grown.tuned.rows) == (1300, 1300)  # a quarter more: measured again
        known |= await fill(store, 300, 70)
        await store.finish()
    index = await store.vector_index()
    assert (index.tuned.trained, index.indexed, index.parts) == (2000, 2000, 1)
    assert await recall(store, known) >= 0.97


async def test_an_index_of_too_many_parts_is_made_anew(indexed, monkeypatch):
    store, known = indexed
    monkeypatch.setattr(vector_index, "PARTS", 2)
    for n in range(3):
        async with writing(store):
            known |= await fill(store, 400 + n, 1)
            await store.finish()
    assert (await store.vector_index()).parts <= 2
    assert await recall(store, known) >= 0.97


async def test_a_library_that_shrank_has_no_index_any_more(indexed):
    store, known = indexed
    async with writing(store):
        await store.delete([f"f{i}" for i in range(75)])
        await store.finish()
    assert await store.vector_index() is None
    left = {key: v for key, v in known.items() if int(key[1:].split(":")[0]) >= 75}
    assert await recall(store, left) == 1.0


@pytest.mark.parametrize("content", [None, "", "{}", '{"nprobes": '])
async def test_without_its_notes_the_index_is_searched_all_the_same_and_measured_again(
    indexed, content
):
    store, known = indexed
    notes = store.path / vector_index.FILE
    notes.unlink()
    if content is not None:
        notes.write_text(content)
    assert await recall(store, known) >= 0.97
    assert (await store.vector_index()).tuned is None
    async with writing(store):
        pass
    assert (await store.vector_index()).tuned.recall >= LIMITS.wanted


async def test_an_index_file_cut_short_is_built_again(indexed):
    store, known = indexed
    path = store.path
    await store.close()
    for part in (path / "tables" / "passages.lance" / "_indices").rglob("*.idx"):
        with part.open("r+b") as stream:
            stream.truncate(part.stat().st_size // 2)
    store = await opened(path)
    assert (await store.vector_index()).indexed == len(known)
    assert await recall(store, known) >= 0.97
    await store.close()


async def test_what_a_kill_left_of_an_unfinished_index_is_only_removed(indexed):
    store, known = indexed
    path = store.path
    await store.close()
    indexes = path / "tables" / "passages.lance" / "_indices"
    before = {item.name for item in indexes.iterdir()}
    (indexes / "half").mkdir()
    (indexes / "half" / "auxiliary.idx").write_bytes(b"half")
    store = await opened(path)
    assert not (indexes / "half" / "auxiliary.idx").exists()
    assert {item.name for item in indexes.iterdir()} - {"half"} == before
    assert await recall(store, known) >= 0.97
    await store.close()


KILLED = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_vector_index import fill, opened, writing

async def main():
    store = await opened(Path(sys.argv[1]))
    async with writing(store):
        await fill(store, 0, 100)
        print("filled", flush=True)
        while True:
            await store.tables.vectors.build(store.tables["passages"])
            print("built", flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", [0.0, 0.02])
async def test_a_kill_while_the_index_is_made_loses_nothing(tmp_path, moment):
    run = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "index"), str(HERE), str(HERE.parent)],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stdout is not None
    assert run.stdout.readline() == "filled\n"
    if moment:
        run.stdout.readline()
    await asyncio.sleep(moment)
    run.send_signal(signal.SIGKILL)
    run.wait()
    known = dict(zip(ids_of(0, FILES), clustered(FILES * EACH), strict=True))
    store = await opened(tmp_path / "index")
    assert await store.count() == (1000, 1000)
    assert await recall(store, known) >= 0.97
    async with writing(store):
        assert await store.stale() == (set(), set())
    assert (await store.vector_index()).tuned.recall >= LIMITS.wanted
    assert await recall(store, known) >= 0.97
    await store.close()


async def test_a_reader_goes_on_while_the_index_is_made_anew(indexed):
    store, known = indexed
    reader = await opened(store.path)
    async with writing(store):
        making = asyncio.create_task(store.tables.vectors.build(store.tables["passages"]))
        seen = 0
        while not making.done() or not seen:
            assert await recall(reader, known) >= 0.97
            seen += 1
        await making
    assert await recall(reader, known) >= 0.97
    await reader.close()


async def test_rows_that_moved_between_finding_and_taking_are_found_by_their_ids(indexed):
    store, known = indexed
    table = store.tables["passages"]
    async with writing(store):
        known |= await fill(store, 600, 30)
        key = "f605:3"
        hits = await store.nearest(known[key], 5, ANY)
        await store.delete(["f0", "f601"])
        await table.optimize(cleanup_older_than=timedelta(0))
        best = await store.take(hits)
    assert best[0].id == key
    wanted = [item.id for item in hits if not item.id.startswith(("f0:", "f601:"))]
    assert [passage.id for passage in best] == wanted


async def test_after_a_complete_sync_nothing_is_looked_for(indexed, monkeypatch):
    store, _ = indexed
    monkeypatch.setattr(lance, "misfits", lambda *_: ({"looked"}, set()))
    async with writing(store):
        assert await store.stale() == (set(), set())
        await store.tables["files"].delete("id = 'f3'")
        assert "looked" in (await store.stale())[0]
    note = json.loads((store.path / lance_tables.SETTLED).read_text())
    assert note["files"] == await store.tables["files"].version()


async def test_a_sync_that_was_cut_off_is_looked_through(indexed):
    store, _ = indexed
    with pytest.raises(RuntimeError):
        async with writing(store):
            await store.tables["files"].delete("id = 'f3'")
            raise RuntimeError
    async with writing(store):
        assert await store.stale() == (set(), {"f3"})


async def test_vectors_whose_length_no_code_fits_are_compared_exactly(tmp_path):
    store = await LanceStore.open(tmp_path, limits=LIMITS)
    made = clustered(FILES * EACH)[:, :20]
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    async with writing(store, 20):
        await store.replace(pairs(0, FILES))
        await store.put_vectors(ids_of(0, FILES), made)
        await store.finish()
    assert await store.vector_index() is None
    (best, *_) = await store.nearest(made[77], 3, ANY)
    assert best.id == ids_of(0, FILES)[77]
    await store.close()


async def test_where_all_vectors_are_the_same_rows_without_any_can_be_folded(tmp_path):
    store = await opened(tmp_path)
    same = np.tile(clustered(1), (FILES * EACH, 1))
    async with writing(store):
        await store.replace(pairs(0, FILES))
        await store.put_vectors(ids_of(0, FILES), same)
        await store.finish(fully=True)
        assert (await store.vector_index()).tuned.recall == 1.0
        await store.replace(pairs(FILES, 60))
        await store.finish(fully=True)
    assert len(await store.nearest(same[0], 10, ANY)) == 10
    assert await store.count() == ((FILES + 60) * EACH, FILES * EACH)
    await store.close()


async def test_of_a_hundred_places_of_one_text_any_ten_are_the_best(tmp_path):
    store = await opened(tmp_path)
    async with writing(store):
        await store.replace(pairs(0, FILES))
        await store.put_vectors(ids_of(0, FILES), np.repeat(clustered(EACH), FILES, axis=0))
        await store.finish()
    tuned = (await store.vector_index()).tuned
    assert (tuned.recall, tuned.nprobes) == (1.0, vector_index.EFFORTS[0][0])
    await store.close()
