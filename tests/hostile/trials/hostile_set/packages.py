"""The smallest Office files and books that readers accept, with a body of one's own."""

from __future__ import annotations

from hostile_set.zips import Member, archive, plain

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "application/vnd.openxmlformats-officedocument"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'

# For each format the member that holds the words: its name, and what stands around them.
BODIES = {
    "docx": ("word/document.xml", f"<w:document {_W}><w:body><w:p><w:r><w:t>",
             "</w:t></w:r></w:p></w:body></w:document>"),
    "xlsx": ("xl/worksheets/sheet1.xml",
             f'<worksheet {_S}><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>',
             "</t></is></c></row></sheetData></worksheet>"),
    "odt": ("content.xml",
            f'<office:document-content xmlns:office="{_ODF}:office:1.0" '
            f'xmlns:text="{_ODF}:text:1.0" xmlns:table="{_ODF}:table:1.0">'
            "<office:body><office:text><text:p>",
            "</text:p></office:text></office:body></office:document-content>"),
    "epub": ("OEBPS/one.xhtml",
             '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>',
             "</p></body></html>"),
    "pptx": ("ppt/slides/slide1.xml",
             '<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
             'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree>'
             "<p:sp><p:txBody><a:p><a:r><a:t>",
             "</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"),
}  # fmt: skip


def _relations(*pairs: tuple[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{number}" Type="{_REL}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(pairs, 1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{DECLARED}<Relationships xmlns="{space}">{rows}</Relationships>'


def _types(part: str, what: str) -> str:
    space = "http://schemas.openxmlformats.org/package/2006/content-types"
    return (
        f'{DECLARED}<Types xmlns="{space}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{part}" ContentType="{_TYPES}.{what}+xml"/></Types>'
    )


def _around(format_: str) -> list[Member]:
    match format_:
        case "docx":
            return [
                plain("[Content_Types].xml",
                      _types("word/document.xml", "wordprocessingml.document.main")),
                plain("_rels/.rels", _relations(("officeDocument", "word/document.xml"))),
            ]  # fmt: skip
        case "xlsx":
            sheets = '<sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets>'
            return [
                plain("[Content_Types].xml", _types("xl/workbook.xml", "spreadsheetml.sheet.main")),
                plain("_rels/.rels", _relations(("officeDocument", "xl/workbook.xml"))),
                plain("xl/workbook.xml", f"{DECLARED}<workbook {_S} {_R}>{sheets}</workbook>"),
                plain("xl/_rels/workbook.xml.rels",
                      _relations(("worksheet", "worksheets/sheet1.xml"))),
            ]  # fmt: skip
        case "pptx":
            space = "http://schemas.openxmlformats.org/presentationml/2006/main"
            deck = '<p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
            return [
                plain("[Content_Types].xml",
                      _types("ppt/presentation.xml", "presentationml.presentation.main")),
                plain("_rels/.rels", _relations(("officeDocument", "ppt/presentation.xml"))),
                plain("ppt/presentation.xml",
                      f'{DECLARED}<p:presentation xmlns:p="{space}" {_R}>{deck}</p:presentation>'),
                plain("ppt/_rels/presentation.xml.rels",
                      _relations(("slide", "slides/slide1.xml"))),
            ]  # fmt: skip
        case "odt":
            return [plain("mimetype", "application/vnd.oasis.opendocument.text")]
        case _:
            opf = (
                '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
                '<manifest><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>'
                '</manifest><spine><itemref idref="a"/></spine></package>'
            )
            container = (
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
                '<rootfiles><rootfile full-path="OEBPS/book.opf" '
                'media-type="application/oebps-package+xml"/></rootfiles></container>'
            )
            return [
                plain("mimetype", "application/epub+zip"),
                plain("META-INF/container.xml", DECLARED + container),
                plain("OEBPS/book.opf", DECLARED + opf),
            ]


def package(format_: str, body: Member) -> bytes:
    """A file of this format whose words are in `body`."""
    return archive(*_around(format_), body)


def document(format_: str, inside: str, doctype: str = "") -> bytes:
    """A file of this format with `inside` where its words stand, `doctype` before its root."""
    name, head, tail = BODIES[format_]
    return package(format_, plain(name, DECLARED + doctype + head + inside + tail))
