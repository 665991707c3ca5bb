"""`manole grep`: every line with a word, a phrase or a pattern, in all that was read."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.ask import Since, Until, Within, scope_of
from manole.cli.library import open_library
from manole.cli.options import Folder, exclude, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, say
from manole.documents.formats import is_spoken
from manole.errors import UsageError
from manole.text.counted import counted

if TYPE_CHECKING:
    from rich.text import Text

    from manole.catalog.grep import Grepped, LineHit
    from manole.index.search.scope import Scope
    from manole.text.line_matching import LinePattern

NOTHING = 1  # the exit code where no line has the pattern, as that of grep


def grep(
    pattern: Annotated[str, typer.Argument(help="A word or a phrase; with -e an expression.")],
    folder: Folder = None,
    regex: Annotated[
        bool, typer.Option("--regex", "-e", help="A regular expression, as Python has them.")
    ] = False,
    ignore_case: Annotated[
        bool,
        typer.Option("--ignore-case", "-i", help="Capitals and accents alike; usual without -e."),
    ] = False,
    case: Annotated[
        bool, typer.Option("--case", help="Capitals and accents as written; usual with -e.")
    ] = False,
    word: Annotated[bool, typer.Option("--word", "-w", help="Whole words only.")] = False,
    within: Within = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Lines at most.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Leave out the first so many.")] = 0,
    count: Annotated[bool, typer.Option("--count", help="How many lines of each file.")] = False,
    as_json: Json = False,
) -> None:
    """Show every line with a word, a phrase or a pattern, in all files that were read.

    Scans, mails, attachments and archives included, as the index has them. Ends with 1 where no
    line has it.

    Example: manole grep "notice period" ~/Documents
    """
    from manole.text.line_matching import LinePattern

    exclude("--ignore-case", "--case", ignore_case and case)
    asked = LinePattern(pattern, regex, case or (regex and not ignore_case), word)
    run(_grep(asked, folder, scope_of(within, since, until), limit, offset, count, as_json))


async def _grep(
    pattern: LinePattern,
    folder: str | None,
    scope: Scope,
    limit: int,
    offset: int,
    count: bool,
    as_json: bool,
) -> None:
    from manole.catalog.grep import grep as found_lines

    async with await open_library(folder, load_settings()) as library:
        found = await found_lines(library, pattern, scope, limit=limit, offset=offset)
    if scope and not found.searched:
        raise UsageError(f"Nothing lies {scope.words}.", "`manole status` shows what is there.")
    if as_json:
        from manole.serve.answers import found_lines as listed

        without = {"lines", "offset", "next_offset"} if count else {"counts"}
        told = listed(found, count=count).model_dump(mode="json", exclude=without)
        print_json({"pattern": pattern.text, **told})
    elif count:
        _print_counts(found)
    else:
        _print_lines(found)
    if not as_json:
        _print_end(found, pattern.text, count=count)
    if not found.total:
        raise typer.Exit(NOTHING)


def _print_counts(found: Grepped) -> None:
    for file, lines in found.counts.items():
        typer.echo(f"{lines:>6}  {printable(file)}")


def _print_lines(found: Grepped) -> None:
    from rich.console import Console
    from rich.text import Text

    from manole.cli.render import one_line

    console = Console()
    for n, (file, lines) in enumerate(groupby(found.lines, lambda line: line.file)):
        if n:
            console.print()
        console.print(Text(one_line(file, 300), "bold"), soft_wrap=True)
        for line in lines:
            console.print(_marked(line), soft_wrap=True)


def _marked(hit: LineHit) -> Text:
    """Return a line with its place before it and the pattern marked."""
    from rich.text import Text

    from manole.cli.render import clean

    text, at = Text.assemble((f"  {_where(hit)}: ", "cyan")), 0
    for start, end in (*hit.marks, (len(hit.text), len(hit.text))):
        text.append(re.sub(r"\s+", " ", clean(hit.text[at:start])))
        text.append(re.sub(r"\s+", " ", clean(hit.text[start:end])), "bold red")
        at = end
    return text


def _where(hit: LineHit) -> str:
    """Return the page, the time or the line of a hit; of a page its line too."""
    from manole.cli.render import place

    named = [place(hit.file, hit.page, hit.line)]
    if hit.page is not None and not is_spoken(hit.file):
        named.append(place(hit.file, None, hit.line))
    return "".join(named).removeprefix(", ")


def _print_end(found: Grepped, pattern: str, *, count: bool) -> None:
    searched = counted(found.searched, "file")
    if not found.total:
        say(f"No line of {searched} has “{printable(pattern)}”.", err=True)
    else:
        typer.echo()
        say(f"{counted(found.total, 'line')} in {len(found.counts):,} of {searched}.")
        if found.next_offset and not count:
            say(f"--offset {found.next_offset} shows the next lines.")
    for file in found.stopped:
        say(f"{printable(file)} was not looked at to its end: that took too long.", err=True)
    if found.left:
        say(f"Not looked at: {counted(found.left, 'file')}. It took too long.", err=True)
