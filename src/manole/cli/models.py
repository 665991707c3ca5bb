"""`manole models`: the models, whether they are at hand, and which one is in use and why.

Commands of the sub-app `app`: list (also without a command), fetch, verify, remove, and `use`,
which has a module of its own; a plug-in brings `tune`. Errors are raised as `ManoleError`; the main
app prints them. Settings, weights and rich are imported when a command runs, so that
`manole --help` stays quick.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json, printable, tell
from manole.cli.plugins import ModelsWithPlugins
from manole.cli.progress import ProgressBars
from manole.cli.use import to_fetch, use
from manole.errors import ManoleError, UsageError
from manole.sentences import said

if TYPE_CHECKING:
    from manole.models.gpu.report import GpuReport
    from manole.models.machine.outlook import Outlook
    from manole.models.weights.cache import ModelStatus, Weights
    from manole.models.weights.files import OnProgress
    from manole.settings import Settings

app = typer.Typer(
    name="models",
    cls=ModelsWithPlugins,
    help="List, choose, fetch, verify, remove and tune models; without a command: list.",
    invoke_without_command=True,
    no_args_is_help=False,
)

WIDE = 130  # columns of a terminal with room for descriptions too; set by hand
Names = Annotated[list[str] | None, typer.Argument(help="Names of `manole models`.")]


@app.callback()
def models(context: typer.Context, as_json: Json = False) -> None:
    """List, choose, fetch, verify, remove and tune models; without a command: list."""
    if context.invoked_subcommand is None:
        list_models(as_json)


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """Show every model, what of it is at hand, and which one is in use and why."""
    from manole.models.choose import recommended
    from manole.models.endpoints import chosen_embedder
    from manole.models.machine.tuning import recall_speeds

    settings, weights = _open()
    chat, why_chat = _chat_in_use(settings, weights)
    embedder = chosen_embedder(settings)
    reranker = settings.index.reranker
    in_use = {chat, embedder, reranker}
    statuses = weights.status()
    best, speed = recommended(settings, weights), recall_speeds(settings.cache_dir).get(chat or "")
    gpu = _gpu(settings, weights, chat)
    if as_json:
        print_json(
            {
                "models": [_describe(status, in_use) for status in statuses],
                "chat": {"name": chat, "reason": why_chat},
                "answer_seconds": speed and round(speed.answer_s, 1),
                "recommended": best and best.spec.name,
                "gpu": gpu.as_json() if gpu else None,
                "embedder": {"name": embedder},
                "reranker": {"name": reranker},
                "cache": str(weights.cache_dir),
            }
        )
        return
    _print_table(statuses, in_use)
    for line in (
        *_pinned(statuses),
        f"Chat model in use: {chat or 'none'} ({why_chat}).",
        *([f"An answer took about {speed.answer_s:.0f} s when measured here."] if speed else []),
        *([_better(best)] if best and chat in {*weights.catalog} - {best.spec.name} else []),
        *([f"GPU of the chat model: {said(gpu.text)}"] if gpu else []),
        f"Embedder in use: {embedder} (setting index.embedder).",
        f"Reranker: {reranker} (setting index.reranker).",
        f"Kept in {weights.cache_dir}",
    ):
        typer.echo(printable(line))


@app.command()
def fetch(
    names: Names = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Take the files from this file or folder."),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Accept files whose SHA-256 nobody published.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fetch models and verify them. Without names: the chat model in use and the embedder.

    An interrupted fetch goes on where it stopped.
    """
    settings, weights = _open()
    if source is not None:
        if not names or len(names) != 1:
            raise UsageError(
                "--from needs the name of one model.", "`manole models` lists the names."
            )
        if not source.expanduser().exists():
            raise UsageError(f"There is no file or folder {source}.")
    chosen = names or _default_names(settings, weights)
    _known(weights, chosen)

    def ensure(name: str, report: OnProgress) -> dict[str, Path]:
        return weights.ensure(name, report, local=source, trust=trust)

    _each(chosen, ensure, "at hand and verified", as_json)
    if not names:
        _make_ready(settings, weights, as_json)


@app.command()
def verify(names: Names = None, as_json: Json = False) -> None:
    """Hash models again and compare. Without names: all that are at hand.

    A file with wrong bytes is removed.
    """
    _, weights = _open()
    chosen = names or [status.spec.name for status in weights.status() if status.at_hand]
    _known(weights, chosen)
    if not chosen and not as_json:
        typer.echo("No model is at hand; `manole models fetch` gets one.")
        return
    _each(chosen, weights.verify, "verified", as_json)


@app.command()
def remove(
    names: Annotated[list[str], typer.Argument(help="Names of `manole models`.")],
    as_json: Json = False,
) -> None:
    """Delete models from this machine; they can be fetched again."""
    _, weights = _open()
    _known(weights, names)
    freed = {name: weights.remove(name) for name in names}
    tell(
        as_json,
        {"models": [{"name": name, "freed_bytes": size} for name, size in freed.items()]},
        *(
            f"{name}: {f'removed, {_size(size)} freed' if size else 'was not at hand'}."
            for name, size in freed.items()
        ),
    )


app.command("use")(use)


def _open() -> tuple[Settings, Weights]:
    """Return the settings in force and their weights cache."""
    from manole.models.weights.cache import Weights

    settings = load_settings()
    return settings, Weights(settings.weights_dir)


