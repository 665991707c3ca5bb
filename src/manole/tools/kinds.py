"""Kinds of files as people name them: "spreadsheets", "photos", "word documents"."""

from __future__ import annotations

import re

KINDS: dict[str, tuple[str, ...]] = {
    "images": (".jpg", ".jpeg", ".png", ".gif", ".webp", ".heic", ".bmp", ".tif", ".tiff", ".svg"),
    "spreadsheets": (".xlsx", ".xls", ".xlsm", ".ods", ".csv", ".tsv"),
    "presentations": (".pptx", ".ppt", ".odp", ".key"),
    "word documents": (".docx", ".doc", ".odt", ".rtf"),
    "e-mails": (".eml", ".msg", ".mbox"),
    "web pages": (".html", ".htm", ".xhtml"),
    "text files": (".txt", ".text", ".log"),
    "markdown files": (".md", ".markdown"),
    "videos": (".mp4", ".mov", ".mkv", ".avi", ".webm"),
    "audio files": (".mp3", ".wav", ".flac", ".m4a", ".ogg"),
    "archives": (".zip", ".tar", ".gz", ".7z", ".rar"),
    "calendar files": (".ics",),
    "contacts": (".vcf",),
    "e-books": (".epub", ".mobi"),
    "code files": (".py", ".js", ".ts", ".java", ".c", ".cpp", ".go", ".rs", ".sh", ".rb"),
}

# What people write for a kind or an extension. Single words, singular and plural.
_WORDS: dict[str, str] = {
    "image": "images", "images": "images", "photo": "images", "photos": "images",
    "picture": "images", "pictures": "images", "pics": "images", "bilder": "images",
    "fotos": "images", "jpgs": ".jpg", "jpegs": ".jpg", "pngs": ".png",
    "spreadsheet": "spreadsheets", "spreadsheets": "spreadsheets", "tabellen": "spreadsheets",
    "excel": ".xlsx", "workbook": ".xlsx", "workbooks": ".xlsx",
    "presentation": "presentations", "presentations": "presentations", "slides": "presentations",
    "powerpoint": "presentations", "powerpoints": "presentations", "slideshow": "presentations",
    "word": "word documents", "email": "e-mails", "emails": "e-mails", "mails": "e-mails",
    "e-mail": "e-mails", "e-mails": "e-mails", "webpage": "web pages", "webpages": "web pages",
    "markdown": "markdown files", "video": "videos", "videos": "videos", "audio": "audio files",
    "archive": "archives", "archives": "archives", "ebook": "e-books", "ebooks": "e-books",
    "calendar": "calendar files", "pdfs": ".pdf", "csvs": ".csv", "textfiles": "text files",
}  # fmt: skip

_EXTENSIONS = frozenset(
    {e.lstrip(".") for group in KINDS.values() for e in group}
    | {"pdf", "json", "xml", "yaml", "yml", "toml", "tex", "vtt"}
) - {"key", "text"}  # words far more often than file types


def extensions_of(name: str) -> tuple[str, ...]:
    """The extensions that `name` stands for: `pdf`, `.pdf`, `PDFs`, `spreadsheets`.

    An unknown name is taken as an extension itself; "" gives none.
    """
    key = name.strip().lower()
    key = _WORDS.get(key, key)
    if not key:
        return ()
    if key in KINDS:
        return KINDS[key]
    bare = key.lstrip(".").lstrip("*").lstrip(".")
    if f".{bare}" in (".jpg", ".jpeg"):
        return (".jpg", ".jpeg")
    return (f".{bare}",)


def detect_kind(question: str) -> str | None:
    """The kind or extension that a question names (`"pdf"` gives `.pdf`), or `None`.

    `.xlsx` and the like count anywhere; plain words count where they name a file type.
    """
    for word in re.findall(r"\.?[a-z](?:[a-z0-9]|(?<=\be)-(?=mail))*", question.lower()):
        bare = word.lstrip(".")
        if bare in _WORDS:
            named = _WORDS[bare]
            if bare == "word" and not re.search(r"\bword (doc|file)", question.lower()):
                continue
            return named
        singular = bare.removesuffix("s")
        for candidate in (bare, singular):
            if candidate in _EXTENSIONS and (word.startswith(".") or len(candidate) >= 2):
                if candidate in {"go", "c", "rs", "doc", "md"} and not word.startswith("."):
                    if candidate == "doc" or candidate == "md":
                        return f".{candidate}"
                    continue
                return f".{candidate}"
    if re.search(r"\btext (files?|documents?)\b", question.lower()):
        return "text files"
    return None


def describe(kind: str) -> str:
    """A kind in words for a sentence: `.pdf` gives "PDF files", `images` gives "images"."""
    if not kind:
        return "files"
    named = _WORDS.get(kind.lower(), kind.lower())
    if named in KINDS:
        return named
    return f"{named.lstrip('*.').upper()} files"
