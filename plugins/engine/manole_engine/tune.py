"""`manole models tune`: a search for the fastest options on this machine, which are remembered.

Options that change an answer are never chosen. Ctrl-C leaves everything as it was.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manole.cli.options import run
from manole.cli.options import settings as load_settings
from manole.cli.output import Json, print_json
from manole.cli.progress import ProgressBars
from manole.errors import ModelError, UsageError

if TYPE_CHECKING:
    from manole.models.chat.protocol import ChatModel
    from manole.models.engine.options import EngineOptions
    from manole.models.machine.tuning import Choice
    from manole.settings import Settings
    from manole_engine.probes import Measured


def tune(
    name: Annotated[
        str | None, typer.Argument(help="A chat model of `manole models`, or a .gguf file.")
    ] = None,
    compile_engine: Annotated[
        bool | None,
        typer.Option(
            "--compile/--no-compile", help="Compile the engine for this processor and try it too."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer candidates, one run each.")] = False,
    as_json: Json = False,
) -> None:
    """Measure this machine and remember the fastest options that leave the answers as they are.

    Takes some minutes; other programs should rest meanwhile. Settings you made yourself win.
    """
    from manole.models.endpoints import ENDPOINTS

    settings = load_settings(model__name=name)
    if settings.model.name.startswith(ENDPOINTS):
        raise UsageError(
            f"{settings.model.name} is an endpoint; only an engine of ours can be tuned.",
            "Name a model of `manole models`.",
        )
    run(_tune(settings, compile_engine, quick=quick, as_json=as_json))


async def _tune(
    settings: Settings, compile_engine: bool | None, *, quick: bool, as_json: bool
) -> None:
    from manole.models.catalog.table import CATALOG
    from manole.models.cores import physical_cores
    from manole.models.engine.llamacpp import VERSION
    from manole.models.engine.options import EngineOptions, fingerprint
    from manole.models.gpu.devices import devices
    from manole.models.gpu.start import forget
    from manole.models.load import ChatLoader
    from manole.models.machine.tuning import key_for, remember, remember_speed
    from manole.models.weights.cache import Weights
    from manole.models.weights.files import sha256_of
    from manole_engine.probes import Trying, search

    with ProgressBars(quiet=as_json) as bars:
        loader = ChatLoader(settings, Weights(settings.weights_dir), bars.weights)
        name, path = await loader.file()
    native = _compiled(settings, compile_engine, as_json=as_json)
    cores = settings.model.threads or physical_cores()
    found: list[Measured] = []
    best: Measured | None = None
    with contextlib.suppress(OSError):  # reported where the choice is kept
        forget(settings.cache_dir)
    gpus = (False, False)
    if settings.model.gpu != "off":
        gpus = (bool(devices()), native is not None and bool(devices(native)))

    async def open_engine(options: EngineOptions) -> ChatModel:
        return await _open(name, path, settings, options)

    async for step in search(
        open_engine,
        EngineOptions(threads=cores),
        1 if settings.model.threads else cores,
        native,
        quick=quick,
        gpus=gpus,
    ):
        if isinstance(step, Trying):
            if not as_json:
                typer.echo(f"Measuring: {step.label} …", err=True)
            continue
        measured, better = step
        found.append(measured)
        best = measured if better else best
    assert best is not None
    native_hash = sha256_of(best.options.native) if best.options.native else None
    choice = _choice(name, best, native_hash, gpu=best.options.gpu if any(gpus) else None)
    try:
        remember(settings.cache_dir, key_for(fingerprint(path), VERSION), choice)
        own = [one for one in found if not one.options.gpu and one.read_rate and one.write_rate]
        if own and (spec := CATALOG.get(name)):
            fastest = max(own, key=lambda one: one.read_rate)
            remember_speed(settings.cache_dir, spec, fastest.read_rate, fastest.write_rate)
    except OSError as error:
        raise ModelError(
            f"The choice could not be kept in {settings.cache_dir}: {error.strerror}.",
            "Set cache_dir (MANOLE_CACHE_DIR) to a folder that can be written.",
        ) from None
    if as_json:
        print_json(_described(name, found, best, choice))
    else:
        _print_table(found, best)
        typer.echo(f"{name}: {best.label} is the fastest with the same answers, and remembered.")


async def _open(name: str, path: Path, settings: Settings, options: EngineOptions) -> ChatModel:
    """Start an engine that takes the likeliest word, on a GPU if told so. Raises `ModelError`."""
    from manole.models.engine.options import fingerprint
    from manole.models.gpu.start import Wanted
    from manole.models.weights.files import sha256_of

    likeliest = {"threads": options.threads, "temperature": 0.0, "top_k": 1}
    probing = settings.model.model_copy(update=likeliest)
    native = sha256_of(options.native) if options.native else None
    wanted = Wanted(
        *(name, path, fingerprint(path), settings.cache_dir, probing, options, native), keep=False
    )
    model, notice = await wanted.start()
    if notice:
        await model.close()
        raise ModelError(notice)
    return model


def _compiled(settings: Settings, wanted: bool | None, *, as_json: bool) -> Path | None:
    """Return the engine compiled here, compiled now if `wanted`; `None` without one."""
    from manole_engine.build import build, built, problem, vulkan_problem

    ready = None if wanted is False else built(settings.cache_dir)
    if wanted and ready and not vulkan_problem():
        ready = built(settings.cache_dir, vulkan=sys.platform != "darwin")
    if ready is not None or wanted is False:
        return ready
    missing = problem()
    if wanted is None:
        if missing or as_json or not sys.stdin.isatty():
            return None
        wanted = typer.confirm(
            "Compile the engine for this processor too? It fetches 38 MB of source text and takes "
            "10 to 30 minutes once."
        )
    if not wanted:
        return None
    with ProgressBars(quiet=as_json) as bars:
        return build(settings.cache_dir, bars.compiling, lambda text: typer.echo(text, err=True))


def _choice(name: str, best: Measured, native_sha256: str | None, *, gpu: bool | None) -> Choice:
    from manole.models.machine.tuning import Choice

    options = {key: value for key, value in asdict(best.options).items() if key != "gpu"}
    return Choice(
        model=name,
        **options,
        native_sha256=native_sha256,
        gpu=gpu,
        read_rate=round(best.read_rate, 1),
        write_rate=round(best.write_rate, 1),
        measured=datetime.now(UTC).replace(microsecond=0),
    )


def _described(name: str, found: list[Measured], best: Measured, choice: Choice) -> dict[str, Any]:
    return {
        "model": name,
        "candidates": [
            {
                "name": one.label,
                "read_tokens_per_second": round(one.read_rate, 1),
                "write_tokens_per_second": round(one.write_rate, 1),
                "copy_tokens_per_second": round(one.copy_rate, 1),
                "same_answers": one.same,
                "problem": one.problem or None,
                "chosen": one is best,
            }
            for one in found
        ],
        "choice": choice.model_dump(mode="json"),
    }


def _print_table(found: list[Measured], best: Measured) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Engine", no_wrap=True)
    for column in ("Reads", "Writes", "Copies", "Question"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("Answers")
    for one in found:
        shown = f"[bold]{one.label}[/bold]" if one is best else one.label
        if one.problem:
            table.add_row(shown, "", "", "", "", escape(one.problem))
            continue
        rates = (one.read_rate, one.write_rate, one.copy_rate)
        answers = "the same" if one.same else "not identical"
        answers = "checked" if one.options.gpu and one.same else answers
        table.add_row(
            shown,
            *(f"{rate:.1f}/s" for rate in rates),
            f"{one.seconds:.1f} s",
            answers + (", chosen" if one is best else ""),
        )
    Console().print(table)
