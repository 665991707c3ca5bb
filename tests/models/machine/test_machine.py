"""What a machine can do with a model, and which one it is given."""

from __future__ import annotations

import pytest

from manole.errors import UsageError
from manole.models.catalog.table import CATALOG
from manole.models.chat.protocol import Usage
from manole.models.chat.rates import Rates, Reach
from manole.models.choose import better, choose_chat
from manole.models.gpu.devices import Gpu
from manole.models.machine.outlook import (
    TOLERABLE_S,
    Machine,
    Speed,
    active_bytes,
    here,
    machine_in,
    memory,
    outlook,
    weights_bytes,
)
from manole.models.machine.tuning import recall_speed, remember_speed
from manole.models.weights.cache import Weights
from manole.settings import Settings, names_in
from models.tiny_wheels import catalog

GB = 10**9
CODER = CATALOG["qwen2.5-coder-1.5b-instruct"]
LARGE = CATALOG["smollm3-3b"]
HUGE = CATALOG["ternary-bonsai-8b"]
SMALL = CATALOG["lfm2.5-350m-qad"]
DEFAULT = CATALOG["lfm2.5-1.2b-instruct"]
ACCEPTED = names_in(Settings().model.licences)
SLOW = Speed.of(CODER, 46, 19.5)  # two cores of a server, as measured
FAST = Speed.promised(2000, 400)


def machine(memory_gb=24.0, speed=SLOW, **more):
    total = int(memory_gb * GB)
    return Machine("a machine", total, total, 2, speed=speed, **more)


def at_hand(tmp_path, *specs):
    """A cache that has files of the right sizes, as holes; of unknown size a byte."""
    weights = Weights(tmp_path / "models")
    for spec in specs:
        (tmp_path / "models" / spec.name).mkdir(parents=True)
        for file in spec.files:
            with (tmp_path / "models" / spec.name / file.name).open("wb") as hole:
                hole.truncate(file.size or 1)
    return weights


def chosen(weights, **machine_is):
    spec, why = choose_chat(weights, "auto", machine(**machine_is), ACCEPTED)
    return spec.name, why


# Reckoning


def test_every_chat_and_vision_row_says_what_a_choice_needs():
    for spec in CATALOG.values():
        if spec.kind in ("chat", "vision"):
            assert spec.traits is not None, spec.name
            assert memory(spec) > weights_bytes(spec) > 0
            assert 0 < active_bytes(spec) <= weights_bytes(spec) + 1
            assert ("pictures" in spec.traits.roles) == (spec.kind == "vision")


def test_published_sizes_are_near_what_would_be_reckoned_without_them():
    for spec in CATALOG.values():
        if spec.kind == "chat" and spec.size and spec.traits.weights > 1:
            reckoned = spec.traits.weights * 5 / 8 * GB
            assert 0.6 < spec.size / reckoned < 1.6, spec.name


def test_a_speed_gives_back_what_it_was_measured_with_and_scales_with_size():
    assert SLOW.read(CODER) == pytest.approx(46)
    assert SLOW.write(CODER) == pytest.approx(19.5)
    assert SLOW.read(LARGE) == pytest.approx(46 * 1.54 / 3.08)
    assert SLOW.write(DEFAULT) > SLOW.write(CODER) > SLOW.write(LARGE)


def test_of_a_mixture_only_the_active_weights_are_computed_and_fetched():
    gemma = CATALOG["gemma-4-e2b"]
    assert SLOW.read(gemma) == pytest.approx(46 * 1.54 / 2.3)
    assert active_bytes(gemma) == pytest.approx(weights_bytes(gemma) * 2.3 / 5.1, rel=1e-6)


def test_an_outlook_is_seconds_where_a_speed_is_known():
    found = outlook(CODER, machine())
    assert found.first_s == pytest.approx(700 / 46)
    assert found.answer_s == pytest.approx(300 / 46 + 60 / 19.5)
    assert found.quick
    assert not outlook(HUGE, machine()).quick
    unknown = outlook(HUGE, machine(speed=None))
    assert unknown.answer_s is None
    assert unknown.quick
    assert outlook(CATALOG["qwen3-vl-2b-instruct"], machine()).page_s > 10


