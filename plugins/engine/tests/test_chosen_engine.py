"""The loader, where a compiled engine was chosen: it is used while it is what was measured."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from manole.models.engine.llamacpp import LlamaCpp
from manole.models.weights.files import sha256_of
from manole_engine.native import NativeLlama
from models.machine.choices import a_choice, answer, loader_of

FAKE = Path(__file__).parent / "fake_llama_server.py"


@pytest.fixture
def loader(session_settings, tmp_path):
    """`loader(choice)`: a loader for the small model with that choice remembered."""
    return partial(loader_of, session_settings, tmp_path)


@pytest.fixture
def fake_server(tmp_path):
    program = tmp_path / "cache" / "fake-llama-server"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    program.chmod(0o755)
    return program


async def test_the_compiled_engine_is_used_where_it_was_chosen(loader, fake_server):
    one = loader(a_choice(native=fake_server, native_sha256=sha256_of(fake_server)))
    model, text = await answer(one)
    assert type(model) is NativeLlama
    assert "--ubatch-size" in text
    assert not one.notice


async def test_a_compiled_engine_that_has_changed_is_not_started(loader, fake_server):
    one = loader(a_choice(native=fake_server, native_sha256="0" * 64))
    model, _ = await answer(one)
    assert type(model) is LlamaCpp
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


async def test_a_compiled_engine_that_fails_makes_room_for_the_usual_one(loader, tmp_path, caplog):
    (tmp_path / "cache").mkdir()
    broken = tmp_path / "cache" / "broken"
    broken.write_text("#!/bin/sh\necho illegal instruction\nexit 132\n")
    broken.chmod(0o755)
    one = loader(a_choice(native=broken, native_sha256=sha256_of(broken)))
    model, text = await answer(one)
    assert type(model) is LlamaCpp
    assert text
    assert "illegal instruction" in one.notice
    assert one.notice in caplog.text
