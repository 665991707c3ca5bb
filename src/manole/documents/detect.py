"""The kind of a file: its first bytes decide, and its extension if they say nothing.

Magic numbers are those of the few formats Manole reads (RFC 2083 for PNG, ISO 32000 for PDF, and
so on); all others go by their extension, and a file without one is text if it looks like text.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import BinaryIO

from manole.documents.formats import DELIMITED_EXTENSIONS, SHEETS, SPOKEN_EXTENSIONS, is_tar

HEAD_BYTES = 8192  # that are looked at


class Family(StrEnum):
    """The reader that a file goes to."""

    TEXT = "text"
    PDF = "pdf"
    OFFICE = "office"
    HTML = "html"
    EMAIL = "email"
    MAILBOX = "mailbox"
    ARCHIVE = "archive"
    IMAGE = "image"
    SVG = "svg"
    SPOKEN = "spoken"
    OPENDOCUMENT = "opendocument"
    ENCRYPTED = "encrypted"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Kind:
    """A reader and the short format name that goes into `Document.format`."""

    family: Family
    format: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEXT = {
    "txt": "text", "text": "text", "log": "log", "nfo": "text", "out": "text", "me": "text",
    "md": "markdown", "markdown": "markdown", "mdx": "markdown", "mdown": "markdown",
    "rmd": "markdown", "qmd": "markdown", "rst": "rst", "org": "org", "adoc": "asciidoc",
    "asciidoc": "asciidoc", "tex": "latex", "latex": "latex", "bib": "bibtex", "sty": "latex",
    "json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "geojson": "json", "json5": "json",
    "jsonc": "json", "ipynb": "json", "xml": "xml", "xsd": "xml", "xsl": "xml", "opml": "xml",
    "gpx": "xml", "kml": "xml", "rss": "xml", "atom": "xml", "plist": "xml", "fodt": "xml",
    "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "cfg": "ini", "conf": "ini",
    "properties": "ini", "desktop": "ini", "service": "ini", "reg": "ini",
    "vtt": "vtt", "srt": "srt", "sub": "srt", "ass": "srt", "ics": "ics", "vcf": "vcf",
    "ledger": "text", "beancount": "text", "diff": "diff", "patch": "diff",
    **DELIMITED_EXTENSIONS,
}  # fmt: skip

_CODE = _words(
    "py pyi pyw js mjs cjs ts jsx tsx c h cc cpp cxx hh hpp hxx m mm java kt kts scala go rs rb "
    "php pl pm lua sql r jl swift dart cs fs fsx vb ex exs erl hrl hs ml mli clj cljs edn el lisp "
    "scm vim sh bash zsh fish ps1 psm1 bat cmd cmake mk gradle groovy proto graphql gql tf hcl css "
    "scss sass less vue svelte astro zig nim v sv vhd vhdl asm s f f90 f95 for pas d cr awk sed "
    "tcl nix dockerfile makefile"
)

_OFFICE = SHEETS | _words("docx docm dotx pptx pptm ppsx potx doc ppt epub rtf msg fb2 dbf")
_IMAGE = _words(
    "jpg jpeg jpe jfif png gif webp heic heif avif bmp dib tif tiff ico j2k jp2 jpx sgi tga psd "
    "pcx ppm pgm pbm raw cr2 nef arw dng icns"
)
_WEB = _words("html htm xhtml xht")
_MAIL = _words("eml mht mhtml")
_OPENDOCUMENT = _words("odt odp")
# The extensions of all files that are read, except code.
DOCUMENTS = (
    _OFFICE
    | _IMAGE
    | _WEB
    | _MAIL
    | _OPENDOCUMENT
    | {*_TEXT, *SPOKEN_EXTENSIONS, "pdf", "svg", "mbox"}
)
PICTURES = _IMAGE | {"jpeg2000"}  # the formats of pictures, as `Kind` names them
_PLAIN_NAMES = frozenset({"readme", "license", "licence", "copying", "changelog", "authors",
                          "notes", "todo", "makefile", "dockerfile", "gemfile"})  # fmt: skip

_NOT_READ = {
    "archive": "rar gz bz2 xz zst lz4 cab iso dmg jar war apk deb rpm whl egg",
    "audio": "wma aiff mid midi amr",
    "video": "avi wmv mpg mpeg flv 3gp ogv",
    "program": "exe dll so dylib o a lib bin com msi class pyc pyo wasm elf",
    "font": "ttf otf woff woff2 eot",
    "database": "db sqlite sqlite3 mdb accdb parquet feather arrow lance npy npz h5 hdf5",
}
NOT_READ = {ext: what for what, exts in _NOT_READ.items() for ext in exts.split()}
_KINDS = {  # by extension; a later line goes before an earlier one
    **{ext: Kind(Family.NONE, what) for ext, what in NOT_READ.items()},
    **{ext: Kind(Family.SPOKEN, what) for ext, what in SPOKEN_EXTENSIONS.items()},
    **{ext: Kind(Family.IMAGE, ext) for ext in _IMAGE},
    **{ext: Kind(Family.OFFICE, ext) for ext in _OFFICE},
    **{ext: Kind(Family.OPENDOCUMENT, ext) for ext in _OPENDOCUMENT},
    **{ext: Kind(Family.EMAIL, "email") for ext in _MAIL},
    **{ext: Kind(Family.HTML, "html") for ext in _WEB},
    **{ext: Kind(Family.TEXT, "code") for ext in _CODE},
    **{ext: Kind(Family.TEXT, format_) for ext, format_ in _TEXT.items()},
    "zip": Kind(Family.ARCHIVE, "archive"),
    "7z": Kind(Family.ARCHIVE, "archive"),
    "mbox": Kind(Family.MAILBOX, "mbox"),
    "pdf": Kind(Family.PDF, "pdf"),
    "svg": Kind(Family.SVG, "svg"),
}

_SEVENZIP = b"7z\xbc\xaf\x27\x1c"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAGIC = (  # of the formats that these bytes alone tell
    (b"\x89PNG\r\n\x1a\n", Family.IMAGE, "png"), (b"\xff\xd8\xff", Family.IMAGE, "jpeg"),
    (b"GIF87a", Family.IMAGE, "gif"), (b"GIF89a", Family.IMAGE, "gif"),
    (b"II*\x00", Family.IMAGE, "tiff"), (b"MM\x00*", Family.IMAGE, "tiff"),
    (b"II+\x00", Family.IMAGE, "tiff"), (b"MM\x00+", Family.IMAGE, "tiff"),
    (b"\xff\x4f\xff\x51", Family.IMAGE, "jpeg2000"),
    (b"\x00\x00\x00\x0cjP  ", Family.IMAGE, "jpeg2000"),
    (b"ID3", Family.SPOKEN, "audio"), (b"fLaC", Family.SPOKEN, "audio"),
    (b"OggS", Family.SPOKEN, "audio"), (b"\x1aE\xdf\xa3", Family.SPOKEN, "video"),
    (b"{\\rtf", Family.OFFICE, "rtf"),
    (b"\x1f\x8b", Family.NONE, "archive"), (_SEVENZIP, Family.NONE, "archive"),
    (b"Rar!\x1a\x07", Family.NONE, "archive"), (b"BZh", Family.NONE, "archive"),
    (b"\xfd7zXZ\x00", Family.NONE, "archive"), (b"\x28\xb5\x2f\xfd", Family.NONE, "archive"),
    (b"\x7fELF", Family.NONE, "program"), (b"MZ\x90\x00", Family.NONE, "program"),
    (b"\xfe\xed\xfa\xcf", Family.NONE, "program"), (b"\xcf\xfa\xed\xfe", Family.NONE, "program"),
    (b"SQLite format 3\x00", Family.NONE, "database"),
)  # fmt: skip
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")  # how a tar begins that is packed
# A mailbox, or a message of a Maildir, has a name that says nothing: its first lines are headers.
_MAILBOX = re.compile(rb"From \S+ [^\r\n]*\d{4}\r?\n(?=[\w-]+:)")
_MESSAGE = re.compile(
    rb"(?:Return-Path|Received|Delivered-To|From|To|Subject|Date|Message-ID|MIME-Version|X-[\w-]+)"
    rb": ",
    re.IGNORECASE,
)
_STATEMENTS = (
    (re.compile(rb"\A[^\w<]*<[\s\S]*?\bxsd:camt\.05[234]\b"), "camt"),
    (re.compile(rb"\A(?:\{[^\n]*)?\s*:20:[^\n]*\n(?:.*\n)?:25:"), "mt940"),
    (re.compile(rb"\A\s*(?:OFXHEADER:|<OFX>|<\?OFX |<\?xml[^>]*>\s*<\?OFX )"), "ofx"),
)  # fmt: skip
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif")


def extension(name: str) -> str:
    """Return the lower-case extension without its dot, or "" (`a.PDF` gives `pdf`)."""
    return PurePath(name).suffix[1:].lower()


def detect(name: str, file: BinaryIO) -> Kind:
    """Return the kind of the file called `name`, by the first bytes of `file`, then by its name.

    `file` must be seekable; its position afterwards is unspecified.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    ext = extension(name)
    return _by_magic(name, ext, head, file) or _statement(ext, head) or _by_name(name, ext, head)


