"""The choice of `manole models tune`, remembered, and the loader that follows it."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from manole.models.chat.protocol import Message
from manole.models.engine.apart import LlamaApart
from manole.models.engine.llamacpp import VERSION
from manole.models.engine.native import NativeLlama
from manole.models.engine.options import EngineOptions, fingerprint, free_cores, threads_for
from manole.models.engine.options import options as engine
from manole.models.load import ChatLoader
from manole.models.machine.outlook import tuning
from manole.models.machine.tuning import Choice, key_for, recall, remember
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import ModelSettings, Settings

FAKE = Path(__file__).parents[1] / "engine" / "fake_llama_server.py"
SMALL = "smollm2-135m-instruct"


def a_choice(**more):
    values = {
        "model": "m", "threads": 2, "ubatch": 128, "kv": "f16", "flash": "off",
        "lookup": 8, "draft": 16, "read_rate": 40.0, "write_rate": 10.0,
        "measured": datetime(2025, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    return Choice(**values | more)


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
    monkeypatch.setattr(engine, "physical_cores", lambda: cores)
    monkeypatch.setattr(psutil, "cpu_count", lambda *_, **__: cores)
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: busy)
    assert free_cores() == free
    measured = EngineOptions(threads=4)
    assert threads_for(ModelSettings(), measured) == min(4, free)
    assert threads_for(ModelSettings(threads=7), measured) == 7


def test_what_this_process_uses_itself_is_no_other_program(monkeypatch):
    spent = iter([10.0, 10.4])  # two cores for the 0.2 seconds of the watch
    monkeypatch.setattr(engine, "physical_cores", lambda: 2)
    monkeypatch.setattr(engine, "_own_seconds", lambda: next(spent))
    monkeypatch.setattr(psutil, "cpu_count", lambda *_, **__: 2)
    monkeypatch.setattr(psutil, "cpu_percent", lambda interval: 100)
    assert free_cores() == 2


# -- loading -----------------------------------------------------------------------------------


@pytest.fixture
def loader(session_settings, tmp_path):
    """`loader(choice)`: a loader for the small model with that choice remembered."""
    path = Weights(session_settings.weights_dir).ensure(SMALL)["model.gguf"]

    def make(choice):
        cache = tmp_path / "cache"
        remember(cache, key_for(fingerprint(path), VERSION), choice)
        model = ModelSettings(name=str(path), context=1024, parallel=1, threads=1)
        return ChatLoader(Settings(cache_dir=cache, model=model), Weights(cache / "models"))

    return make


@pytest.fixture
def fake_server(tmp_path):
    program = tmp_path / "cache" / "fake-llama-server"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    program.chmod(0o755)
    return program


async def answer(one):
    model = await one.get()
    text = (await model.complete([Message("user", "hi")], max_tokens=2)).text
    await one.close()
    return model, text


async def test_the_usual_engine_takes_the_options(loader):
    one = loader(a_choice())
    model, text = await answer(one)
    assert type(model) is LlamaApart
    assert text
    assert not one.notice


async def test_the_compiled_engine_is_used_where_it_was_chosen(loader, fake_server):
    one = loader(a_choice(native=fake_server, native_sha256=sha256_of(fake_server)))
    model, text = await answer(one)
    assert type(model) is NativeLlama
    assert "--ubatch-size" in text
    assert not one.notice


async def test_a_compiled_engine_that_has_changed_is_not_started(loader, fake_server):
    one = loader(a_choice(native=fake_server, native_sha256="0" * 64))
    model, _ = await answer(one)
    assert type(model) is LlamaApart
    assert "has changed" in one.notice


async def test_an_engine_elsewhere_or_that_others_may_write_is_not_started(loader, fake_server):
    sha256 = sha256_of(fake_server)
    elsewhere = fake_server.parent.parent / "engine"
    elsewhere.write_bytes(fake_server.read_bytes())
    elsewhere.chmod(0o755)
    link = fake_server.parent / "link"
    link.symlink_to(elsewhere)
    for native in (elsewhere, link):
        model, _ = await answer(loader(a_choice(native=native, native_sha256=sha256)))
        assert type(model) is not NativeLlama
    fake_server.chmod(0o777)
    model, _ = await answer(loader(a_choice(native=fake_server, native_sha256=sha256)))
    assert type(model) is not NativeLlama


def test_choices_that_another_user_may_have_written_say_nothing(tmp_path):
    remember(tmp_path, "a", a_choice())
    (tmp_path / "tuning.json").chmod(0o666)
    assert recall(tmp_path, "a") is None


async def test_a_compiled_engine_that_fails_makes_room_for_the_usual_one(loader, tmp_path, caplog):
    (tmp_path / "cache").mkdir()
    broken = tmp_path / "cache" / "broken"
    broken.write_text("#!/bin/sh\necho illegal instruction\nexit 132\n")
    broken.chmod(0o755)
    one = loader(a_choice(native=broken, native_sha256=sha256_of(broken)))
    model, text = await answer(one)
    assert type(model) is LlamaApart
    assert text
    assert "illegal instruction" in one.notice
    assert one.notice in caplog.text
