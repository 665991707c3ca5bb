"""The doctor's look at the machine: whether the chat model fits, and how quick it was."""

from __future__ import annotations

import pytest

from manole.care.findings import Level
from manole.care.machine import check_machine
from manole.models.catalog.table import CATALOG
from manole.models.machine import outlook
from manole.models.machine.tuning import remember_speed
from manole.settings import ModelSettings, Settings

NAME = "qwen2.5-coder-1.5b-instruct"


@pytest.fixture
def settings(tmp_path):
    return Settings(cache_dir=tmp_path, model=ModelSettings(name=NAME, threads=3))


def test_its_memory_threads_and_best_model_are_told(settings):
    told = check_machine(settings)
    assert {finding.level for finding in told} == {Level.GOOD}
    assert "3 threads" in told[0].text
    assert any(name in told[1].text for name in CATALOG)


def test_an_answer_that_was_measured_is_told(settings, tmp_path):
    before = check_machine(settings)
    remember_speed(tmp_path, CATALOG[NAME], 100, 20)
    assert [f.text for f in check_machine(settings)[len(before) :]] == [
        f"{NAME} took 6 s for an answer"
    ]


def test_a_model_without_room_is_a_warning_that_names_another(settings, monkeypatch):
    monkeypatch.setattr(outlook, "_SHARE", 0.00001)
    (found,) = [f for f in check_machine(settings) if f.level == Level.WARNING]
    assert NAME in found.text
    assert found.remedy == "`manole models use auto`"


@pytest.mark.parametrize("name", ["auto", "openai:x", "no such model"])
def test_without_a_model_of_this_machine_nothing_is_said_of_one(settings, name):
    other = settings.model.model_copy(update={"name": name})
    assert len(check_machine(settings.model_copy(update={"model": other}))) == 2