def test_a_model_leaves_the_rest_of_the_system_its_share():
    needed = memory(HUGE) / GB
    assert outlook(HUGE, machine(needed / 0.6 - 0.1)).place is None
    assert outlook(HUGE, machine(needed / 0.6 + 0.1)).place.name == "main memory"


def test_a_longer_context_takes_more_memory():
    assert memory(CODER, 32_768) - memory(CODER, 8_192) == 24_576 * 28_672


def test_a_graphics_processor_takes_what_fits_it_and_the_rest_stays_outside():
    gpu = Gpu("gpu", "a card", int(2.5 * GB), int(2.5 * GB))
    both = machine(64.0, gpus=(gpu,), gpu_speed=FAST)
    assert outlook(CODER, both).place.name == "a card"
    assert outlook(HUGE, both).place.name == "main memory"
    assert outlook(CODER, both).answer_s < outlook(CODER, machine()).answer_s
    unmeasured = machine(64.0, gpus=(gpu,))
    assert outlook(CODER, unmeasured).place.name == "main memory"


def test_this_machine_is_described():
    found = here(None)
    assert found.memory >= found.free > 0
    assert found.cores >= 1


# A machine that somebody describes


def test_a_described_machine_is_read(tmp_path):
    path = tmp_path / "desktop.toml"
    path.write_text(
        'name = "a desktop"\nmemory_gb = 32\ncores = 8\n[processor]\ngflops = 800\ngb_s = 60\n'
        '[gpu]\nname = "a card"\nmemory_gb = 12\ngflops = 12700\ngb_s = 360\n'
    )
    found = machine_in(path)
    assert (found.name, found.memory, found.cores) == ("a desktop", 32 * GB, 8)
    assert found.places[0].name == "a card"
    assert found.gpu_speed.how == "reckoned"
    assert outlook(HUGE, found).quick


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "is not TOML"),
        ('name = "x"\ncores = 1\n[processor]\ngflops = 1\ngb_s = 1\n', "memory_gb: field required"),
        ('name = "x"\nmemory_gb = 1\ncores = 0\n[processor]\ngflops = 1\ngb_s = 1\n', "cores: "),
    ],
)
def test_a_described_machine_that_is_none_is_refused(tmp_path, text, said):
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        machine_in(tmp_path / "m.toml")
    with pytest.raises(UsageError, match="cannot be read"):
        machine_in(tmp_path / "none.toml")


# Choosing


def test_with_the_usual_model_at_hand_nothing_changes(tmp_path):
    assert chosen(at_hand(tmp_path, CODER)) == (CODER.name, "the best one at hand")


def test_a_larger_one_that_was_fetched_is_taken_where_it_fits_and_is_quick(tmp_path):
    weights = at_hand(tmp_path, CODER, LARGE)
    assert chosen(weights, speed=FAST) == (LARGE.name, "the best one at hand")
    assert chosen(weights)[0] == CODER.name  # 19 seconds an answer
    assert chosen(weights, speed=None)[0] == CODER.name  # nobody knows how long it would take
    needed = memory(LARGE) / GB
    assert chosen(weights, speed=FAST, memory_gb=needed / 0.6 - 0.1)[0] == CODER.name


def test_a_machine_that_seems_slow_keeps_what_it_has(tmp_path):
    crawling = Speed.of(CODER, 5, 2)
    assert not outlook(CODER, machine(speed=crawling)).quick
    weights = at_hand(tmp_path, CODER, SMALL)
    assert chosen(weights, speed=crawling) == (CODER.name, "the best one at hand")


def test_where_nothing_fits_what_is_at_hand_is_used_all_the_same(tmp_path):
    name, why = chosen(at_hand(tmp_path, CODER), memory_gb=1.0)
    assert name == CODER.name
    assert "much for this machine" in why


