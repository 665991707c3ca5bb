"""Tells by the parser's reading whether a question asks for all of a file or a folder."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence

from manole.agent.dossier.names import spellings, tokens
from manole.agent.dossier.names import words_of as named
from manole.agent.languages import words_of
from manole.agent.plan.linking import relation_of
from manole.agent.plan.marks import Asked, names_any
from manole.agent.turn import Step
from manole.agent.whole.chapters import TellChapters
from manole.agent.whole.folder import TellFolder
from manole.agent.whole.mentions import TellMentions
from manole.catalog.kinds import kind_called
from manole.catalog.relations import DIARY
from manole.index.search.scope import Scope
from manole.index.store.records import FileRecord
from manole.models.parser import Mark
from manole.text.language import language_of
from manole.text.words import STOP, fold, has_digit, path_words

ACTIONS = (TellMentions(), TellChapters(), TellFolder())
_PLACES = frozenset({"scope", "file", "folder"})
_PEOPLE = DIARY | {"messages", "events", "tasks"}  # relations whose texts a query searches
_WORD = 4  # letters of a word beside what is marked that belongs to it


async def of_whole(
    question: Asked,
    within: Scope,
    outer: Scope,
    files: Sequence[FileRecord],
    planned: Callable[[], Awaitable[bool]],
) -> Step | None:
    """Return the step that answers a question for all of a file or folder, `None` for others.

    `within` is the scope that the question names, inside the `outer` one; it may be `planned` as a
    query, which takes longer to be told.
    """
    text, parsed = question.parsed.question, question.parsed
    places = [mark for mark in question.marks if mark.tag in _PLACES]
    place = (within.one or "") if within != outer or not places else _only(places, files)
    if within != outer and not place:
        return None  # several files
    if (said := _asks("mention", text)) and (words := _sought(question, said)):
        doubted = relation_of(question) in _PEOPLE or (
            parsed.computed and parsed.labels["op"] != "exists"
        )
        if place or not (doubted and await planned()):
            inputs = {"place": place, "words": words}
            return Step(TellMentions.name, inputs, "looks through every line")
    record = next((file for file in files if file.path == place), None) if place else None
    if record and _asks("chapters", text):
        return Step(TellChapters.name, {"place": place}, "tells its chapters")
    if not record and _is_overview(question, place):
        return Step(TellFolder.name, {"place": place}, "tells each file")
    return None


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


def _is_overview(question: Asked, place: str) -> bool:
    """Return whether nothing is asked of a folder, or of all files, but what it holds."""
    parsed = question.parsed
    text, asks = parsed.question, _asks("overview", parsed.question)
    a, b = asks.span() if asks else (0, 0)
    marks = [mark for mark in question.marks if not a <= mark.start < b]
    unread = [w for w in parsed.unread if not (asks and w in asks[0]) and not names_any(w)]
    if unread or any(mark.tag not in _PLACES or mark.denied for mark in marks):
        return False
    any_file = any(map(names_any, tokens(text)))
    if asks or not place:
        return bool(asks) and (bool(place) or (any_file and all(names_any(m.text) for m in marks)))
    if any(mark.tag != "folder" for mark in marks) or any_file:
        return False
    plain = parsed.labels["op"] in {"rows", "exists"} and relation_of(question) == "files"
    labels = "".join(parsed.labels[name] for name in ("column", "group", "order", "limit"))
    return plain and (not parsed.computed or not any(map(str.isalnum, labels)))


def _asks(what: str, text: str) -> re.Match[str] | None:
    """Return how a question asks for something, in its language."""
    return re.search(getattr(words_of(language_of(text)), f"asks_{what}"), text, re.IGNORECASE)


def _sought(question: Asked, said: re.Match[str]) -> tuple[str, ...]:
    """Return the words that are looked for, as they stand in the question.

    They are those that the parser marks or leaves unread; behind the word that asks for them also
    what stands before these, or all there is.
    """
    parsed = question.parsed
    text = parsed.question
    asking = [said.span(n) for n in range(1, len(said.groups()) + 1) if said[n]]
    own = [m for m in question.marks if text[m.start : m.end] == m.text]
    out = [*asking, *((m.start, m.end) for m in own if m.tag in _PLACES)]
    left = [(a, b) for a, b in _tokens(text) if not any(x < b and a < y for x, y in out)]
    marked = [(m.start, m.end) for m in own if m.tag not in _PLACES]
    unread = {w for word in parsed.unread for w in tokens(word)}
    kept = {(a, b) for a, b in left
            if text[a:b] in unread or any(x <= a < y for x, y in marked)}  # fmt: skip
    kept = {(a, b) for a, b in kept if _says(text[a:b], 2)}
    kept |= {(a, b) for a, b in left if a >= asking[-1][1] and has_digit(text[a:b])}
    behind = [(a, b) for a, b in left if a >= asking[-1][1] and _says(text[a:b], _WORD)]
    found = kept | {one for one, after in zip(behind, [*behind[1:], (0, 0)], strict=False)
                    if not kept or (after in kept and after[0] - one[1] == 1)}  # fmt: skip
    words = tuple(dict.fromkeys(text[a:b] for a, b in sorted(found)))
    return named(" ".join(words)) or words  # without "Frau"


def _says(word: str, least: int) -> bool:
    return fold(word) not in STOP and (len(word) >= least or word.isdecimal())


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span() for match in re.finditer(r"[^\W_]+", text))
