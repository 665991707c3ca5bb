"""A library whose pages are found by their looks: the real store, a tiny ColQwen2.5."""

from __future__ import annotations

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from toy_colqwen import write_model

from manole.index.store.page_records import PAGED
from manole.library import Library
from manole.settings import Settings


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    canvas = Canvas(str(folder / "drawings.pdf"), pagesize=(300, 200))
    for colour in ("red", "blue"):
        image = Image.new("RGB", (200, 100), "white")
        ImageDraw.Draw(image).ellipse((20, 10, 180, 90), fill=colour)
        canvas.drawImage(ImageReader(image), 20, 40, 200, 100)
        canvas.showPage()
    canvas.drawString(20, 150, "A page of words about valves")
    canvas.save()
    Image.new("RGB", (80, 60), "green").save(folder / "meadow.png")
    return folder


def settings(tmp_path, pages):
    made = Settings.load()
    index = made.index.model_copy(update={"pages": pages})
    return made.model_copy(update={"data_dir": tmp_path / "data", "index": index})


async def test_pages_without_words_have_vectors_and_are_found(folder, model, tmp_path):
    async with await Library.open(folder, settings(tmp_path, f"colqwen:{model}")) as library:
        await library.sync()
        store = await library.store()
        assert store.pages.embedder.startswith("colqwen2.5:")
        assert await store.pages.count() == (4, 4)
        files = {file.path: file for file in await library.files()}
        assert {path: f.metadata[PAGED] for path, f in files.items()} == {
            "drawings.pdf": "3", "meadow.png": "1",
        }  # fmt: skip
        hits = await library.search_pages("a red ellipse", limit=10)
        assert {(hit.file.path, hit.page) for hit in hits} == {
            ("drawings.pdf", 1), ("drawings.pdf", 2), ("drawings.pdf", 3), ("meadow.png", None),
        }  # fmt: skip
        (hit, *_) = await library.search_pages("words about valves")
        assert (hit.file.path, hit.page) == ("drawings.pdf", 3)
        assert (await library.sync()).unchanged == 2


async def test_another_embedder_makes_all_vectors_anew(folder, model, tmp_path):
    async with await Library.open(folder, settings(tmp_path, "lines")) as library:
        await library.sync()
        assert (await (await library.store()).pages.count())[1] < 4
    async with await Library.open(folder, settings(tmp_path, f"colqwen:{model}")) as library:
        hits = await library.search_pages("words about valves")  # lines are not compared with it
        assert hits[0].lines == ()
        await library.sync()
        assert await (await library.store()).pages.count() == (4, 4)
    async with await Library.open(folder, settings(tmp_path, "lines")) as library:
        await library.sync()
        assert (await (await library.store()).pages.count())[1] < 4
