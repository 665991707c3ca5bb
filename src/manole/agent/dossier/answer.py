"""A dossier as the answer to a question."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator

from pydantic import Field

from manole.agent.dossier.collect import dossier
from manole.agent.dossier.model import Dossier, Item
from manole.agent.dossier.names import MOST, tokens, words_of
from manole.agent.dossier.said import line, sums, top
from manole.agent.languages import Words
from manole.agent.languages import words_of as language
from manole.agent.plan.marks import Asked
from manole.agent.telling import Told, uncited
from manole.tools.base import Action, Inputs, Result, TurnState
from manole.tools.objects import shorten

ABOUT = "about"
_SHOWN = 5  # lines of a section in an answer
_QUOTE = 160  # characters of a line in an answer
_KIND = re.compile(r"(?<=\w)\s+(?:the|der|die|das)\s+\w+$", re.IGNORECASE)  # "Pippa the cat"
_ENDS = " ?!.…\"'“”„«»"


class AboutInputs(Inputs):
    """The name of somebody or something."""

    name: str = Field(min_length=1, max_length=200)


def about_asked(question: Asked) -> AboutInputs | None:
    """Return of whom or what a question asks for everything; `None` for any other question."""
    text, said = question.parsed.question, [mark.text for mark in question.parsed.marks]
    if question.parsed.tool != ABOUT or any(mark.tag == "period" for mark in question.parsed.marks):
        return None
    places = [(text.rfind(one), len(one)) for one in (*said, *question.parsed.unread)]
    begin, end = min(places, default=(0, 0))[0], max((at + n for at, n in places), default=0)
    name = _KIND.sub("", text[begin:end].replace("’", "'")).strip(_ENDS)
    few = len(tokens(name)) <= MOST + 2 and 0 < len(words_of(name)) <= MOST
    return AboutInputs(name=name) if few else None


class TellAbout(Action[AboutInputs]):
    """Answers with a dossier, or with nothing where the library does not have the name."""

    name = ABOUT
    inputs = AboutInputs

    async def __call__(self, state: TurnState, inputs: AboutInputs) -> AsyncIterator[Result]:
        """Yield the dossier, if there is one."""
        found = await dossier(state, inputs.name, _SHOWN)
        if not (found and found.exact):
            return
        told = Told(ABOUT)
        marks: dict[tuple[str, int | None, int | None], str] = {}

        def mark(item: Item) -> str:
            place = (item.file, item.page, item.line)
            if place not in marks:
                marks[place] = told.mark(*place, item.quote, item.text)
            return marks[place]

        told.lines += _markdown(found, language(state.question.language), mark)
        yield told.result("medium", metadata={"places": found.places, "files": found.files})


def _markdown(found: Dossier, words: Words, mark: Callable[[Item], str]) -> Iterator[str]:
    """Yield the lines of a dossier as Markdown, each with its `[n]`."""
    first, *others = top(found, words)
    yield f"**{found.name}**: {first}"
    yield from others
    if found.summary:
        yield ""
    for item in found.summary:
        yield f"- {uncited(item.text)} {mark(item)}"
    for section in found.sections:
        yield f"\n**{words.dossier.sections[section.part]}** ({words.number(section.count)})"
        added = "; ".join(sums(found, words)) if section.part == "papers" else ""
        if added:
            yield f"- {added}"
        for item in section.items:
            yield f"- {uncited(shorten(line(item, section.part, words), _QUOTE))} {mark(item)}"
        if section.left:
            yield f"- {words.more.format(count=words.number(section.left))}"
