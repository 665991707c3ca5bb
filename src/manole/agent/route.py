"""The keyword router: which tool a question needs, without a model (seeds 000 and 004).

A question is cut into clauses; each becomes one `Route`. A route is *sure* when the clause is
about files themselves, a pattern matched, and nothing in it is left unexplained: every content
word is a file type, a period, a folder, or part of a file's name in this library. "How many PDFs
mention Berlin?" is therefore not sure, and "How many points did they score?" is a question about
contents. A clause without any word for files goes to `semantic_search`, which is sure too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from manole.agent.words import STOP, fold, words
from manole.index.store import FileRecord
from manole.tools.files import best_by_name, find_folder, name_matches, stem
from manole.tools.kinds import detect_kind
from manole.tools.periods import find_period

_FILE_WORDS = re.compile(
    r"\b(files?|documents?|docs?|folders?|director(?:y|ies)|subfolders?|library|disk|storage|"
    r"datei(?:en)?|ordner|dokumente?)\b"
)
_PLURAL_MANY = re.compile(
    r"\b(how many|number of|count|how much files?|wie ?viele|anzahl)\b|\bcount\b"
)
_BACK = re.compile(
    r"\b(it|its|it's|that one|this one|that file|this file|that document|they|them|their|those|"
    r"these|the (?:file|document)|daraus|davon|darin)\b"
)
_CLAUSES = re.compile(
    r"\?\s+|;\s*|,?\s+\b(?:and|und)\s+(?:then\s+)?(?=(?:what|which|how|when|where|who|list|show|"
    r"tell|give|find|is|are|do|does|was|wie|was|wann|wer|welche)\b)|\bthen\s+(?=\w)"
)
# Words that a pattern itself explains.
_EXPLAINED_WORDS = """
entries entry change changes neuesten ältesten größten kleinsten wieviel file files document documents doc docs folder folders directory directories subfolder
subfolders library disk storage dateien datei ordner dokumente dokument big biggest large
largest small smallest size sizes newest latest oldest recent recently last new old first
modified changed edited created saved updated touched types type kinds kind formats format
extension extensions count contain contains stored altogether inside together dated sorted
sort name names top wieviele anzahl groß große größte neueste älteste letzte liegen gibt habe
exist have got whole entire currently ones one there're right kept keep changes heaviest
earliest located file's added organized organised structure tree space used use takes take
zeig zeige
"""
_EXPLAINED = frozenset(fold(word) for word in _EXPLAINED_WORDS.split())
_NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "twenty": 20, "zwei": 2, "drei": 3, "vier": 4,
    "fünf": 5, "sechs": 6, "zehn": 10,
}  # fmt: skip
_FOLDED_NUMBERS = frozenset(fold(word) for word in _NUMBER_WORDS)
# Words whose misspellings are mended before the patterns are tried.
_MENDED = frozenset(
    [
        "how",
        "many",
        "files",
        "file",
        "folder",
        "folders",
        "which",
        "what",
        "newest",
        "latest",
        "oldest",
        "largest",
        "biggest",
        "smallest",
        "list",
        "show",
        "count",
        "size",
        "documents",
        "images",
        "photos",
        "invoices",
        "their",
        "there",
        "type",
        "types",
    ]
)


@dataclass(frozen=True, slots=True)
class Route:
    """A tool to run. `refers_back` says that "it" means what the clause before found."""

    tool: str
    inputs: dict[str, Any] = field(default_factory=dict)
    reasoning: str = ""
    sure: bool = True
    refers_back: bool = False
    clause: str = ""


@dataclass(frozen=True, slots=True)
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

    @property
    def named(self) -> str | None:
        """The unexplained words, when some file's path contains all of them."""
        if not self.rest:
            return None
        pattern = " ".join(self.rest)
        return pattern if any(name_matches(f.path, pattern) for f in self.files) else None

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


def route(question: str, files: Sequence[FileRecord], today: date) -> list[Route]:
    """One route a clause, in order. Never empty."""
    parts = [p.strip(" ,?.!") for p in _CLAUSES.split(question) if p and p.strip(" ,?.!")]
    routes: list[Route] = []
    for part in parts or [question.strip()]:
        found = _route_clause(part, files, today)
        if routes and (_BACK.search(part.lower()) or _superlative_only(part)):
            found = Route(found.tool, found.inputs, found.reasoning, found.sure, True, found.clause)
        routes.append(found)
    return _merge(routes, question)


def _superlative_only(part: str) -> bool:
    """`which one is the largest?` speaks of what was found before."""
    return bool(re.search(r"\b(which|what|welche[rs]?) (one|ones|of them)\b", part.lower()))


def _merge(routes: list[Route], question: str) -> list[Route]:
    """Clauses that are all about contents are one search with the whole question."""
    if len(routes) > 1 and all(r.tool == "semantic_search" for r in routes):
        return [_content(question)]
    return routes


