"""What photos show, said by a vision model, in a sync. The model here is a fake: its weights cannot
be had. The real path to one is tested in `tests/models/test_vision.py`."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest
from PIL import Image, ImageDraw

from manole.documents.model import UNDESCRIBED, Status
from manole.index.sync.captions import Captions
from manole.index.sync.run import Syncing
from manole.library import Library
from manole.models.vision import Sight
from manole.settings import Settings


class FakeVision:
    """Says the colour of a picture's middle; `None` for what it is to say is a failure."""

    def __init__(self, name="fake-sight", says="A field of {}."):
        self.name = name
        self.says = says
        self.seen = []

    async def caption(self, picture):
        from io import BytesIO

        image = Image.open(BytesIO(picture))
        self.seen.append(image.size)
        if self.says is None:
            return Sight(reason="the vision model gave no sensible answer")
        red, _, blue = image.getpixel((image.width // 2, image.height // 2))
        return Sight(self.says.format("poppies" if red > blue else "flax"))

    async def close(self):
        self.seen.append("closed")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    Image.new("RGB", (1600, 800), "red").save(folder / "IMG_1.jpg")
    Image.new("RGB", (60, 60), "blue").save(folder / "IMG_2.png")
    sign = Image.new("RGB", (700, 200), "red")
    ImageDraw.Draw(sign).text((40, 40), "Zwetschgen", "white", font_size=80)
    sign.save(folder / "IMG_3.png")
    return folder


@pytest.fixture
def settings(tmp_path):
    own = {"data_dir": tmp_path / "data"}
    made = Settings.load()
    vision = made.vision.model_copy(update={"name": "off"})
    return made.model_copy(update=own | {"vision": vision})


@pytest.fixture
def described_by(monkeypatch, tmp_path):
    """Let a library's sync use this vision model."""

    def use(vision):
        @asynccontextmanager
        async def captions(self, extractor, photos):
            yield Captions(vision, extractor, tmp_path / "captions") if photos else None

        monkeypatch.setattr(Syncing, "_captions", captions)

    return use


async def files_of(library):
    return {file.path: file for file in await library.files()}


async def test_photos_are_found_by_what_they_show(folder, settings, described_by):
    vision = FakeVision()
    described_by(vision)
    stages = []
    async with await Library.open(folder, settings) as library:
        await library.sync(progress=lambda p: stages.append((p.stage, p.done, p.total)))
        files = await files_of(library)
        assert {file.status for file in files.values()} == {Status.INDEXED}
        assert {file.reason for file in files.values()} == {None}
        assert not any(UNDESCRIBED in file.metadata for file in files.values())
        (hit, *_) = await library.search("flax field")
        assert hit.passage.path == "IMG_2.png"
        assert hit.passage.text.startswith("Photo description: A field of flax.\n\nPhoto: IMG 2.")
        (hit, *_) = await library.search("Zwetschgen")
        assert hit.passage.path == "IMG_3.png"
        assert hit.passage.text == "Photo description: A field of poppies.\n\nZwetschgen"
        assert hit.passage.boxes
    assert ("caption", 3, 3) in stages
    names = [stage for stage, *_ in stages]
    assert names.index("caption") > max(i for i, n in enumerate(names) if n == "recognize")
    assert max(vision.seen[0]) <= 768


async def test_a_caption_is_kept_by_content_and_model(folder, settings, described_by):
    described_by(FakeVision())
    async with await Library.open(folder, settings) as library:
        await library.sync()
    again = FakeVision(says="Something else, {}.")
    described_by(again)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        assert again.seen == []
        await library.sync(force=True)
        assert again.seen == []
        other = FakeVision("another", "Something else, {}.")
        described_by(other)
        await library.sync(force=True)
        assert len(other.seen) == 3
        (hit, *_) = await library.search("something else, flax")
        assert hit.passage.path == "IMG_2.png"


async def test_without_a_model_the_status_says_so_and_one_may_come_later(
    folder, settings, described_by, monkeypatch
):
    async with await Library.open(folder, settings) as library:
        await library.sync()
        files = await files_of(library)
        assert files["IMG_1.jpg"].status is Status.PARTIAL
        assert "no vision model" in files["IMG_1.jpg"].reason
        assert files["IMG_3.png"].status is Status.INDEXED
        described_by(FakeVision())
        report = await library.sync()
        assert report.unchanged == 3
        assert (await files_of(library))["IMG_1.jpg"].status is Status.INDEXED


async def test_rubbish_is_told_and_not_asked_for_again(folder, settings, described_by):
    rubbish = FakeVision(says=None)
    described_by(rubbish)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        files = await files_of(library)
        assert files["IMG_1.jpg"].status is Status.PARTIAL
        assert files["IMG_1.jpg"].reason.endswith("the vision model gave no sensible answer")
        (hit, *_) = await library.search("Zwetschgen")
        assert hit.passage.path == "IMG_3.png"
        asked = len(rubbish.seen)
        await library.sync()
        assert len(rubbish.seen) == asked
        described_by(FakeVision("better"))
        await library.sync()
        assert (await files_of(library))["IMG_1.jpg"].status is Status.INDEXED


async def test_who_waits_for_an_answer_does_not_wait_for_captions(folder, settings, described_by):
    vision = FakeVision()
    described_by(vision)
    async with await Library.open(folder, settings) as library:
        await library.sync(pictures=10)
        assert vision.seen == []
        assert UNDESCRIBED in (await files_of(library))["IMG_1.jpg"].metadata


async def test_a_broken_picture_does_not_stop_the_others(folder, settings, described_by):
    whole = (folder / "IMG_1.jpg").read_bytes()
    (folder / "IMG_0.jpg").write_bytes(whole[: len(whole) // 2])
    described_by(FakeVision())
    async with await Library.open(folder, settings) as library:
        await library.sync()
        files = await files_of(library)
        assert files["IMG_0.jpg"].status in (Status.SKIPPED, Status.FAILED, Status.PARTIAL)
        assert files["IMG_0.jpg"].reason
        assert files["IMG_1.jpg"].status is Status.INDEXED
