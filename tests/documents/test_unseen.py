"""What nobody sees on a page is read, and marked; what only looks hidden is text like any other."""

from __future__ import annotations

import zipfile

import docx
import pytest
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Pt, RGBColor
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from manole.documents.model import HIDDEN
from reading_here import read_document

SHOWN, SECRET = "The price is 29 EUR.", "The price is 888 EUR."


def parts(path, settings):
    """What is seen of a file, and what is marked as hidden."""
    text = "\n".join(page.text for page in read_document(path, settings).pages)
    lines = text.split("\n")
    hidden = [line.removeprefix(HIDDEN).strip() for line in lines if line.startswith(HIDDEN)]
    return "\n".join(line for line in lines if not line.startswith(HIDDEN)), " ".join(hidden)


def drawn(path, paint):
    canvas = Canvas(str(path), pagesize=(400, 400))
    canvas.drawString(40, 300, SHOWN)
    paint(canvas)
    canvas.save()
    return path


def white(canvas):
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(40, 200, SECRET)


def tiny(canvas):
    canvas.setFont("Helvetica", 1)
    canvas.drawString(40, 200, SECRET)


def invisible(canvas):
    text = canvas.beginText(40, 200)
    text.setTextRenderMode(3)
    text.textOut(SECRET)
    canvas.drawText(text)


def off_page(canvas):
    canvas.drawString(40, -200, SECRET)


@pytest.mark.parametrize("paint", [white, tiny, invisible])
def test_unseen_text_of_a_pdf_is_marked(tmp_path, settings, paint):
    seen, hidden = parts(drawn(tmp_path / "a.pdf", paint), settings)
    assert SHOWN in seen
    assert SECRET not in seen
    assert hidden == SECRET


def test_text_beside_the_page_of_a_pdf_is_not_among_what_is_seen(tmp_path, settings):
    seen, _ = parts(drawn(tmp_path / "a.pdf", off_page), settings)
    assert SECRET not in seen


def test_white_text_on_a_dark_bar_of_a_pdf_is_seen(tmp_path, settings):
    def bar(canvas):
        canvas.setFillColorRGB(0, 0, 0.4)
        canvas.rect(30, 190, 300, 30, stroke=0, fill=1)
        white(canvas)

    assert parts(drawn(tmp_path / "a.pdf", bar), settings) == (f"{SHOWN}\n\n{SECRET}", "")


def test_the_invisible_words_over_a_scan_are_what_its_picture_shows(tmp_path, settings):
    picture = Image.effect_noise((400, 400), 80).convert("RGB")

    def scanned(canvas):
        canvas.drawImage(ImageReader(picture), 0, 0, 400, 400)
        invisible(canvas)

    seen, hidden = parts(drawn(tmp_path / "a.pdf", scanned), settings)
    assert SECRET in seen
    assert hidden == ""


def vanish(run):
    run.font.hidden = True


def white_run(run):
    run.font.color.rgb = RGBColor(255, 255, 255)


def tiny_run(run):
    run.font.size = Pt(1)


@pytest.mark.parametrize("hide", [vanish, white_run, tiny_run])
def test_unseen_text_of_a_word_document_is_marked(tmp_path, settings, hide):
    file = docx.Document()
    paragraph = file.add_paragraph(SHOWN + " ")
    hide(paragraph.add_run("R&D: " + SECRET))
    file.save(tmp_path / "a.docx")
    assert parts(tmp_path / "a.docx", settings) == (SHOWN + "\n", "R&D: " + SECRET)


def test_a_word_document_of_nothing_but_hidden_text_is_read_as_hidden(tmp_path, settings):
    file = docx.Document()
    vanish(file.add_paragraph().add_run(SECRET))
    file.save(tmp_path / "a.docx")
    assert parts(tmp_path / "a.docx", settings)[1] == SECRET


def shaded_paragraph(file):
    paragraph = file.add_paragraph()
    shade = parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="1F3864"/>')
    paragraph._p.get_or_add_pPr().append(shade)
    return paragraph


def shaded_cell(file):
    cell = file.add_table(1, 1).cell(0, 0)
    shade = parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="1F3864"/>')
    cell._tc.get_or_add_tcPr().append(shade)
    return cell.paragraphs[0]


