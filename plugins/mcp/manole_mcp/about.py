"""The tool `about`: what there is of somebody or something, without a model."""

from __future__ import annotations

from pydantic import Field

from manole.agent.conversations.markdown import harmless
from manole.agent.dossier.collect import LIMIT, MOST, dossier
from manole.agent.dossier.model import Dossier, Item
from manole.agent.dossier.said import line, sums, top
from manole.agent.languages import ENGLISH
from manole.serve.answers import About, AboutItem, AboutSection
from manole.text.question import Question
from manole.tools.base import Inputs, TurnState
from manole_mcp.contents import DATA
from manole_mcp.replies import Call, Cited, Offer, Reply, place_of
from manole_mcp.uris import cited


class AboutInputs(Inputs):
    """`about`: the name of somebody or something."""

    name: str = Field(
        min_length=1, max_length=200, description="a person, a firm, an animal or a thing"
    )
    limit: int = Field(LIMIT, ge=1, le=MOST, description="items of each section at most")


class PlacedItem(Cited, AboutItem):
    """An item of a dossier, with its address."""


class PlacedSection(AboutSection):
    """A section of a dossier, with addresses."""

    items: list[PlacedItem]  # type: ignore[assignment]  # only read


class AboutOutputs(About):
    """A dossier, as `GET /about` gives it; each item has its `uri`, too."""

    summary: list[PlacedItem]  # type: ignore[assignment]
    sections: list[PlacedSection]  # type: ignore[assignment]


async def about(call: Call, inputs: AboutInputs) -> Reply:
    """Gather what names it, in order of time."""
    library = call.opened.library
    state = TurnState(Question(inputs.name), library, library.settings)
    found = await dossier(state, inputs.name, inputs.limit)
    every = [*found.summary, *(item for section in found.sections for item in section.items)]
    places = dict.fromkeys(filter(None, map(place_of, every)))
    text = harmless("\n".join(_text(found)))
    return Reply(text, AboutOutputs.model_validate(found), tuple(places))


def _words(item: Item) -> str:
    return cited(item.file, item.page, item.line).words


def _text(found: Dossier) -> list[str]:
    """Return a dossier as lines of text, each with its place."""
    if not found:
        near = ", ".join(f"{one.name} ({one.count})" for one in found.near)
        told = f" The names nearest to it: {near}." if near else ""
        return [f"Nothing in these files names “{found.name}”.{told}"]
    lines = [found.name, *top(found, ENGLISH), DATA, ""]
    lines += [f"“{item.text}” ({_words(item)})" for item in found.summary]
    for section in found.sections:
        lines += ["", f"{ENGLISH.dossier.sections[section.part]} ({section.count})"]
        lines += sums(found, ENGLISH) if section.part == "papers" else ()
        for item in section.items:
            lines.append(f"- {line(item, section.part, ENGLISH)} ({_words(item)})")
        lines += [f"… and {section.left} more"] if section.left else []
    return lines


OFFER = Offer(
    "about",
    "What there is of somebody or something",
    "Gather everything in the user's files that names a person, a firm, an animal or a thing: "
    "the sentences that say most, then papers with their sums, messages, diary entries, tasks, "
    "dates to come, rows of tables and other texts, in order of time, each with its place. At "
    "once, without a model.",
    AboutInputs,
    AboutOutputs,
    about,
)
