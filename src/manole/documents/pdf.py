"""The text of PDFs with boxes, read through pdfium.

pdfium gives characters in the order in which the file draws them. `layout.py` puts them into the
lines that a reader sees. Pages without characters are scans; they are counted for the status.
"""

from __future__ import annotations

import ctypes
import re
import time
from contextlib import closing
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from manole.documents.figures import boxes_of, chosen
from manole.documents.layout import HYPHEN, Piece, arrange
from manole.documents.model import (
    UNREAD,
    Box,
    Document,
    Page,
    as_hidden,
    joined_lines,
    limited,
    ranges,
    storable,
)
from manole.documents.opened import OpenFile
from manole.documents.slices import PAGES, REACHED, Span
from manole.documents.unseen import Unseen

_SCALE = 1_000_000  # pdfium gives device coordinates as integers; boxes are fractions of this
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl",
              0xFB05: "st", 0xFB06: "st"}  # fmt: skip
_SPACES = frozenset((0x09, 0x20, 0xA0, 0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x3000))
_DROPPED = frozenset((0xAD, 0xFEFF, 0x200B, 0x200E, 0x200F))
_HYPHENS = frozenset((0x02, 0xFFFE))  # pdfium's marks for a hyphen at the end of a line
_NOT_A_TITLE = re.compile(
    r"^(?:Microsoft \w+ - ?|untitled.*$|untitled document$|\(anonymous\)$)", re.I
)
_SHARE_OF_TIME = 0.8  # of the time limit; the rest is for sending the pages to the parent
_GAP = 1.2  # a gap wider than this many line heights separates cells


def read_pdf(file: OpenFile, span: Span, timeout_s: float) -> Document:
    """Read a slice of a PDF, with a box for every line; `slices.py` gives it its status.

    Stops at the end of `span`, or shortly before `timeout_s` of computing: the metadata say which
    limit it was, and how many pages were passed. A broken or encrypted file gives a failed document
    with the reason.
    """
    try:
        pdf = pdfium.PdfDocument(file.file)
        count = len(pdf)
    except pdfium.PdfiumError as error:
        return Document.failed("pdf", _reason(str(error)))
    pdf.init_forms()
    deadline = time.process_time() + _SHARE_OF_TIME * timeout_s
    held: dict[str, str] = {}
    pages: list[Page] = []
    scans: list[int] = []
    chars = 0
    reached = count
    for index in range(span.skip, count):
        if index == span.skip + span.pages:
            held = limited("max_pages", index)
        elif chars >= span.chars:
            held = limited("max_chars", span.chars)
        elif time.process_time() > deadline:
            held = limited("timeout_s", timeout_s)
        if held:
            reached = index
            break
        try:
            page, empty = page_of(pdf, index)
        except pdfium.PdfiumError:
            continue
        chars += len(page.text)
        if not page.text and not empty:
            scans.append(index + 1)
        pages.append(page)
    metadata = _metadata(pdf) | held | {PAGES: str(count), REACHED: str(reached)}
    pdf.close()
    pages = chosen(pages)
    unread = {page.number for page in pages if page.figures and page.number} | set(scans)
    if unread:
        metadata[UNREAD] = ranges(sorted(unread))
    return Document("pdf", tuple(pages), metadata.get("title"), metadata=metadata)


def read_words(file: OpenFile, number: int) -> dict[str, Any]:
    """Return `{"words": [[text, left, top, right, bottom]]}` of page `number`, or `{"reason"}`.

    Pages count from 1. The words are the visible ones, in the order in which the file draws them;
    boxes are fractions of the page, as those of lines.
    """
    try:
        with closing(pdfium.PdfDocument(file.file)) as pdf:
            pdf.init_forms()
            page = _open(pdf, number - 1)
            seen, _ = _pieces(page, by_word=True)
            return {"words": [[piece.text, *_box(page.raw, piece).sides] for piece in seen]}
    except (pdfium.PdfiumError, IndexError) as error:
        return {"reason": _reason(str(error))}


def _open(pdf: pdfium.PdfDocument, index: int) -> pdfium.PdfPage:
    """Return the page, with what was filled into a form's fields drawn on it as text."""
    page = pdf[index]
    if pdf.formenv and page.flatten() == raw.FLATTEN_SUCCESS:
        page.close()
        page = pdf[index]
    return page


