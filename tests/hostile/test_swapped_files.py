"""What was found is what is read: nobody who may write to a folder leads a sync out of it.

Between a scan and the reading of a file, somebody puts a link to another user's file in its place.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.model import Status, may_pass
from manole.documents.opened import ChangedError
from manole.documents.opener import open_found
from manole.documents.scan import scan
from manole.errors import ExtractionError
from manole.index.store.records import Filters
from manole.index.sync.plan import digest
from manole.library import Library
from manole.settings import Settings

SECRET = "zebrafish"  # stands in what lies outside, and nowhere else


def write(path: Path, word: str) -> None:
    """A file that says `word`, of the format that its name tells."""
    match path.suffix:
        case ".pdf":
            canvas = Canvas(str(path))
            canvas.drawString(100, 700, word)
            canvas.save()
        case ".docx":
            file = docx.Document()
            file.add_paragraph(word)
            file.save(path)
        case ".xlsx":
            book = openpyxl.Workbook()
            book.active.append(("word", word))
            book.save(path)
        case ".odt":
            spaces = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
            spaces += 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
                archive.writestr(
                    "content.xml",
                    f"<office:document-content {spaces}><office:body><office:text>"
                    f"<text:p>{word}</text:p></office:text></office:body></office:document-content>",
                )
        case ".png":
            picture = Image.new("RGB", (600, 120), "white")
            font = ImageFont.load_default(60)
            ImageDraw.Draw(picture).text((20, 20), word, "black", font)
            picture.save(path)
        case ".eml":
            path.write_text(f"From: a@example.org\nSubject: news\n\n{word}\n")
        case ".html":
            path.write_text(f"<html><body><p>{word}</p></body></html>")
        case ".svg":
            path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><text>{word}</text></svg>')
        case ".csv":
            path.write_text(f"name,word\na,{word}\n")
        case _:
            path.write_text(f"{word}\n")


FORMATS = ["pdf", "docx", "xlsx", "odt", "eml", "html", "svg", "csv", "txt", "md"]


@pytest.fixture(scope="module")
def extractor():
    with Extractor(Limits()) as extractor:
        yield extractor


@pytest.fixture
def place(tmp_path):
    """A shared folder, and another user's files beside it."""
    for name in ("shared", "private"):
        (tmp_path / name).mkdir()
    return tmp_path


def said(document) -> str:
    return " ".join(page.text for page in document.pages)


@pytest.mark.parametrize("ending", FORMATS)
async def test_a_reader_gets_the_file_that_was_found_or_none(place, extractor, ending):
    inside, outside = place / "shared" / f"a.{ending}", place / "private" / f"b.{ending}"
    write(inside, "harmless")
    write(outside, SECRET)
    (found,) = scan(place / "shared")
    assert "harmless" in said(await extractor.extract(found))
    inside.unlink()
    inside.symlink_to(outside)
    document = await extractor.extract(found)
    assert (document.status, said(document)) == (Status.FAILED, "")
    assert may_pass(document.status, document.metadata)
    with pytest.raises(ChangedError):
        open_found(found)
    assert digest(found, 1 << 30) == ""


@pytest.mark.parametrize("what", ["words", "picture", "thumbnail"])
async def test_pixels_are_those_of_the_file_that_was_found(place, extractor, what):
    inside, outside = place / "shared" / "a.png", place / "private" / "b.png"
    write(inside, "harmless")
    write(outside, SECRET)
    (found,) = scan(place / "shared")

    async def ask():
        if what == "words":
            return await extractor.recognize(found, None)
        return await extractor.shrunk(found, None, 200 if what == "thumbnail" else 600)

    assert await ask()
    inside.unlink()
    inside.symlink_to(outside)
    with pytest.raises(ExtractionError, match="in its place"):
        await ask()


