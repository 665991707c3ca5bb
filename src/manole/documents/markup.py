"""Packed XML that kreuzberg reads with losses: OpenDocument text and slides, and PPTX.

kreuzberg drops formatted spans of OpenDocument text, does not read OpenDocument slides, leaves out
the speaker's notes of PPTX and refuses PPTX files with a missing picture. These readers take the
words in document order and write Markdown: headings, list items, tables.
"""

from __future__ import annotations

import posixpath
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator
from itertools import zip_longest

from manole.documents.archive import BrokenArchiveError, member, packed
from manole.documents.model import Document, Page
from manole.documents.opened import OpenFile

Element = ElementTree.Element

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_REL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_NOT_TEXT = frozenset({_TEXT + "tracked-changes", _OFFICE + "annotation", _TEXT + "note-citation"})
_TITLES = ("title", "ctrTitle")
_NOT_SHOWN = ("sldNum", "dt", "hdr", "ftr", "sldImg")


def read_opendocument(file: OpenFile, format_: str, max_chars: int) -> Document:
    """Read an `odt` as one page, an `odp` as one page per slide."""
    try:
        with packed(file.read(), format_) as archive:
            body = member(archive, "content.xml").find(f"{_OFFICE}body")
            metadata = _odf_metadata(archive)
    except BrokenArchiveError as error:
        return Document.failed(format_, str(error))
    pages: list[Page] = []
    if body is not None:
        pages = [
            Page("\n\n".join(_odf_blocks(slide)), number, slide.get(_DRAW + "name"))
            for number, slide in enumerate(body.iter(_DRAW + "page"), 1)
        ] or [Page("\n\n".join(_odf_blocks(body)))]
    return finished(format_, pages, metadata, max_chars)


def finished(format_: str, pages: list[Page], metadata: dict[str, str], max_chars: int) -> Document:
    """Return a document of `pages`, cut to `max_chars` characters."""
    kept: list[Page] = []
    left = max_chars
    for page in pages:
        if left <= 0:
            break
        kept.append(Page(page.text[:left], page.number, page.label))
        left -= len(page.text)
    cut_at = max_chars if left < 0 or len(kept) < len(pages) else None
    return Document.finished(format_, kept, metadata, title=metadata.get("title"), cut_at=cut_at)


def read_slides(file: OpenFile) -> list[tuple[str, str]]:
    """Return text and speaker's notes of each slide of a PPTX, in the order of the show.

    Raises `BrokenArchiveError`.
    """
    with packed(file.read(), "pptx") as archive:
        deck = "ppt/presentation.xml"
        targets = _relations(archive, deck)
        order = [
            targets.get(item.get(_R + "id", ""))
            for item in member(archive, deck).iter(_P + "sldId")
        ]
        return [_slide(archive, name) for name in order if name]


def _odf_metadata(archive: zipfile.ZipFile) -> dict[str, str]:
    try:
        root = member(archive, "meta.xml")
    except BrokenArchiveError:
        return {}
    fields = {"title": _DC + "title", "author": _DC + "creator", "subject": _DC + "subject",
              "created": _META + "creation-date", "modified": _DC + "date"}  # fmt: skip
    found = {name: (root.findtext(f".//{tag}") or "").strip()[:300] for name, tag in fields.items()}
    return {name: value for name, value in found.items() if value}


def _odf_blocks(parent: Element) -> Iterator[str]:
    """Yield headings, paragraphs, lists and tables below `parent` as Markdown blocks."""
    for child in parent:
        tag, lead, block = child.tag, "", ""
        if tag in _NOT_TEXT:
            continue
        if tag == _TEXT + "h":
            lead = "#" * min(int(child.get(_TEXT + "outline-level") or 1), 6) + " "
            block = _odf_text(child)
        elif tag == _TEXT + "p":
            block = _odf_text(child)
        elif tag == _TEXT + "list":
            block = "\n".join(_odf_items(child, 0))
        elif tag == _TABLE + "table":
            block = _markdown_table([_odf_row(row) for row in child.iter(_TABLE + "table-row")])
        elif tag == _PRESENTATION + "notes":
            lead, block = "Notes: ", "\n".join(_odf_blocks(child))
        else:
            yield from _odf_blocks(child)
        if block:
            yield lead + block


def _odf_items(parent: Element, depth: int) -> Iterator[str]:
    for item in parent:
        for child in item:
            if child.tag == _TEXT + "list":
                yield from _odf_items(child, depth + 1)
            elif text := _odf_text(child):
                yield "  " * depth + "- " + text


def _odf_row(row: Element) -> list[str]:
    cells = []
    for cell in row:
        if cell.tag == _TABLE + "table-cell":
            repeated = int(cell.get(_TABLE + "number-columns-repeated") or 1)
            text = " ".join(" ".join(_odf_blocks(cell)).split())
            cells += [text] * (min(repeated, 64) if text else 1)
    return cells


def _odf_text(element: Element) -> str:
    """Return a paragraph's text with all its spans; tabs, line ends and blanks are elements."""
    parts: list[str] = []

    def walk(node: Element) -> None:
        if node.tag not in _NOT_TEXT:
            if node.tag in (_TEXT + "tab", _TEXT + "s"):
                parts.append(" ")
            elif node.tag == _TEXT + "line-break":
                parts.append("\n")
            parts.append(node.text or "")
            for child in node:
                walk(child)
                parts.append(child.tail or "")

    walk(element)
    return "".join(parts).strip()


def _markdown_table(rows: list[list[str]]) -> str:
    """Return rows of cells as a Markdown table under the first one; "" if all are empty."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows if any(row)]
    if not rows:
        return ""
    columns = zip_longest(*rows, fillvalue="")
    lines = [f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)]
    lines.insert(1, "|" + " --- |" * max(map(len, rows)))
    return "\n".join(lines)


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, str]:
    folder, name = posixpath.split(part)
    try:
        root = member(archive, f"{folder}/_rels/{name}.rels")
    except BrokenArchiveError:
        return {}
    return {
        item.get("Id", ""): posixpath.normpath(posixpath.join(folder, item.get("Target", "")))
        for item in root.iter(_REL)
        if item.get("TargetMode") != "External"
    }


def _slide(archive: zipfile.ZipFile, name: str) -> tuple[str, str]:
    text = "\n\n".join(_shapes(member(archive, name)))
    notes = ""
    for target in _relations(archive, name).values():
        if "/notesSlides/" in target:
            try:
                notes = "\n".join(_shapes(member(archive, target)))
            except BrokenArchiveError:
                continue
    return text, notes


def _shapes(root: Element) -> Iterator[str]:
    for shape in root.iter():
        if shape.tag == _P + "sp":
            place = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
            kind = place.get("type", "") if place is not None else ""
            body = shape.find(_P + "txBody")
            if body is None or kind in _NOT_SHOWN:
                continue
            text = "\n".join(filter(None, (_run(item) for item in body.iter(_A + "p"))))
            if text:
                yield ("## " + " ".join(text.split())) if kind in _TITLES else text
        elif shape.tag == _A + "tbl":
            rows = [
                [" ".join(filter(None, (_run(p) for p in cell.iter(_A + "p"))))
                 for cell in row.iter(_A + "tc")]
                for row in shape.iter(_A + "tr")
            ]  # fmt: skip
            if table := _markdown_table(rows):
                yield table


def _run(paragraph: Element) -> str:
    parts = ("\n" if item.tag == _A + "br" else item.text or "" for item in paragraph.iter()
             if item.tag in (_A + "t", _A + "br"))  # fmt: skip
    return "".join(parts).strip()
