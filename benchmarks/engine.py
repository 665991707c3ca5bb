"""How fast the engine is: prefixes kept on disk, calls at once, guessing from the context.

    python benchmarks/engine.py [--model NAME_OR_FILE] [--runs 3] [--threads N]

Prints a table of medians. Each row is measured against its neighbour in turns, because what else
runs on the machine changes from one minute to the next. `manole models tune` measures the options.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from manole.agent.prompts import prompt
from manole.models.chat.protocol import Completion, Message
from manole.models.cores import physical_cores
from manole.models.engine.llamacpp import LlamaCpp
from manole.models.engine.options import EngineOptions
from manole.models.engine.prefixes import Prefixes
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings

PAPERS = (
    "Invoice 4711\nDate 3 March 2023\nElectricity 120.00\nVAT 22.80\nTotal due 142.80 EUR",
    "Rechnung 88\nDatum 5.4.2022\nWasser 40,00\nMwSt 2,80\nGesamt 42,80 EUR",
    "Invoice A-9\n2021-09-01\nHosting 10.00 USD\nTotal 10.00 USD\nThank you",
    "Facture 12\nMontant HT 200,00\nTVA 40,00\nTotal TTC 240,00 EUR",
)
TOOLS = "\n".join(f"- tool_{n}(query, path, limit): finds kind {n}" for n in range(9))
COPIED = (
    "Repeat word for word: The contract begins on 1 March and runs for two years. The rent of 840 "
    "euros is due on the third working day of each month. Heating and water are paid in advance "
    "and settled once a year."
)
SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "string"}},
    "required": ["value"],
}


class Bench:
    """One model, and what is asked of it."""

    def __init__(self, name: str, path: Path, threads: int, runs: int) -> None:
        self.name, self.path, self.runs = name, path, runs
        self.settings = ModelSettings(context=4096, threads=threads, temperature=0.0, top_k=1)

    async def load(self, store: Prefixes | None = None, lookup: int = 0) -> LlamaCpp:
        """The engine, anew."""
        options = replace(EngineOptions(), lookup=lookup)
        return await LlamaCpp.load(self.name, self.path, self.settings, options, store)

    async def first_calls(self) -> None:
        """The first call of a new engine over the deciding prompt, without and with its prefix."""
        system = Message("system", prompt("decide.system").substitute(tools=TOOLS))
        asked = [system, Message("user", "Question: which invoices are unpaid?")]
        with tempfile.TemporaryDirectory() as folder:
            stores = {"read anew": None, "kept on disk": Prefixes.at(Path(folder), "benchmark")}
            warm = await self.load(stores["kept on disk"])
            await warm.complete(asked, max_tokens=1)
            await warm.close()
            seconds: dict[str, list[float]] = {label: [] for label in stores}
            for _ in range(self.runs):
                for label, store in stores.items():
                    model = await self.load(store)
                    spent, done = await timed(lambda m=model: m.complete(asked, max_tokens=1))
                    seconds[label].append(spent)
                    tokens, cached = done.usage.prompt_tokens, done.usage.cached_tokens
                    print(f"  {label}: {tokens} tokens, {cached} of them kept", flush=True)
                    await model.close()
        show("first call over the deciding prompt", seconds)

    async def at_once(self) -> None:
        """Four short extractions over one prefix, one after the other and at once."""
        seconds: dict[str, list[float]] = {"one after the other": [], "at once": []}
        with tempfile.TemporaryDirectory() as folder:
            model = await self.load(Prefixes.at(Path(folder), "benchmark"))
            number = 0

            def ask(paper: str) -> Awaitable[Completion]:
                nonlocal number
                number += 1  # no two prompts alike: nothing but the prefix is shared
                text = f"Paper {number}:\n{paper}\n\nThe total amount? Answer in JSON."
                system = Message("system", prompt("field.system").template)
                return model.complete([system, Message("user", text)], max_tokens=24, schema=SCHEMA)

            async def apart() -> list[Completion]:
                return [await ask(paper) for paper in PAPERS]

            async def together() -> list[Completion]:
                return await asyncio.gather(*(ask(paper) for paper in PAPERS))

            await ask(PAPERS[0])
            for _ in range(self.runs):
                for label, way in (("one after the other", apart), ("at once", together)):
                    spent, done = await timed(way)
                    seconds[label].append(spent)
                    shared = min(one.usage.cached_tokens for one in done)
                    print(f"  {label}: at least {shared} tokens of each shared", flush=True)
            await model.close()
        show("four extractions", seconds)

    async def guessing(self) -> None:
        """A text copied, without and with guessing from the context."""
        rates: dict[str, list[float]] = {"no guessing": [], "guessing 8/16": []}
        texts = set()
        for _ in range(self.runs):
            for label, lookup in (("no guessing", 0), ("guessing 8/16", 8)):
                model = await self.load(lookup=lookup)
                done = await model.complete([Message("user", COPIED)], max_tokens=48)
                spent = done.usage.total_s - done.usage.first_token_s
                rates[label].append((done.usage.completion_tokens - 1) / spent)
                texts.add(done.text)
                await model.close()
        same = "the same text" if len(texts) == 1 else "different texts"
        show(f"copying, tokens a second ({same})", rates)


async def timed(way: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """Seconds and result."""
    started = time.perf_counter()
    result = await way()
    return time.perf_counter() - started, result


def show(what: str, values: dict[str, list[float]]) -> None:
    """One row of the table for each way."""
    for label, found in values.items():
        print(f"| {what} | {label} | {statistics.median(found):.2f} |", flush=True)


async def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="auto")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=physical_cores())
    given = parser.parse_args()
    settings = Settings.load({"model.name": given.model})
    name, path = await ChatLoader(settings, Weights(settings.weights_dir)).file()
    bench = Bench(name, path, given.threads, given.runs)
    print("| what | how | median |\n|---|---|---:|", flush=True)
    await bench.first_calls()
    await bench.at_once()
    await bench.guessing()


if __name__ == "__main__":
    asyncio.run(main())
