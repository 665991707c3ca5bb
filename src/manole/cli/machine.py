"""`manole doctor --machine`: the outlook of each model on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from manole.cli.options import run
from manole.cli.options import settings as load_settings
from manole.cli.output import print_json, printable
from manole.text.counted import counted

if TYPE_CHECKING:
    from manole.care.machine import Embedding, Report
    from manole.models.machine.outlook import Machine, Outlook, Speed


def show_machine(
    like: Path | None, tell: Callable[[str], None], *, again: bool, as_json: bool
) -> None:
    """Measure what is not known yet, and print the table; `like` describes another machine."""
    from manole.care import machine as care
    from manole.models.machine.outlook import here, machine_in
    from manole.models.weights.cache import Weights
    from manole.settings import names_in

    settings = load_settings()
    licences, context = names_in(settings.model.licences), settings.model.context
    embedding: Embedding | None
    busy = False
    if like is not None:
        machine = machine_in(like)
        embedding = care.embedding_of(machine)
    else:
        weights = Weights(settings.weights_dir)
        speed, busy = run(care.measured(settings, weights, tell, again=again))
        machine = care.with_gpus(here(speed))
        embedding = care.embedding_here(settings, weights, tell)
    found = care.report(machine, licences, embedding, context)
    if as_json:
        print_json(found.as_json())
        return
    _print(found)
    if busy:
        typer.echo(
            "Other programs were busy meanwhile, so this machine may be faster: "
            "`manole doctor --machine --thorough` measures again."
        )


def _print(found: Report) -> None:
    from rich.text import Text

    from manole.cli.rows import print_rows
    from manole.models.weights.files import human_size

    for line in described(found.machine):
        typer.echo(printable(line))
    costs = ("Memory", "First", "Answer", "Page")
    rows = []
    for one in found.outlooks:
        used = one.spec.name == found.best
        rows.append(
            (
                Text(one.spec.name, "bold" if used else ""),
                human_size(one.needed),
                seconds(one.first_s),
                seconds(one.answer_s),
                seconds(one.page_s),
                verdict(one, best=used),
            )
        )
    print_rows(("Model", *costs, "Fit"), rows, right=costs, names={"Model"})
    for line in ended(found):
        typer.echo(printable(line))


def described(machine: Machine) -> list[str]:
    """Return the machine in words."""
    from manole.models.weights.files import human_size

    free = f", {human_size(machine.free)} free" if machine.free < machine.memory else ""
    size = f"{human_size(machine.memory)} of memory{free}"
    lines = [f"{machine.name}: {counted(machine.cores, 'core')}, {size}."]
    lines += [f"Graphics processor: {g.description}, {human_size(g.total)}." for g in machine.gpus]
    if machine.gpu_speed:
        lines.append(f"It {_speed(machine.gpu_speed)}")
    if machine.speed:
        lines.append(f"The processor {_speed(machine.speed)}")
    else:
        lines.append("How fast it is was not measured: that needs a chat model that can be loaded.")
    return lines


def _speed(speed: Speed) -> str:
    origin = f"measured with {speed.model}" if speed.how == "measured" else "reckoned"
    return (
        f"reads with {speed.weights / 1e9:,.0f} billion weights a second and writes with "
        f"{speed.bytes / 1e9:,.0f} GB a second ({origin})."
    )


def verdict(one: Outlook, *, best: bool) -> str:
    """Return the last column of a model's row."""
    if one.place is None:
        return "does not fit"
    if not one.quick:
        return "too slow"
    return "the best here" if best else ""


def ended(found: Report) -> list[str]:
    """Return the lines below the table."""
    from manole.care.machine import FILES
    from manole.models.machine.outlook import COLD, TOLERABLE_S, WARM, WRITTEN

    lines = [
        f"First: until the first word of a first answer, {COLD} tokens read. Answer: any later "
        f"one, {WARM} read and {WRITTEN} written; more than {TOLERABLE_S:.0f} s is too slow. "
        "Page: until one is described. What was not measured is reckoned from what was."
    ]
    if found.embedding:
        hours = f"{found.embedding.hours:,.1f}"
        lines.append(
            f"Embedding {FILES:,} files of {found.embedding.passages:.0f} passages: about {hours} "
            f"hours ({found.embedding.how}, {found.embedding.seconds * 1000:,.0f} ms a passage)."
        )
    return lines


def seconds(value: float | None) -> str:
    """Return seconds for a table."""
    if value is None:
        return ""
    return f"{value:.0f} s" if value >= 10 else f"{value:.1f} s"
