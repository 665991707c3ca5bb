"""What the programs of this folder share: made-up prose, halves of questions, memory, times."""

from __future__ import annotations

import hashlib
import json
import random
import statistics
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

EXAMPLES = Path(__file__).parent.parent / "examples"
HOUSEHOLD = EXAMPLES / "household"
QUESTIONS = EXAMPLES / "household.questions.jsonl"
Row = dict[str, Any]
WORDS = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had
an they which one you were all her she there would their we him been has when who will no more if
out so up said what its about than into them can only other time new some could these two may
first then do any like my now over such our man me even most made after also did many before must
well back through years where much your way down should because long each just state those people
too how little good world make very year still see own work men day get here old between both life
being under three never know same last another while us off might great go come since against
right came take used himself few house use place during high without again home around small
however found part school once general water number war point public head against room hand white
city boiler invoice garden window kitchen letter contract insurance journey river mountain engine
bottle market winter summer morning evening recipe butter sugar flour doctor engineer teacher
neighbour payment account balance budget meeting report warranty manual battery pressure valve
meter heating January February March April May June July August September October November
December Monday Friday electric copper silver paper wooden broken silent careful yellow narrow
distant ancient modern rapid write read build repair deliver cancel measure agree promise travel
return remember forget explain
""".split()  # noqa: SIM905
_WEIGHTS = [1 / (rank + 5) for rank in range(len(WORDS))]


def prose(random_: random.Random, words: int) -> str:
    """About `words` words in sentences and paragraphs."""
    out: list[str] = []
    left = words
    while left > 0:
        length = min(left, random_.randint(6, 18))
        sentence = random_.choices(WORDS, _WEIGHTS, k=length)
        if random_.random() < 0.3:
            sentence.append(str(random_.randint(2, 9999)))
        out.append(sentence[0].capitalize() + " " + " ".join(sentence[1:]) + ".")
        out.append("\n\n" if random_.random() < 0.15 else " ")
        left -= length
    return "".join(out).strip()


def lines(path: Path) -> list[Row]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def half_of(id: str) -> int:
    """0 or 1, by the SHA-256 of an id: one half may be looked at, the other is for a score."""
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % 2


def in_half(id: str, half: str | None) -> bool:
    """Whether an id is of this half: 0, 1, or by the number in it odd or even; None is both."""
    parity = "odd" if int("".join(filter(str.isdecimal, id)) or 0) % 2 else "even"
    return half in (None, str(half_of(id)), parity)


def middle_and_p95(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile; of one time, or none, as far as there are."""
    if len(times) < 2:
        return (*times, *times) if times else (0.0, 0.0)
    return statistics.median(times), statistics.quantiles(times, n=20, method="inclusive")[-1]


class Peak:
    """The most memory of this process and its children while the context lasts, in bytes.

    What processes share is counted once where the system tells (PSS, on Linux), else as often as
    it is held. `before` is what there was at first.
    """

    def __enter__(self) -> Peak:
        self.before = self.value = _held()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        took = 0.0
        while not self._over.wait(max(0.02, 9 * took)):  # a tenth of the time at most
            started = time.perf_counter()
            self.value = max(self.value, _held())
            took = time.perf_counter() - started


def _held() -> int:
    me, total = psutil.Process(), 0
    for process in (me, *me.children(recursive=True)):
        try:
            memory = process.memory_full_info()
            total += int(getattr(memory, "pss", memory.rss))
        except psutil.Error:
            continue
    return total
