"""What a clause of a question is about: file type, period, folder, names, and what is left.

A file tool may answer a clause only when every content word is explained: by the router's own
vocabulary, a file type, a period, a folder, or a file's name in this library.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from manole.index.store import FileRecord
from manole.index.words import STOP, fold, words
from manole.tools.kinds import detect_kind
from manole.tools.matching import find_folder, named_like, without_plural
from manole.tools.periods import find_period

_FILE_WORDS = re.compile(
    r"\b(files?|documents?|docs?|folders?|director(?:y|ies)|subfolders?|library|disk|storage|"
    r"datei(?:en)?|ordner|dokumente?)\b"
)
# Words that a pattern itself explains.
_EXPLAINED_WORDS = """
entries entry change changes neuesten ältesten größten kleinsten wieviel file files document
documents doc docs folder folders directory directories subfolder subfolders library disk
storage dateien datei ordner dokumente dokument big biggest large largest small smallest size
sizes newest latest oldest recent recently last new old first modified changed edited created
saved updated touched types type kinds kind formats format extension extensions count contain
contains stored altogether inside together dated sorted sort name names top wieviele anzahl
groß große größte neueste älteste letzte liegen gibt habe exist have got whole entire currently
ones one there're right kept keep heaviest earliest located file's added organized organised
structure tree space usage used use takes take zeig zeige total number amount date
"""
_EXPLAINED = frozenset(fold(word) for word in _EXPLAINED_WORDS.split())
NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "twenty": 20, "zwei": 2, "drei": 3, "vier": 4,
    "fünf": 5, "sechs": 6, "zehn": 10,
}  # fmt: skip
_FOLDED_NUMBERS = frozenset(fold(word) for word in NUMBER_WORDS)
# What a file may hold as a whole: "the rental contract".
_PAPER_WORDS = """
agenda agreement article attachment backup bill booklet budget certificate contract contacts cv
diary drawing essay floorplan form guide handbook invitation invoice itinerary journal leaflet
letter list log manual map memo menu minutes newsletter note offer order paper plan poem policy
programme protocol quote receipt recipe record report resume schedule scan screenshot script
statement summary syllabus thesis timetable transcript translation brief plan notiz liste
"""
# In German such words end others: "Mietvertrag".
_GERMAN_PAPERS = (
    "anleitung", "beleg", "bericht", "formular", "handbuch", "lebenslauf", "protokoll", "quittung",
    "rechnung", "rezept", "tagebuch", "vertrag", "zeugnis",
)  # fmt: skip
_PAPERS = frozenset(without_plural(word) for word in _PAPER_WORDS.split())
# Words whose misspellings are mended before the patterns are tried.
_MENDED_WORDS = """
how many files file folder folders which what newest latest oldest largest biggest smallest
list show count size documents images photos invoices their there type types
"""
_MENDED = frozenset(_MENDED_WORDS.split())


@dataclass(frozen=True)
class Clause:
    """A clause with what was recognised in it."""

    text: str
    files: Sequence[FileRecord]
    today: date
    kind: str | None
    period: str
    folder: str | None
    rest: tuple[str, ...]  # content words that nothing explains yet
    file_words: bool

    @cached_property
    def named(self) -> str | None:
        """The unexplained words, when some file's path contains all of them."""
        if not self.rest:
            return None
        pattern = " ".join(self.rest)
        matches = named_like(pattern)
        return pattern if any(matches(f.path) for f in self.files) else None

    @property
    def explained(self) -> bool:
        """Whether nothing is left that a file tool could not honour."""
        return not self.rest or self.named is not None

    def filter(self) -> dict[str, str]:
        """The recognised parts as inputs of `count_files` and `list_files`."""
        found = {
            "extension": self.kind or "",
            "time_filter": self.period,
            "folder": self.folder or "",
            "name": self.named or "",
        }
        return {k: v for k, v in found.items() if v}


def names_a_file(subject: str, files: Sequence[FileRecord]) -> bool:
    """Whether `subject` ("the boiler manual") speaks of a file, and not of what is in one.

    It does when its last word is a kind of paper, or when a file is called so: the file's name,
    figures and extension aside, has no further words. `pippa-on-the-balcony.jpg` is no balcony.
    """
    said = [w for w in words(subject) if w not in STOP and not w.isdigit()]
    if not said:
        return False
    if without_plural(said[-1]) in _PAPERS or said[-1].endswith(_GERMAN_PAPERS):
        return True
    wanted = {without_plural(w) for w in said}
    return any(wanted == _title_stems(file.path) for file in files)


def _title_stems(path: str) -> set[str]:
    name = path.rsplit("/", 1)[-1]
    title = name[: name.rfind(".")] if name.rfind(".") > 0 else name
    found = re.findall(r"[^\W\d_]+", fold(title))
    return {without_plural(w) for w in found if w not in STOP}


def mend(text: str) -> str:
    """Lower case, with swapped or doubled letters of the router's own words put right.

    `fiels` and `manny` become `files` and `many`; a word that differs otherwise (`miles`) stays.
    """

    def mended(match: re.Match[str]) -> str:
        word = match[0]
        if word in _MENDED or word in STOP or word in NUMBER_WORDS or len(word) < 4:
            return word
        single = re.sub(r"(.)\1", r"\1", word)
        for known in _MENDED:
            swapped = sorted(known) == sorted(word) and known[0] == word[0]
            if swapped or re.sub(r"(.)\1", r"\1", known) == single:
                return known
        return word

    return re.sub(r"[^\W\d_]+", mended, text.lower())


def understand(text: str, files: Sequence[FileRecord], today: date) -> Clause:
    """Recognise what can be recognised in a clause."""
    lowered = mend(text)
    period = find_period(lowered, today)
    period_words = set(words(period.text)) if period else set()
    kind = detect_kind(lowered)
    folder = None
    in_folder = re.search(
        r"\b(?:in|under|inside|of|im|from)\s+(?:the |my |den |dem )?(?:folder |directory |ordner )?"
        r"[\"“']?([\w./ -]+?)[\"”']?(?:\s+(?:folder|directory|ordner))?\s*(?:are|is|do|\?|$)",
        lowered,
    )
    if in_folder:
        folder = find_folder(files, in_folder[1])
    folder_words = set(words(folder.replace("/", " ").replace("_", " "))) if folder else set()
    kind_words = _kind_words(lowered, kind)
    rest = tuple(
        w
        for w in words(lowered)
        if w not in STOP
        and w not in _EXPLAINED
        and w not in period_words
        and w not in kind_words
        and without_plural(w) not in {without_plural(f) for f in folder_words}
        and not w.isdigit()
        and w not in _FOLDED_NUMBERS
    )
    return Clause(
        lowered, files, today, kind, period.text if period else "", folder, rest,
        bool(_FILE_WORDS.search(lowered)),
    )  # fmt: skip


def _kind_words(text: str, kind: str | None) -> set[str]:
    if kind is None:
        return set()
    return {w for w in words(text) if detect_kind(w) is not None} | {"text", "word", "web", "file"}
