"""Office files, books and HTML as Markdown, read through kreuzberg.

This module makes up for what kreuzberg lacks: its page contents are empty for slides and sheets, so
it is told to put a random marker between pages, and the Markdown is cut there; sheets are separated
at their headings; the backslashes of Markdown escapes are removed, because they disturb searching
and quoting.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from html import unescape
from typing import Any

from kreuzberg import (
    ContentFilterConfig,
    ExtractionConfig,
    KreuzbergError,
    PageConfig,
    extract_bytes_sync,
)

from manole.documents.archive import BrokenArchiveError, check
from manole.documents.docx import margins, protect, restore
from manole.documents.formats import SHEETS
from manole.documents.html import (
    book_without_unseen,
    head_fields,
    visible_words,
    without_unseen,
)
from manole.documents.markup import finished, read_slides
from manole.documents.model import Document, Page, Status, with_hidden
from manole.documents.opened import OpenFile

MIME = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "docm": "application/vnd.ms-word.document.macroEnabled.12",
    "dotx": "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    "xltx": "application/vnd.openxmlformats-officedocument.spreadsheetml.template",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    "ppsx": "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
    "potx": "application/vnd.openxmlformats-officedocument.presentationml.template",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "epub": "application/epub+zip",
    "rtf": "application/rtf",
    "msg": "application/vnd.ms-outlook",
    "fb2": "application/x-fictionbook+xml",
    "dbf": "application/x-dbf",
    "html": "text/html",
}
_WORD = frozenset({"docx", "docm", "dotx"})
_SLIDES = frozenset({"pptx", "pptm", "ppsx", "potx"})
_PACKED = frozenset(MIME) - _WORD - {"xls", "doc", "ppt", "rtf", "msg", "fb2", "dbf", "html"}
_LEGACY = {"doc": "old Word format: tables and headings are lost",
           "ppt": "old PowerPoint format: slides are not told apart"}  # fmt: skip

_ESCAPE = re.compile(r"\\+([!#<>*_\[\]()\-.+`~{}$&@%^=:/\"'])")
_CODE_BLOCK = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_EMPTY_IMAGE = re.compile(r"!\[\]\([^)\n]*\)")
_BLANK_ROW = re.compile(r"^\|(?:\s*\|)+[ \t]*\n", re.MULTILINE)
_LONG_LINK = re.compile(r"!?\[([^\]\n]*)\]\(\S{100,}?\)")  # tracking links drown the words
_MIDNIGHT = re.compile(r"(?<=\| )(\d{4}-\d\d-\d\d) 00:00:00(?= \|)")  # a day, not a moment
_RULE = re.compile(r"\A-{3,}\n+")


def read_office(data: bytes, format_: str, max_chars: int) -> Document:
    """Return the document in `data`: a page for each slide or sheet, else one unnumbered page.

    A file that kreuzberg refuses gives a failed document with the reason.
    """
    marker = secrets.token_hex(12)
    head = foot = hidden = ""
    try:
        if format_ in _WORD:
            data, hidden = protect(data)
            head, foot = margins(data)
        elif format_ in _PACKED and data.startswith(b"PK"):
            check(data, format_)
            if format_ == "epub":
                data, hidden = book_without_unseen(data)
        result = extract_bytes_sync(data, MIME[format_], _config(marker))
    except BrokenArchiveError as error:
        return Document.failed(format_, str(error))
    except KreuzbergError as error:
        return Document.failed(format_, _reason(error, format_))
    metadata: dict[str, Any] = dict(result.metadata)
    content = result.content
    if format_ in _WORD:
        content = restore("\n\n".join(part for part in (head, content, foot) if part))
    return Document.finished(
        format_,
        _marked(_pages(content[:max_chars], format_, marker, metadata), hidden),
        _metadata(metadata),
        title=_title(metadata),
        cut_at=max_chars if len(content) > max_chars else None,
        reason=_LEGACY.get(format_),
    )


def read_html(text: str, max_chars: int) -> Document:
    """Read decoded HTML. Comments, scripts, styles and hidden elements are not in the text."""
    text, hidden = without_unseen(text)
    body, fields = head_fields(text)
    document = read_office(body.encode("utf-8"), "html", max_chars)
    # kreuzberg returns nothing if elements nest too deeply
    if not document.pages and (words := visible_words(body)):
        document = finished("html", [Page(words)], {}, max_chars)
    if hidden:
        pages = _marked(document.pages, hidden)
        document = document if document.pages else finished("html", list(pages), {}, max_chars)
        document = replace(document, pages=pages)
    return replace(document, title=fields.get("title"), metadata=document.metadata | fields)


def read_office_file(file: OpenFile, format_: str, max_chars: int) -> Document:
    """Read a file as `read_office` does, slides with the speaker's notes."""
    document = read_office(file.read(), format_, max_chars)
    if format_ not in _SLIDES:
        return document
    try:
        slides = read_slides(file)
    except BrokenArchiveError:
        return document
    if document.status is Status.FAILED:
        pages = [Page(_with_notes(*slide), number) for number, slide in enumerate(slides, 1)]
        return finished(format_, pages, document.metadata, max_chars)
    if len(slides) != len(document.pages):
        return document
    noted = [
        replace(page, text=_with_notes(page.text, notes))
        for page, (_, notes) in zip(document.pages, slides, strict=True)
    ]
    return replace(document, pages=tuple(noted))


