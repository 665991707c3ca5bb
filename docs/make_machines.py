"""Writes the table of what three machines would do with each model into `docs/models.md`.

    python docs/make_machines.py

The first is the machine this runs on, measured with the chat model at hand (let other programs
rest); the others are described in `docs/machines/*.toml` and reckoned.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tables import put, table

from manole.care import machine as care
from manole.cli.machine import seconds
from manole.models.machine.outlook import Outlook, here, machine_in
from manole.models.weights.cache import Weights
from manole.models.weights.files import human_size
from manole.settings import Settings, names_in

DOCS = Path(__file__).parent


def reports() -> list[care.Report]:
    """One a machine, this one first."""
    settings = Settings.load()
    weights, licences = Weights(settings.weights_dir), names_in(settings.model.licences)
    speed, busy = asyncio.run(care.measured(settings, weights, told_of, again=False))
    if speed is None or busy:
        raise SystemExit("This machine is busy, or has no model: the table would mislead.")
    embedding = care.embedding_here(settings, weights, told_of)
    found = [care.report(care.with_gpus(here(speed)), licences, embedding)]
    for name in ("laptop", "desktop"):
        machine = machine_in(DOCS / "machines" / f"{name}.toml")
        found.append(care.report(machine, licences, care.embedding_of(machine)))
    return found


def told_of(what: str) -> None:
    """Say what is measured."""
    sys.stderr.write(f"{what}\n")


def cell(one: Outlook, best: str | None) -> str:
    """First answer and later ones; of a vision model, a page."""
    if one.place is None:
        return "does not fit"
    times = [one.page_s] if one.page_s else [one.first_s, one.answer_s]
    text = ", ".join(seconds(value) for value in times)
    if one.spec.name == best:
        return f"**{text}**"
    return text if one.quick else f"{text}: too slow"


def main() -> None:
    """Rewrite the table."""
    found = reports()
    mine = found[0].machine
    heads = [f"{mine.cores} cores, {human_size(mine.memory)}, measured with one model"]
    heads += [f"{one.machine.name}, reckoned" for one in found[1:]]
    rows = [
        (
            f"`{one.spec.name}`",
            human_size(one.needed),
            *(cell(each.outlooks[at], each.best) for each in found),
        )
        for at, one in enumerate(found[0].outlooks)
    ]
    hours = (f"{each.embedding.hours:.1f} hours" if each.embedding else "" for each in found)
    rows.append((f"{care.FILES:,} files embedded", "", *hours))
    page = DOCS / "models.md"
    text = put(page.read_text("utf-8"), "machines", table(("model", "memory", *heads), rows))
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
