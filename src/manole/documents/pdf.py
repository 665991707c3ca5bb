"""PDF text with boxes, through pdfium.

pdfium gives characters in the order in which the file draws them. `layout.py` puts them into the
lines a reader sees. Pages without characters are pictures of pages; they are counted, so that the
status can say so.
"""

from __future__ import annotations

import ctypes
import re
import time
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from manole.documents.figures import boxes_of, chosen
from manole.documents.layout import Piece, arrange
from manole.documents.model import (
    UNREAD,
    Box,
    Document,
    Line,
    Page,
    Status,
    as_hidden,
    limited,
    ranges,
)
from manole.documents.opened import OpenFile
from manole.documents.slices import PAGES, REACHED, Span
from manole.documents.unseen import Unseen

_SCALE = 1_000_000  # pdfium gives device coordinates as integers; boxes are parts of this
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl",
              0xFB05: "st", 0xFB06: "st"}  # fmt: skip
_SPACES = frozenset((0x09, 0x20, 0xA0, 0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x3000))
_DROPPED = frozenset((0xAD, 0xFEFF, 0x200B, 0x200E, 0x200F))
_HYPHENS = frozenset((0x02, 0xFFFE))  # pdfium's marks for a hyphen at the end of a line
HYPHEN = "\x02"
_NOT_A_TITLE = re.compile(
    r"^(?:Microsoft \w+ - ?|untitled.*$|untitled document$|\(anonymous\)$)", re.I
)
_SHARE_OF_TIME = 0.8  # what is left serves for handing over what was read
_GAP = 1.2  # a gap wider than this many line heights separates cells


def read_pdf(file: OpenFile, span: Span, timeout_s: float) -> Document:
    """A slice of a PDF page by page, with a box for every line; `slices.py` gives it its status.

    Stops at the end of `span`, or shortly before `timeout_s`: the metadata say which limit it was,
    and how far it came. A broken or encrypted file gives a failed document with the reason.
    """
    try:
        pdf = pdfium.PdfDocument(file.file)
        count = len(pdf)
    except pdfium.PdfiumError as error:
        return Document("pdf", (), status=Status.FAILED, reason=_reason(str(error)))
    form = pdf.get_formtype() != raw.FORMTYPE_NONE
    if form:
        pdf.init_forms()
    deadline = time.monotonic() + _SHARE_OF_TIME * timeout_s
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
        elif time.monotonic() > deadline:
            held = limited("timeout_s", timeout_s)
        if held:
            reached = index
            break
        try:
            page, empty = _page(pdf, index, form)
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
    """`{"words": [[text, left, top, right, bottom]]}` of page `number` (from 1), or `{"reason"}`.

    The words that are seen, in the order in which the file draws them; boxes as those of lines.
    """
    try:
        pdf = pdfium.PdfDocument(file.file)
        try:
            form = pdf.get_formtype() != raw.FORMTYPE_NONE
            if form:
                pdf.init_forms()
            page = _open(pdf, number - 1, form)
            textpage = page.get_textpage()
            unseen = Unseen(page, lambda piece: _box(page.raw, piece))
            seen, _ = _pieces(textpage.raw, unseen, by_word=True)
            return {"words": [[piece.text, *_box(page.raw, piece).sides] for piece in seen]}
        finally:
            pdf.close()
    except (pdfium.PdfiumError, IndexError) as error:
        return {"reason": _reason(str(error))}


def _open(pdf: pdfium.PdfDocument, index: int, form: bool) -> pdfium.PdfPage:
    """The page; what was filled into a form's fields is drawn onto it, so that it is text."""
    page = pdf[index]
    if form and page.flatten() == raw.FLATTEN_SUCCESS:
        page.close()
        page = pdf[index]
    return page


def _page(pdf: pdfium.PdfDocument, index: int, form: bool) -> tuple[Page, bool]:
    """A page, and whether nothing is drawn on it (a blank sheet, not a scan)."""
    page = _open(pdf, index, form)
    try:
        width, _ = page.get_size()
        textpage = page.get_textpage()
        try:
            seen, hidden = _pieces(textpage.raw, Unseen(page, lambda piece: _box(page.raw, piece)))
        finally:
            textpage.close()
        rows = arrange(seen, width)
        parts: list[str] = []
        lines: list[Line] = []
        at = 0
        for row in rows:
            lines.append(Line(at, at + len(row.text), _box(page.raw, row)))
            parts += (row.text, row.end)
            at += len(row.text) + len(row.end)
        if hidden and parts:
            parts[-1], at = "\n\n", at + 2 - len(parts[-1])
        for row in arrange(hidden, width):  # at the end, so that no line that is seen holds them
            for text in as_hidden(row.text).split("\n"):
                lines.append(Line(at, at + len(text), _box(page.raw, row)))
                parts += (text, "\n")
                at += len(text) + 1
        label = pdf.get_page_label(index)
        empty = raw.FPDFPage_CountObjects(page.raw) == 0
        figures = boxes_of(page) if rows else ()
    finally:
        page.close()
    if not label or label == str(index + 1):
        label = None
    text = "".join(parts).rstrip("\n")
    return Page(text, index + 1, label, tuple(lines), figures), empty


def _pieces(
    textpage: raw.FPDF_TEXTPAGE, unseen: Unseen, *, by_word: bool = False
) -> tuple[list[Piece], list[Piece]]:
    """Runs of characters as pdfium draws them, cut at line ends and at wide gaps, or `by_word`.

    Those that are seen on the page, and those that are not.
    Boxes are in points, origin bottom left, as pdfium has them.
    """
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
    """The piece's box as parts of the page as it is shown: cropped and rotated."""
    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for px, py in ((piece.x0, piece.y1), (piece.x1, piece.y0)):
        raw.FPDF_PageToDevice(
            page, 0, 0, _SCALE, _SCALE, 0, px, py, ctypes.byref(x), ctypes.byref(y)
        )
        corners.append((_part(x.value), _part(y.value)))
    (ax, ay), (bx, by) = corners
    return Box(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))


def _part(value: int) -> float:
    return min(max(round(value / _SCALE, 4), 0.0), 1.0)


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
            out[name] = value.encode("utf-8", "replace").decode("utf-8")
    return out


def _reason(message: str) -> str:
    lowered = message.lower()
    if "password" in lowered:
        return "protected by a password"
    if "security" in lowered:
        return "encrypted in a way that cannot be read"
    return "broken PDF: it cannot be opened"
