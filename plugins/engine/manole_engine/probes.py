"""Short measurements of an engine, and the search for its fastest options.

Each candidate loads the model anew and answers the same few questions at temperature 0. The first
candidate is the engine as it comes; a candidate with other answers is not chosen, however fast. A
graphics processor adds numbers in another order, so its answers may differ where two words are
about as likely: the text that it is told to copy has to be the same, and the other candidates on it
are compared with it. Then one option is changed at a time. A change is kept if it makes
a typical question (`READ` tokens read, `WRITTEN` written) faster by more than the noise of a
measurement.
"""

from __future__ import annotations

import statistics
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from manole.errors import ModelError
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.models.chat.rates import PROSE
from manole.models.engine.options import EngineOptions

# All set by hand.
READ, WRITTEN = 200, 20  # tokens of a typical question and its answer
GAIN = 1.05  # times as fast: less is noise
# Guessing must make copied text so much faster, and other text no slower than noise.
COPY_GAIN, COPY_LOSS = 1.2, 0.97
_ANSWER_TOKENS, _COPY_TOKENS = WRITTEN, 48
_COPIED = (
    "The contract begins on 1 March and runs for two years. The rent of 840 euros is due on the "
    "third working day of each month. Heating and water are paid in advance and settled once a "
    "year."
)
_TEXTS = (
    f"{PROSE} Keep these papers with the warranty, which lasts for five years. The pump hums at "
    "night if there is air in the pipes; let it out at the radiator in the bathroom, which is the "
    "highest point of the house. When is the exhaust measured?",
    "Soak the lentils for an hour and throw the water away. Cut two onions, three carrots and a "
    "stalk of celery into small cubes and fry them in oil until they smell sweet. Add a spoon of "
    "tomato paste, stir, and pour in a litre of broth. The lentils go in now and cook for forty "
    "minutes over a low flame; salt them only at the end, or they stay hard. A bay leaf and some "
    "thyme do no harm. Before serving, add a little vinegar and the parsley from the balcony. What "
    "is left keeps for three days in the cold and tastes better on the second. How long do the "
    "lentils cook?",
    "We left at six in the morning, when the streets were still wet. The train to the coast was "
    "nearly empty, and we had the table by the window to ourselves. At the second station a woman "
    "with a cello got on and told us about the concert in the old harbour, for which she had two "
    "tickets too many. We paid her thirty euros for both and promised to write. In the afternoon "
    "it cleared up; we walked along the dyke as far as the lighthouse and back, eleven kilometres "
    "in all. The concert began at eight and went on until the lamps on the ships were lit. How "
    "much were the two tickets?",
)

