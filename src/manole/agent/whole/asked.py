"""Tells by the parser's reading whether a question asks for all of a file or a folder."""

from __future__ import annotations

from collections.abc import Sequence

from manole.agent.dossier.names import spellings, tokens
from manole.agent.dossier.names import words_of as named
from manole.agent.plan.linking import relation_of
from manole.agent.plan.marks import PLACES, Asked, names_any
from manole.agent.plan.understand import unasked
from manole.agent.turn import Step
from manole.agent.whole.chapters import TellChapters
from manole.agent.whole.folder import TellFolder
from manole.agent.whole.mentions import TellMentions
from manole.catalog.kinds import kind_called
from manole.index.search.scope import Scope
from manole.index.store.records import FileRecord
from manole.models.parser import Mark
from manole.text.words import STOP, fold, path_words

_OPS = frozenset({"rows", "exists"})  # of questions where something is
ACTIONS = (TellMentions(), TellChapters(), TellFolder())


def of_whole(
    question: Asked, within: Scope, outer: Scope, files: Sequence[FileRecord]
) -> Step | None:
    """Return the step that answers a question for all of a file or folder, `None` for others.

    `within` is the scope that the question names, inside the `outer` one.
    """
    tool, places = question.parsed.tool, [m for m in question.marks if m.tag in PLACES]
    place = (within.one or "") if within != outer or not places else _only(places, files)
    if within != outer and not place:
        return None  # several files
    one = any(file.path == place for file in files)
    if tool == TellMentions.name and (words := _sought(question)):
        return Step(tool, {"place": place, "words": words}, "looks through every line", "parser")
    if tool == TellChapters.name and one:
        return Step(tool, {"place": place}, "tells its chapters", "parser")
    if tool == TellFolder.name and not one and (place or all(names_any(m.text) for m in places)):
        return Step(tool, {"place": place}, "tells each file", "parser")
    return None


def where_said(question: Asked) -> Step | None:
    """Return the step that finds where files speak of what no file is called by, if that is asked.

    "Where is the wiring diagram of the pump": a page of the manual has it.
    """
    named = (tokens(mark.text) for mark in question.marks if mark.tag == "topic")
    said = [tuple(word for word in topic if fold(word) not in STOP) for topic in named]
    words = max(said, key=len, default=())
    asked = question.parsed.computed and relation_of(question) == "files"
    if not (asked and words) or question.parsed.labels["op"] not in _OPS:
        return None
    return Step(TellMentions.name, {"place": "", "words": words}, "no file is called so", "parser")


def _only(places: Sequence[Mark], files: Sequence[FileRecord]) -> str:
    """Return the one file whose name or title has the words of the one place that is named."""
    if len(places) != 1 or names_any(places[0].text) or kind_called(places[0].text):
        return ""
    wanted = [spellings(word) for word in tokens(places[0].text) if fold(word) not in STOP]
    found = []
    for file in files if wanted else ():
        own = {fold(word) for word in tokens(f"{path_words(file.path)} {file.title or ''}")}
        if all(not own.isdisjoint(word) for word in wanted):
            found.append(file.path)
    return found[0] if len(found) == 1 else ""


def _sought(question: Asked) -> tuple[str, ...]:
    """Return the words that are looked for: those that are marked, or that nobody asks with."""
    marks = (mark.text for mark in question.parsed.marks if mark.tag not in PLACES)
    said = " ".join((*marks, *unasked(question)))
    words = tuple(dict.fromkeys(word for word in tokens(said) if fold(word) not in STOP))
    return named(" ".join(words)) or words  # without "Frau"
