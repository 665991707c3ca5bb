"""A library kept by LEANN: indexed, asked, changed, with the real embedder."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from manole.care.contents import check_contents
from manole.care.copying import copy_out
from manole.care.findings import Fix
from manole.index.store.libraries import read_meta
from manole.index.store.records import Filters
from manole.library import Library
from manole.settings import Settings
from manole_leann import store as leann

TOPICS = ["boilers", "bread", "planets", "violins", "bicycles"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for n in range(60):
        topic = TOPICS[n % len(TOPICS)]
        text = f"Note {n} is about {topic}. Whoever reads number {n} learns about {topic}."
        (folder / f"{n}.txt").write_text(text)
    return folder


@pytest.fixture(params=[False, True], ids=["kept", "recomputed"])
def settings(request, tmp_path, monkeypatch) -> Settings:
    monkeypatch.setattr(leann, "SHARE", replace(leann.SHARE, first=20, recomputed=15))
    given = {"index.store": "leann", "leann.recompute": request.param, "index.pages": "off"}
    return Settings.load(given).model_copy(update={"data_dir": tmp_path / "data"})


async def found(library: Library, question: str, filters: Filters | None = None) -> list[str]:
    """The texts that vectors find."""
    store = await library.store()
    vector = library.embedder.embed_query(question)
    found = await store.nearest(vector, 6, filters or Filters())
    return [passage.text for passage in await store.take(found)]


async def test_a_library_is_indexed_asked_and_changed(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        store = await library.store()
        assert store.kind == "leann"
        assert (await store.vector_index()).indexed == 60
        assert all("violins" in text for text in await found(library, "a string instrument"))
        one = Filters(paths=("7.txt", "8.txt"))
        assert "planets" in (await found(library, "the sky at night", one))[0]
        many = Filters(extensions=(".txt",))
        assert "bread" in (await found(library, "a bakery", many))[0]
        (folder / "2.txt").write_text("The harbour is closed on Sundays.")
        (folder / "3.txt").unlink()
        (folder / "4.txt").rename(folder / "moved.txt")
        report = await library.sync()
        assert (report.embedded, report.deleted, report.renamed) == (1, 1, 1)
        assert (await found(library, "When can ships come in?"))[0].startswith("The harbour")
        hits = await library.search("violins")
        assert "3.txt" not in {hit.passage.path for hit in hits}
        assert await store.count() == (59, 59)


async def test_an_index_remembers_its_store_and_another_has_to_be_asked_for(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        place = library.path
        assert read_meta(place)["store"] == "leann"
    plain = Settings.load({"index.pages": "off"}).model_copy(update={"data_dir": settings.data_dir})
    async with await Library.open(folder, plain) as library:
        await library.sync()
        assert library.kept_by == "leann"
        assert "planets" in (await found(library, "astronomy"))[0]
    other = Settings.load({"index.store": "lancedb", "index.pages": "off"}).model_copy(
        update={"data_dir": settings.data_dir}
    )
    async with await Library.open(folder, other) as library:
        report = await library.sync(force=True)
        assert report.embedded == 60
        assert library.kept_by == read_meta(place)["store"] == "lancedb"
        assert not (place / "leann").exists()
        assert "planets" in (await found(library, "astronomy"))[0]


async def test_a_graph_that_is_lost_or_cut_short_is_made_again(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        graph = next((library.path / "leann").glob("0*/graph.index"))
    os.truncate(graph, 100)
    async with await Library.open(folder, settings) as library:
        assert await found(library, "astronomy") == []
        assert "planets" in (await library.search("planets"))[0].passage.text  # by its words
        report = await library.sync()
        assert report.embedded == 60
        assert "planets" in (await found(library, "astronomy"))[0]


async def test_the_vectors_of_a_map_are_those_that_were_put(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        store = await library.store()
        parts = [part async for part in store.scan_contents()]
        texts = [text for part in parts for text in part.texts]
        made = np.concatenate([part.vectors for part in parts])
        assert all(all(part.embedded) for part in parts)
        assert np.einsum("ij,ij->i", made, library.embedder.embed(texts)) == pytest.approx(
            1, abs=0.02
        )


async def test_doctor_understands_it_and_copies_have_its_graphs(folder, settings, tmp_path):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        info = library.info()
    nothing = Fix("nothing", None)
    findings = await check_contents("library", info, settings, "again", nothing, thorough=False)
    assert {finding.level for finding in findings} <= {"good", "warning"}
    assert any("LEANN" in finding.text for finding in findings)
    copy = await copy_out(info.name, tmp_path / "copy", settings)
    assert (copy.path / "leann").is_dir()


def test_nothing_of_leann_is_imported_or_said_by_a_command(folder, tmp_path):
    program = (
        "import sys; from manole.cli.app import main\n"
        "try: main()\n"
        "finally: print([m for m in sys.modules if m in ('torch', 'transformers')])"
    )
    environment = os.environ | {"MANOLE_DATA_DIR": str(tmp_path / "data")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, *words],
            capture_output=True, text=True, timeout=600, env=environment,
        )  # fmt: skip

    made = run("index", "--store", "leann", str(folder))
    assert (made.returncode, made.stdout.splitlines()[-1]) == (0, "[]"), made
    again = run("index", "--store", "lancedb", str(folder))
    assert again.returncode == 2
    assert "kept by leann" in again.stderr
    assert "--force --store lancedb" in again.stderr
