"""When a sync waits."""

from __future__ import annotations

import asyncio

import pytest

from manole.errors import PausedError
from manole.index.sync.pace import Pace, background, on_battery
from manole.settings import Settings


def supply(folder, name, **told):
    (folder / name).mkdir(parents=True)
    for key, value in told.items():
        (folder / name / key).write_text(f"{value}\n")


def test_a_laptop_that_discharges_runs_on_battery(tmp_path):
    supply(tmp_path, "AC", type="Mains", online=0)
    supply(tmp_path, "BAT0", type="Battery", status="Discharging")
    assert on_battery(tmp_path)


@pytest.mark.parametrize("status", ["Charging", "Full", "Not charging"])
def test_a_laptop_at_the_mains_does_not(tmp_path, status):
    supply(tmp_path, "AC", type="Mains", online=1)
    supply(tmp_path, "BAT0", type="Battery", status=status)
    assert not on_battery(tmp_path)


def test_a_laptop_that_draws_more_than_its_charger_gives_is_not_on_battery(tmp_path):
    supply(tmp_path, "usb-c", type="USB", online=1)
    supply(tmp_path, "BAT0", type="Battery", status="Discharging")
    assert not on_battery(tmp_path)


def test_the_battery_of_a_mouse_does_not_count(tmp_path):
    supply(tmp_path, "mouse", type="Battery", status="Discharging", scope="Device")
    assert not on_battery(tmp_path)


def test_a_machine_without_power_supplies_runs_on_mains(tmp_path):
    assert not on_battery(tmp_path / "none")


async def test_a_step_waits_while_a_question_is_answered():
    busy = True
    step = asyncio.create_task(Pace(busy=lambda: busy).step())
    await asyncio.wait([step], timeout=0.3)
    assert not step.done()
    busy = False
    await asyncio.wait_for(step, 30)


async def test_questions_without_end_do_not_hold_a_sync_for_ever(monkeypatch):
    monkeypatch.setattr("manole.index.sync.pace.MOST_WAIT", 0.3)
    await asyncio.wait_for(Pace(busy=lambda: True).step(), 30)


async def test_on_battery_a_sync_ends_and_waits_outside():
    battery = True
    pace = Pace(battery=lambda: battery)
    with pytest.raises(PausedError):
        await pace.step()
    waiting = asyncio.create_task(pace.powered())
    await asyncio.wait([waiting], timeout=0.3)
    assert not waiting.done()
    battery = False
    await asyncio.wait_for(waiting, 30)


async def test_the_settings_say_what_background_work_does(monkeypatch):
    monkeypatch.setattr("manole.index.sync.pace.on_battery", lambda: True)
    settings = Settings()
    with pytest.raises(PausedError):
        await background(settings).step()
    goes_on = settings.watch.model_copy(update={"on_battery": "go-on"})
    await background(settings.model_copy(update={"watch": goes_on})).step()