def _by_magic(name: str, ext: str, head: bytes, file: BinaryIO) -> Kind | None:
    if (is_tar(name) and (head.startswith(_PACKED) or head[257:262] == b"ustar")) or (
        ext == "7z" and head.startswith(_SEVENZIP)
    ):
        return Kind(Family.ARCHIVE, "archive")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip(ext, file)
    # A PDF may begin late; but an archive may hold one as it is, so these come first.
    if b"%PDF-" in head[:1024] and ext not in _TEXT and ext not in _CODE:
        return Kind(Family.PDF, "pdf")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Kind(Family.IMAGE, "webp")
    if head[4:8] == b"ftyp":
        return Kind(Family.IMAGE, "heic") if head[8:12] in _HEIF_BRANDS else _spoken(ext, "video")
    if head.startswith(_OLE):
        return _ole(ext, file)
    for magic, family, format_ in _MAGIC:
        if head.startswith(magic):
            return _spoken(ext, format_) if family is Family.SPOKEN else Kind(family, format_)
    return None


def _statement(ext: str, head: bytes) -> Kind | None:
    """Tell statements of accounts, which banks give any of several names."""
    known = next((format_ for mark, format_ in _STATEMENTS if mark.search(head)), None)
    return Kind(Family.TEXT, known) if known and (ext in _TEXT or ext not in _KINDS) else None