@pytest.mark.parametrize("kind", ["folder is a link", "link in the midst", "pipe", "another file"])
def test_no_step_to_a_file_follows_a_link(place, kind):
    deep = place / "shared" / "one" / "two"
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("harmless")
    away = place / "private" / "two"
    away.mkdir()
    (away / "a.txt").write_text(SECRET)
    (found,) = scan(place / "shared")
    if kind == "folder is a link":
        (deep / "a.txt").unlink()
        deep.rmdir()
        deep.symlink_to(away)
    elif kind == "link in the midst":
        (place / "shared" / "one").rename(place / "shared" / "old")
        (place / "shared" / "one").symlink_to(place / "private")
    elif kind == "pipe":
        (deep / "a.txt").unlink()
        os.mkfifo(deep / "a.txt")
    else:
        (deep / "b.txt").write_text("something else altogether")
        (deep / "b.txt").replace(deep / "a.txt")
    with pytest.raises(ChangedError):
        open_found(found)


def test_a_root_that_a_person_named_through_a_link_is_read(place):
    (place / "shared" / "a.txt").write_text("harmless")
    (place / "link").symlink_to(place / "shared")
    (found,) = scan(place / "link")
    with open_found(found) as file:
        assert file.read() == b"harmless"


SWAP = textwrap.dedent("""
    import os, sys
    from pathlib import Path
    shared, outside, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    print("swapping", flush=True)
    while True:
        for number in range(count):
            name, fresh = shared / f"n{number}.txt", shared / f".fresh-{number}"
            os.symlink(outside, fresh)
            os.replace(fresh, name)
            fresh.write_text("harmless")
            os.replace(fresh, name)
""")

# Exchanges two names at once, so that no moment has neither, and counts it for whoever looks.
EXCHANGE = textwrap.dedent("""
    import ctypes, mmap, os, struct, sys
    first, second = os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2])
    exchange = ctypes.CDLL(None, use_errno=True).renameat2
    here, both = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    with open(sys.argv[3], "r+b") as file, mmap.mmap(file.fileno(), 8) as counter:
        done = 0
        while True:
            if exchange(here, first, here, second, both):
                raise OSError(ctypes.get_errno(), "the names were not exchanged")
            done += 1
            struct.pack_into("=Q", counter, 0, done)
""")
INSIDE = 20  # files of the folder that is exchanged


