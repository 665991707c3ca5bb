"""Finds the files and folders that a question names, and says of a name that it is nowhere.

What is named is the scope: nothing outside is read. A file is named where its name stands in the
question; else the file or folder is meant whose name or title is most like what the parser marked:
spelled so, of the same letters, of the same words, or with more or fewer of them. Where several are
equally like it, none is.

A name is nowhere if it is surely one, and neither a text nor the name of a file has it. Surely one
is the name of a file with its extension, and what has a capital inside a sentence, behind no
article: any other noun may stand in the files in another language.
"""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from manole.agent.plan.marks import PLACES, Asked
from manole.agent.plan.open_catalog import SMALL, catalog_of, with_texts
from manole.agent.plan.values import bare, name_stems, parts_of
from manole.catalog.catalog import Catalog
from manole.catalog.kinds import kind_called
from manole.documents.fields.kinds import types_named
from manole.index.search.scope import Scope, is_within
from manole.index.store.records import FileRecord
from manole.models.parser import Mark
from manole.text.lexicon import synonyms
from manole.text.lists import listed
from manole.text.question import Question
from manole.text.words import STOP
from manole.tools.base import TurnState
from manole.tools.matching import folders_of

_SAME = 3  # files of one name that are read together
_NEAREST, _NEAR = 3, 0.7  # names that are told instead, and the difflib ratio they must have
_LONG = 4  # letters of a word of a name that says something
_FILE = re.compile(r"\.[a-z]\w{1,4}$", re.IGNORECASE)
_CODE = re.compile(
    r"(?!\d+(?:st|nd|rd|th|er?|ste?|[ªº])$)(?=\w*\d)(?=\w*[a-z])\w{3,}"
)  # "x300" of "the x300 manual"
_ARTICLE = re.compile(
    r"(?:\b(?:the|an?|my|our|his|her|their|your|this|that|de[rmsn]|die|das|ein\w*|[mds]ein\w*|"
    r"unser\w*|ihr\w*|"
    r"vom|beim|zum|zur|ins|im|le|la|les|du|des|une?|mon|ma|mes|notre|el|los|las|del|una?|mi|il|lo|"
    r"gli|i|d[ae]l\w*|mio|mia|het|een|mijn|ons|onze|os?|as?|do|da|dos|das|meu|minha)\s+|\w['’])$",
    re.IGNORECASE,
)
_NOUN = re.compile(r"[^\W\d_][^\W\d_A-Z]*[ns]")  # as a German noun in the plural may be written
_PLAIN = frozenset({  # words that say no more than of which sort a file is
    "manual", "manuals", "handbook", "report", "reports", "document", "documents", "letter",
    "letters", "list", "lists",
})  # fmt: skip
_PARTS = name_stems(" ".join(listed("parts")))  # a part of what is named may stand beside it
_PEOPLE = (  # relations and columns with names
    ("papers", "issuer"), ("papers", "recipient"), ("messages", "sender"),
    ("messages", "recipients"), ("people", "name"),
)  # fmt: skip
_COLUMNS = {"folder": (("folders", "path"),), "party": _PEOPLE, "recipient": _PEOPLE}
_FILES = (("files", "path"),)
_OUTSIDE = re.compile(
    r"\b(?:outside|except|besides|außerhalb|außer|hors|sauf|fuera|salvo|fuori|tranne|buiten|behalve|"
    r"fora|exceto|else|others?|apart|andere\w*|sonst|autres?|ailleurs|otr[oa]s?|altr[iaeo]|outr[oa]s?)"
    r"\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A name that the library has nowhere, and names that are like it, best first."""

    name: str
    nearest: tuple[str, ...] = ()


async def named_scope(state: TurnState, question: Asked) -> Scope:
    """Return the scope of a turn, limited to the files and folders that its question names.

    Where the same is asked of another thing, those that the question before named do not count.
    """
    known = (
        question.parsed.marks
        if state.question.leans_on and state.question.exchanged
        else question.marks
    )
    marks = [mark for mark in known if mark.tag in PLACES]
    asked = state.question.text
    if any(mark.denied for mark in marks) or not (marks or "." in asked) or _OUTSIDE.search(asked):
        return state.scope
    if any(mark.tag == "topic" and _FILE.search(mark.text) for mark in question.marks):
        return state.scope  # it is looked for in others
    files = await state.files()
    found = await asyncio.to_thread(_found, asked, marks, files, state.scope)
    compared = question.parsed.labels["route"] == "compare"
    if not found or (compared and len(found) < 2):
        return state.scope
    return replace(state.scope, paths=found)


def _found(
    asked: str, marks: Sequence[Mark], files: Sequence[FileRecord], within: Scope
) -> tuple[str, ...]:
    """Return the files and folders that a question or its marks name."""
    found = spelled(asked, [file.path for file in files])
    if found or not marks:
        return found
    names = _names(files, within)
    return tuple(dict.fromkeys(p for mark in marks if (p := _likest(mark.text, names))))


def spelled(question: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the files whose names with an extension, or paths, stand in a question, if few."""
    rest, found = question.casefold(), list[str]()
    forms: dict[str, list[str]] = {}
    for path in paths:
        for form in {path.casefold(), path.rpartition("/")[2].casefold()}:
            if form in rest and ("/" in form or _FILE.search(form)):
                forms.setdefault(form, []).append(path)
    for form in sorted(forms, key=len, reverse=True):  # "old plan.pdf" is not "plan.pdf"
        left = re.sub(rf"(?<![\w/.-]){re.escape(form)}(?![\w-])", "\n", rest)
        if left != rest and len(forms[form]) <= _SAME:
            found += forms[form]
        rest = left
    return tuple(dict.fromkeys(found))


def _names(files: Sequence[FileRecord], within: Scope) -> dict[str, tuple[str, ...]]:
    """Return what each file and each folder is called."""
    called: dict[str, tuple[str, ...]] = {}
    for file in files:
        name = file.path.rpartition("/")[2]
        called[file.path] = (name, _FILE.sub("", name), file.title or "")
    for folder in folders_of(files):
        if is_within(folder, within.paths):
            called[folder] = (folder, folder.rpartition("/")[2])
    return called


def _likest(wanted: str, names: Mapping[str, Sequence[str]]) -> str | None:
    """Return the path that is called most like `wanted`; `None` for none and for several."""
    best, found = (0, 0), list[str]()
    for path, own in names.items():
        like = max(_likeness(wanted, name) for name in own)
        if like > best:
            best, found = like, []
        if like == best:
            found.append(path)
    return found[0] if best[0] and len(found) == 1 else None


def _likeness(wanted: str, name: str) -> tuple[int, int]:
    """Return how much a name is like what was said, 0 for too little; of parts, the longest."""
    if wanted.casefold() == name.casefold():
        return 5, 0
    said, own = name_stems(wanted), name_stems(name)
    if not said or not own or all(part.isdecimal() for part in own):
        return 0, 0
    if bare(wanted) == bare(name):
        return 4, 0
    if said == own and not _is_general(name):  # "the manual" is not all of the folder "manuals"
        return 3, 0
    if own < said and (len(own) > 1 or said - own <= _PARTS) and not _is_general(name):
        return 2, len(own)
    if any(_CODE.fullmatch(word) for word in said & own):
        return 1, 0
    return (1, 0) if said < own and len(said) > 1 and not _is_general(wanted) else (0, 0)


def _is_general(name: str) -> bool:
    """Return whether a name only says what a file is: "invoice", "photos"."""
    parts = [part for part in parts_of(name) if part not in STOP]
    return all(p in _PLAIN or kind_called(p) or types_named([p]) for p in parts)


async def nowhere(state: TurnState, question: Asked) -> Nowhere | None:
    """Return a name of the question that the library surely has nowhere, if any."""
    tags = {"file", "scope"}
    if question.parsed.computed:
        tags = {"file", "folder", "party", "recipient"}
    for mark in question.marks:
        certain = mark.tag in tags and not mark.denied and not mark.either
        if certain and _is_name(mark, state.question):
            said = [mark.text]
            if mark.tag in _COLUMNS:  # a firm may be named by a part of its name, not by initials
                said = [word for word in parts_of(mark.text) if len(word) >= _LONG]
            if said and not await _stands(state, said):
                return Nowhere(mark.text, _like(mark, await catalog_of(state)))
    return None


async def _stands(state: TurnState, said: Iterable[str]) -> bool:
    """Return whether the name of a file, or a text, has one of these."""
    catalog = await catalog_of(state)
    paths = bare(" ".join(catalog.values("files", "path")))
    if any(bare(word) in paths for word in said):
        return True  # texts take longer to be read
    if len(catalog.files) > SMALL and "files_words" not in catalog.filled:
        return True  # it is searched for
    catalog = await with_texts(state)
    return any(catalog.mentioning(word) for word in said)


def _is_name(mark: Mark, question: Question) -> bool:
    """Return whether a mark is surely a name of its own."""
    if mark.tag in {"file", "scope"}:
        return bool(_FILE.search(mark.text))
    before = question.text[: mark.start]
    if (
        question.text[mark.start : mark.end] != mark.text
        or not before.strip()
        or synonyms(mark.text, question.language)
        or _is_general(mark.text)
    ):
        return False  # of an earlier question, or its first word
    if _ARTICLE.search(before) or not all(part[:1].isupper() for part in mark.text.split()):
        return False
    return not (question.language == "de" and _NOUN.fullmatch(mark.text))


def _like(mark: Mark, catalog: Catalog) -> tuple[str, ...]:
    """Return the names that are most like a mark."""
    known: dict[str, str] = {}
    for relation, column in _COLUMNS.get(mark.tag, _FILES):
        if relation in catalog.filled:
            for value in catalog.values(relation, column):
                name = value.rpartition("/")[2]
                known |= dict.fromkeys((*parts_of(name), bare(name)), name)
    near = difflib.get_close_matches(bare(mark.text), known, 2 * _NEAREST, _NEAR)
    return tuple(dict.fromkeys(known[one] for one in near))[:_NEAREST]