def _marked(pages: tuple[Page, ...], hidden: str) -> tuple[Page, ...]:
    """Return the pages with their invisible text as marked lines at the end of the last."""
    if not hidden:
        return pages
    *before, last = pages or (Page(""),)
    return (*before, replace(last, text=with_hidden(last.text, hidden)))


def _with_notes(text: str, notes: str) -> str:
    return f"{text}\n\nNotes: {notes}" if notes else text


def _config(marker: str) -> ExtractionConfig:
    return ExtractionConfig(
        use_cache=False,
        enable_quality_processing=False,
        output_format="markdown",
        pages=PageConfig(
            extract_pages=True,
            insert_page_markers=True,
            marker_format=f"\n{marker}{{page_num}}\n",
        ),
        # A letterhead or a footer with the account number is content here.
        content_filter=ContentFilterConfig(
            include_headers=True, include_footers=True, strip_repeating_text=False
        ),
    )


def _pages(content: str, format_: str, marker: str, metadata: dict[str, Any]) -> tuple[Page, ...]:
    if format_ in _SLIDES:
        parts = re.split(rf"^{marker}(\d+)\n", content, flags=re.MULTILINE)
        numbered = zip(parts[1::2], parts[2::2], strict=True)
        return tuple(Page(_clean(text), number=int(number)) for number, text in numbered) or (
            Page(_clean(content)),
        )
    content = re.sub(rf"^{marker}\d+\n+", "", content, flags=re.MULTILINE)
    if format_ in SHEETS:
        return _sheets(content, [str(name) for name in metadata.get("sheet_names") or ()])
    return (Page(_clean(content)),)


def _sheets(content: str, names: list[str]) -> tuple[Page, ...]:
    """Cut at `## name`, in the workbook's order, so that a cell with `## x` cuts nothing."""
    found: list[tuple[int, str, int, int]] = []  # a sheet's number and name, heading and body
    at = 0
    for number, name in enumerate(names, 1):
        heading = f"## {name}\n"
        start = at if content.startswith(heading, at) else content.find("\n" + heading, at) + 1
        if content.startswith(heading, start):
            at = start + len(heading)
            found.append((number, name, start, at))
    pages: list[Page] = []
    ends = [start for _, _, start, _ in found[1:]] + [len(content)]
    for (number, name, _, body), end in zip(found, ends, strict=False):
        text = _MIDNIGHT.sub(r"\1", _BLANK_ROW.sub("", _clean(content[body:end])))
        if text.strip():
            pages.append(Page(text, number=number, label=name))
    return tuple(pages) or (Page(_clean(content)),)


def _clean(text: str) -> str:
    text = _RULE.sub("", text)
    text = _EMPTY_IMAGE.sub("", text)
    text = _LONG_LINK.sub(r"\1", text)
    if "&" in text:
        text = unescape(text)
    parts = _CODE_BLOCK.split(text)
    parts[::2] = [_ESCAPE.sub(r"\1", part) for part in parts[::2]]
    text = "".join(parts)
    text = text.replace("\ufeff", "").replace("\u00ad", "").replace("\x00", " ")
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def _title(metadata: dict[str, Any]) -> str | None:
    title = metadata.get("title") or metadata.get("subject")
    return unescape(str(title)).strip()[:300] or None if title else None


def _metadata(metadata: dict[str, Any]) -> dict[str, str]:
    known = {
        "author": ", ".join(str(name) for name in metadata.get("authors") or ()),
        "created": metadata.get("created_at"),
        "modified": metadata.get("modified_at"),
        "subject": metadata.get("subject"),
        "language": metadata.get("language"),
        "from": metadata.get("from_email"),
        "to": ", ".join(str(name) for name in metadata.get("to_emails") or ()),
        "attachments": ", ".join(str(name) for name in metadata.get("attachments") or ()),
    }
    # The template of python-docx puts this date into every file that it writes.
    if str(known["created"]).startswith("2013-12-23T23:15:00"):
        known["created"] = None
    return {key: str(value)[:1000] for key, value in known.items() if value}


def _reason(error: Exception, format_: str) -> str:
    text = str(error)
    lowered = text.lower()
    if "password" in lowered or "encrypt" in lowered:
        return "protected by a password"
    if any(word in lowered for word in ("bomb", "security", "limit", "too large", "too deep")):
        return f"refused: unpacks to far more than a {format_} should"
    first = text.split("\n", 1)[0]
    first = re.sub(r"^(?:\w*Error: ?)+", "", first)[:160].strip()
    return f"broken {format_} file" + (f" ({first})" if first else "")