Open = Callable[[EngineOptions], Awaitable[ChatModel]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurement of a candidate. Rates are tokens per second, medians over the runs.

    `same`: every answer is the first candidate's. `problem` is the reason if it could not run.
    """

    label: str
    options: EngineOptions
    read_rate: float = 0.0
    write_rate: float = 0.0
    copy_rate: float = 0.0
    answers: tuple[str, ...] = ()
    same: bool = True
    problem: str = ""

    @property
    def seconds(self) -> float:
        """The time of a typical question; infinite if the candidate could not run."""
        if not self.read_rate or not self.write_rate:
            return float("inf")
        return READ / self.read_rate + WRITTEN / self.write_rate


@dataclass(frozen=True, slots=True)
class Trying:
    """The notice before a candidate is measured."""

    label: str


async def search(
    open_engine: Open,
    first: EngineOptions,
    cores: int,
    native: Path | None,
    *,
    quick: bool,
    gpus: tuple[bool, bool] = (False, False),
) -> AsyncIterator[Trying | tuple[Measured, bool]]:
    """Measure candidates; yield each, and whether it is the best one so far.

    `first` are the options of the engine as it comes, `cores` are the most threads to try, and
    `gpus` whether the usual and the compiled engine have a GPU. Raises `ModelError` if even the
    first candidate does not run.
    """
    runs = 1 if quick else len(_TEXTS)
    yield Trying("as it comes")
    best = base = await measure(open_engine, "as it comes", first, runs)
    if base.problem:
        raise ModelError(f"The engine cannot be measured. {base.problem}")
    yield base, True
    on_gpu: Measured | None = None
    for label, change in _changes(cores, native, gpus, quick=quick):
        options = change(best.options)
        if options == best.options:
            continue
        yield Trying(label)
        found = await measure(open_engine, label, options, runs)
        like = on_gpu if options.gpu and on_gpu else base
        same = found.answers == like.answers
        if options.gpu and on_gpu is None:
            same = found.answers[-1:] == base.answers[-1:]
            on_gpu = found if same else None
        found = replace(found, same=same and not found.problem)
        better = is_better(found, best)
        if better:
            best = found
        yield found, better


def is_better(found: Measured, best: Measured) -> bool:
    """Return whether `found` gives the same answers and is faster beyond the noise."""
    if not found.same or found.problem:
        return False
    if found.options.lookup != best.options.lookup:
        return (
            found.copy_rate >= best.copy_rate * COPY_GAIN
            and found.seconds * COPY_LOSS <= best.seconds
        )
    return found.seconds * GAIN <= best.seconds


async def measure(open_engine: Open, label: str, options: EngineOptions, runs: int) -> Measured:
    """Load an engine, ask it the questions of `runs` texts and let it copy one."""
    try:
        model = await open_engine(options)
    except ModelError as error:
        return Measured(label, options, problem=error.message)
    try:
        asked = [await _ask(model, text, _ANSWER_TOKENS) for text in _TEXTS[:runs]]
        copied = await _ask(model, f"Repeat word for word: {_COPIED}", _COPY_TOKENS)
    except ModelError as error:
        return Measured(label, options, problem=error.message)
    finally:
        await model.close()
    return Measured(
        label,
        options,
        read_rate=statistics.median([_read_rate(c) for c in asked]),
        write_rate=statistics.median([_write_rate(c) for c in asked]),
        copy_rate=_write_rate(copied),
        answers=tuple(c.text for c in (*asked, copied)),
    )


def _changes(
    cores: int, native: Path | None, gpus: tuple[bool, bool], *, quick: bool
) -> list[tuple[str, Callable[[EngineOptions], EngineOptions]]]:
    """Return labels and changes of one option each, the most effective first."""

    def change(**values: object) -> Callable[[EngineOptions], EngineOptions]:
        return lambda best: replace(best, **values)  # type: ignore[arg-type]  # names below

    out = []
    if gpus[0]:
        out.append(("on the GPU", change(gpu=True)))
    if native is not None:
        out.append(("compiled here", change(native=native, gpu=False)))
        if gpus[1]:
            out.append(("compiled here, on the GPU", change(native=native, gpu=True)))
    out += [(_threads(n), change(threads=n)) for n in _thread_counts(cores)]
    out.append(("guessing from context", change(lookup=8, draft=16)))
    if not quick:
        out += [
            ("flash attention off", change(flash="off")),
            ("flash attention on", change(flash="on")),
            ("128 tokens at once", change(ubatch=128)),
            ("keys and values q8_0", change(kv="q8_0", flash="on")),
        ]
    return out


def _thread_counts(cores: int) -> list[int]:
    """Return the thread counts to try beside all cores, the fewest last."""
    if cores <= 4:
        return list(range(cores - 1, 0, -1))
    return sorted({cores - 1, cores * 3 // 4, cores // 2}, reverse=True)


def _threads(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"


async def _ask(model: ChatModel, text: str, tokens: int) -> Completion:
    return await model.complete([Message("user", text)], max_tokens=tokens)


def _read_rate(done: Completion) -> float:
    read = done.usage.prompt_tokens - done.usage.cached_tokens
    return read / max(done.usage.first_token_s, 1e-6)


def _write_rate(done: Completion) -> float:
    """Return the rate after the first token, whose time belongs to reading."""
    spent = done.usage.total_s - done.usage.first_token_s
    return max(done.usage.completion_tokens - 1, 0) / max(spent, 1e-6)
