"""What the doctor says of files that other users can read, and that it closes them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from manole.care import privacy
from manole.care.doctor import examine, mend
from manole.care.findings import Finding


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def told() -> list[Finding]:
    """What it says of privacy, but for what is in order."""
    found = await examine({})
    return [item for item in found if item.topic == "privacy" and item.level != "good"]


@pytest.fixture
def cache(place) -> Path:
    place.settings.cache_dir.mkdir(exist_ok=True)
    return place.settings.cache_dir


@pytest.fixture
def beside(place, tmp_path) -> Path:
    """The folder of the settings."""
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


async def test_what_is_closed_is_said_to_be(place, cache):
    found = [item for item in await examine({}) if item.topic == "privacy"]
    assert [(item.level, item.where) for item in found] == [
        ("good", str(place.settings.data_dir)),
        ("good", str(cache)),
    ]


async def test_open_files_and_folders_are_counted_without_touching_them_and_closed_by_fix(
    place, cache
):
    picture = cache / "pictures" / "aa" / "a.json"
    picture.parent.mkdir(parents=True)
    picture.write_text("{}")
    open_ones = {place.path: 0o755, place.path / "meta.json": 0o644, picture: 0o640}
    for path, open_mode in open_ones.items():
        path.chmod(open_mode)
    data, cached = await told()
    assert (data.level, data.where) == ("warning", str(place.settings.data_dir))
    assert data.text == "data_dir has files or folders that are open to other users: 2"
    assert (cached.where, cached.text.rpartition(" ")[2]) == (str(cache), "1")
    assert "doctor --fix" in data.remedy
    assert {path: mode(path) for path in open_ones} == open_ones
    done = await mend([data, cached])
    assert [line.partition(": ")[2] for line in done] == [
        "2 files and folders closed to other users.",
        "1 files and folders closed to other users.",
    ]
    assert [mode(path) for path in open_ones] == [0o700, 0o600, 0o600]
    assert await told() == []


async def test_very_many_open_files_are_not_counted_to_the_last_but_all_are_closed(
    place, monkeypatch
):
    monkeypatch.setattr(privacy, "_MANY", 2)
    paths = [path for path in place.path.rglob("*") if path.is_file()]
    assert len(paths) > 2
    for path in paths:
        path.chmod(0o644)
    (finding,) = await told()
    assert finding.text.endswith("open to other users: 2 or more")
    await mend([finding])
    assert {mode(path) for path in paths} == {0o600}


async def test_of_a_folder_with_other_things_only_manoles_own_part_is_judged(place):
    data = place.settings.data_dir
    (data / "letter.txt").write_text("mine")
    for path, open_mode in ((data, 0o755), (data / "letter.txt", 0o644)):
        path.chmod(open_mode)
    found = [item for item in await examine({}) if item.topic == "privacy"]
    assert [item.text for item in found if item.where == str(data)] == [
        "what Manole made in data_dir is closed to other users"
    ]
    place.path.chmod(0o755)
    await place.fixed()
    assert (mode(data), mode(data / "letter.txt"), mode(place.path)) == (0o755, 0o644, 0o700)


async def test_a_token_beside_the_settings_is_named_and_closed_by_fix(place, beside):
    token, config = beside / "token", beside / "manole.toml"
    for file, open_mode in ((token, 0o644), (config, 0o644), (beside / "own", 0o600)):
        file.write_text("x")
        file.chmod(open_mode)
    (finding,) = await told()  # settings without a key may be read by anybody
    assert (finding.level, finding.where) == ("warning", str(token))
    assert f"chmod 600 {token}" in finding.remedy
    assert await mend([finding]) == [f"{token}: only its owner can read it now."]
    assert (mode(token), mode(config)) == (0o600, 0o644)
    assert await told() == []


async def test_a_token_that_cannot_be_closed_is_said_with_the_reason(place, beside, monkeypatch):
    token = beside / "token"
    token.write_text("x")
    token.chmod(0o644)
    findings = await told()

    def fake_chmod(path: Path, mode: int, **_: object) -> None:  # as on another user's file
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", fake_chmod)
    assert await mend(findings) == [
        f"{token} cannot be closed to other users: Operation not permitted."
    ]


async def test_a_file_system_that_keeps_no_modes_is_told_once_and_nothing_is_left_on_it(
    place, cache, monkeypatch
):
    real = os.mkdir
    before = sorted(place.settings.data_dir.iterdir())

    def fake_mkdir(path, mode=0o777, **more):  # as on vfat, where the mount says what modes are
        real(path, mode, **more)
        os.chmod(path, 0o755, **more)  # noqa: PTH101

    monkeypatch.setattr(os, "mkdir", fake_mkdir)
    (finding,) = await told()
    assert (finding.level, "keeps no modes" in finding.text) == ("warning", True)
    assert finding.where == f"{place.settings.data_dir}, {cache}"
    assert "data_dir and cache_dir" in finding.remedy
    assert finding.fix is None
    assert sorted(place.settings.data_dir.iterdir()) == before


async def test_a_folder_of_another_user_is_told_with_the_setting_and_not_looked_into(
    place, cache, monkeypatch
):
    owner = place.settings.data_dir.stat().st_uid

    def fake_geteuid() -> int:  # only root can give a folder away
        return owner + 1

    monkeypatch.setattr(os, "geteuid", fake_geteuid)
    place.path.chmod(0o755)
    data, cached = await told()
    assert f"data_dir belongs to another user (number {owner})" in data.text
    assert (data.where, cached.where) == (str(place.settings.data_dir), str(cache))
    assert "MANOLE_DATA_DIR" in data.remedy
    assert "MANOLE_CACHE_DIR" in cached.remedy
    assert [data.fix, cached.fix] == [None, None]
    assert mode(place.path) == 0o755