def _route_clause(text: str, files: Sequence[FileRecord], today: date) -> Route:
    clause = _understand(text, files, today)
    for rule in _RULES:
        found = rule(clause)
        if found is not None:
            return Route(found.tool, found.inputs, found.reasoning, found.sure, clause=text)
    if clause.file_words or clause.kind:
        return Route("semantic_search", {"query": text}, "no pattern fits", sure=False, clause=text)
    return _content(text)


def _content(text: str) -> Route:
    return Route("semantic_search", {"query": text}, "asks what stands in the files", clause=text)


def mend(text: str) -> str:
    """Lower case, with swapped or doubled letters of the router's own words put right.

    `fiels` and `manny` become `files` and `many`; a word that differs otherwise (`miles`) stays.
    """

    def mended(match: re.Match[str]) -> str:
        word = match[0]
        if word in _MENDED or word in STOP or len(word) < 4:
            return word
        single = re.sub(r"(.)\1", r"\1", word)
        for known in _MENDED:
            swapped = sorted(known) == sorted(word) and known[0] == word[0]
            if swapped or re.sub(r"(.)\1", r"\1", known) == single:
                return known
        return word

    return re.sub(r"[^\W\d_]+", mended, text.lower())


def _understand(text: str, files: Sequence[FileRecord], today: date) -> Clause:
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
        and stem(w) not in {stem(f) for f in folder_words}
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


# -- rules: each returns a route or None -----------------------------------------------------


def _space(c: Clause) -> Route | None:
    if not re.search(
        r"types? .*(space|room)|how much (disk |hard disk )?(space|storage|room)|disk usage|disk space|total size|"
        r"how (big|large) (is|are) (my|the|all|this|these)?\s*(whole |entire )?"
        r"(library|folder$|files|documents|collection)|wie ?viel (speicher)?platz|wieviel platz",
        c.text,
    ):
        return None
    if c.folder or re.search(r"(each|per|by|every) (folder|directory)", c.text):
        return Route("folder_stats", {"sort_by": "size", "limit": 50}, "asks for space by folder")
    return Route("disk_usage", {}, "asks for disk space") if c.explained else None


def _folders(c: Clause) -> Route | None:
    if re.search(
        r"(which|what|welcher) (sub)?(folder|directory|ordner)\b.*\b(most|biggest|largest|"
        r"meisten|größte|holds|takes|has|contains)|"
        r"(largest|biggest|fullest) (sub)?(folder|directory)|folder (sizes|stats|statistics)|(sizes?|number) of (each|the|all|my) folders?|"
        r"files (are )?(in|per) each folder|per folder|(by|each|every) folder",
        c.text,
    ):
        many = re.search(r"most (files|documents)|number|how many|meisten", c.text)
        return Route("folder_stats", {"sort_by": "count" if many else "size"}, "compares folders")
    if c.folder and re.search(r"how (big|large)|size of", c.text) and "folder" in c.text:
        return Route("folder_stats", {"sort_by": "size", "limit": 100}, "asks a folder's size")
    return None


def _tree(c: Clause) -> Route | None:
    if re.search(
        r"folder structure|(directory|file|folder) (tree|structure|layout)|\btree\b|"
        r"how (are|is) .*organi[sz]ed|(what|which|list|show)\b.{0,14}\b(sub)?(folders|directories)\b"
        r"|how many (sub)?(folders|directories)|ordnerstruktur|structure of (the|my) "
        r"(files|folder|library|documents)",
        c.text,
    ):
        depth = re.search(r"(\d+) levels?", c.text)
        return Route(
            "directory_tree",
            {"max_depth": min(20, max(1, int(depth[1])))} if depth else {},
            "asks for the folder structure",
        )
    return None


def _types(c: Clause) -> Route | None:
    if re.search(
        r"file ?types|types of (files|documents)|(kinds?|sorts?) of (files|documents)|"
        r"(file )?(formats|extensions)\b|dateitypen|dateiformate",
        c.text,
    ):
        return Route("count_files", {}, "asks which types there are")
    return None


def _count(c: Clause) -> Route | None:
    if not _PLURAL_MANY.search(c.text):
        return None
    about_files = c.kind or c.file_words or c.folder
    if about_files and c.explained:
        return Route("count_files", c.filter(), "counts files")
    if about_files and len(c.rest) > 0:
        return Route("count_files", c.filter(), "counts files, some words unexplained", sure=False)
    plain = re.search(
        r"^(?:how many|number of|count(?: of)?|wie ?viele) (?:[\w-]+ ){1,3}?(?:[\w-]+)?\s*"
        r"(?:(?:do|did|have) (?:i|we)(?: have| keep| save| get)?|are there|there are|exist|in total|"
        r"in all|altogether|stored|habe ich|haben wir|gibt es|\s)*$",
        c.text,
    )
    if c.named and plain:
        return Route("count_files", c.filter(), "counts files by name")
    return None


