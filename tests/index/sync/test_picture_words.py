"""Pictures and scans in a sync: searchable after the texts, kept, and gone on with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from manole.documents.model import UNREAD, Document, Page, Status
from manole.documents.opened import named
from manole.index.sync import later_stages
from manole.index.sync.ocr import WORDLESS, Pictures, Recognition, about_photo
from manole.library import Library
from manole.settings import Settings

FONT = ImageFont.truetype(Path(reportlab.__file__).with_name("fonts") / "Vera.ttf", 34)


def picture(path, text):
    image = Image.new("RGB", (800, 160), "white")
    ImageDraw.Draw(image).text((40, 50), text, "black", FONT)
    image.save(path)
    return path


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "note.txt").write_text("Nothing but a note about the garden.")
    picture(folder / "receipt.png", "Zwetschgen Hofladen 18.75")
    Image.new("RGB", (200, 200), "blue").save(folder / "sky.jpg")
    scan = picture(tmp_path / "scan.png", "Kaution Kastanienhof 3540")
    canvas = Canvas(str(folder / "contract.pdf"), pagesize=(400, 300))
    canvas.drawString(40, 200, "The first page has its words.")
    canvas.showPage()
    canvas.drawImage(str(scan), 0, 100, 400, 80)
    canvas.save()
    return folder


@pytest.fixture
def settings(tmp_path):
    made = Settings.load()
    index = made.index.model_copy(update={"ocr": True})
    own = {"data_dir": tmp_path / "data", "index": index}
    return made.model_copy(update=own)


@pytest.fixture
def cache(tmp_path, settings, monkeypatch):
    """The folder that keeps words, this test's own; models stay where they are."""
    folder = tmp_path / "kept"
    real = later_stages.Recognition

    def kept_here(extractor, pictures):
        return real(extractor, replace(pictures, folder=folder))

    monkeypatch.setattr(later_stages, "Recognition", kept_here)
    return folder


async def files_of(library):
    return {file.path: file for file in await library.files()}


async def test_words_in_pictures_are_found_and_cited(folder, settings, cache):
    stages = []
    async with await Library.open(folder, settings) as library:
        report = await library.sync(progress=lambda p: stages.append((p.stage, p.done, p.total)))
        files = await files_of(library)
        assert {path: file.status.value for path, file in files.items()} == {
            "contract.pdf": "indexed", "note.txt": "indexed", "receipt.png": "indexed",
            "sky.jpg": "partial",
        }  # fmt: skip
        assert files["sky.jpg"].reason == WORDLESS
        assert [file.path for file in report.problems] == ["sky.jpg"]
        (hit, *_) = await library.search("Zwetschgen Hofladen")
        assert hit.passage.path == "receipt.png"
        assert hit.passage.boxes
        (hit, *_) = await library.search("Kaution Kastanienhof")
        assert (hit.passage.path, hit.passage.page) == ("contract.pdf", 2)
        (hit, *_) = await library.search("photo of the sky")
        assert (hit.passage.path, hit.passage.text) == ("sky.jpg", "Photo: sky.")
        (hit, *_) = await library.search("first page has its words")
        assert (hit.passage.path, hit.passage.page) == ("contract.pdf", 1)
    names = [stage for stage, *_ in stages]
    assert names.index("recognize") > max(i for i, name in enumerate(names) if name == "read")
    assert ("recognize", 3, 3) in stages
    assert len(list(cache.rglob("*.json"))) == 3


async def test_words_of_a_figure_are_found_on_its_page(folder, settings, cache):
    drawing = picture(folder.parent / "drawing.png", "Overflow valve 3 bar")
    canvas = Canvas(str(folder / "manual.pdf"), pagesize=(400, 300))
    canvas.drawString(40, 200, "The boiler from below.")
    canvas.drawImage(str(drawing), 0, 80, 400, 80)
    canvas.save()
    off = settings.model_copy(update={"index": settings.index.model_copy(update={"ocr": False})})
    async with await Library.open(folder, off) as library:
        await library.sync()
        assert (await files_of(library))["manual.pdf"].status is Status.INDEXED
    async with await Library.open(folder, settings) as library:
        await library.sync()
        (hit, *_) = await library.search("overflow valve")
        assert (hit.passage.path, hit.passage.page) == ("manual.pdf", 1)
        assert hit.passage.text == "The boiler from below.\n\nOverflow valve 3 bar"
        assert UNREAD not in (await files_of(library))["manual.pdf"].metadata


