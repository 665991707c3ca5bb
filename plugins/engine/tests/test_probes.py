"""The search for the fastest engine, over fake engines whose speed is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from manole.errors import ModelError
from manole.models.chat.protocol import Completion, Usage
from manole.models.engine.options import EngineOptions
from manole_engine.probes import Measured, Trying, search

FIRST = EngineOptions(threads=2)
NATIVE = Path("/opt/llama-server")


class FakeEngine:
    """Answers at the given rates; `said` stands for what it would write, `copied` for a copy."""

    def __init__(self, read=40.0, write=10.0, copy=None, said="yes", copied=None):
        self.read, self.write, self.copy = read, write, copy or write
        self.said, self.copied = said, copied or said
        self.closed = False

    async def complete(self, messages, *, max_tokens):
        copies = messages[0].content.startswith("Repeat")
        rate = self.copy if copies else self.write
        first = 100 / self.read
        usage = Usage(100, 0, 11, first, first + 10 / rate)
        return Completion(
            f"{self.copied if copies else self.said} {messages[0].content[:9]}", usage
        )

    async def close(self):
        self.closed = True


async def chosen(engine_for, *, native=None, quick=False, cores=2, gpus=(False, False)):
    """The best candidate of a search, and all of them by their labels."""
    engines = []

    async def open_engine(options):
        engines.append(engine_for(options))
        return engines[-1]

    found, best = {}, None
    async for step in search(open_engine, FIRST, cores, native, quick=quick, gpus=gpus):
        if isinstance(step, Trying):
            continue
        measured, better = step
        found[measured.label] = measured
        best = measured if better else best
    assert all(engine.closed for engine in engines)
    return best, found


async def test_alike_engines_leave_everything_as_it_comes():
    best, found = await chosen(lambda o: FakeEngine())
    assert best.options == FIRST
    assert len(found) >= 6
    assert best.seconds == pytest.approx(200 / 40 + 20 / 10)


async def test_changes_that_pay_are_added_up():
    def engine_for(options):
        faster = (2 if options.native else 1) * (1.5 if options.flash == "off" else 1)
        return FakeEngine(read=40 * faster)

    best, _ = await chosen(engine_for, native=NATIVE)
    assert best.options.native == NATIVE
    assert best.options.flash == "off"
    assert best.read_rate == pytest.approx(120)


async def test_a_faster_engine_that_answers_otherwise_is_not_chosen():
    def engine_for(options):
        if options.kv == "q8_0" or options.native:
            return FakeEngine(read=400, said="no")
        return FakeEngine()

    best, found = await chosen(engine_for, native=NATIVE)
    assert best.options == FIRST
    assert not found["compiled here"].same
    assert not found["keys and values q8_0"].same


async def test_noise_is_no_gain():
    best, _ = await chosen(lambda o: FakeEngine(read=41 if o.threads == 1 else 40))
    assert best.options == FIRST


@pytest.mark.parametrize(
    ("write", "copy", "wins"), [(10, 19, True), (10, 11, False), (4, 19, False)]
)
async def test_guessing_must_pay_in_copies_and_cost_nothing_elsewhere(write, copy, wins):
    best, _ = await chosen(
        lambda o: FakeEngine(write=write, copy=copy) if o.lookup else FakeEngine()
    )
    assert bool(best.options.lookup) is wins


async def test_an_engine_that_does_not_start_is_left_out():
    def engine_for(options):
        if options.native:
            raise ModelError("illegal instruction")
        return FakeEngine()

    best, found = await chosen(engine_for, native=NATIVE)
    assert best.options == FIRST
    assert found["compiled here"].problem == "illegal instruction"
    assert found["compiled here"].seconds == float("inf")


async def test_without_a_first_engine_there_is_nothing_to_measure():
    def engine_for(options):
        raise ModelError("no memory")

    with pytest.raises(ModelError, match="no memory"):
        await chosen(engine_for)


async def test_the_quick_search_is_shorter_and_one_core_needs_no_counting():
    _, whole = await chosen(lambda o: FakeEngine())
    _, quick = await chosen(lambda o: FakeEngine(), quick=True)
    _, single = await chosen(lambda o: FakeEngine(), quick=True, cores=1)
    assert len(single) < len(quick) < len(whole)
    assert isinstance(quick["1 thread"], Measured)


async def test_a_gpu_that_is_faster_is_chosen_though_it_adds_in_another_order():
    def engine_for(options):
        if options.gpu and options.flash == "off":
            return FakeEngine(read=9000, said="no", copied="yes")
        said = "YES" if options.gpu else "yes"
        return FakeEngine(read=400 if options.gpu else 40, said=said, copied="yes")

    best, found = await chosen(engine_for, native=NATIVE, gpus=(False, True))
    assert (best.options.native, best.options.gpu) == (NATIVE, True)
    assert best.label == "compiled here, on the GPU"
    assert not found["flash attention off"].same


async def test_a_gpu_that_cannot_copy_a_text_is_not_chosen():
    def engine_for(options):
        wrong = options.gpu and not options.native
        rate = (200 if options.native else 400) if options.gpu else 40
        return FakeEngine(read=rate, said="!!!" if wrong else "yes")

    best, found = await chosen(engine_for, native=NATIVE, gpus=(True, True))
    assert not found["on the GPU"].same
    assert best.label == "compiled here, on the GPU"


async def test_a_gpu_that_is_slower_is_not_chosen():
    best, found = await chosen(
        lambda o: FakeEngine(read=5 if o.gpu else 40), native=NATIVE, gpus=(True, True)
    )
    assert best.options == FIRST
    assert not found["on the GPU"].problem