def _superlative(c: Clause) -> Route | None:
    by_size = re.search(r"\b(biggest|largest|smallest|heaviest|größten?|kleinsten?)\b", c.text)
    by_date = re.search(
        r"\b(newest|latest|most recent(ly)?|recent(ly)?|oldest|earliest|last (changed|modified|"
        r"edited|\d+)|neuesten?|ältesten?|letzten?)\b",
        c.text,
    )
    if not (by_size or by_date):
        return None
    about_files = c.kind or c.file_words or (by_date and c.named)
    if not about_files or not c.explained:
        return None
    word = (by_size or by_date)[0] if (by_size or by_date) else ""  # type: ignore[index]  # one is set
    ascending = bool(re.match(r"smallest|oldest|earliest|klein|ält", word))
    wanted = c.filter()
    if by_date and "recent" in word:
        wanted.pop("time_filter", None)
    return Route(
        "list_files",
        wanted
        | {
            "sort_by": "size" if by_size else "document_date" if c.named else "date",
            "order": "ascending" if ascending else "descending",
            "limit": _limit(c),
        },
        f"asks for the {word} files",
    )


def _limit(c: Clause) -> int:
    """`the five newest files` gives 5, `the newest file` 1, `recent files` 10."""
    match = re.search(rf"\b(\d{{1,3}}|{'|'.join(_NUMBER_WORDS)})\b", c.text)
    if match:
        return int(match[1]) if match[1].isdigit() else _NUMBER_WORDS[match[1]]
    noun = re.search(
        r"\b(?:biggest|largest|smallest|heaviest|newest|latest|oldest|earliest|recent(?:ly \w+)?|"
        r"(?:last|recently) (?:changed|modified|edited)|neueste|älteste|größte|kleinste)\s+"
        r"(?:\w+ )??([\w-]+)",
        c.text,
    )
    plural = noun and noun[1].endswith("s") and not noun[1].endswith("ss")
    return 10 if plural or (re.search(r"\bfiles\b", c.text) and not noun) else 1


def _metadata(c: Clause) -> Route | None:
    if not re.search(
        r"file size|how (big|large) is|\bsize of|when (was|did|were) .*\b(modif|chang|edit|creat|"
        r"sav|updat|touch)|last (modified|changed|edited|updated|saved)|creation date|"
        r"modification date|wie groß ist|wann wurde .*(geändert|erstellt|gespeichert)",
        c.text,
    ):
        return None
    if c.rest or c.kind:
        hint = _hint(c)
        if best_by_name(c.files, hint):
            return Route("file_metadata", {"name_hint": hint}, "asks a file's size or date")
    return None


def _hint(c: Clause) -> str:
    """The file's name as written, or the words that nothing else explains."""
    literal = re.search(r"[\w./-]+\.[a-z][a-z0-9]{1,4}\b", c.text)
    if literal:
        return literal[0]
    return " ".join(c.rest) or c.text


def _list(c: Clause) -> Route | None:
    asks = re.search(
        r"^(please )?(list|show|give me|display|zeig|liste|name)\b|^(what|which|welche)\b.*\b"
        r"(files|documents|dateien|dokumente|do i have|have i|are there|are in|habe ich|gibt es)\b|"
        r"(files|documents) (changed|modified|edited|from|in)\b",
        c.text,
    )
    if not asks:
        return None
    if (c.kind or c.file_words or c.folder) and c.explained:
        if c.named and not (c.kind or c.period or c.folder):
            return Route("grep_files", {"pattern": c.named}, "lists files by name")
        return Route("list_files", c.filter() | {"limit": 50}, "lists files")
    if c.named and re.search(r"^(please )?(list|show|zeig|liste)|do i have|are there", c.text):
        if c.period:
            return Route("list_files", c.filter() | {"limit": 50}, "lists files by name and time")
        return Route("grep_files", {"pattern": c.named}, "lists files by name")
    return None


def _find(c: Clause) -> Route | None:
    if not re.search(
        r"^(where('s| is| are)|find|locate|search for|do (i|we) have|is there|are there|have i got|"
        r"wo (ist|sind|liegt)|gibt es|habe ich|open)\b",
        c.text,
    ):
        return None
    if c.kind and c.explained:
        return Route("list_files", c.filter() | {"limit": 50}, "looks for a type of file")
    if c.named:
        return Route("grep_files", {"pattern": c.named}, "looks for a file by name")
    return None


def _read(c: Clause) -> Route | None:
    match = re.search(
        r"\b(summari[sz]e|summary of|sum up|fasse?)\b|what (is|are|does) .*\b(about|say|contain)$|"
        r"^read\b|worum geht",
        c.text,
    )
    if not match:
        return None
    hint = " ".join(w for w in c.rest if w not in {"summarize", "summarise", "summary", "read"})
    literal = re.search(r"[\w./-]+\.[a-z][a-z0-9]{1,4}\b", c.text)
    hint = literal[0] if literal else hint
    found = best_by_name(c.files, hint) if hint else []
    every = [f for f in found if literal or name_matches(f.path, hint)]
    if len(every) == 1:
        return Route("read_document", {"file": every[0].path}, "asks about one file as a whole")
    return None


_RULES = (
    _read, _space, _folders, _tree, _types, _metadata, _superlative, _count, _list, _find,
)  # fmt: skip
