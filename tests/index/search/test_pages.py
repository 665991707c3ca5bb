"""Pages found by their lines: the real store, the real embedder, PDFs written here."""

from __future__ import annotations

import numpy as np
import pytest
from reportlab.pdfgen.canvas import Canvas

from manole.documents.model import Box, Document, Line, Page
from manole.index.store.page_records import PAGED, LineEmbedder, page_records
from manole.index.store.records import Filters
from manole.library import Library
from manole.settings import Settings

PAGES = {
    "pump.pdf": [
        ["Installation of the pump", "Bolt the base to the floor.", "Seal the flange."],
        ["Figure 3: hydraulic circuit", "relief valve", "inlet filter", "24 V solenoid"],
        ["Spare parts", "Gasket 4711", "Impeller 0815"],
    ],
    "oven.pdf": [
        ["Baking bread", "Heat the oven to 230 degrees.", "Bake for forty minutes."],
        ["Cleaning", "Never use wire wool on the glass."],
    ],
}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, pages in PAGES.items():
        canvas = Canvas(str(folder / name), pagesize=(400, 500))
        for lines in pages:
            for n, line in enumerate(lines):
                canvas.drawString(40, 440 - 60 * n, line)
            canvas.showPage()
        canvas.save()
    (folder / "note.txt").write_text("A note about the relief valve, without pages.")
    return folder


@pytest.fixture
def settings(tmp_path):
    return Settings.load().model_copy(update={"data_dir": tmp_path / "data"})


def without_pages(settings):
    off = settings.index.model_copy(update={"pages": "off"})
    return settings.model_copy(update={"index": off})


async def counts(library):
    return await (await library.store()).pages.count()


async def test_a_page_is_found_by_a_label_and_the_hit_says_where(folder, settings):
    stages = set()
    async with await Library.open(folder, settings) as library:
        await library.sync(progress=lambda p: stages.add(p.stage))
        assert "pages" in stages
        assert await counts(library) == (5, 5)
        assert {f.path: f.metadata[PAGED] for f in await library.files()} == {
            "pump.pdf": "3", "oven.pdf": "2", "note.txt": "0",
        }  # fmt: skip
        (hit, *rest) = await library.search_pages("Where is the relief valve in the circuit?")
        assert (hit.file.path, hit.page) == ("pump.pdf", 2)
        assert hit.lines[0].text in {"relief valve", "Figure 3: hydraulic circuit"}
        valve = next(line for line in hit.lines if line.text == "relief valve")
        assert valve.box.y0 == pytest.approx((500 - 440 + 60) / 500, abs=0.03)
        assert hit.passages
        assert hit.score > max(other.score for other in rest)
        (hit, *_) = await library.search_pages("impeller part number", limit=1)
        assert (hit.file.path, hit.page) == ("pump.pdf", 3)
        assert await library.search_pages("  ") == []


async def test_filters_hold_for_pages(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        hits = await library.search_pages("relief valve", filters=Filters(paths=("oven.pdf",)))
        assert {hit.file.path for hit in hits} == {"oven.pdf"}
        assert await library.search_pages("valve", filters=Filters(within=("none",))) == []


async def test_a_changed_file_has_its_new_pages_and_a_deleted_one_none(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        canvas = Canvas(str(folder / "pump.pdf"), pagesize=(400, 500))
        canvas.drawString(40, 440, "A turbine, and nothing else")
        canvas.save()
        (folder / "oven.pdf").rename(folder / "stove.pdf")
        await library.sync()
        assert await counts(library) == (3, 3)
        (hit, *_) = await library.search_pages("turbine")
        assert (hit.file.path, hit.page) == ("pump.pdf", 1)
        (hit, *_) = await library.search_pages("wire wool on the glass")
        assert hit.file.path == "stove.pdf"
        (folder / "stove.pdf").unlink()
        await library.sync()
        assert await counts(library) == (1, 1)


async def test_an_index_without_pages_gets_them_and_may_lose_them(folder, settings):
    async with await Library.open(folder, without_pages(settings)) as library:
        await library.sync()
        assert await counts(library) == (0, 0)
        hits = await library.search_pages("relief valve")
        assert (hits[0].file.path, hits[0].page) == ("pump.pdf", 2)
        assert hits[0].lines == ()
    async with await Library.open(folder, settings) as library:
        await library.sync()
        assert await counts(library) == (5, 5)
        assert (await library.sync()).unchanged == 3


async def test_a_damaged_table_of_pages_is_made_anew(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        path = library.path / "tables" / "pages.lance"
    for file in path.rglob("*.lance"):
        file.write_bytes(file.read_bytes()[:50])
    async with await Library.open(folder, settings) as library:
        await library.sync()
        assert await counts(library) == (5, 5)
        (hit, *_) = await library.search_pages("relief valve")
        assert hit.lines


async def test_vectors_that_a_killed_sync_left_out_are_made_by_the_next(folder, settings):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        store = await library.store()
        records = await store.pages.vectors([f"{f.id}:1" for f in await library.files()])
        files = [f for f in await library.files() if f.path == "pump.pdf"]
        mine = [page for page, _ in records.values() if page.file_id == files[0].id]
        with pytest.raises(InterruptedError):
            async with store.writing(dimensions=store.dimensions, embedder=store.embedder):
                await store.pages.put(files, mine)  # as a sync does before it embeds
                raise InterruptedError
        total, embedded = await counts(library)
        assert total > embedded
        await library.sync()
        assert await counts(library) == (5, 5)


def test_lines_without_words_are_left_out_and_full_pages_cut():
    text = "--\nwords\n7\n" + "x" * 500
    box = Box(0, 0, 1, 1)
    lines, at = [], 0
    for part in text.split("\n"):
        lines.append(Line(at, at + len(part), box))
        at += len(part) + 1
    document = Document("pdf", (Page(text, 4, None, tuple(lines)), Page("no lines", 5)))
    (page,) = page_records("f", document)
    assert (page.id, page.page) == ("f:4", 4)
    assert [len(text) for text in page.texts] == [5, 300]
    many = tuple(Line(0, 5, box) for _ in range(900))
    (page,) = page_records("f", Document("pdf", (Page("words", 1, None, many),)))
    assert len(page.texts) == 400


async def test_a_question_is_itself_and_its_words(settings):
    async with await Library.open(settings.data_dir.parent, settings) as library:
        reads = LineEmbedder(library.embedder)
    vectors, weights = reads.embed_query("Where is the relief valve?")
    assert vectors.shape == (3, reads.dimensions)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > weights[1] == weights[2]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert len(reads.embed_query("?")[0]) == 1
