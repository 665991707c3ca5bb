"""`manole look`: what Manole sees on a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

FONT = ImageFont.truetype(Path(reportlab.__file__).with_name("fonts") / "Vera.ttf", 34)


@pytest.fixture
def manual(tmp_path):
    image = Image.new("RGB", (600, 160), "white")
    ImageDraw.Draw(image).text((40, 50), "Overflow valve", "black", FONT)
    image.save(tmp_path / "valve.png")
    canvas = Canvas(str(tmp_path / "manual.pdf"), pagesize=(600, 400))
    canvas.drawString(60, 340, "Figure 1: below the boiler")
    canvas.drawImage(str(tmp_path / "valve.png"), 60, 160, 400, 107)
    canvas.drawString(60, 100, "Pressure")
    canvas.drawString(300, 100, "3 bar")
    canvas.showPage()
    canvas.drawString(60, 340, "Another page")
    canvas.save()
    return tmp_path / "manual.pdf"


def test_the_lines_of_a_page_and_where_they_are_from(program, manual, tmp_path):
    ran = program("look", str(manual), "--json", "--png", "seen.png")
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert (seen["page"], seen["pages"], len(seen["figures"])) == (1, 2, 1)
    assert [(line["text"], line["source"]) for line in seen["lines"]] == [
        ("Figure 1: below the boiler", "text"),
        ("Overflow valve", "picture"),
        ("Pressure  3 bar", "text"),
    ]
    assert seen["lines"][2]["cells"] == ["Pressure", "3 bar"]
    drawn = Image.open(tmp_path / "seen.png")
    assert drawn.size == (1200, 800)
    colours = {drawn.getpixel((x, y)) for x in range(0, 1200, 2) for y in range(0, 800, 2)}
    assert len({c for c in colours if max(c) - min(c) > 60}) >= 3  # text, table, figure, picture


def test_on_the_screen(program, manual):
    ran = program("look", str(manual))
    assert "page 1 of 2: 3 lines, 1 row of tables, 1 figure, 1 line read" in ran.stdout
    assert "Pressure | 3 bar" in ran.stdout
    ran = program("look", str(manual.with_name("valve.png")))
    assert "a picture: 1 line" in ran.stdout
    assert "* " in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.pdf"], 2, "There is no file none.pdf"),
        (["manual.pdf", "--page", "3"], 2, "has no page 3"),
        (["manual.pdf", "--page", "0"], 2, "Error"),
        (["manual.pdf", "--png", "no/such/folder.png"], 2, "cannot be written"),
        (["broken.pdf"], 1, "broken.pdf: "),
        (["note.txt"], 1, "no pages to look at"),
    ],
)
def test_what_cannot_be_shown_is_told(program, manual, tmp_path, arguments, code, said):
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (tmp_path / "note.txt").write_text("A note.")
    ran = program("look", *arguments)
    assert ran.returncode == code
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