def test_a_small_one_is_taken_only_where_the_usual_ones_are_too_large(tmp_path):
    weights = at_hand(tmp_path, CODER, SMALL)
    assert chosen(weights)[0] == CODER.name
    little = memory(SMALL) / GB / 0.6 + 0.05
    assert chosen(weights, memory_gb=little)[0] == SMALL.name


def test_a_licence_that_is_not_accepted_is_passed_over(tmp_path):
    weights = at_hand(tmp_path, CODER, DEFAULT)
    assert choose_chat(weights, "auto", machine(), ACCEPTED)[0] is DEFAULT
    assert choose_chat(weights, "auto", machine(), ("Apache-2.0",))[0] is CODER
    with pytest.raises(UsageError, match="No chat model") as refused:
        choose_chat(weights, "auto", machine(), ("GPL-3.0",))
    assert "model.licences" in refused.value.hint


def test_every_licence_that_was_chosen_before_is_accepted():
    itself = [s for s in CATALOG.values() if s.kind == "chat" and s.preference and not s.by_offer]
    assert {spec.licence for spec in itself} <= set(ACCEPTED)


def test_what_a_better_one_would_need_is_told_best_first(tmp_path):
    found = better(at_hand(tmp_path, CODER), CODER, machine(), ACCEPTED, 8192)
    assert [one.spec.preference for one in found] == sorted(
        (one.spec.preference for one in found), reverse=True
    )
    assert found[0].spec is HUGE
    assert all(one.answer_s for one in found)
    assert any(one.answer_s <= TOLERABLE_S for one in found)


def test_a_wrong_name_is_answered_with_near_ones(tmp_path):
    with pytest.raises(UsageError, match="no model called") as refused:
        choose_chat(Weights(tmp_path), "qwen3.5-2")
    assert "qwen3.5-2b" in refused.value.hint
    with pytest.raises(UsageError) as refused:
        choose_chat(Weights(tmp_path, catalog=catalog()), "zzz")
    assert "tiny" in refused.value.hint


# What is remembered


def test_the_fastest_that_was_measured_is_remembered(tmp_path):
    assert recall_speed(tmp_path) is None
    remember_speed(tmp_path, SLOW)
    remember_speed(tmp_path, Speed.of(CODER, 20, 25))
    known = recall_speed(tmp_path)
    assert (round(known.read(CODER)), round(known.write(CODER))) == (46, 25)
    written = (tmp_path / "tuning.json").stat().st_mtime_ns
    remember_speed(tmp_path, SLOW)
    assert (tmp_path / "tuning.json").stat().st_mtime_ns == written


def test_a_damaged_memory_of_speed_is_none(tmp_path):
    remember_speed(tmp_path, SLOW)
    (tmp_path / "tuning.json").write_text("{")
    assert recall_speed(tmp_path) is None


def test_only_calls_that_tell_something_are_learnt_from():
    rates = Rates()
    rates.take(Usage(prompt_tokens=700, cached_tokens=690, first_token_s=0.5, total_s=0.6))
    rates.take(Usage(prompt_tokens=700, completion_tokens=60))  # in one piece
    assert not rates.known
    rates.take(Usage(700, 400, 61, first_token_s=3.0, total_s=6.0))
    assert (rates.read, rates.write) == (100, 20)
    rates.take(Usage(700, 400, 61, first_token_s=9.0, total_s=19.0))  # other programs ran
    assert (rates.read, rates.write) == (100, 20)


@pytest.mark.parametrize(
    ("listed", "reach"),
    [
        ({"data": [{"id": "a", "meta": {"n_ctx": 4096, "n_params": 9}}]}, Reach(4096, 9)),
        ({"data": [{"id": "b", "max_model_len": 1}, {"id": "a", "max_model_len": 8}]}, Reach(8)),
        ({"data": [{"id": "b"}, {"id": "c", "max_model_len": 1}]}, Reach()),
        ({"data": [{"id": "a", "meta": {"n_ctx": "much"}}]}, Reach()),
        ({"data": None}, Reach()),
        ([], Reach()),
    ],
)
def test_what_a_server_tells_of_its_model_is_read_with_doubt(listed, reach):
    assert Reach.of(listed, "a") == reach
