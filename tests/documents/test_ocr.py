"""Words in pictures: the real models, on pictures drawn here."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import pytest
import reportlab
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.model import numbers_in, ranges
from manole.documents.ocr import recognize
from manole.documents.opened import named
from manole.documents.opener import open_found
from manole.documents.recognized import to_page
from manole.errors import NotNowError

FONT = ImageFont.truetype(Path(reportlab.__file__).with_name("fonts") / "Vera.ttf", 34)


LETTER = ["Invoice 2041", "Plum cake", "12 candles", "Thank you very much"]


def drawn(lines=LETTER, size=(700, 500)) -> Image.Image:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for n, line in enumerate(lines):
        draw.text((60, 40 + 90 * n), line, "black", FONT)
    return image


def seen(path, page):
    with open_found(named(path)) as file:
        return recognize(file, page)


def words_of(path, page=None):
    return to_page(seen(path, page), page)


def test_the_words_of_a_picture_with_their_boxes(tmp_path):
    drawn().save(tmp_path / "a.png")
    page = words_of(tmp_path / "a.png")
    assert page.text.replace("\n\n", "\n").split("\n") == LETTER
    for n, line in enumerate(page.lines):
        assert page.text[line.start : line.end] == LETTER[n]
        assert line.box.x0 == pytest.approx(60 / 700, abs=0.03)
        assert (line.box.y0 + line.box.y1) / 2 == pytest.approx((60 + 90 * n) / 500, abs=0.03)


def test_label_and_amount_of_a_receipt_stand_in_one_line(tmp_path):
    image = drawn(["Plums", "Total"])
    draw = ImageDraw.Draw(image)
    draw.text((500, 40), "3.20", "black", FONT)
    draw.text((500, 130), "18.75", "black", FONT)
    image.save(tmp_path / "a.jpg", quality=90)
    assert words_of(tmp_path / "a.jpg").text.split() == ["Plums", "3.20", "Total", "18.75"]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_picture_that_lies_on_its_side_is_read_and_its_boxes_fit_it(tmp_path, turns):
    drawn().rotate(90 * turns, expand=True).save(tmp_path / "a.png")
    found = seen(tmp_path / "a.png", None)
    assert sorted(line[0] for line in found["lines"]) == sorted(LETTER)
    upright = {text: (x0, y0, x1, y1) for text, _, x0, y0, x1, y1 in found["lines"]}
    x0, y0, x1, y1 = upright["Invoice 2041"]
    across, down = found["width"], found["height"]
    middle = ((x0 + x1) / 2 / across, (y0 + y1) / 2 / down)
    left = (180 / 700, 60 / 500)  # where it is on the upright picture
    turned = {1: (left[1], 1 - left[0]), 2: (1 - left[0], 1 - left[1]), 3: (1 - left[1], left[0])}
    assert middle == pytest.approx(turned[turns], abs=0.05)


def test_a_photo_is_turned_as_its_exif_says(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    drawn().rotate(90, expand=True).save(tmp_path / "a.jpg", exif=exif)
    found = seen(tmp_path / "a.jpg", None)
    assert (found["width"], found["height"]) == (700, 500)
    assert [line[0] for line in found["lines"]] == LETTER


def test_a_scanned_page(tmp_path):
    drawn().save(tmp_path / "scan.png")
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(350, 250))
    canvas.drawString(20, 200, "a page of text")
    canvas.showPage()
    canvas.drawImage(str(tmp_path / "scan.png"), 0, 0, 350, 250)
    canvas.save()
    page = words_of(tmp_path / "a.pdf", 2)
    assert page.number == 2
    assert page.text.replace("\n\n", "\n").split("\n") == LETTER
    assert seen(tmp_path / "a.pdf", 3) == {"reason": "it has no page 3"}


def test_what_is_transparent_is_white(tmp_path):
    clear = Image.new("RGBA", (700, 500), (0, 0, 0, 0))
    ImageDraw.Draw(clear).text((60, 40), "Plum cake", "black", FONT)
    clear.save(tmp_path / "a.png")
    assert words_of(tmp_path / "a.png").text == "Plum cake"


def test_of_a_moving_picture_the_first_frame(tmp_path):
    frames = [drawn(["Plum cake"]), drawn(["Something else"])]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert words_of(tmp_path / "a.gif").text == "Plum cake"


@pytest.mark.parametrize("size", [(700, 500), (8, 8), (1, 4000)])
def test_a_picture_without_words(tmp_path, size):
    Image.new("RGB", size, "white").save(tmp_path / "a.png")
    assert seen(tmp_path / "a.png", None)["lines"] == []


@pytest.mark.parametrize(
    ("content", "page", "reason"),
    [
        (b"no picture", None, "a format that no library here opens"),
        (b"%PDF-1.4 broken", 1, "the page cannot be drawn"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path, content, page, reason):
    path = tmp_path / "a"
    path.write_bytes(content)
    assert seen(path, page) == {"reason": reason}


def test_a_picture_that_is_cut_short_or_far_too_large_says_so(tmp_path, png_header):
    path = tmp_path / "a.png"
    path.write_bytes(png_header(60_000, 60_000))
    assert seen(path, None) == {"reason": "more pixels than a photo has"}
    path.write_bytes(png_header(300, 300))
    assert "broken image" in seen(path, None)["reason"]


async def test_in_a_worker(tmp_path):
    drawn().save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"nothing")
    with Extractor(Limits()) as extractor:
        found = await extractor.recognize(named(tmp_path / "a.png"), None)
        assert [line[0] for line in found["lines"]] == LETTER
        assert "reason" in await extractor.recognize(named(tmp_path / "b.png"), None)
        with pytest.raises(NotNowError, match="disappeared"):
            await extractor.recognize(named(tmp_path / "none.png"), None)
    with Extractor(Limits(timeout_s=0.01)) as hasty:
        assert "took longer" in (await hasty.recognize(named(tmp_path / "a.png"), None))["reason"]


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"width": 0, "height": 5, "lines": []},
        {"width": 5, "height": 5, "lines": [["a"]]},
        {"width": "x", "height": 5, "lines": []},
        {"width": 5, "height": 5, "lines": 7},
        {"width": inf, "height": 5, "lines": [["words", 1, inf, 0, inf, 5]]},
        {"width": 5, "height": 5, "lines": [["words", 1, nan, 0, nan, 5]]},
    ],
)
def test_nonsense_makes_no_page(found):
    with pytest.raises((ValueError, KeyError, TypeError)):
        to_page(found, None)


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([["1111", 0.76, 5, 5, 90, 20]], ""),
        ([["K", 0.99, 5, 5, 90, 20]], ""),
        ([["BMW 4", 0.99, 5, 5, 90, 20], ["x", 0.6, 5, 30, 90, 45]], "BMW 4\nx"),
    ],
)
def test_flecks_are_no_words(lines, text):
    found = {"width": 100, "height": 50, "lines": lines}
    assert to_page(found, None).text.replace("\n\n", "\n") == text


@given(st.sets(st.integers(1, 200)))
def test_ranges_of_pages_come_back(numbers):
    assert numbers_in(ranges(sorted(numbers))) == sorted(numbers)


def test_ranges_are_short():
    assert ranges([1, 2, 3, 7, 9, 10]) == "1-3,7,9-10"
    assert numbers_in("1-x") == numbers_in("") == []
