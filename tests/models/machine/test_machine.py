"""Whether a model fits a machine and is quick on it, and which one it is given."""

from __future__ import annotations

import pytest

from manole.errors import UsageError
from manole.models import choose
from manole.models.catalog.table import CATALOG
from manole.models.chat.protocol import Usage
from manole.models.chat.rates import Rates, Reach
from manole.models.choose import choose_chat, recommended
from manole.models.machine import outlook as outlooks
from manole.models.machine.outlook import Machine, here, memory, outlook, weights_bytes
from manole.models.machine.tuning import Speed, recall_speeds, remember_speed
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
SLOW = {CODER.name: Speed(read=46, write=19.5, active=1.54)}  # two cores of a server, as measured
FAST = {CODER.name: Speed(read=500, write=50, active=1.54)}
CRAWLING = {CODER.name: Speed(read=5, write=2, active=1.54)}


def machine(memory_gb=24.0, speeds=SLOW):
    return Machine(int(memory_gb * GB), speeds)


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


# Room and speed


def test_every_chat_and_vision_row_says_what_a_choice_needs():
    for spec in CATALOG.values():
        if spec.kind in ("chat", "vision"):
            assert spec.traits is not None, spec.name
            assert memory(spec) > weights_bytes(spec) > 0
            assert ("pictures" in spec.traits.roles) == (spec.kind == "vision")


def test_published_sizes_are_near_what_would_be_reckoned_without_them():
    for spec in CATALOG.values():
        if spec.kind == "chat" and spec.size and spec.traits.weights > 1:
            reckoned = spec.traits.weights * 5 / 8 * GB
            assert 0.6 < spec.size / reckoned < 1.6, spec.name


def test_seconds_are_told_only_of_a_model_that_was_measured():
    assert outlook(CODER, machine()).answer_s == pytest.approx(300 / 46 + 60 / 19.5)
    assert outlook(LARGE, machine()).answer_s is None


def test_a_model_that_never_ran_is_judged_by_its_weights_from_those_that_did():
    assert outlook(DEFAULT, machine()).quick is True
    assert outlook(LARGE, machine()).quick is False
    assert outlook(CATALOG["gemma-4-e2b"], machine()).quick is True  # of its active weights
    assert outlook(LARGE, machine(speeds={})).quick is None
    assert outlook(CATALOG["qwen3-vl-2b-instruct"], machine()).quick is None
    measured = {**FAST, LARGE.name: Speed(read=10, write=10, active=3.08)}
    assert outlook(LARGE, machine(speeds=FAST)).quick is True
    assert outlook(LARGE, machine(speeds=measured)).quick is False


def test_a_model_leaves_the_rest_of_the_system_its_share():
    needed = memory(HUGE) / GB
    assert not outlook(HUGE, machine(needed / 0.6 - 0.1)).fits
    assert outlook(HUGE, machine(needed / 0.6 + 0.1)).fits


def test_a_longer_context_takes_more_memory():
    assert memory(CODER, 32_768) - memory(CODER, 8_192) == 24_576 * 28_672


def test_this_machine_has_the_memory_that_its_container_allows(tmp_path, monkeypatch):
    whole = here(tmp_path).memory
    assert whole > GB / 10
    (tmp_path / "memory.max").write_text("100000000\n")
    monkeypatch.setattr(outlooks, "_CGROUP", tmp_path / "memory.max")
    assert here(tmp_path).memory == GB / 10
    (tmp_path / "memory.max").write_text("max\n")
    assert here(tmp_path).memory >= whole


# Choosing


def test_with_the_usual_model_at_hand_nothing_changes(tmp_path):
    assert chosen(at_hand(tmp_path, CODER)) == (CODER.name, "the best one at hand")


def test_a_larger_one_that_was_fetched_is_taken_where_it_fits_and_is_quick(tmp_path):
    weights = at_hand(tmp_path, CODER, LARGE)
    assert chosen(weights, speeds=FAST) == (LARGE.name, "the best one at hand")
    assert chosen(weights)[0] == CODER.name
    assert chosen(weights, speeds={})[0] == CODER.name  # nobody knows how long it would take
    needed = memory(LARGE) / GB
    assert chosen(weights, speeds=FAST, memory_gb=needed / 0.6 - 0.1)[0] == CODER.name


def test_a_machine_that_seems_slow_keeps_what_it_has(tmp_path):
    weights = at_hand(tmp_path, CODER, SMALL)
    assert not outlook(CODER, machine(speeds=CRAWLING)).quick
    assert chosen(weights, speeds=CRAWLING) == (CODER.name, "the best one at hand")


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


@pytest.mark.parametrize(
    ("memory_gb", "speeds", "best"),
    [
        (24, FAST, HUGE.name),
        (24, SLOW, "gemma-4-e2b"),
        (24, {}, DEFAULT.name),
        (24, CRAWLING, None),
        (1.6, {}, SMALL.name),
        (0.5, {}, None),
    ],
)
def test_one_model_is_recommended_at_hand_or_not(tmp_path, monkeypatch, memory_gb, speeds, best):
    monkeypatch.setattr(choose, "here", lambda cache: machine(memory_gb, speeds))
    found = recommended(Settings(), Weights(tmp_path))
    assert (found and found.spec.name) == best


def test_a_wrong_name_is_answered_with_near_ones(tmp_path):
    with pytest.raises(UsageError, match="no model called") as refused:
        choose_chat(Weights(tmp_path), "qwen3.5-2")
    assert "qwen3.5-2b" in refused.value.hint
    with pytest.raises(UsageError) as refused:
        choose_chat(Weights(tmp_path, catalog=catalog()), "zzz")
    assert "tiny" in refused.value.hint


# What is remembered


def test_the_fastest_that_was_measured_is_remembered_of_each_model(tmp_path):
    assert recall_speeds(tmp_path) == {}
    remember_speed(tmp_path, CODER, 46, 19.5)
    remember_speed(tmp_path, LARGE, 20, 9)
    written = (tmp_path / "tuning.json").stat().st_mtime_ns
    remember_speed(tmp_path, CODER, 47, 19.6)  # hardly more
    remember_speed(tmp_path, LARGE, 10, 4)
    assert (tmp_path / "tuning.json").stat().st_mtime_ns == written
    remember_speed(tmp_path, CODER, 60, 25)
    known = recall_speeds(tmp_path)
    assert known == {
        CODER.name: Speed(read=60, write=25, active=1.54),
        LARGE.name: Speed(read=20, write=9, active=3.08),
    }


def test_a_damaged_memory_of_speeds_is_none(tmp_path):
    remember_speed(tmp_path, CODER, 46, 19.5)
    (tmp_path / "tuning.json").write_text("{")
    assert recall_speeds(tmp_path) == {}


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
