r"""Plain text: the page's text is the file's own text, so its lines are the file's lines.

Calendars and contacts are written as people read them, line for line (`components.py`).
Encodings are tried in this order: a byte order mark; UTF-16 or UTF-32 without a mark, recognized by
the places of zero bytes; UTF-8; UTF-8 with damage; then what `chardet` finds most plausible among
the encodings that are in use (on 18 one-line texts in 12 languages it was right for 15,
`charset-normalizer` for 5). Only line ends (`\r\n`, `\r`) and stray control characters are changed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from manole.documents.components import readable
from manole.documents.formats import COMPONENTS
from manole.documents.model import Document, Page
from manole.documents.opened import OpenFile

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 20_000  # characters in which front matter and a first heading are looked for
_SAMPLE = 65_536  # bytes or characters that show an encoding
_IN_USE = (
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
    "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-9", "iso8859-15", "koi8-r", "koi8-u", "cp437",
    "cp850", "cp852", "cp866", "mac-roman", "shift_jis", "cp932", "euc-jp", "iso2022_jp_2",
    "gb18030", "big5", "euc-kr", "cp949", "tis-620", "hz",
)  # fmt: skip
_UNSURE = 0.12  # below, a text mostly of ASCII is taken for Western European
_WESTERN_SIGNS = frozenset("€£§°²³«»–—‘’“”„…©®½¼·•×\xa0")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_SIGNS = [chr(code) for code in range(128) if _CONTROL.match(chr(code))]
_FRONT_KEY = re.compile(r"""^["']?[^\W\d][\w .-]{0,40}["']?[ \t]*:(?:\s|$)""", re.MULTILINE)
_FRONT_FIELD = re.compile(r"^([A-Za-z_][\w -]{0,40}):[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


def read_text(file: OpenFile, format_: str, max_chars: int) -> Document:
    """Read a plain-text file as one page without a number.

    A file whose bytes are no text in any encoding gives a failed document with the reason.
    """
    data = file.file.read(4 * max_chars + 4)
    more = bool(file.file.read(1))
    text, encoding = decode(data)
    if text is None:
        return Document.failed(format_, f"binary content, though named {file.suffix}")
    cut_at = max_chars if more or len(text) > max_chars else None
    text = text[:max_chars]
    if format_ in COMPONENTS:
        text = readable(text)
    metadata = {"encoding": encoding} if encoding != "utf-8" else {}
    title = None
    if format_ in ("markdown", "text", "rst", "org"):
        metadata |= front_matter(text)
        title = metadata.get("title") or (_first_heading(text) if format_ == "markdown" else None)
    return Document.finished(format_, [Page(text)], metadata, title=title, cut_at=cut_at)


def decode(data: bytes) -> tuple[str | None, str]:
    r"""Return the text with `\n` line ends, and its encoding; `None` if the bytes are no text."""
    text, encoding = _decode(data)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    control = sum(text.count(sign) for sign in _CONTROL_SIGNS)
    # Half-written logs hold runs of zero bytes; an executable holds them everywhere.
    if control > 4 and control > len(text) // 50:
        return None, encoding
    return (_CONTROL.sub(" ", text) if control else text), encoding


def _decode(data: bytes) -> tuple[str, str]:
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data.decode(name, errors="replace"), name.removesuffix("-sig")
    wide = _wide_encoding(data[:_SAMPLE])
    if wide:
        return data.decode(wide, errors="replace"), wide
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.start >= len(data) - 3:  # cut inside the last character
            return data.decode("utf-8", errors="replace"), "utf-8"
    loose = data.decode("utf-8", errors="replace")
    damaged = loose.count("\ufffd")
    sound = sum(1 for char in loose[:_SAMPLE] if char > "\x7f" and char != "\ufffd")
    if sound >= damaged:
        return loose, "utf-8"
    encoding = _guess(_around_high_bytes(data))
    return data.decode(encoding, errors="replace"), encoding


def _guess(sample: bytes) -> str:
    import chardet  # takes a while to load, and few files need it

    found = chardet.detect(sample, include_encodings=_IN_USE, prefer_superset=True)
    name = found["encoding"] or "cp1252"
    high = sum(byte > 0x7F for byte in sample)
    if found["confidence"] < _UNSURE and high < len(sample) // 4:
        western = sample.decode("cp1252", errors="replace")
        if all(char.isalpha() or char in _WESTERN_SIGNS for char in western if char > "\x7f"):
            return "cp1252"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _wide_encoding(sample: bytes) -> str | None:
    """Recognize UTF-16 and UTF-32 without a mark by the places of zero bytes, and by decoding.

    Even text without Latin letters has spaces and line ends, whose upper byte is zero. The shares
    are set by hand; what decides is that nearly all of the decoded text is readable.
    """
    sample = sample[: len(sample) // 4 * 4]
    zeros = [sample[place::4].count(0) for place in range(4)]
    if sum(zeros) < max(2, len(sample) // 100):
        return None
    candidates = []
    if sum(zeros) > 0.6 * len(sample):
        candidates += ["utf-32-le", "utf-32-be"]
    little, big = zeros[1] + zeros[3], zeros[0] + zeros[2]
    if big <= 0.05 * little:
        candidates.append("utf-16-le")
    if little <= 0.05 * big:
        candidates.append("utf-16-be")
    for name in candidates:
        try:
            text = sample.decode(name)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:
                continue
            text = sample.decode(name, errors="ignore")
        readable = sum(char.isprintable() or char in "\t\n\r\f\ufeff" for char in text)
        if readable >= 0.98 * len(text):
            return name
    return None


def _around_high_bytes(data: bytes) -> bytes:
    """Return a sample around the first byte outside ASCII: only such bytes tell encodings apart."""
    first = re.search(rb"[\x80-\xff]", data)
    start = max(0, first.start() - 1000) if first else 0
    return data[start : start + _SAMPLE]


def front_matter(text: str) -> dict[str, str]:
    """Return the simple `key: value` fields of a YAML front matter, without nested values."""
    lines = text[:_HEAD].split("\n")
    fields = _FRONT_FIELD.findall("\n".join(lines[1 : max(1, front_matter_end(lines) - 1)]))
    return {key.strip().lower(): bare for key, value in fields if (bare := value.strip("'\" "))}


def front_matter_end(lines: Sequence[str]) -> int:
    """Return the number of lines of a file's YAML front matter with both its rulers, 0 without.

    Text between two rulers is none: a front matter is empty, or has a field.
    """
    if not lines or lines[0].rstrip() != "---":
        return 0
    end = next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)
    block = "\n".join(lines[1 : end - 1]) if end else ""
    return end if not block.strip() or _FRONT_KEY.search(block) else 0


def _first_heading(text: str) -> str | None:
    found = _HEADING.search(text[:_HEAD])
    return found[1][:200] if found else None
