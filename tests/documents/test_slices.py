"""Long PDFs, read a slice at a time."""

from __future__ import annotations

import os
import signal

import psutil
import pytest
from reportlab.pdfgen.canvas import Canvas

from manole.documents import slices
from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.model import UNREAD, Document, Page, Status, was_raised
from manole.documents.opened import named
from manole.documents.slices import PAGES, REACHED, Span, read_in_slices


@pytest.fixture
def manual(tmp_path):
    """Thirty pages of words; the 7th is blank, the 12th and 25th are scans."""
    path = tmp_path / "manual.pdf"
    canvas = Canvas(str(path))
    canvas.setTitle("Manual of valves")
    for number in range(1, 31):
        if number in (12, 25):
            canvas.rect(60, 60, 200, 200, fill=1)
        elif number != 7:
            canvas.drawString(60, 700, f"Chapter {number} about valve {number}")
        canvas.showPage()
    canvas.save()
    return path


@pytest.mark.parametrize("size", [1, 7, 10, 29, 30])
async def test_slices_make_the_whole(manual, extractor, monkeypatch, size):
    whole = await extractor.extract(named(manual))
    assert (whole.status, whole.reason) == (
        Status.PARTIAL, "2 of 30 pages are scans without text"
    )  # fmt: skip
    assert (whole.metadata[UNREAD], len(whole.pages)) == ("12,25", 30)
    monkeypatch.setattr(slices, "SLICE", size)
    assert await extractor.extract(named(manual)) == whole


@pytest.mark.parametrize(("most", "reason"), [
    (9, "only 9 of 30 pages read within the limits"),
    (12, "only 12 of 30 pages read within the limits; 1 of 30 pages is a scan without text"),
])  # fmt: skip
async def test_the_first_pages_may_span_slices(manual, extractor, monkeypatch, most, reason):
    monkeypatch.setattr(slices, "SLICE", 5)
    document = await extractor.extract(named(manual), most)
    assert [page.number for page in document.pages] == [*range(1, most + 1)]
    assert document.reason == reason
    assert was_raised(document.metadata, {"max_pages": 1000})


@pytest.mark.parametrize("size", [4, 11])
async def test_characters_are_counted_over_slices(make_pdf, monkeypatch, size):
    monkeypatch.setattr(slices, "SLICE", size)
    path = make_pdf([[(60, 100, "word " * 20)]] * 30)
    with Extractor(Limits(max_chars=1000)) as pool:
        document = await pool.extract(named(path))
    assert document.reason == "only 11 of 30 pages read within the limits"
    assert was_raised(document.metadata, {"max_chars": 1001})


async def test_a_crash_in_the_middle_keeps_what_came_before(manual, extractor, monkeypatch):
    monkeypatch.setattr(slices, "SLICE", 10)
    real = Extractor._worker

    def once_killed(pool):
        worker = real(pool)
        if worker._files == 2:
            for child in psutil.Process().children():
                os.kill(child.pid, signal.SIGSEGV)
        return worker

    monkeypatch.setattr(Extractor, "_worker", once_killed)
    document = await extractor.extract(named(manual))
    assert document.status is Status.PARTIAL
    assert document.reason.startswith("only 20 of 30 pages read: it crashed its parser (SIGSEGV)")
    assert [page.number for page in document.pages] == [*range(1, 21)]
    assert document.title == "Manual of valves"


def test_a_slice_that_took_too_long_is_the_last():
    asked = []

    def fake_read(span: Span) -> Document:
        asked.append(span.skip)
        late = {"limit": "timeout_s=60"} if span.skip else {"limit": "max_pages=1000"}
        held = late | {PAGES: "9000", REACHED: str(span.skip + (1000 if not span.skip else 40))}
        pages = tuple(Page("words", span.skip + i) for i in range(1, 41 if span.skip else 1001))
        return Document("pdf", pages, metadata=held)

    document = read_in_slices(fake_read, max_chars=10**9)
    assert asked == [0, 1000]
    assert document.reason == "only 1040 of 9000 pages read within the limits"
    assert was_raised(document.metadata, {"timeout_s": 61})
