"""Prepares a DOCX so that kreuzberg can read it without loss.

kreuzberg 4 drops every XML reference from DOCX text: "R&amp;D" becomes "RD" (fixed only in its
successor, see xberg-io/xberg issue 1242). So references are replaced by characters of Unicode's
private use area before, and restored after. Pictures are left out of the copy: they have no text
and are the largest part of many files. Headers and footers, which kreuzberg leaves out, are read
here, because a letterhead names the sender.
"""

from __future__ import annotations

import io
import re
import zipfile

from manole.documents.docx_unseen import without_unseen
from manole.documents.markup import ARCHIVE_ERRORS, MAX_MEMBER, BrokenArchiveError, member, packed

_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}
_PRIVATE = {char: chr(0xF8A0 + place) for place, char in enumerate(_NAMED.values())}
_BACK = str.maketrans({private: char for char, private in _PRIVATE.items()})
_REFERENCE = re.compile(rb"&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NO_TEXT = ("word/media/", "word/embeddings/", "word/fonts/", "docProps/thumbnail")
_BODY = "word/document.xml"
_MARGIN = re.compile(r"word/(header|footer)\d*\.xml$")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MAX_TOTAL = 3 * MAX_MEMBER


def protect(data: bytes) -> tuple[bytes, str]:
    """Return the DOCX with private characters for references, and its invisible text.

    That text is taken out of the DOCX. Raises `BrokenArchiveError` for a file that is no archive
    or unpacks to more than it should.
    """
    out = io.BytesIO()
    hidden: list[str] = []
    with packed(data, "docx") as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
        members = [item for item in old.infolist() if not item.filename.startswith(_NO_TEXT)]
        sizes = [item.file_size for item in members]
        if sum(sizes) > _MAX_TOTAL or max(sizes, default=0) > MAX_MEMBER:
            raise BrokenArchiveError("refused: unpacks to far more than a docx should")
        for item in members:
            name = item.filename
            try:
                content = old.read(item)
            except ARCHIVE_ERRORS:
                if name == _BODY:
                    raise
                continue  # a damaged theme or font table loses no words
            if name.startswith("word/") and name.endswith(".xml"):
                content, words = without_unseen(content, margin=bool(_MARGIN.match(name)))
                hidden += [words] * bool(words)
                content = _REFERENCE.sub(_private, content)
            new.writestr(name, content)
    return out.getvalue(), "\n".join(hidden)


def restore(text: str) -> str:
    """Return `text` with the characters that `protect` replaced."""
    return text.translate(_BACK)


def margins(data: bytes) -> tuple[str, str]:
    """Return the text of a DOCX's page headers and of its page footers, each paragraph once.

    `data` comes from `protect`.
    """
    found: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    with packed(data, "docx") as archive:
        for place in filter(None, map(_MARGIN.match, sorted(archive.namelist()))):
            for paragraph in member(archive, place.string).iter(_W + "p"):
                text = "".join(item.text or "" for item in paragraph.iter(_W + "t")).strip()
                if text:
                    found[place[1]][text] = None
    return "\n".join(found["header"]), "\n".join(found["footer"])


def _private(match: re.Match[bytes]) -> bytes:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _PRIVATE[_NAMED[name]].encode()
    code = int(decimal) if decimal else int(hexadecimal, 16)
    if code < 0x20 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return b" "
    char = chr(code)
    return _PRIVATE.get(char, char).encode()