async def test_a_folder_whose_files_become_links_and_back_gives_nothing_from_outside(
    place, session_settings
):
    shared, outside = place / "shared", place / "private" / "id.txt"
    outside.write_text(f"{SECRET} {SECRET}")
    (shared / "stays.txt").write_text("walrus")
    for number in range(150):
        (shared / f"n{number}.txt").write_text("harmless")
    settings = session_settings.model_copy(update={"data_dir": place / "data"})
    command = [sys.executable, "-c", SWAP, str(shared), str(outside), "150"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapping:
        try:
            assert swapping.stdout is not None
            assert swapping.stdout.readline() == b"swapping\n"
            async with await Library.open(shared, settings) as library:
                for _ in range(3):
                    await library.sync(force=True)
                    store = await library.store()
                    assert await store.match(SECRET, 9, Filters()) == []
        finally:
            swapping.kill()
    async with await Library.open(shared, settings) as library:  # and when it is quiet, all is read
        for number in range(150):
            (shared / f"n{number}.txt").unlink(missing_ok=True)
            (shared / f"n{number}.txt").write_text("harmless")
        await library.sync()
        files = {file.path: file.status for file in await library.files()}
        assert files["stays.txt"] is Status.INDEXED
        assert all(files[f"n{number}.txt"] is Status.INDEXED for number in range(150))


@pytest.fixture
def exchanged(place):
    """A folder and a link to one outside, whose files look alike: same names, sizes and times."""
    inside, outside = place / "shared" / "folder", place / "private"
    inside.mkdir()
    for number in range(INSIDE):
        for folder, word in ((inside, "harmless!"), (outside, SECRET)):
            assert len(word) == len(SECRET)
            (folder / f"n{number}.txt").write_text(f"{word} {number}")
            os.utime(folder / f"n{number}.txt", (10**9, 10**9))
    (place / "link").symlink_to(outside)
    return inside, place / "link"


async def test_a_folder_exchanged_for_a_link_a_thousand_times_gives_nothing_from_outside(
    place, exchanged, session_settings
):
    for number in range(30):
        (place / "shared" / f"stays{number}.txt").write_text(f"walrus {number}")
    stays = {f"stays{number}.txt" for number in range(30)}
    counter = place / "counter"
    counter.write_bytes(bytes(8))
    settings = session_settings.model_copy(update={"data_dir": place / "data"})
    during = 0
    async with await Library.open(place / "shared", settings) as library:
        command = [sys.executable, "-c", EXCHANGE, *map(str, exchanged), str(counter)]
        with subprocess.Popen(command) as exchanging:
            try:
                while not swaps(counter):
                    assert exchanging.poll() is None
                for _ in range(5):
                    before = swaps(counter)
                    await library.sync(force=True)
                    during += swaps(counter) - before
                    await nothing_from_outside(library)
                    files = {file.path: file.status for file in await library.files()}
                    assert {files.get(path) for path in stays} == {Status.INDEXED}
                assert exchanging.poll() is None
            finally:
                exchanging.kill()
        assert during >= 1000
        inside, link = exchanged
        if inside.is_symlink():
            inside.unlink()
            link.rename(inside)
        await library.sync()  # and when it is quiet, all is read
        await nothing_from_outside(library)
        files = {file.path: file.status for file in await library.files()}
        assert files.keys() == stays | {f"folder/n{number}.txt" for number in range(INSIDE)}
        assert set(files.values()) == {Status.INDEXED}


def swaps(counter: Path) -> int:
    """How often names were exchanged so far."""
    return int.from_bytes(counter.read_bytes(), sys.byteorder)


async def nothing_from_outside(library: Library) -> None:
    store = await library.store()
    assert await store.match(SECRET, 9, Filters()) == []
    assert SECRET not in "".join([text.text async for text in store.scan_texts()])


class TestVanishing:
    """A folder that is gone while it is read leaves nothing behind as failed for good."""

    async def test_what_vanished_is_read_when_it_is_back(self, place, session_settings):
        folder = place / "shared"
        for number in range(120):
            (folder / f"n{number}.txt").write_text(f"note {number}")
        settings = session_settings.model_copy(update={"data_dir": place / "data"})
        moved = False

        def move(progress):
            nonlocal moved
            if progress.stage == "read" and progress.done >= 1 and not moved:
                moved = True
                folder.rename(place / "gone")

        async with await Library.open(folder, settings) as library:
            await library.sync(progress=move)
            assert moved
        (place / "gone").rename(folder)
        async with await Library.open(folder, settings) as library:
            await library.sync()
            statuses = {file.status for file in await library.files()}
            assert (len(await library.files()), statuses) == (120, {Status.INDEXED})

    async def test_what_could_not_be_read_for_a_moment_is_read_by_the_next_sync(
        self, place, session_settings, monkeypatch
    ):
        file = place / "shared" / "a.txt"
        file.write_text("apple")
        settings = Settings(data_dir=place / "data", cache_dir=session_settings.cache_dir)
        (found,) = scan(place / "shared")
        async with await Library.open(place / "shared", settings) as library:
            real = Extractor.extract

            async def fake_extract(self, asked, max_pages=None):  # the disk comes back later
                file.rename(place / "away")
                try:
                    return await real(self, asked, max_pages)
                finally:
                    (place / "away").rename(file)

            with monkeypatch.context() as patch:
                patch.setattr(Extractor, "extract", fake_extract)
                await library.sync()
            assert found.path == "a.txt"
            await library.sync()
            (record,) = await library.files()
            assert record.status is Status.INDEXED