def _chat_in_use(settings: Settings, weights: Weights) -> tuple[str | None, str]:
    from manole.models.choose import chat_for
    from manole.models.endpoints import ENDPOINTS

    wanted = settings.model.name
    if wanted.startswith(ENDPOINTS):
        return wanted, "an endpoint, as set in model.name"
    try:
        spec, reason = chat_for(settings, weights)
    except ManoleError as error:
        # A person corrects a wrong name with the list, so it is shown all the same.
        return None, error.message.rstrip(".")
    return spec.name, reason


def _gpu(settings: Settings, weights: Weights, chat: str | None) -> GpuReport | None:
    """Report how much of the chat model is on a GPU; `None` while it is not at hand."""
    from manole.models.endpoints import ENDPOINTS
    from manole.models.gpu.report import gpu_report

    if chat is None or chat.startswith(ENDPOINTS):
        return None
    try:
        files = weights.path(chat)
        if files:
            path = next(iter(files.values()))
            return gpu_report(Path(chat).name, path, settings.cache_dir, settings.model)
    except OSError:
        pass
    return None


def _default_names(settings: Settings, weights: Weights) -> list[str]:
    from manole.models.choose import chat_for
    from manole.models.endpoints import ENDPOINTS, chosen_embedder

    wanted, embedder = settings.model.name, chosen_embedder(settings)
    names = [] if wanted.startswith(ENDPOINTS) else [chat_for(settings, weights)[0].name]
    if not embedder.startswith(ENDPOINTS):
        names.append(embedder)
    if settings.index.reranker != "off":
        names.append(settings.index.reranker)
    return [name for name in names if not name.lower().endswith(".gguf")]


def _known(weights: Weights, names: list[str]) -> None:
    """Raise `UsageError` for a wrong name before anything is fetched or removed."""
    for name in names:
        weights.spec(name)


def _each(
    names: list[str],
    do: Callable[[str, OnProgress], dict[str, Path]],
    done: str,
    as_json: bool,
) -> None:
    results: list[dict[str, Any]] = []
    for name in names:
        with ProgressBars(quiet=as_json) as bars:
            files = do(name, bars.weights)
        results.append({"name": name, "files": {file: str(path) for file, path in files.items()}})
        if not as_json:
            folder = next(iter(files.values())).parent
            typer.echo(f"{name}: {done}, in {folder}")
    if as_json:
        print_json({"models": results})


def _make_ready(settings: Settings, weights: Weights, as_json: bool) -> None:
    """Let the chat model read its instructions, which the first question would wait for."""
    import asyncio

    from manole.agent.loop import make_ready
    from manole.models.load import ChatLoader

    async def ready() -> None:
        loader = ChatLoader(settings, weights)
        try:
            await make_ready(await loader.get())
        finally:
            await loader.close()

    if not as_json:
        typer.echo("The model reads its instructions once, which takes about a minute.")
    try:
        asyncio.run(ready())
    except ManoleError as error:
        typer.echo(f"That comes with the first question instead: {error.message}", err=True)


def _describe(status: ModelStatus, in_use: set[str | None]) -> dict[str, Any]:
    spec = status.spec
    return {
        "name": spec.name,
        "kind": spec.kind,
        "size": spec.size or None,
        "licence": spec.licence,
        "description": spec.description,
        "at_hand": status.at_hand,
        "pinned_by": spec.pinned_by or None,
        "verified_here": status.verified,
        "in_use": spec.name in in_use,
        "partial_bytes": status.partial_bytes,
        "folder": str(status.folder),
        "files": [
            {"name": file.name, "size": file.size or None, "sha256": file.sha256}
            for file in spec.files
        ],
    }


def _better(one: Outlook) -> str:
    spec = one.spec
    costs = f"{to_fetch(spec)} on the disk, {_size(one.needed)} of memory"
    return f"Best for this machine: {spec.name} ({costs}): `manole models use {spec.name}`."


def _print_table(statuses: list[ModelStatus], in_use: set[str | None]) -> None:
    from rich.console import Console
    from rich.text import Text

    from manole.cli.rows import print_rows

    all_headers = ("Model", "Kind", "Size", "State", "Licence", "What it is")
    console = Console()
    headers = all_headers if console.width >= WIDE else all_headers[:-1]
    rows = []
    for status in statuses:
        spec = status.spec
        used = spec.name in in_use
        cells = (
            Text(spec.name, "bold" if used else ""),
            spec.kind,
            _size(spec.size),
            _state(status) + (", in use" if used else ""),
            spec.licence,
            spec.description,
        )
        rows.append(cells[: len(headers)])
    print_rows(headers, rows, console=console, right={"Size"}, names={"Model"})


def _pinned(statuses: list[ModelStatus]) -> list[str]:
    """Return a line for each publisher whose hashes have not been verified here yet."""
    models: dict[str, list[str]] = {}
    for status in statuses:
        if status.pinned_by:
            models.setdefault(status.pinned_by, []).append(status.spec.name)
    return [f"Pinned by {by}, not verified here: {', '.join(n)}." for by, n in models.items()]


def _state(status: ModelStatus) -> str:
    if status.at_hand:
        return "at hand"
    if status.partial_bytes:
        return f"{_size(status.partial_bytes)} fetched"
    if any(file.sha256 is None for file in status.spec.files):
        return "unverified"
    return "not fetched"


def _size(count: int) -> str:
    from manole.models.weights.files import human_size

    return human_size(count) if count else "?"
