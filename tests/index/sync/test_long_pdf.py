"""A long PDF can be searched from its first pages on, while the rest is read."""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from manole.documents.extract import Extractor
from manole.documents.model import Status
from manole.index.sync import apply as sync
from manole.library import Library
from manole.settings import Settings

PAGES = 12


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sync, "LONG_BYTES", 1000)
    monkeypatch.setattr(sync, "FIRST_PAGES", 3)
    folder = tmp_path / "files"
    folder.mkdir()
    for name, pages in (("manual.pdf", PAGES), ("leaflet.pdf", 3)):
        canvas = Canvas(str(folder / name), pagesize=(300, 300))
        for number in range(1, pages + 1):
            canvas.drawString(40, 200, f"Chapter {number} about valve {number}")
            canvas.showPage()
        canvas.save()
    return folder


@pytest.fixture
def settings(tmp_path):
    return Settings.load().model_copy(update={"data_dir": tmp_path / "data"})


async def test_the_first_pages_are_there_before_the_others(folder, settings, monkeypatch):
    seen = []
    real = Extractor.extract

    async def watched(self, found, max_pages=None):
        if found.path == "manual.pdf" and max_pages is None:
            (file,) = [f for f in await library.files() if f.path == "manual.pdf"]
            seen.append((file.status, file.reason, len(await library.passages(file))))
        return await real(self, found, max_pages)

    monkeypatch.setattr(Extractor, "extract", watched)
    async with await Library.open(folder, settings) as library:
        report = await library.sync()
        assert seen == [(Status.PARTIAL, "its first 3 pages; the others are being read", 3)]
        files = {file.path: file for file in await library.files()}
        assert {path: (f.status, f.pages) for path, f in files.items()} == {
            "manual.pdf": (Status.INDEXED, PAGES), "leaflet.pdf": (Status.INDEXED, 3),
        }  # fmt: skip
        assert (report.added, report.passages) == (2, PAGES + 3)
        (hit, *_) = await library.search("valve 11")
        assert (hit.passage.path, hit.passage.page) == ("manual.pdf", 11)
        assert (await library.sync()).unchanged == 2


async def test_a_sync_killed_after_the_first_pages_is_completed_by_the_next(
    folder, settings, monkeypatch
):
    real = Extractor.extract

    async def stopped(self, found, max_pages=None):
        if found.path == "manual.pdf" and max_pages is None:
            raise RuntimeError("stopped")
        return await real(self, found, max_pages)

    with monkeypatch.context() as patch:
        patch.setattr(Extractor, "extract", stopped)
        async with await Library.open(folder, settings) as library:
            with pytest.raises(BaseException):  # noqa: B017 - how it ends does not matter
                await library.sync()
    async with await Library.open(folder, settings) as library:
        await library.sync()
        files = {file.path: file for file in await library.files()}
        assert (files["manual.pdf"].status, files["manual.pdf"].pages) == (Status.INDEXED, PAGES)