def page_of(pdf: pdfium.PdfDocument, index: int) -> tuple[Page, bool]:
    """Return a page, and whether nothing is drawn on it (a blank sheet, not a scan)."""
    with closing(_open(pdf, index)) as page:
        width, _ = page.get_size()
        seen, hidden = _pieces(page)
        rows = [(row.text, row.end, _box(page.raw, row)) for row in arrange(seen, width)]
        figures = boxes_of(page) if rows else ()
        if hidden and rows:
            rows[-1] = (rows[-1][0], "\n\n", rows[-1][2])
        rows += [  # at the end, so that no visible line contains them
            (text, "\n", _box(page.raw, row))
            for row in arrange(hidden, width)
            for text in as_hidden(row.text).split("\n")
        ]
        label = pdf.get_page_label(index)
        empty = raw.FPDFPage_CountObjects(page.raw) == 0
    if label == str(index + 1):
        label = None
    text, lines = joined_lines(rows)
    return Page(text.rstrip("\n"), index + 1, label or None, lines, figures), empty


def _pieces(page: pdfium.PdfPage, *, by_word: bool = False) -> tuple[list[Piece], list[Piece]]:
    """Return the visible and the hidden runs of characters, in the order in which they are drawn.

    Runs are cut at line ends and at wide gaps, or `by_word`. Boxes are in points, origin bottom
    left, as pdfium has them.
    """
    unseen = Unseen(page, lambda piece: _box(page.raw, piece))
    with closing(page.get_textpage()) as textpage:
        return _runs(textpage.raw, unseen, by_word)


def _runs(
    textpage: raw.FPDF_TEXTPAGE, unseen: Unseen, by_word: bool
) -> tuple[list[Piece], list[Piece]]:
    pieces: tuple[list[Piece], list[Piece]] = ([], [])
    count = raw.FPDFText_CountChars(textpage)
    rect = raw.FS_RECTF()
    text: list[str] = []
    x0 = y0 = x1 = y1 = 0.0
    last = 0.0  # right end of the last visible character
    space = suspect = False

    def flush() -> None:
        nonlocal text, space
        if text:
            piece = Piece(_join(text), x0, y0, x1, y1)
            pieces[unseen.hides(piece, suspect)].append(piece)
        text = []
        space = False

    get_unicode, get_box = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
    reference = ctypes.byref(rect)
    for i in range(count):
        code = get_unicode(textpage, i)
        if code in (0x0A, 0x0D):
            flush()
            continue
        if code in _SPACES:
            space = bool(text)
            if by_word:
                flush()
            continue
        if code in _DROPPED or (code < 0x20 and code not in _HYPHENS):
            continue
        char = HYPHEN if code in _HYPHENS else _LIGATURES.get(code) or chr(code)
        if not get_box(textpage, i, reference):
            if text:
                text.append(char)
            continue
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        if (doubt := unseen.suspects(textpage, i)) != suspect:
            flush()
            suspect = doubt
        if text:
            high = max(y1 - y0, 1.0)
            middle = (bottom + top) / 2
            apart = left - last > _GAP * high or not y0 - 0.1 * high <= middle <= y1 + 0.1 * high
            if apart:
                flush()
        if not text:
            x0, y0, x1, y1 = left, bottom, right, top
        else:
            if space:
                text.append(" ")
            x0, y0 = min(x0, left), min(y0, bottom)
            x1, y1 = max(x1, right), max(y1, top)
        space = False
        text.append(char)
        last = right
    flush()
    return pieces


def _join(chars: list[str]) -> str:
    text = "".join(chars)
    if any("\ud800" <= char <= "\udfff" for char in chars):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _box(page: raw.FPDF_PAGE, piece: Piece) -> Box:
    """Return the piece's box on the page as it is shown: cropped and rotated."""
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for px, py in ((piece.x0, piece.y1), (piece.x1, piece.y0)):
        raw.FPDF_PageToDevice(
            page, 0, 0, _SCALE, _SCALE, 0, px, py, ctypes.byref(x), ctypes.byref(y)
        )
        corners.append((x.value / _SCALE, y.value / _SCALE))
    (ax, ay), (bx, by) = corners
    return Box.clipped(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def _metadata(pdf: pdfium.PdfDocument) -> dict[str, str]:
    try:
        found = pdf.get_metadata_dict(skip_empty=True)
    except (pdfium.PdfiumError, UnicodeDecodeError):
        return {}
    names = {"Title": "title", "Author": "author", "Subject": "subject", "Keywords": "keywords",
             "CreationDate": "created", "ModDate": "modified", "Producer": "producer"}  # fmt: skip
    out = {}
    for key, name in names.items():
        value = " ".join(found.get(key, "").replace("\x00", "").split())[:300]
        if name == "title":
            value = _NOT_A_TITLE.sub("", value) if re.search(r"[^\W\d_]", value) else ""
        if value:
            out[name] = storable(value)
    return out


def _reason(message: str) -> str:
    lowered = message.lower()
    if "password" in lowered:
        return "protected by a password"
    if "security" in lowered:
        return "encrypted in a way that cannot be read"
    return "broken PDF: it cannot be opened"
