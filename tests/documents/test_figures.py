"""Pictures on pages that have text: where they lie, and their words put into the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from manole.documents.limits import Limits
from manole.documents.model import UNREAD, Box, Line, Page
from manole.documents.ocr import recognize
from manole.documents.opened import named
from manole.documents.opener import open_found
from manole.documents.recognized import to_page, with_words
from reading_here import read_document

FONT = ImageFont.truetype(Path(reportlab.__file__).with_name("fonts") / "Vera.ttf", 34)
SIZE = (600, 800)


def labels(*texts, size=(600, 300)) -> ImageReader:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for n, text in enumerate(texts):
        draw.text((40, 30 + 100 * n), text, "black", FONT)
    return ImageReader(image)


def pdf(path, *pages):
    """A PDF; each page is a function that draws on the canvas."""
    canvas = Canvas(str(path), pagesize=SIZE)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return path


def read(path):
    return read_document(path, Limits())


def prose(canvas, lines=3, top=760):
    for n in range(lines):
        canvas.drawString(60, top - 20 * n, f"A line of prose, number {n}.")


def test_a_picture_beside_text_is_a_figure(tmp_path):
    def page(canvas):
        prose(canvas)
        canvas.drawImage(labels("Valve A"), 60, 400, 300, 150)

    document = read(pdf(tmp_path / "a.pdf", prose, page))
    assert document.metadata[UNREAD] == "2"
    assert document.pages[0].figures == ()
    (box,) = document.pages[1].figures
    sides = (box.x0, box.y0, box.x1, box.y1)
    assert sides == pytest.approx((60 / 600, 250 / 800, 360 / 600, 400 / 800), abs=0.002)


def test_strips_of_a_picture_are_one_figure_and_icons_are_none(tmp_path):
    def page(canvas):
        prose(canvas)
        for n in range(5):
            canvas.drawImage(labels("strip"), 100, 300 + 30 * n, 300, 30)
        canvas.drawImage(labels("icon"), 500, 100, 20, 20)

    (box,) = read(pdf(tmp_path / "a.pdf", page)).pages[0].figures
    sides = (box.x0, box.y0, box.x1, box.y1)
    assert sides == pytest.approx((100 / 600, 350 / 800, 400 / 600, 500 / 800), abs=0.002)


def test_a_picture_within_a_form_is_where_the_form_puts_it(tmp_path):
    def page(canvas):
        prose(canvas)
        canvas.beginForm("drawing")
        canvas.drawImage(labels("Pump"), 0, 0, 100, 50)
        canvas.endForm()
        canvas.translate(120, 200)
        canvas.scale(2, 2)
        canvas.doForm("drawing")

    (box,) = read(pdf(tmp_path / "a.pdf", page)).pages[0].figures
    sides = (box.x0, box.y0, box.x1, box.y1)
    assert sides == pytest.approx((120 / 600, 500 / 800, 320 / 600, 600 / 800), abs=0.002)


def test_letterheads_and_backgrounds_are_not_read(tmp_path):
    logo, paper = labels("ACME"), labels("paper")

    def letter(canvas):
        prose(canvas)
        canvas.drawImage(logo, 60, 600, 240, 80)

    def slide(canvas):
        canvas.drawImage(paper, 0, 0, *SIZE)
        prose(canvas, lines=9)

    document = read(pdf(tmp_path / "a.pdf", *[letter] * 5, slide))
    assert UNREAD not in document.metadata
    assert not any(page.figures for page in document.pages)


def test_words_of_a_figure_stand_by_its_caption_with_their_boxes(tmp_path):
    def page(canvas):
        prose(canvas)
        canvas.drawImage(labels("Overflow valve", "Burner 24 kW"), 60, 420, 400, 200)
        canvas.drawString(60, 400, "Figure 7: the boiler from below")
        prose(canvas, top=300)

    path = pdf(tmp_path / "a.pdf", page)
    (page,) = read(path).pages
    (box,) = page.figures
    found = with_words(page, {box: to_page(words_in(path, box), 1)})
    lines = [found.text[line.start : line.end] for line in found.lines]
    assert lines == [
        *(f"A line of prose, number {n}." for n in range(3)),
        "Figure 7: the boiler from below",
        "Overflow valve",
        "Burner 24 kW",
        *(f"A line of prose, number {n}." for n in range(3)),
    ]
    valve = found.lines[4].box
    assert box.x0 <= valve.x0 < valve.x1 <= box.x1
    assert valve.x0 == pytest.approx((60 + 400 * 40 / 600) / 600, abs=0.02)
    assert box.y0 <= valve.y0 < found.lines[5].box.y0


PAGE = Page(
    "above\nbelow",
    1,
    None,
    (Line(0, 5, Box(0.1, 0.1, 0.9, 0.12)), Line(6, 11, Box(0.1, 0.8, 0.9, 0.82))),
)
FIGURE = Box(0.1, 0.2, 0.9, 0.6)


def seen(*texts):
    text = "\n".join(texts)
    lines, at = [], 0
    for n, word in enumerate(texts):
        lines.append(Line(at, at + len(word), Box(0.1, 0.2 * n, 0.5, 0.2 * n + 0.1)))
        at += len(word) + 1
    return Page(text, 1, None, tuple(lines))


def test_words_go_to_the_nearest_line():
    found = with_words(PAGE, {FIGURE: seen("one", "two")})
    assert found.text == "above\n\none\ntwo\n\nbelow"
    words = [found.text[line.start : line.end] for line in found.lines]
    assert words == found.text.replace("\n\n", "\n").split("\n")
    low = Box(0.1, 0.5, 0.9, 0.78)
    assert with_words(PAGE, {low: seen("one")}).text == "above\n\none\n\nbelow"
    lowest = Box(0.1, 0.83, 0.9, 0.99)
    assert with_words(PAGE, {lowest: seen("one")}).text == "above\nbelow\n\none"


def test_a_caption_draws_the_words_to_itself():
    first = Line(0, 13, Box(0.1, 0.14, 0.9, 0.16))
    page = replace(PAGE, text="Fig. 2: above\nbelow", lines=(first, *PAGE.lines[1:]))
    page = replace(page, lines=(first, Line(14, 19, Box(0.1, 0.63, 0.9, 0.65))))
    assert with_words(page, {FIGURE: seen("one")}).text == "Fig. 2: above\none\n\nbelow"


def test_what_the_page_has_as_text_is_not_put_in_twice():
    over = Box(0.1, 0.1, 0.9, 0.3)  # the first line of the page lies in it
    again = Page("above", 1, None, (Line(0, 5, Box(0.0, 0.0, 1.0, 0.1)),))
    assert with_words(PAGE, {over: again}) == PAGE
    assert with_words(PAGE, {FIGURE: Page("", 1)}) == PAGE


def test_a_page_without_lines_gets_them():
    empty = replace(PAGE, text="", lines=())
    assert with_words(empty, {FIGURE: seen("one", "two")}).text == "one\ntwo"


def words_in(path, box):
    with open_found(named(path)) as file:
        return recognize(file, 1, box)
