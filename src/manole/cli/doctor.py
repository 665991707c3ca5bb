"""`manole doctor`: problems of indexes, weights, caches and settings, and their remedies.

With `--try` the program itself is tried instead (`self_check.py`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from manole.cli.options import exclude, flags, run, speak_as
from manole.cli.options import settings as loaded
from manole.cli.output import Json, print_json, printable
from manole.errors import ManoleError, SettingsError
from manole.sentences import said

if TYPE_CHECKING:
    from manole.care.findings import Finding

MARKS = {
    "problem": ("bold red", "problem"), "warning": ("yellow", "warning"), "good": ("green", "ok"),
}  # fmt: skip


def doctor(
    library: Annotated[
        str | None, typer.Argument(help="An indexed folder, or a library's name. Without: all.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Do the remedies that lose nothing, and look again.")
    ] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Hash all weights and read every vector.")
    ] = False,
    tried: Annotated[
        bool,
        typer.Option(
            "--try", help="Try this installation instead: libraries, embedder, index, page, model."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Look at everything Manole keeps, and say what is wrong and how to put it right.

    Without --fix nothing is changed. The exit code is 1 when something is a problem.
    """
    from manole.settings import Settings

    if tried:
        from manole.cli.self_check import tried as found_in

        for name, given in (("LIBRARY", library), ("--fix", fix), ("--thorough", thorough)):
            exclude("--try", name, bool(given))
        with looking(as_json) as tell:
            _told(run(found_in(loaded(), tell)), [], as_json)
        return

    with contextlib.suppress(SettingsError):  # the examination finds it again
        speak_as(Settings.load(flags()).language)
    done, findings = run(_examined(library, fix, thorough, quiet=as_json))
    _told(findings, done, as_json)


def _told(findings: Sequence[Finding], done: Sequence[str], as_json: bool) -> None:
    """Print findings; the exit code is 1 when one is a problem."""
    problems = sum(finding.level == "problem" for finding in findings)
    if as_json:
        told = [finding.as_json() for finding in findings]
        print_json({"good": not problems, "done": [*done], "findings": told})
    else:
        _print(findings, done)
    if problems:
        raise typer.Exit(1)


async def _examined(
    library: str | None, fix: bool, thorough: bool, *, quiet: bool
) -> tuple[list[str], list[Finding]]:
    """Return what was mended, and the findings, the worst first."""
    import asyncio

    from manole.care.doctor import examine, mend
    from manole.care.findings import in_order

    done: list[str] = []
    with looking(quiet) as tell:
        findings = await examine(flags(), library, thorough=thorough, tell=tell)
        if fix and any(finding.fix for finding in findings):
            done = await mend(findings, tell)
            findings = await examine(flags(), library, thorough=thorough, tell=tell)
    return done, in_order([*findings, *await asyncio.to_thread(_database)])


def _database() -> list[Finding]:
    """Check whether the database of conversations, if one is set, can be used."""
    from manole.agent.conversations import Conversations
    from manole.care.caches import CONVERSATIONS
    from manole.care.findings import good, problem
    from manole.settings import Settings

    try:
        settings = Settings.load(flags())
    except SettingsError:
        return []  # another check has found it
    if settings.conversations.database is None:
        return []
    try:
        store = Conversations.of(settings, "")
        store.check()
        store.close()
    except ManoleError as error:
        return [problem(CONVERSATIONS, error.message, remedy=error.hint or "")]
    return [good(CONVERSATIONS, f"{store.place} can be used")]


@contextlib.contextmanager
def looking(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show what is being examined, on standard error of a terminal."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda text: None
        return
    with console.status(said("Looking")) as status:
        yield lambda text: status.update(escape(said(f"Looking at {printable(text)}")))


def _print(findings: Sequence[Finding], done: Sequence[str]) -> None:
    """Print findings by topic, and how many of each level there are."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(soft_wrap=True, highlight=False)
    for sentence in done:
        console.print(escape(said(f"done: {printable(sentence)}")))
    topics = dict.fromkeys(finding.topic for finding in findings)
    for topic in topics:
        console.print(f"\n[bold]{escape(printable(said(topic)))}[/]")
        for finding in findings:
            if finding.topic != topic:
                continue
            named = finding.where if finding.level != "good" else ""
            where = f" [dim]({escape(printable(named))})[/]" if named else ""
            text = escape(printable(said(finding.text)))
            style, mark = MARKS[finding.level.value]
            console.print(f"  [{style}]{said(mark)}[/]  {text}{where}")
            if finding.remedy:
                console.print(f"      → {escape(printable(said(finding.remedy)))}")
    counts = {
        level: sum(finding.level == level for finding in findings)
        for level in ("problem", "warning", "good")
    }
    found = f"{_number(counts['problem'], 'problem')}, {_number(counts['warning'], 'warning')}"
    console.print()
    console.print(said(f"{found}, {counts['good']} in order."))


def _number(count: int, name: str) -> str:
    return f"{count or 'no'} {name}{'' if count == 1 else 's'}"
