"""The choice of `manole models tune`, remembered, and the loader that follows it."""

from __future__ import annotations

import psutil
import pytest

from manole.models import cores as counts
from manole.models.cores import free_cores
from manole.models.engine.llamacpp import LlamaCpp
from manole.models.engine.options import EngineOptions, threads_for
from manole.models.machine import tuning
from manole.models.machine.tuning import key_for, recall, remember
from manole.models.weights.files import sha256_of
from manole.settings import ModelSettings
from models.machine.choices import a_choice, answer, loader_of


def test_a_choice_is_recalled_for_the_same_weights_processor_and_engine(tmp_path, monkeypatch):
    remember(tmp_path, key_for("weights", "engine 1"), a_choice())
    assert recall(tmp_path, key_for("weights", "engine 1")) == a_choice()
    assert recall(tmp_path, key_for("weights", "engine 2")) is None
    assert recall(tmp_path, key_for("others", "engine 1")) is None
    monkeypatch.setattr(tuning, "physical_cores", lambda: 99)
    assert recall(tmp_path, key_for("weights", "engine 1")) is None


def test_choices_for_two_models_stand_side_by_side(tmp_path):
    remember(tmp_path, "a", a_choice(model="a"))
    remember(tmp_path, "b", a_choice(model="b"))
    remember(tmp_path, "a", a_choice(model="a", threads=1))
    assert recall(tmp_path, "a").threads == 1
    assert recall(tmp_path, "b").model == "b"
    assert [p.name for p in tmp_path.iterdir()] == ["tuning.json"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"choices": {"a": {"threads": -1}}}', "\x00"])
def test_a_damaged_file_says_nothing_and_can_be_written_again(tmp_path, content):
    (tmp_path / "tuning.json").write_text(content)
    assert recall(tmp_path, "a") is None
    remember(tmp_path, "a", a_choice())
    assert recall(tmp_path, "a") == a_choice()


def test_a_compiled_engine_counts_while_its_hash_fits(tmp_path):
    program = tmp_path / "llama-server"
    program.write_bytes(b"program")
    choice = a_choice(native=program, native_sha256=sha256_of(program))
    assert choice.options(tmp_path).native == program
    program.write_bytes(b"another")
    assert choice.options(tmp_path) == EngineOptions(2, 128, "f16", "off", 8, 16, None)
    program.unlink()
    assert choice.options(tmp_path).native is None


# -- threads -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cores", "busy", "free"),
    [
        (2, 0, 2),
        (2, 20, 2),
        (2, 35, 2),
        (2, 50, 1),
        (2, 100, 1),
        (8, 25, 6),
        (8, 100, 1),
        (1, 100, 1),
    ],
)
def test_cores_that_other_programs_use_are_left_to_them(monkeypatch, cores, busy, free):
    monkeypatch.setattr(counts, "physical_cores", lambda: cores)
    monkeypatch.setattr(psutil, "cpu_count", lambda *_, **__: cores)
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: busy)
    assert free_cores() == free
    measured = EngineOptions(threads=4)
    assert threads_for(ModelSettings(), measured) == min(4, free)
    assert threads_for(ModelSettings(threads=7), measured) == 7


def test_what_this_process_uses_itself_is_no_other_program(monkeypatch):
    spent = iter([10.0, 10.4])  # two cores for the 0.2 seconds of the watch
    monkeypatch.setattr(counts, "physical_cores", lambda: 2)
    monkeypatch.setattr(counts, "_own_seconds", lambda: next(spent))
    monkeypatch.setattr(psutil, "cpu_count", lambda *_, **__: 2)
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: 100)
    assert free_cores() == 2


# -- loading -----------------------------------------------------------------------------------


async def test_the_usual_engine_takes_the_options(session_settings, tmp_path):
    one = loader_of(session_settings, tmp_path, a_choice())
    model, text = await answer(one)
    assert type(model) is LlamaCpp
    assert text
    assert not one.notice


def test_choices_that_another_user_may_have_written_say_nothing(tmp_path):
    remember(tmp_path, "a", a_choice())
    (tmp_path / "tuning.json").chmod(0o666)
    assert recall(tmp_path, "a") is None
