"""Kills and power cuts: what they leave opens, answers, and is made whole by the next sync."""

from __future__ import annotations

import powercuts
from manole.index.store.local_disk import Mark
from rounds import rounds


def test_after_each_kill_the_next_sync_ends_as_an_undisturbed_one(trial):
    kills = rounds(3, 60)
    printed = trial("kills", str(kills), "--files", "12", "--pages", "off")
    assert f"{kills} of {kills} kills, 0 failed." in printed


async def test_after_each_power_cut_the_next_sync_ends_as_an_undisturbed_one():
    said: list[str] = []
    assert await powercuts.run(rounds(6, 200), 10, 5, said.append) == 0, said
    assert said


def test_a_mark_tells_a_kill_from_a_power_cut(tmp_path):
    mark = Mark(tmp_path / "dirty")
    assert (mark.stands, mark.power_cut) == (False, False)
    mark.set()
    assert (mark.stands, mark.power_cut) == (True, False)
    for text in ("another run of the machine", "12345", "", "\xff"):
        (tmp_path / "dirty").write_text(text)
        assert mark.power_cut, text
    mark.remove()
    assert (mark.stands, mark.power_cut) == (False, False)
