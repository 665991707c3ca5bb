"""`manole about`: what there is of somebody or something, from all the files."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable
from manole.errors import ManoleError
from manole.sentences import spoken

if TYPE_CHECKING:
    from manole.agent.dossier.model import Dossier, Item
    from manole.agent.languages import Words

_WIDEST = 100  # columns of a line, beyond which it is hard to read


def about(
    name: Annotated[str, typer.Argument(help="Of whom or what: a person, a firm, a thing.")],
    folder: Folder = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=200, help="Lines of each section at most.")
    ] = 5,
    as_json: Json = False,
) -> None:
    """Show what there is of somebody or something: papers, messages, notes, dates, each cited.

    The sentences that say most come first, then everything in order of time, the newest first.

    Example: manole about "Dr. Weyand" ~/Documents
    """
    run(_about(name, folder, limit, as_json))


async def _about(name: str, folder: str | None, limit: int, as_json: bool) -> None:
    from manole.agent.dossier.collect import dossier
    from manole.agent.languages import words_of
    from manole.text.question import Question
    from manole.tools.base import TurnState

    settings, words = load_settings(), words_of(spoken())
    async with await open_library(folder, settings) as library:
        state = TurnState(Question(name, date.today()), library, settings)
        found = await dossier(state, name, limit)
    if not found:
        near = ", ".join(f"{one.name} ({words.number(one.count)})" for one in found.near)
        hint = f"The names nearest to it: {near}." if near else None
        raise ManoleError(f"Nothing in these files names “{name}”.", hint)
    if as_json:
        from manole.serve.answers import About

        print_json(About.model_validate(found).model_dump(mode="json"))
        return
    for line in _lines(found, words):
        typer.echo(line)


def _lines(found: Dossier, words: Words) -> Iterator[str]:
    from manole.agent.dossier.said import line, sums, top

    width = max(24, min(_WIDEST, shutil.get_terminal_size().columns))
    yield from _wrapped(found.name, width)
    for text in top(found, words):
        yield from _wrapped(text, width, "  ")
    for item in found.summary:
        yield ""
        yield from _wrapped(f"“{item.text}”", width, "  ")
        yield from _wrapped(_source(item), width, "    ")
    for section in found.sections:
        yield ""
        head = f"{words.dossier.sections[section.part]} ({words.number(section.count)})"
        yield from _wrapped(head, width)
        for text in sums(found, words) if section.part == "papers" else ():
            yield from _wrapped(text, width, "  ")
        for item in section.items:
            text = line(item, section.part, words)
            yield from _wrapped(text, width, "  ")
            if text != item.file:
                yield from _wrapped(_source(item), width, "    ")
        if section.left:
            more = words.more.format(count=words.number(section.left))
            yield from _wrapped(f"… {more}", width, "  ")


def _source(item: Item) -> str:
    from manole.cli.render import place

    return f"[{item.file}{place(item.file, item.page, item.line)}]"


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        printable(" ".join(text.split())),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_on_hyphens=False,
    )