async def test_what_was_read_once_is_not_read_again(folder, settings, cache, monkeypatch):
    from manole.documents.extract import Extractor

    async with await Library.open(folder, settings) as library:
        await library.sync()

    async def never(self, path, page, part=None):
        raise AssertionError(f"{path} was recognized again")

    monkeypatch.setattr(Extractor, "recognize", never)
    async with await Library.open(folder, settings) as library:
        report = await library.sync()
        assert (report.unchanged, report.passages) == (4, 0)
        report = await library.sync(force=True)
        assert report.changed == 4
        (hit, *_) = await library.search("Zwetschgen Hofladen")
        assert hit.passage.path == "receipt.png"


async def test_pictures_left_by_an_earlier_sync_are_read_by_the_next(folder, settings, cache):
    off = settings.model_copy(update={"index": settings.index.model_copy(update={"ocr": False})})
    async with await Library.open(folder, off) as library:
        await library.sync()
        files = await files_of(library)
        assert files["receipt.png"].reason == "image: its words are not read yet"
        assert files["receipt.png"].metadata[UNREAD] == "1"
        assert files["contract.pdf"].status is Status.PARTIAL
    async with await Library.open(folder, settings) as library:
        report = await library.sync()
        assert report.unchanged == 4
        files = await files_of(library)
        assert files["receipt.png"].status is Status.INDEXED
        assert (files["contract.pdf"].reason, files["contract.pdf"].pages) == (None, 2)


async def test_who_waits_for_an_answer_does_not_wait_for_many_pictures(folder, settings, cache):
    async with await Library.open(folder, settings) as library:
        report = await library.sync(pictures=2)
        assert report.waiting == 3
        assert UNREAD in (await files_of(library))["receipt.png"].metadata
        report = await library.sync(pictures=3)
        assert report.waiting == 0
        assert (await files_of(library))["receipt.png"].status is Status.INDEXED


class Broken:
    """An extractor whose answers are of no use."""

    def __init__(self, answer):
        self.answer = answer

    async def recognize(self, found, page, part=None):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ({"reason": "took longer than 60 s"}, Status.PARTIAL, "2 pages cannot be read: took"),
        ({}, Status.PARTIAL, "2 pages cannot be read: no sensible answer"),
        ({"width": 5, "height": 5, "lines": []}, Status.INDEXED, None),
    ],
)
async def test_a_page_that_cannot_be_read_leaves_the_others(tmp_path, answer, status, reason):
    document = Document("pdf", (Page("words", 1), Page("", 2)), metadata={UNREAD: "2-3"})
    done = []
    made = await Recognition(Broken(answer), Pictures(tmp_path / "kept", of_file=9)).complete(
        document, named(tmp_path / "a.pdf"), "ab" * 16, done.append
    )
    assert (made.status, made.pages[0].text, done) == (status, "words", [1, 2])
    assert made.reason == reason or made.reason.startswith(reason)
    assert UNREAD not in made.metadata


async def test_a_damaged_cache_is_read_anew(tmp_path):
    kept = tmp_path / "kept" / "ab" / f"{'ab' * 16}-1.json"
    kept.parent.mkdir(parents=True)
    kept.write_text('{"width": 10')
    answer = {"width": 100, "height": 50, "lines": [["Plum cake", 0.99, 5, 5, 90, 20]]}
    document = Document("png", (), metadata={UNREAD: "1"}, status=Status.SKIPPED)
    made = await Recognition(Broken(answer), Pictures(tmp_path / "kept", of_file=9)).complete(
        document, named(tmp_path / "a.png"), "ab" * 16, lambda _: None
    )
    assert [page.text for page in made.pages] == ["Plum cake"]
    assert "Plum" in kept.read_text()


async def test_of_a_long_scan_the_first_pages_are_read_and_the_status_says_so(tmp_path):
    answer = {"width": 100, "height": 50, "lines": [["Plum cake", 0.99, 5, 5, 90, 20]]}
    document = Document("pdf", (), metadata={UNREAD: "1-40"}, status=Status.SKIPPED)
    made = await Recognition(Broken(answer), Pictures(tmp_path / "kept", of_file=3)).complete(
        document, named(tmp_path / "a.pdf"), "cd" * 16, lambda _: None
    )
    assert (made.status, len(made.pages)) == (Status.PARTIAL, 3)
    assert made.reason == "only 3 of 40 pages with pictures read"


def test_what_is_known_of_a_photo_is_told_in_words():
    known = {"camera": "Pictor 5", "description": "Us at the sea.", "place": "57.2° N, 9.6° E"}
    told = about_photo(Path("/photos/beach-blokhus_2.jpg"), date(2022, 7, 4), known)
    assert told == (
        "Photo: beach blokhus 2. Taken on 4 July 2022. Us at the sea. Place: 57.2° N, 9.6° E. "
        "Camera: Pictor 5."
    )
    assert about_photo(Path("a.png"), None, {}) == "Photo: a."
