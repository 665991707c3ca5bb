"""The preparation of a DOCX, so that kreuzberg reads it without loss.

kreuzberg 4 drops every XML reference from DOCX text: "R&amp;D" becomes "RD" (fixed only in its
successor, see xberg-io/xberg issue 1242). So references are replaced by characters of Unicode's
private use area before, and restored after. Pictures are left out of the copy: they have no text
and are the largest part of many files. Headers and footers, which kreuzberg leaves out, are read
here, because a letterhead names the sender. Invisible words are taken out: hidden, white on white,
of no size.
"""

from __future__ import annotations

import io
import re
import zipfile
from xml.parsers import expat

from manole.documents.archive import (
    ARCHIVE_ERRORS,
    MAX_MEMBER,
    MAX_TOTAL,
    BrokenArchiveError,
    member,
    packed,
)

_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}
_PRIVATE = {char: chr(0xF8A0 + place) for place, char in enumerate(_NAMED.values())}
_BACK = str.maketrans({private: char for char, private in _PRIVATE.items()})
_REFERENCE = re.compile(rb"&(?:#([0-9]{1,7})|#x([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NO_TEXT = ("word/media/", "word/embeddings/", "word/fonts/", "docProps/thumbnail")
_BODY = "word/document.xml"
_MARGIN = re.compile(r"word/(header|footer)\d*\.xml$")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_OFF = ("0", "false", "off")
_LEAST = 4  # half-points: smaller letters cannot be read
_PALE = 0xF0  # of 255 in each channel: looks white


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
        if sum(sizes) > MAX_TOTAL or max(sizes, default=0) > MAX_MEMBER:
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
                content, words = _without_unseen(content, margin=bool(_MARGIN.match(name)))
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


def _without_unseen(content: bytes, *, margin: bool = False) -> tuple[bytes, str]:
    """Return a part of a DOCX without its invisible words, and those words.

    White words count where the paper is white: not on shaded text, in tables with a style or in
    drawn boxes, whose background is unknown here, nor in a `margin`: headers and footers may lie on
    pictures. A part that cannot be parsed is returned as it is.
    """
    if not any(mark in content for mark in (b"vanish", b":sz ", b":color ")):
        return content, ""
    reader = _Runs(white=not margin)
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError:
        return content, ""
    kept, at = [], 0
    for start, end in reader.spans:
        kept.append(content[at:start])
        at = content.index(b">", end) + 1
    return b"".join([*kept, content[at:]]), "".join(reader.words).strip()


class _Runs:
    """Finds the texts of invisible runs, as places in the bytes of the part."""

    def __init__(self, *, white: bool) -> None:
        self.spans: list[tuple[int, int]] = []
        self.words: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self._white = white
        self._path: list[str] = []
        self._runs: list[dict[str, str]] = []  # the properties of the runs that are open
        self._shaded: list[int] = []  # depth of the elements whose background is not the paper
        self._begun: int | None = None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.removeprefix(_NS)
        value = attributes.get(_NS + "val", "")
        inside = self._path[-1] if self._path else ""
        self._path.append(tag)
        if tag == "r":
            self._runs.append({})
        elif inside == "rPr" and self._path[-3:-2] == ["r"] and self._runs:
            self._runs[-1][tag] = attributes.get(_NS + "fill", "") if tag == "shd" else value
        elif tag in ("shd", "tblStyle") and inside.endswith("Pr") and _is_dark(tag, attributes):
            self._shaded.append(len(self._path) - 2)
        elif tag == "txbxContent":
            self._shaded.append(len(self._path))
        elif tag == "background":
            self._white = False
        elif tag == "t" and self._runs and self._is_unseen(self._runs[-1]):
            self._begun = self.parser.CurrentByteIndex

    def _end(self, name: str) -> None:
        tag = self._path.pop()
        if self._begun is not None and tag == "t":
            self.spans.append((self._begun, self.parser.CurrentByteIndex))
            self._begun = None
        elif tag == "r":
            self._runs.pop()
        elif tag == "p" and self.words and self.words[-1] != "\n":
            self.words.append("\n")
        while self._shaded and self._shaded[-1] > len(self._path):
            self._shaded.pop()

    def _data(self, text: str) -> None:
        if self._begun is not None:
            self.words.append(text)

    def _is_unseen(self, run: dict[str, str]) -> bool:
        if "vanish" in run and run["vanish"] not in _OFF:
            return True
        if run.get("sz", "").isdecimal() and int(run["sz"]) < _LEAST:
            return True
        shaded = (
            self._shaded
            or "highlight" in run
            or _is_dark("shd", {_NS + "fill": run.get("shd", "")})
        )
        return self._white and not shaded and _is_pale(run.get("color", ""))


def _is_dark(tag: str, attributes: dict[str, str]) -> bool:
    """Return whether an element has, or may have, a background that is not white."""
    fill = attributes.get(_NS + "fill", "")
    return tag == "tblStyle" or (fill not in ("", "auto") and not _is_pale(fill))


def _is_pale(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= _PALE
    except ValueError:
        return False
