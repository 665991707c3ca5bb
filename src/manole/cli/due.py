"""`manole due`: the days that matter, from papers, letters, mails, lists, tasks and calendars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from manole.cli.library import open_library
from manole.cli.options import Folder, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, say, writing

if TYPE_CHECKING:
    from manole.agent.due import Due

_BESIDE = 30  # characters for what is due beside its day, at least; else it stands below


def due(
    folder: Folder = None,
    days: Annotated[
        int, typer.Option("--days", min=1, max=3660, help="Days ahead that are looked at.")
    ] = 90,
    ics: Annotated[
        Path | None, typer.Option("--ics", metavar="FILE", help="Write a calendar of them.")
    ] = None,
    today: Annotated[
        datetime | None,
        typer.Option(
            "--today", metavar="DAY", formats=["%Y-%m-%d"], help="Count from DAY, as 2024-12-05."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what is due: payments, ends of contracts, days to cancel, tasks, appointments.

    Each line names its source. What is past and still open comes first; days whose year is not
    written come last. FILE is - for standard output.

    Example: manole due ~/Documents --days 30
    """
    exclude("--json", "--ics", as_json and ics is not None)
    run(_due(folder, days, today.date() if today else date.today(), ics, as_json))


async def _due(folder: str | None, days: int, today: date, ics: Path | None, as_json: bool) -> None:
    from manole.agent.due import calendar, due_in
    from manole.serve.answers import due_list

    async with await open_library(folder, settings := load_settings()) as library:
        found = await due_in(library, settings, today, days)
    if as_json:
        print_json(due_list(found, today, days).model_dump(mode="json"))
    elif ics is not None:
        _write(ics, calendar(found))
    else:
        _print(Console(highlight=False), found, today, days)


def _write(file: Path, text: str) -> None:
    if str(file) == "-":
        typer.echo(text, nl=False)
        return
    with writing(file):
        file.write_text(text, "utf-8", newline="")
    say(f"Written: {printable(str(file))}")


def _print(console: Console, found: Sequence[Due], today: date, days: int) -> None:
    from manole.agent.due import lists
    from manole.agent.due.wording import head, moment

    if not found:
        say(f"Nothing is due in the next {days} days, as far as these files say.")
    wide = max((cell_len(moment(one)) for one in found), default=0)
    told = [(when, part) for when, part in lists(found, today).items() if part]
    for n, (when, part) in enumerate(told):
        console.print(Text(("\n" if n else "") + head(when, today, days), "bold"), soft_wrap=True)
        for one in part:
            for line in _lines(one, wide, console.width if console.is_terminal else None):
                console.print(line, soft_wrap=True)


def _lines(one: Due, wide: int, width: int | None) -> list[Text]:
    """Return the lines of something due: on a terminal, what is longer than its width is cut.

    Where it came from is never cut. Into a pipe it is all one line, as programs read them.
    """
    from manole.agent.due.wording import how, moment, source, what

    when, text, why, where = map(printable, (moment(one), what(one), how(one.how), source(one)))
    if width is None:
        told = f"{text} ({why})" if why else text
        return [Text(f"  {when:{wide}}  {told}  [{where}]")]
    beside = wide + 4 + _BESIDE <= width
    before = " " * (wide + 4 if beside else 4)
    room = width - len(before)
    rest = f" ({why})" if why else ""
    fits = cell_len(rest) <= room // 2
    said = _cut(text, room - (cell_len(rest) if fits else 0)) + (rest if fits else "")
    below = [] if fits else [Text(before + line) for line in wrap(why, room)]
    first = (
        [Text(f"  {when:{wide}}  {said}")] if beside else [Text(f"  {when}"), Text(before + said)]
    )
    deep = before if cell_len(before + where) <= width else " " * 4
    return [*first, *below, Text(deep + where, "dim")]


def _cut(text: str, room: int) -> str:
    """Return a text that takes so many columns at most, with an ellipsis where it was cut."""
    line = Text(text)
    line.truncate(max(room, 1), overflow="ellipsis")
    return line.plain
