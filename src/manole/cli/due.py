"""`manole due`: the days that matter, from papers, letters, mails, tasks and calendars."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.library import open_library
from manole.cli.options import Folder, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, writing

if TYPE_CHECKING:
    from manole.agent.due import Due

_SOON = 30  # days of the first list
_WORDS = {
    "pay": "to pay", "get": "to be paid by", "ends": "ends", "cancel": "last day to cancel",
    "task": "to do", "event": "", "said": "",
}  # fmt: skip
_LINE = 75  # bytes of a line of a calendar, at most (RFC 5545, 3.1)


def due(
    folder: Folder = None,
    days: Annotated[
        int, typer.Option("--days", min=1, max=3660, help="Days ahead that are looked at.")
    ] = 90,
    ics: Annotated[
        Path | None, typer.Option("--ics", metavar="FILE", help="Write a calendar of them.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what is due: payments, ends of contracts, days to cancel, tasks, appointments.

    Each line names its source. What is past and still open comes first; days whose year is not
    written come last. FILE is - for standard output.

    Example: manole due ~/Documents --days 30
    """
    exclude("--json", "--ics", as_json and ics is not None)
    run(_due(folder, days, ics, as_json))


async def _due(folder: str | None, days: int, ics: Path | None, as_json: bool) -> None:
    from manole.agent.due import due as found_due
    from manole.text.question import Question
    from manole.tools.base import TurnState

    settings, today = load_settings(), date.today()
    async with await open_library(folder, settings) as library:
        found = await found_due(TurnState(Question("", today), library, settings), days)
    if as_json:
        print_json({"today": today.isoformat(), "due": [one.to_json() for one in found]})
    elif ics is not None:
        _write(ics, calendar(found))
    else:
        _print(found, today, days)


def _write(file: Path, text: str) -> None:
    if str(file) == "-":
        typer.echo(text, nl=False)
        return
    with writing(file):
        file.write_text(text, "utf-8", newline="")
    typer.echo(f"Written: {printable(str(file))}")


def _print(found: Sequence[Due], today: date, days: int) -> None:
    sure = [one for one in found if one.sure]
    soon = today + timedelta(days=_SOON)
    lists = {
        "Past, and not known to be done": [one for one in sure if one.day < today],
        f"In the next {min(days, _SOON)} days": [one for one in sure if today <= one.day <= soon],
        f"Until {today + timedelta(days=days):%-d %B %Y}": [one for one in sure if one.day > soon],
        "The year is not written": [one for one in found if not one.sure],
    }
    if not found:
        typer.echo(f"Nothing is due in the next {days} days, as far as these files say.")
    for n, (head, part) in enumerate((h, p) for h, p in lists.items() if p):
        typer.echo(f"{chr(10) if n else ''}{head}:")
        for one in part:
            typer.echo(f"  {_line(one)}")


def _line(one: Due) -> str:
    text = ": ".join(filter(None, (_WORDS[one.kind], one.text)))
    how = f" ({one.how})" if one.how else ""
    where = f"page {one.page}" if one.page else f"line {one.line}" if one.line else ""
    source = ", ".join(filter(None, (one.file, where)))
    when = f"{one.day:%a %d %b %Y}{' ' + one.time if one.time else ''}"
    return printable(f"{when}  {text}{how}  [{source}]")


# A calendar -------------------------------------------------------------------------------------


def calendar(found: Iterable[Due]) -> str:
    """Return a calendar (RFC 5545) with a whole day for each."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Manole//due//EN"]
    for one in found:
        summary = ": ".join(filter(None, (_WORDS[one.kind], one.text)))
        key = f"{one.day}:{one.file}:{one.page}:{one.line}:{one.kind}:{one.text}"
        lines += [
            "BEGIN:VEVENT",
            f"UID:{uuid.uuid5(uuid.NAMESPACE_URL, key)}",
            f"DTSTAMP:{datetime.now(UTC):%Y%m%dT%H%M%SZ}",
            f"DTSTART;VALUE=DATE:{one.day:%Y%m%d}",
            f"SUMMARY:{_escaped(summary)}",
            f"DESCRIPTION:{_escaped(one.file)}",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _escaped(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\")
    return plain.replace(",", "\\,").replace(";", "\\;")


def _folded(line: str) -> Iterator[str]:
    part = ""
    for letter in line:
        if len((part + letter).encode()) > _LINE:
            yield part
            part = " "
        part += letter
    yield part
