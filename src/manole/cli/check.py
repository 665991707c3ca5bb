"""`manole check`: what the library says of somebody's sentences, one by one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.ask import Since, Until, Within, scope_of
from manole.cli.library import open_library
from manole.cli.options import Folder, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, say
from manole.errors import UsageError
from manole.sentences import said
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.agent.check import Checked
    from manole.index.search.scope import Scope

_COLOURS = {"stated": "green", "contradicted": "bold red", "not found": "yellow"}
_QUOTE = 300  # characters of a quotation that are shown; set by hand
_BYTES = 1_000_000  # of a file that are read, more than the longest text that can be checked


def check(
    text: Annotated[
        str | None, typer.Argument(help="The sentences; - reads standard input.")
    ] = None,
    folder: Folder = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="Check the text of this file.")
    ] = None,
    within: Within = None,
    since: Since = None,
    until: Until = None,
    as_json: Json = False,
) -> None:
    """Check sentences against your files: stated, contradicted, or not found, with the source.

    No model writes anything. What is stated or contradicted is quoted; what is in doubt is not
    found. With --file, the first argument is the folder.

    Example: manole check "The notice period is two months." ~/Documents
    """
    if file is not None:
        exclude("A text", "--file", folder is not None)
        folder, text = text, _read(file)
    elif text == "-":
        text = sys.stdin.buffer.read(_BYTES).decode("utf-8", "replace")
    elif text is None:
        raise UsageError("There is no text to check.", "Give one, or --file FILE, or -.")
    run(_check(text, folder, scope_of(within, since, until), as_json))


def _read(file: Path) -> str:
    if not file.is_file():
        raise UsageError(f"There is no file {file}.", "Check its name.")
    try:
        with file.open("rb") as opened:
            return opened.read(_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is no text.", "Name a text file in UTF-8.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{file} cannot be read: {reason}.", "Check its permissions.") from None


async def _check(text: str, folder: str | None, scope: Scope, as_json: bool) -> None:
    from manole.agent.check import check as checked

    async with await open_library(folder, load_settings()) as library:
        found = await checked(library, text, date.today(), scope)
    if not found:
        raise UsageError("There is no sentence to check.", "Give one that states something.")
    if as_json:
        from manole.serve.answers import CheckedText

        print_json(CheckedText.model_validate({"sentences": found}).model_dump(mode="json"))
    else:
        _print(found)


def _print(found: Sequence[Checked]) -> None:
    from rich.console import Console
    from rich.text import Text

    from manole.cli.render import one_line, place

    console = Console()
    for one in found:
        head = Text(f"{said(one.verdict)}: ", _COLOURS[one.verdict])
        console.print(head.append(one_line(one.sentence, 1000), "default"), soft_wrap=True)
        if one.differs is not None:
            differs = said(f"It says {one.differs.said}, the source {one.differs.source}.")
            console.print(Text(f"    {printable(differs)}"), soft_wrap=True)
        if one.file is None:
            continue
        near = f"{said('nearest')}: " if one.verdict == "not found" else ""
        where = f"{one_line(one.file, 200)}{place(one.file, one.page, one.line)}"
        quote = one_line(one.quote or "", _QUOTE)
        console.print(Text(f"    {near}“{quote}” [{where}]", "dim"), soft_wrap=True)
    counts = {verdict: sum(one.verdict == verdict for one in found) for verdict in _COLOURS}
    told = [f"{n} {verdict}" for verdict, n in counts.items() if n]
    typer.echo()
    say(f"Checked: {', '.join([counted(len(found), 'sentence'), *told])}.")