@pytest.mark.parametrize("place", [shaded_paragraph, shaded_cell])
def test_white_text_on_a_dark_ground_of_a_word_document_is_seen(tmp_path, settings, place):
    file = docx.Document()
    white_run(place(file).add_run(SECRET))
    file.save(tmp_path / "a.docx")
    seen, hidden = parts(tmp_path / "a.docx", settings)
    assert SECRET in seen
    assert hidden == ""


def test_vanish_that_is_switched_off_hides_nothing(tmp_path, settings):
    file = docx.Document()
    run = file.add_paragraph().add_run(SHOWN)
    off = OxmlElement("w:vanish")
    off.set(qn("w:val"), "0")
    run._r.get_or_add_rPr().append(off)
    file.save(tmp_path / "a.docx")
    assert parts(tmp_path / "a.docx", settings) == (SHOWN, "")


UNSEEN = [
    f'<p style="visibility: hidden">{SECRET}</p>',
    f'<p style="font-size:1px">{SECRET}</p>',
    f'<p style="opacity:0"><b>{SECRET}</b></p>',
    f'<p style="color:#fff">{SECRET}</p>',
    f'<div style="background:navy"><span style="color:#000080">{SECRET}</span></div>',
    f'<div style="position:absolute; left:-9999px">{SECRET}</div>',
    f'<p style="text-indent:-9999px">{SECRET}</p>',
    f'<font color="white">{SECRET}</font>',
    f"<style>.note {{ color: white }} @media print {{ .a {{ color: red }} }}</style>"
    f"<p class=note>{SECRET}",
]
SEEN = [
    f'<p style="background:#003; color:#fff">{SECRET}</p>',
    f'<table><tr><td bgcolor="navy"><font color="white">{SECRET}</font></table>',
    "<style>body .bar { background: navy }</style>"
    f'<p class="bar" style="color:white">{SECRET}</p>',
    f'<div style="background:url(a.png); color:white">{SECRET}</div>',
    f'<p style="color:white"><p>{SECRET}</p>',
    f'<p style="opacity:0.8; font-size:0.9em; color:#ddd">{SECRET}</p>',
]


@pytest.mark.parametrize("markup", UNSEEN)
def test_unseen_text_of_a_web_page_is_marked(tmp_path, settings, markup):
    path = tmp_path / "a.html"
    path.write_text(f"<html><body><p>{SHOWN}</p>{markup}</body></html>")
    assert parts(path, settings) == (SHOWN + "\n", SECRET)


@pytest.mark.parametrize("markup", SEEN)
def test_text_of_a_web_page_that_is_seen_is_not_marked(tmp_path, settings, markup):
    path = tmp_path / "a.html"
    path.write_text(f"<html><body><p>{SHOWN}</p>{markup}</body></html>")
    seen, hidden = parts(path, settings)
    assert SECRET in seen
    assert hidden == ""


def test_what_is_not_displayed_is_not_read_at_all(tmp_path, settings):
    path = tmp_path / "a.html"
    path.write_text(f'<p>{SHOWN}</p><div style="display:none; color:#fff">{SECRET}</div>')
    assert parts(path, settings) == (SHOWN, "")


def test_unseen_text_of_a_mail_is_marked(tmp_path, settings):
    path = tmp_path / "a.eml"
    path.write_text(
        "From: a@example.com\nSubject: Price\nContent-Type: text/html; charset=utf-8\n\n"
        f'<p>{SHOWN}</p><p style="color:white">{SECRET}</p>\n'
    )
    seen, hidden = parts(path, settings)
    assert SHOWN in seen
    assert hidden == SECRET


def test_unseen_text_of_a_book_is_marked(tmp_path, settings):
    path = tmp_path / "a.epub"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
            '<rootfiles><rootfile full-path="b.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest>'
            '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
        )
        book.writestr(
            "c.xhtml",
            '<html xmlns="http://www.w3.org/1999/xhtml"><body>'
            f'<p>{SHOWN}</p><p style="opacity:0">{SECRET}</p></body></html>',
        )
    seen, hidden = parts(path, settings)
    assert SHOWN in seen
    assert hidden == SECRET