def _by_name(name: str, ext: str, head: bytes) -> Kind:
    if ext in _KINDS:
        return _KINDS[ext]
    if name.lower() in {"makefile", "dockerfile"}:
        return Kind(Family.TEXT, "code")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return Kind(Family.HTML, "html")
    if _MAILBOX.match(head):
        return Kind(Family.MAILBOX, "mbox")
    if _MESSAGE.match(head) and b"\nMessage-I" in head:
        return Kind(Family.EMAIL, "email")
    if name.lower() in _PLAIN_NAMES or looks_like_text(head):
        return Kind(Family.TEXT, "text")
    return Kind(Family.NONE, "binary")


def looks_like_text(head: bytes) -> bool:
    """Return whether bytes are text in some encoding: with a BOM or few control characters."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    return b"\x00" not in head and control <= len(head) // 100


def _spoken(ext: str, what: str) -> Kind:
    """Return sound or video by the extension, else `what`, which the first bytes say."""
    if ext in NOT_READ:
        return Kind(Family.NONE, NOT_READ[ext])
    return Kind(Family.SPOKEN, SPOKEN_EXTENSIONS.get(ext, what))


def _ole(ext: str, file: BinaryIO) -> Kind:
    """Tell the contents of an OLE container: an old Office file, a mail, or encrypted OOXML."""
    if ext in ("doc", "dot", "xls", "xlt", "ppt", "pps", "msg"):
        return Kind(Family.OFFICE, {"dot": "doc", "xlt": "xls", "pps": "ppt"}.get(ext, ext))
    file.seek(0)
    blob = file.read(4_000_000)
    if "EncryptedPackage".encode("utf-16-le") in blob:
        return Kind(Family.ENCRYPTED, ext or "office")
    for stream, format_ in (("WordDocument", "doc"), ("Workbook", "xls"), ("PowerPoint", "ppt")):
        if stream.encode("utf-16-le") in blob:
            return Kind(Family.OFFICE, format_)
    return Kind(Family.NONE, "binary")


def _zip(ext: str, file: BinaryIO) -> Kind:
    """Tell the contents of a ZIP, the container of modern Office, by name or members."""
    if ext in _OPENDOCUMENT | _OFFICE | NOT_READ.keys() | {"zip"}:
        return _KINDS[ext]
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()[:200]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return Kind(Family.NONE, "archive")
    if "[Content_Types].xml" in names:
        for folder, format_ in (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx")):
            if any(name.startswith(folder) for name in names):
                return Kind(Family.OFFICE, format_)
    if "META-INF/container.xml" in names and "mimetype" in names:
        return Kind(Family.OFFICE, "epub")
    return Kind(Family.NONE, "archive")
