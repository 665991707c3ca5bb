"""The same weights on the CPU and on a graphics processor: the same tokens, and how fast.

    python benchmarks/gpu.py [--engine LLAMA_SERVER] [--model NAME_OR_FILE ...] [--texts 3]

Without --engine, the one that `manole models tune --compile` built with Vulkan. Mesa's software
renderer is no graphics processor, and the engine leaves it alone unless it is asked for by
`GGML_VK_VISIBLE_DEVICES=0`; it computes as one does, and slowly.

Prints a table, and ends with 1 when a device said what the CPU holds to be unlikely.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from pathlib import Path
from typing import Any

from manole.models.engine.options import EngineOptions
from manole.models.gpu.devices import listed
from manole.models.gpu.layers import room
from manole.models.gpu.notes import Token
from manole.models.gpu.offload import difference, tokens_of
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings
from manole_engine.build import built
from manole_engine.native import NativeLlama

CONTEXT, TOKENS = 1024, 24
TEXTS = (
    "The lease of the flat in Mill Lane begins on 1 March and runs for two years. The rent of 840 "
    "euros is due on the third working day of each month. Question: when is the rent due? Answer:",
    "Soak the lentils for an hour and throw the water away. Cut two onions, three carrots and a "
    "stalk of celery into small cubes and fry them in oil. Question: how many carrots? Answer:",
    "Der Kessel im Keller wurde von einer Firma aus der Nachbarstadt eingebaut. Der Druck soll "
    "zwischen einem und zwei Bar liegen. Frage: Wie hoch soll der Druck sein? Antwort:",
)


async def asked(program: Path, path: Path, layers: int, texts: int) -> list[dict[str, Any]]:
    """What the engine says to each text at temperature 0. A first one warms it up."""
    settings = ModelSettings(context=CONTEXT, parallel=1, timeout_s=7200)
    options = EngineOptions(native=program, layers=layers)
    model = await NativeLlama.load(path.stem, path, settings, options)
    try:
        await model.likeliest(TEXTS[0], 2)
        return [await model.likeliest(text, TOKENS) for text in TEXTS[:texts]]
    finally:
        await model.close()


def alike(cpu: list[Token], gpu: list[Token]) -> tuple[int, float]:
    """Tokens until the first different one, and how far their probabilities are apart at most.

    The distance is that of natural logarithms.
    """
    apart = 0.0
    for place, (one, other) in enumerate(zip(cpu, gpu, strict=True)):
        if one.id != other.id:
            return place, apart
        apart = max(apart, abs((one.logprob or 0) - (other.logprob or 0)))
    return len(cpu), apart


def rate(told: list[dict[str, Any]], what: str) -> float:
    """Tokens a second, the median."""
    return statistics.median(one["timings"][f"{what}_per_second"] for one in told)


async def row(program: Path, name: str, path: Path, texts: int) -> bool:
    """One line of the table; whether the device said nothing that the CPU holds to be unlikely."""
    gpus = listed(program)
    layers = room(path, gpus, CONTEXT, "f16")
    cpu = await asked(program, path, 0, texts)
    gpu = await asked(program, path, layers.layers, texts)
    pairs = [(tokens_of(one), tokens_of(other)) for one, other in zip(cpu, gpu, strict=True)]
    same = [alike(one, other) for one, other in pairs]
    wrong = [why for one, other in pairs if (why := difference(one, other))]
    cells = (
        name,
        " and ".join(one.description for one in gpus),
        f"{layers.layers} of {layers.total}",
        f"{sum(count for count, _ in same)} of {sum(len(one) for one, _ in pairs)}",
        f"{max(apart for _, apart in same):.3f}",
        *(f"{rate(told, 'prompt'):.1f}/s" for told in (cpu, gpu)),
        *(f"{rate(told, 'predicted'):.1f}/s" for told in (cpu, gpu)),
        "; ".join(wrong) or "right",
    )
    print(f"| {' | '.join(cells)} |", flush=True)
    return not wrong


async def main(program: Path, names: list[str], texts: int) -> bool:
    """The table."""
    head = "model, device, layers, same tokens, log-probabilities apart at most, CPU reads, "
    head += "device reads, CPU writes, device writes, the device is"
    columns = head.split(", ")
    print(f"| {' | '.join(columns)} |\n|---|---|{'---:|' * (len(columns) - 3)}---|", flush=True)
    weights = Weights(Settings().weights_dir)
    good = True
    for name in names:
        path = weights.ensure(name)["model.gguf"] if name in weights.catalog else Path(name)
        good &= await row(program, Path(name).name, path, texts)
    return good


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", type=Path, help="a llama-server built for a GPU")
    parser.add_argument("--model", action="append", help="a name of `manole models`, or a file")
    parser.add_argument("--texts", type=int, default=len(TEXTS), choices=(1, 2, 3))
    given = parser.parse_args()
    engine = given.engine or built(Settings().cache_dir, vulkan=sys.platform != "darwin")
    if engine is None or not listed(engine):
        sys.exit("There is no engine with a device here; `manole models tune --compile` makes one.")
    models = given.model or ["smollm2-135m-instruct"]
    sys.exit(0 if asyncio.run(main(engine, models, given.texts)) else 1)
