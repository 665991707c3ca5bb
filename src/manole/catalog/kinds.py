"""The kinds of files, by extension (the values of `files.kind`), and people's names for them."""

from __future__ import annotations

import difflib

from manole.text.words import fold

_CLOSE = 0.75  # difflib ratio from which a word is another spelling of a kind: one letter of four
_EXTENSIONS = {
    "picture": "jpg jpeg png gif webp heic bmp tif tiff svg",
    "pdf": "pdf",
    "spreadsheet": "xlsx xls xlsm ods csv tsv",
    "presentation": "pptx ppt odp key",
    "document": "docx doc odt rtf",
    "mail": "eml msg mbox",
    "web page": "html htm xhtml",
    "text": "txt text log",
    "markdown": "md markdown",
    "video": "mp4 mov mkv avi webm",
    "audio": "mp3 wav flac m4a ogg",
    "archive": "zip tar gz 7z rar",
    "calendar": "ics",
    "contacts": "vcf",
    "e-book": "epub mobi",
    "code": "py js ts java c cpp go rs sh rb",
}
# Names, singular and plural, in English, German, French, Spanish, Italian and Dutch.
_NAMES = {
    "picture": "picture pictures image images photo photos pic pics bild bilder bildern foto fotos "
    "imagen imágenes immagine immagini afbeelding afbeeldingen plaatje plaatjes",
    "pdf": "pdf pdfs",
    "spreadsheet": "spreadsheet spreadsheets workbook workbooks tableur tableurs",
    "presentation": "presentation presentations slideshow slideshows powerpoint powerpoints "
    "präsentation präsentationen présentation présentations presentación presentaciones "
    "presentazione presentazioni presentatie presentaties",
    "mail": "mail mails email emails e-mail e-mails courriel courriels correo correos",
    "web page": "webpage webpages webseite webseiten",
    "markdown": "markdown",
    "video": "video videos vidéo vidéos vídeo vídeos",
    "audio": "audio audios mp3s",
    "e-book": "ebook ebooks e-book e-books",
}
_CALLED = {fold(name): kind for kind, names in _NAMES.items() for name in names.split()}
_KIND_OF = {e: kind for kind, extensions in _EXTENSIONS.items() for e in extensions.split()}
OTHER = "other"
KINDS = (*_EXTENSIONS, OTHER)


def kind_of(extension: str) -> str:
    """Return the kind of files with this extension (lower case, without its dot)."""
    return _KIND_OF.get(extension, OTHER)


def kind_called(word: str) -> str | None:
    """Return the kind with this name: `photos` are pictures, `docx` documents; `None` for none."""
    word = fold(word).lstrip(".")
    known = word if word in KINDS else _CALLED.get(word) or _KIND_OF.get(word)
    if known is None and word.endswith("s"):
        known = _KIND_OF.get(word[:-1])
    return known if word not in _OTHERWISE else None


def kind_meant(wanted: str) -> str | None:
    """Return the kind that a word means, perhaps misspelled; `None` for none."""
    word = fold(wanted).strip()
    close = difflib.get_close_matches(word, KINDS, n=1, cutoff=_CLOSE)
    return word if word in KINDS else kind_called(word) or (close[0] if close else None)


# Names that are often other words, but not where a word is known to name a kind of file.
_LOOSELY = {
    "picture": "photograph snap screenshot scatt afbeelding screengrab selfie",
    "spreadsheet": "sheet excel tabell tabla tabel tableau hojas fogli",
    "presentation": "slide deck folie diapositiv",
    "video": "clip film movie vid",
    "audio": "song lied canzon cancion chanson recording aufnahm tonaufnahm grabacion registrazion "
    "enregistrement musi mp3 voice geluid",
    "document": "word",
    "archive": "archiv zip",
    "e-book": "libros electronic livres numeriq",
    "code": "script source quell",
    "web page": "website webs",
}


def kind_begun(text: str) -> str | None:
    """Return the kind that a word means which is known to name one: `clips`, `Aufnahmen`."""
    words = fold(text).split()
    for kind, starts in _LOOSELY.items():
        if any(word.startswith(start) for start in starts.split() for word in words):
            return kind
    return None


# Extensions that are much more often other words.
_OTHERWISE = frozenset({"text", "code", "log", "key", "go", "c", "doc", "other", "document"})
_ALSO = {"word": "document", "slides": "presentation", "excel": "spreadsheet"}
_FILES = frozenset({"pdf", "text", "markdown", "audio", "calendar", "code"})  # "text files"


def extensions_of(name: str) -> tuple[str, ...]:
    """Return the extensions that a word means: `pdf`, `.pdf`, `PDFs`, `spreadsheets`.

    An unknown word is taken for an extension; "" gives none.
    """
    bare, kind = _named(name)
    if kind is not None:
        return tuple(f".{e}" for e in _EXTENSIONS[kind].split())
    same = ("jpg", "jpeg") if bare in {"jpg", "jpeg"} else (bare,) if bare else ()
    return tuple(f".{e}" for e in same)


def describe(name: str) -> str:
    """Describe a kind or an extension: `.pdf` gives "PDF files", `photos` "pictures"."""
    bare, kind = _named(name)
    if not bare:
        return "files"
    if kind is None or kind == "pdf":
        return f"{(kind or bare).upper()} files"
    return f"{kind} files" if kind in _FILES else f"{kind.removesuffix('s')}s"


def _named(name: str) -> tuple[str, str | None]:
    """Return a name without its marks and suffixes, and the kind that it names."""
    bare = name.strip().lower().lstrip("*.").removesuffix(" files").removesuffix(" documents")
    kind = bare if bare in _EXTENSIONS else _CALLED.get(bare) or _CALLED.get(bare.removesuffix("s"))
    return bare, kind or _ALSO.get(bare)
