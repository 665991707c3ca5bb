"""The router's rules: each looks at a clause and gives a route, or `None` (seeds 000 and 004)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from manole.agent.understanding.clause import NUMBER_WORDS, Clause, names_a_file
from manole.tools.matching import best_by_name, named_like

_PLURAL_MANY = re.compile(
    r"\b(how many|number of|count|how much files?|wie ?viele|anzahl)\b|\bcount\b"
)
_FILE_NAME = re.compile(r"[\w./-]+\.[a-z][a-z0-9]{1,4}\b")
# What a size is asked of: "how big is [the boiler manual] of my parents".
_SUBJECT = re.compile(
    r"(?:how (?:big|large) (?:is|are|was)|size of|when did (?:i|we) (?:last )?\w+|"
    r"when (?:was|did|were)|wie groß (?:ist|sind)|wann wurden?)"
    r"\s+(?:the |my |our |a |an |this |that |der |die |das |mein\w* |unser\w* )?(.+?)"
    r"(?=\s+(?:of|from|with|for|in|on|by|about|at|last|modif\w+|chang\w+|edit\w+|creat\w+|"
    r"sav\w+|updat\w+|touch\w+|von|aus|mit|für|geändert|erstellt)\b|$)"
)


@dataclass(frozen=True, slots=True)
class Route:
    """A tool to run.

    `refers_back`: the clause speaks of what the one before found, "it"; `among`: of one of
    several things found, "which one".
    """

    tool: str
    inputs: dict[str, Any] = field(default_factory=dict)
    reasoning: str = ""
    sure: bool = True
    refers_back: bool = False
    among: bool = False
    clause: str = ""


def _space(c: Clause) -> Route | None:
    if not re.search(
        r"types? .*(space|room)|how much (disk |hard disk )?(space|storage|room)|"
        r"disk usage|disk space|total size|"
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
        r"(largest|biggest|fullest) (sub)?(folder|directory)"
        r"|folder (sizes|stats|statistics)|(sizes?|number) of (each|the|all|my) folders?|"
        r"files (are )?(in|per) each folder|per folder|(by|each|every) folder",
        c.text,
    ):
        many = re.search(r"most (files|documents)|number|how many|meisten", c.text)
        return Route("folder_stats", {"sort_by": "count" if many else "size"}, "compares folders")
    if c.folder and re.search(r"how (big|large)|size of", c.text) and "folder" in c.text:
        return Route("folder_stats", {"sort_by": "size", "limit": 100}, "asks a folder's size")
    return None


def _tree(c: Clause) -> Route | None:
    # "When did I plant the plum tree?" asks for no folders.
    bare = c.explained or " level" in c.text
    if (bare and re.search(r"\btree\b", c.text)) or re.search(
        r"folder structure|(directory|file|folder) (tree|structure|layout)|"
        r"how (are|is) .*organi[sz]ed|"
        r"(what|which|list|show)\b.{0,14}\b(sub)?(folders|directories)\b"
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
        r"(?:(?:do|did|have) (?:i|we)(?: have| keep| save| get)?|are there|there are|exist|"
        r"in total|in all|altogether|stored|habe ich|haben wir|gibt es|\s)*$",
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
    match = re.search(rf"\b(\d{{1,3}}|{'|'.join(NUMBER_WORDS)})\b", c.text)
    if match:
        return int(match[1]) if match[1].isdigit() else NUMBER_WORDS[match[1]]
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
    if (c.rest or c.kind) and _of_a_file(c):
        hint = _hint(c)
        if best_by_name(c.files, hint):
            return Route("file_metadata", {"name_hint": hint}, "asks a file's size or date")
    return None


def _of_a_file(c: Clause) -> bool:
    """Whether a size or a moment is that of a file: rooms and schools have them, too."""
    if c.file_words or c.kind or _FILE_NAME.search(c.text):
        return True
    if re.search(r"\b(modified|edited|saved|gespeichert)\b", c.text):
        return True  # nothing but files is
    subject = _SUBJECT.search(c.text)
    return names_a_file(subject[1] if subject else " ".join(c.rest), c.files)


def _hint(c: Clause) -> str:
    """The file's name as written, or the words that nothing else explains."""
    literal = _FILE_NAME.search(c.text)
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
    literal = _FILE_NAME.search(c.text)
    hint = literal[0] if literal else hint
    found = best_by_name(c.files, hint) if hint else []
    matches = named_like(hint)
    every = [f for f in found if literal or matches(f.path)]
    if len(every) == 1:
        return Route("read_document", {"file": every[0].path}, "asks about one file as a whole")
    return None


RULES = (
    _read, _space, _folders, _tree, _types, _metadata, _superlative, _count, _list, _find,
)  # fmt: skip
