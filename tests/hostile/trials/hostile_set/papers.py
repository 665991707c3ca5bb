"""PDF files: very long, cyclic, full of actions, with streams and pictures that unpack to more."""

from __future__ import annotations

import zlib

from hostile_set import Making, hostile
from hostile_set.zips import bomb

_ANY = "indexed partial skipped failed"


def pdf(objects: list[bytes], root: int = 1, trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1, with its table of places."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root %d 0 R %s>>\n" % (len(objects) + 1, root, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def _stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(data), extra, data)


_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def one_page(words: bytes, catalog: bytes = b"", page: bytes = b"") -> bytes:
    """A PDF of one page that says `words`, with more in its catalog and its page."""
    text = b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % words
    return pdf([
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalog,
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> %s >>" % page,
        _stream(text),
        _FONT,
    ])  # fmt: skip


@hostile("PDF of blank pages", "indexed partial skipped")
def _blanks(making: Making) -> None:
    count = making.scale.pages
    kids = b" ".join(b"%d 0 R" % (n + 3) for n in range(count))
    pages = [b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"] * count
    tree = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count)
    making.write("blanks.pdf", pdf([b"<< /Type /Catalog /Pages 2 0 R >>", tree, *pages]))
    making.write(
        "lying count.pdf",
        one_page(b"words").replace(b"/Count 1 ", b"/Count 2000000000 "),
    )


@hostile("PDF with scripts, launch actions and embedded files", "indexed")
def _actions(making: Making) -> None:
    launch = b"/OpenAction << /S /Launch /F (/bin/sh) /P (-c \\(touch owned\\)) >>"
    script = b"/OpenAction << /S /JavaScript /JS (app.launchURL\\(\\'http://127.0.0.1:9\\'\\)) >>"
    making.write("launch.pdf", one_page(b"launch words", launch))
    making.write("script.pdf", one_page(b"script words", script))
    uri = b"/AA << /O << /S /URI /URI (http://127.0.0.1:9/) >> >>"
    making.write("uri.pdf", one_page(b"page words", page=uri))
    held = b"<< /F (a.exe) /EF << /F 4 0 R >> >>"
    names = b"/Names << /EmbeddedFiles << /Names [(a.exe) %s] >> >>" % held
    making.write("embedded.pdf", one_page(b"embedded words", names))
    form = b"/AcroForm << /Fields [] /XFA (<xdp>x</xdp>) /NeedAppearances true >>"
    making.write("submit.pdf", one_page(b"form words", form))


@hostile("PDF whose page tree is a ring, or a thousand levels deep", _ANY)
def _trees(making: Making) -> None:
    making.write("ring.pdf", pdf([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 1 >>",
    ]))  # fmt: skip
    deep = [b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (n + 3) for n in range(5000)]
    making.write("deep.pdf", pdf([b"<< /Type /Catalog /Pages 2 0 R >>", *deep,
                                  b"<< /Type /Page /MediaBox [0 0 9 9] >>"]))  # fmt: skip
    making.write("brackets.pdf", pdf([b"[" * 500_000, b"<<" * 500_000]))
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>"
    making.write("forms.pdf", pdf([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /XObject << /X 5 0 R >> >> >>",
        _stream(b"/X Do /X Do"),
        _stream(b"/X Do /X Do", form),
    ]))  # fmt: skip


def _deflated(megabytes: int, letter: str) -> bytes:
    """A zlib stream of so many megabytes, without a right checksum, as damaged files have."""
    return b"\x78\xda" + bomb("", "", letter, "", megabytes, lying=True).packed + b"\0\0\0\0"


@hostile("PDF whose streams unpack to gigabytes", _ANY)
def _streams(making: Making) -> None:
    size = making.scale.bomb_mb
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>"
    )
    head = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    content = _stream(_deflated(size, " "), b"/Filter /FlateDecode ")
    making.write("content.pdf", pdf([*head, page, content, _FONT, b"<< >>"]))
    twice = zlib.compress(_deflated(size, " "))
    nested = _stream(twice, b"/Filter [/FlateDecode /FlateDecode] ")
    making.write("twice.pdf", pdf([*head, page, nested, _FONT, b"<< >>"]))
    side = 40_000
    picture = _stream(
        _deflated(side * side // 8 >> 20, "a"),
        b"/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 1 "
        b"/ColorSpace /DeviceGray /Filter /FlateDecode " % (side, side),
    )
    draw = _stream(b"612 0 0 792 0 0 cm /X Do")
    making.write("picture.pdf", pdf([*head, page, draw, _FONT, picture]))
    wide = page.replace(b"[0 0 612 792]", b"[0 0 1e9 1e9]")
    making.write("wide.pdf", pdf([*head, wide, draw, _FONT, picture]))
    words = b"BT /F1 12 Tf " + b"(a) Tj 1 0 0 1 0 0 Tm " * 300_000 + b"ET"
    making.write("words.pdf", pdf([*head, page, _stream(words), _FONT, b"<< >>"]))


@hostile("truncated and bit-flipped PDF", _ANY)
def _broken(making: Making) -> None:
    whole = one_page(b"words that may be lost")
    for percent in (10, 50, 90, 99):
        making.write(f"cut{percent}.pdf", whole[: len(whole) * percent // 100])
    for number in range(20):
        data = bytearray(whole)
        for _ in range(8):
            data[making.chance.randrange(len(data))] = making.chance.randrange(256)
        making.write(f"flipped{number}.pdf", bytes(data))
