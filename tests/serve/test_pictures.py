"""Thumbnails are drawn once and kept by content."""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from manole.documents.extract import Extractor
from manole.documents.opened import named
from manole.serve.http.pictures import Pictures


@pytest.fixture
def drawn(monkeypatch):
    """The widths that were really drawn."""
    widths = []
    real = Extractor.picture

    async def counted(self, path, page, width):
        widths.append(width)
        return await real(self, path, page, width)

    monkeypatch.setattr(Extractor, "picture", counted)
    return widths


async def test_a_thumbnail_is_drawn_once_for_each_content(tmp_path, drawn):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(300, 200))
    canvas.drawString(20, 100, "words")
    canvas.save()
    pictures = Pictures(tmp_path / "kept")
    try:
        ask = {"found": named(tmp_path / "a.pdf"), "number": 1}
        first = await pictures.page(**ask, width=200, digest="abc")
        assert await pictures.page(**ask, width=200, digest="abc") == first
        assert drawn == [200]
        await pictures.page(**ask, width=200, digest="def")
        await pictures.page(**ask, width=900, digest="abc")
        await pictures.page(**ask, width=900, digest="abc")
        await pictures.page(**ask, width=200)
        assert drawn == [200, 200, 900, 900, 200]
        assert len(list((tmp_path / "kept").rglob("*.png"))) == 2
    finally:
        await pictures.close()


async def test_a_folder_that_cannot_be_written_is_none(tmp_path, drawn):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(300, 200))
    canvas.drawString(20, 100, "words")
    canvas.save()
    (tmp_path / "kept").write_text("a file where the folder should be")
    pictures = Pictures(tmp_path / "kept")
    try:
        for _ in range(2):
            assert await pictures.page(named(tmp_path / "a.pdf"), 1, 200, "abc")
        assert drawn == [200, 200]
    finally:
        await pictures.close()
