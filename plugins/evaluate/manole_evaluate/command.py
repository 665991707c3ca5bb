"""`manole eval`: retrieval and answers, measured on a file of questions.

The table goes to standard output, progress to standard error. Where a run ends early, the table of
what was done until then is printed. Heavy modules are imported when the command runs, so that
`manole --help` stays quick.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.options import Strategy, run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json
from manole.errors import UsageError

if TYPE_CHECKING:
    from manole.settings import Settings
    from manole_evaluate.questions import Question
    from manole_evaluate.runner import Outcome
    from manole_evaluate.summary import Summary

INTERRUPTED = 130  # the exit code shells give a program that Ctrl-C ended


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is asked, of what, and by whom."""

    source: Path
    root: Path
    questions: list[Question]
    strategy: str  # of the settings, "gold", or "none" (retrieval only)
    timeout_s: float


def evaluate(
    questions: Annotated[Path, typer.Argument(help="A JSONL file, one question a line.")],
    files: Annotated[
        Path, typer.Option("--files", help="The folder the questions are about; it is indexed.")
    ],
    strategy: Strategy = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask at most this many.")] = None,
    offset: Annotated[int, typer.Option(min=0, help="Leave out this many first.")] = 0,
    sample: Annotated[
        int | None, typer.Option(metavar="SEED", help="Shuffle by this seed before cutting.")
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter", metavar="FIELD=VALUE", help="Only these; FIELD~PART too; repeatable."
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="A column for each value of this field.")
    ] = None,
    retrieval_only: Annotated[
        bool, typer.Option("--retrieval-only", help="Search only; no model is needed.")
    ] = False,
    gold: Annotated[
        bool, typer.Option("--gold", help="Hand the model the right passage: its ceiling.")
    ] = False,
    in_file: Annotated[
        bool, typer.Option("--in-file", help="Ask each question within its own file.")
    ] = False,
    model: Annotated[str | None, typer.Option(help="Chat model, as in `manole models`.")] = None,
    timeout: Annotated[
        float, typer.Option(min=1, help="Seconds after which a question counts as wrong.")
    ] = 600.0,
    as_json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    details: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write each question's outcome here as it comes."),
    ] = None,
) -> None:
    """Measure retrieval, answers, citations and cost on questions with known answers.

    Example: manole eval questions.jsonl --files ~/Documents --limit 50 --details out.jsonl
    """
    if gold and retrieval_only:
        raise UsageError("--gold and --retrieval-only exclude each other.", "Use one of them.")
    if as_json and markdown:
        raise UsageError("--json and --markdown exclude each other.", "Use one of them.")
    settings = load_settings(model__name=model, agent__strategy=strategy)
    plan = _plan(
        questions,
        files,
        {"limit": limit, "offset": offset, "sample": sample, "filters": filters or []},
        "none" if retrieval_only else "gold" if gold else settings.agent.strategy,
        timeout,
        in_file=in_file,
    )
    outcomes: list[Outcome] = []
    from manole.models.endpoints import chosen_embedder

    about: dict[str, Any] = {
        "questions": str(questions),
        "files": str(plan.root),
        "strategy": plan.strategy,
        "embedder": chosen_embedder(settings),
    }
    finished = _run(plan, settings, outcomes, about, details)
    about["complete"] = finished
    from manole_evaluate.summary import by_field, summarise

    columns = {"all": summarise(outcomes), **(by_field(outcomes, by) if by else {})}
    _print(columns, about, as_json=as_json, markdown=markdown)
    if not finished:
        raise typer.Exit(INTERRUPTED)


def _plan(
    source: Path,
    files: Path,
    choice: dict[str, Any],
    strategy: str,
    timeout_s: float,
    *,
    in_file: bool,
) -> _Plan:
    from manole_evaluate.questions import absent, load, select, within

    root = files.expanduser()
    if not root.is_dir():
        raise UsageError(f"There is no folder {files}.", "Give --files a folder.")
    source = source.expanduser()
    chosen = within(select(load(source), **choice), source, root, in_file=in_file)
    missing = absent(chosen, root)
    if missing:
        named = len({file for question in chosen for file in question.files})
        if len(missing) == named:
            raise UsageError(
                f"None of the files the questions name is in {root} ({missing[0]}, ...).",
                "--files is the folder that `file` is relative to, or lies in.",
            )
        typer.echo(
            f"{len(missing)} of {named} gold files are not in {root}; "
            f"their questions can only be missed ({missing[0]}, ...).",
            err=True,
        )
    return _Plan(source, root.resolve(), chosen, strategy, timeout_s)


def _run(
    plan: _Plan,
    settings: Settings,
    outcomes: list[Outcome],
    about: dict[str, Any],
    details: Path | None,
) -> bool:
    """Fill `outcomes`. Returns whether the run came to its end."""
    with ExitStack() as stack:
        note = stack.enter_context(_details(details))
        tell, advance = stack.enter_context(_progress(len(plan.questions)))

        def on_outcome(outcome: Outcome) -> None:
            outcomes.append(outcome)
            note(outcome)
            advance(outcomes)

        try:
            run(_ask(plan, settings, about, tell, on_outcome))
        except KeyboardInterrupt:
            return False
    return True


async def _ask(
    plan: _Plan,
    settings: Settings,
    about: dict[str, Any],
    tell: Callable[[str], None],
    on_outcome: Callable[[Outcome], None],
) -> None:
    from manole_evaluate.runner import run
    from manole_evaluate.subject import open_subject

    async with open_subject(plan.root, settings, plan.strategy, tell) as subject:
        about["model"] = subject.model_name
        tell("asking" if subject.asker else "searching")
        await run(
            plan.questions,
            asker=subject.asker,
            retriever=subject.retriever,
            on_outcome=on_outcome,
            timeout_s=plan.timeout_s,
        )


def _print(
    columns: dict[str, Summary], about: dict[str, Any], *, as_json: bool, markdown: bool
) -> None:
    from rich.console import Console

    from manole_evaluate import report

    if as_json:
        print_json(report.as_json(columns, about))
        return
    who = about.get("model")
    how = f"strategy {about['strategy']}, {who}" if who else "search only"
    title = f"{Path(about['questions']).name}: {how}"
    if markdown:
        typer.echo(report.markdown(columns))
    else:
        Console().print(report.table(columns, title))
    if not about["complete"]:
        typer.echo("Stopped early: the table covers what was done until then.", err=True)


@contextmanager
def _details(path: Path | None) -> Iterator[Callable[[Outcome], None]]:
    """A function that writes an outcome's line at once, so that a killed run keeps its lines."""
    if path is None:
        yield lambda outcome: None
        return
    try:
        opened = path.expanduser().open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.", "Give --details another file."
        ) from None
    with opened:

        def write(outcome: Outcome) -> None:
            opened.write(json.dumps(outcome.as_json(), ensure_ascii=False) + "\n")
            opened.flush()

        yield write


@contextmanager
def _progress(
    total: int,
) -> Iterator[tuple[Callable[[str], None], Callable[[list[Outcome]], None]]]:
    """A bar on standard error: a function that says what goes on, and one that moves it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("starting", total=total)

    def tell(what: str) -> None:
        bar.update(task, description=what)

    def advance(outcomes: list[Outcome]) -> None:
        answers = [outcome.answer for outcome in outcomes if outcome.answer]
        what = f"{sum(answer.correct for answer in answers)} right" if answers else "searching"
        bar.update(task, completed=len(outcomes), description=what)

    with bar:
        yield tell, advance
