"""Removes invisible text from a Word document: hidden, white on white, of no size."""

from __future__ import annotations

from xml.parsers import expat

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_OFF = ("0", "false", "off")
_LEAST = 4  # half-points: smaller letters cannot be read
_PALE = 0xF0  # of 255 in each channel: looks white


def without_unseen(content: bytes, *, margin: bool = False) -> tuple[bytes, str]:
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
        tag = name.removeprefix(_W)
        value = attributes.get(_W + "val", "")
        inside = self._path[-1] if self._path else ""
        self._path.append(tag)
        if tag == "r":
            self._runs.append({})
        elif inside == "rPr" and self._path[-3:-2] == ["r"] and self._runs:
            self._runs[-1][tag] = attributes.get(_W + "fill", "") if tag == "shd" else value
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
            self._shaded or "highlight" in run or _is_dark("shd", {_W + "fill": run.get("shd", "")})
        )
        return self._white and not shaded and _is_pale(run.get("color", ""))


def _is_dark(tag: str, attributes: dict[str, str]) -> bool:
    """Return whether an element has, or may have, a background that is not white."""
    fill = attributes.get(_W + "fill", "")
    return tag == "tblStyle" or (fill not in ("", "auto") and not _is_pale(fill))


def _is_pale(colour: str) -> bool:
    try:
        return len(colour) == 6 and min(bytes.fromhex(colour)) >= _PALE
    except ValueError:
        return False
