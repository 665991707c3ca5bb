"""The map brought up to date: the same as from nothing, with little reading."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import numpy as np
import pytest

from manole.index.graph import FileMap
from manole.index.store.lance import LanceStore
from rounds import rounds

from .conftest import DIMENSIONS, joined

COMPANIES = ("Rohr", "Rinne", "Dach", "Fach")


def words(chance: random.Random, number: int) -> list[str]:
    """What a file may say: addresses, companies, and names of other files."""
    said = [
        f"p{chance.randrange(12)}@example.org",
        f"{chance.choice(COMPANIES)} GmbH",
        f"see note{chance.randrange(30):02d}.md",
        f"nothing of interest, number {number}",
    ]
    return [" ".join(chance.sample(said, 2)) for _ in range(chance.randint(1, 3))]


def direction(chance: random.Random) -> list[float]:
    """One of few directions, so that copies occur, or any."""
    if chance.random() < 0.3:
        return [1.0, float(chance.randrange(3))]
    return [chance.uniform(-1, 1) for _ in range(DIMENSIONS)]


@pytest.mark.parametrize("seed", range(rounds(2, 40)))
async def test_after_any_changes_the_map_is_the_one_made_from_nothing(shelf, seed):
    chance = random.Random(seed)
    names: dict[str, str] = {}
    for step in range(14):
        for _ in range(8 if step == 0 else chance.randint(0, 4)):
            path = f"{chance.choice(['', 'a/', 'a/b/'])}note{chance.randrange(30):02d}.md"
            if path not in names.values():
                key = await shelf.put(path, *words(chance, step), vector=direction(chance))
                names[key] = path
        if step:
            act, key = (
                chance.choice(["change", "delete", "rename", "none"]),
                chance.choice([*names]),
            )
            if act == "change":
                said = words(chance, step)
                await shelf.put(names[key], *said, vector=direction(chance), id=key)
            elif act == "delete":
                await shelf.store.delete([key])
                del names[key]
            elif act == "rename" and "z.md" not in names.values():
                await shelf.rename(key, "z.md")
                names[key] = "z.md"
        threshold = chance.choice([0.0, 0.6, 0.9])
        kept, anew = await shelf.kept(threshold), await shelf.anew(threshold)
        assert kept == anew
        assert {node.id for node in kept.nodes if node.kind == "file"} == set(names.values())


async def test_only_what_is_new_or_changed_is_read(shelf):
    keys = [await shelf.put(f"{n:02d}.md", f"p{n % 3}@example.org") for n in range(20)]
    await shelf.kept()
    assert shelf.store.read == keys
    await shelf.kept()
    assert shelf.store.read == []
    new = await shelf.put("new.md", "p1@example.org")
    await shelf.put("03.md", "changed", id=keys[3])
    await shelf.rename(keys[5], "five.md")
    await shelf.store.delete([keys[7]])
    graph = await shelf.kept()
    assert shelf.store.read == sorted([keys[3], new])
    ids = {node.id for node in graph.nodes}
    assert {"new.md", "five.md"} <= ids
    assert not {"05.md", "07.md"} & ids
    assert not any("07.md" in pair for pair in joined(graph, "reference"))


async def test_files_without_vectors_are_read_again_once_they_have_some(shelf):
    key = await shelf.put("one.md", "a@example.org", vector=None)
    await shelf.put("two.md", "a@example.org", vector=(1,))
    first = await shelf.kept()
    assert joined(first, "similarity") == {}
    assert len(joined(first, "reference")) == 1
    await shelf.embed(key, 1, (1,))
    assert joined(await shelf.kept(), "similarity") == {
        ("one.md", "two.md"): (1.0, "both say example")
    }


async def test_an_embedder_that_changes_meanwhile_is_survived(tmp_path):
    """Another process gives the index vectors of another width; this one has not heard of it."""
    path = tmp_path / "index"
    store = await LanceStore.open(path)
    async with store.writing(dimensions=4, embedder="four"):
        pass
    from .conftest import Shelf

    shelf = Shelf(store)
    async with store.writing(dimensions=4, embedder="four"):
        key = await shelf.put("a.md", "text", vector=None)
        await store.put_vectors([f"{key}:0"], np.eye(4, dtype=np.float32)[:1])
    reader = await LanceStore.open(path)
    files = FileMap()
    await files.graph(reader, await reader.files())
    async with store.writing(dimensions=DIMENSIONS, embedder="eight"):
        for number in range(2):
            await shelf.put(f"b{number}.md", "text", vector=(1,))
    graph = await files.graph(reader, await reader.files())
    assert set(joined(graph, "similarity")) == {("b0.md", "b1.md")}
    await reader.close()
    await store.close()


async def test_two_may_ask_at_once_and_the_files_are_read_once(shelf):
    for number in range(5):
        await shelf.put(f"{number}.md", "a@example.org")
    shelf.store.scans = 0
    one, other = await asyncio.gather(shelf.kept(), shelf.kept())
    assert (one == other, shelf.store.scans) == (True, 1)


async def test_a_file_that_says_very_much_is_kept_in_part(shelf):
    many = " ".join(f"p{number}@example.org" for number in range(5000))
    await shelf.put("book.vcf", many)
    await shelf.put("letter.md", "p0@example.org")
    assert len(joined(await shelf.kept(), "reference")) == 1
    assert await shelf.kept() == await shelf.anew()


async def test_the_records_need_not_have_been_read_by_this_version(shelf):
    await shelf.put("one.md", "text")
    (file,) = await shelf.store.files()
    await shelf.store.touch([replace(file, indexed_at=None)])
    assert await shelf.kept() == await shelf.anew()
