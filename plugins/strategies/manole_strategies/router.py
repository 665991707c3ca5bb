"""The keyword router: which tool a question's words name, where the model named none.

The rules and their order are those of the designs that are compared. What no keyword decides, the
intent decides (`rewriter.py`), and the rest is a search of the contents. A question about a file
gives the tool the file's name, and not the whole question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from manole.agent.turn import Step
from manole.catalog.kinds import kind_called
from manole.text.words import LIGHT, content_words, has_digit, words
from manole.tools.matching import named_like

LEAST = 4  # letters of a word that can be looked for, as shorter ones are in many names by chance


class Rule(NamedTuple):
    """A tool, and the words of a question that choose it."""

    tool: str
    keywords: tuple[str, ...]


RULES = (  # the first that fits counts
    Rule("disk_usage", ("how much space", "disk usage", "disk space")),
    Rule("folder_stats", ("biggest folder", "largest folder", "folder sizes")),
    Rule("list_files", ("biggest", "largest")),
    Rule("directory_tree", ("folder structure", "tree")),
    Rule("count_files", ("how many", "count")),
    Rule("directory_tree", ("file types", "folder", "directory", "structure")),
    Rule("list_files", ("list files", "recent files", "what files", "show files")),
    Rule("file_metadata", ("file size", "when was", "modified", "created")),
)
_BY_SIZE = frozenset({"biggest", "largest"})
_OF_INTENT = {"count": "count_files", "metadata": "file_metadata"}
_ABOUT_FILES = frozenset(
    {"file", "files", "document", "documents", "folder", "folders", "size", "sizes", "date"}
    | {"dates", "changed", "saved"}
)
_EXTENSION = re.compile(r"(?<![\w.])\.([a-z0-9]{1,5})\b", re.IGNORECASE)
_FILE = re.compile(r"[\w/.-]*[\w-]\.[a-z][a-z0-9]{1,4}\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„«]([^\"”“»]{2,100})[\"”“»]")


def keyword_step(question: str, intent: str = "", paths: Sequence[str] = ()) -> Step:
    """Return the tool that a question's words name, else that of its intent, else a search.

    `paths` are the library's files: a word that stands in their names narrows a count.
    """
    rule = next((r for r in RULES if any(_has(question, k) for k in r.keywords)), None)
    tool = rule.tool if rule else _OF_INTENT.get(intent, "semantic_search")
    named = " ".join(named_words(question, paths))
    if rule is None and intent == "list" and named and not _contents(question, paths):
        tool = "grep_files"
    inputs: dict[str, object] = {}
    if tool == "count_files":
        inputs = {"extension": extension_in(question)}
        if named and any(map(named_like(named), paths)):
            inputs["name"] = named
    elif tool == "list_files":
        inputs = {"extension": extension_in(question)}
        if rule and any(_has(question, word) for word in _BY_SIZE):
            inputs["sort_by"] = "size"
    elif tool == "directory_tree":
        inputs = {"max_depth": 2}
    elif tool == "file_metadata":
        inputs = {"name_hint": name_hint(question, paths)}
    elif tool == "grep_files":
        inputs = {"pattern": pattern(named.split(), paths)}
    elif tool == "semantic_search":
        inputs = {"query": question}
    return Step(tool, inputs, "the model named no tool", "fallback")


def extension_in(question: str) -> str:
    """Return the file type in a question: `.pdf` or `images` as written, "" for none.

    The model reads the call beside its result: asked for images, it takes pictures for something
    else unless the call says images.
    """
    if written := _EXTENSION.search(question):
        return written[0].lower()
    word = next(filter(kind_called, words(question)), "")
    kind = kind_called(word)
    return kind if kind and word.rstrip("s") == kind else word


def name_hint(question: str, paths: Sequence[str] = ()) -> str:
    """Return the name of a file in a question: a path, a quotation, else words.

    They are those that stand in names of files, or else all that are not about files as such.
    """
    if found := _FILE.search(question) or _QUOTED.search(question):
        return found[found.re.groups].strip()
    return " ".join(named_words(question, paths) or _meant(question)) or question


def named_words(question: str, paths: Iterable[str]) -> list[str]:
    """Return the words of a question that stand in names of files and are no word for files."""
    paths = list(paths)
    return [
        word
        for word in _meant(question)
        if not kind_called(word)
        and (len(word) >= LEAST or has_digit(word))
        and any(map(named_like(word), paths))
    ]


def pattern(named: Sequence[str], paths: Iterable[str]) -> str:
    """Return the words as one pattern if a path has them all, else the first."""
    whole = " ".join(named)
    return whole if any(map(named_like(whole), paths)) else named[0]


def vocabulary(tools: Iterable[str] | None = None) -> frozenset[str]:
    """Return the single words by which questions name these tools; by default all tools."""
    chosen = None if tools is None else set(tools)
    rules = (r for r in RULES if chosen is None or r.tool in chosen)
    return frozenset(w for r in rules for keyword in r.keywords for w in words(keyword))


def _has(question: str, keyword: str) -> bool:
    """Return whether a keyword stands in a question: "count", but not the one in "account"."""
    return re.search(rf"\b{keyword}(?:s|ed)?\b", question, re.IGNORECASE) is not None


def _contents(question: str, paths: Sequence[str]) -> bool:
    """Return whether a question has words that stand in no file's name."""
    named = set(named_words(question, paths))
    return any(w not in named and not kind_called(w) for w in _meant(question))


def _meant(question: str) -> list[str]:
    """Return the content words of a question that are not about files as such."""
    return [w for w in content_words(question) if w not in _ABOUT_FILES | vocabulary() | LIGHT]
