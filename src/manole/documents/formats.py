"""Formats of tables and recordings, by their names in `Document.format`."""

from __future__ import annotations

# The extensions of text files with a delimiter, and the format of each.
DELIMITED_EXTENSIONS = {
    "csv": "csv", "psv": "csv", "tsv": "tsv", "tab": "tsv",
    "ofx": "ofx", "qfx": "ofx", "sta": "mt940", "mt940": "mt940", "940": "mt940",
}  # fmt: skip
# Statements of accounts, which are read as such a table; CAMT is known by its content.
STATEMENTS = frozenset({"camt", "mt940", "ofx"})
DELIMITED = STATEMENTS.union(DELIMITED_EXTENSIONS.values())

# Workbooks; format and extension are the same word.
SHEETS = frozenset({"xlsx", "xlsm", "xltx", "xlsb", "xls", "ods"})

# Calendars and contacts; and lists of objects: each record is a row.
COMPONENTS = frozenset({"ics", "vcf"})
RECORDS = COMPONENTS | {"json", "jsonl"}

# Sound and video whose speech is read, by extension, and what `Document.format` calls them.
_SPOKEN = {
    "audio": "wav mp3 m4a m4b aac ogg oga opus flac",
    "video": "mp4 m4v mov mkv webm",
}
SPOKEN_EXTENSIONS = {ext: kind for kind, exts in _SPOKEN.items() for ext in exts.split()}
SPOKEN = frozenset(_SPOKEN)

# Archives whose files are read, by the end of their names.
TARS = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

_LARGER = 16  # recordings and mailboxes may be so many times as large as others: they are streamed


def is_tar(name: str) -> bool:
    """Return whether a file is a tar, packed or not, by its name."""
    return name.lower().endswith(TARS)


def is_archive(name: str) -> bool:
    """Return whether a file is an archive whose files are read, by its name."""
    return name.lower().endswith((".zip", ".7z", *TARS))


def is_spoken(path: str) -> bool:
    """Return whether a file is a recording whose speech is read, by its name."""
    return "." in path and path.rpartition(".")[2].lower() in SPOKEN_EXTENSIONS


def most_bytes(path: str, most: int) -> int:
    """Return how large this file may be if other files may have `most` bytes."""
    return most * _LARGER if is_spoken(path) or path.lower().endswith(".mbox") else most


def clock(second: float) -> str:
    """Write a moment of a recording: 761 seconds are `12:41`, 3761 are `1:02:41`."""
    minutes, seconds = divmod(int(second), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def page_words(path: str, page: int) -> str:
    """Name a page for people: `page 2`, or for a recording the moment, `12:41`."""
    return clock(page - 1) if is_spoken(path) else f"page {page}"


def spot_words(path: str, page: int | None, line: int | None) -> str:
    """Name a page, a moment, or where there is neither a line: `line 14`; "" for the whole file."""
    if page is not None:
        return page_words(path, page)
    return f"line {line}" if line is not None else ""


def place_words(path: str, page: int | None, line: int | None) -> str:
    """Name a place for people: `a.pdf, page 2`, `talk.mp3, 12:41`, `notes.md, line 14`."""
    return ", ".join(filter(None, (path, spot_words(path, page, line))))
