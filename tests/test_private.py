"""What of the top folders is refused, what is made closed, and what children are given."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from manole import private
from manole.errors import SettingsError


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def top(tmp_path) -> Path:
    private.make(tmp_path / "data")
    return tmp_path / "data"


def refused(**tops: Path) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        private.check(**tops)
    assert caught.value.hint
    return caught.value


def test_a_folder_that_was_made_so_or_is_not_there_yet_is_let_through(top, tmp_path):
    private.check(data_dir=top, cache_dir=tmp_path / "none")


@pytest.mark.parametrize("bits", [0o770, 0o750, 0o710, 0o707, 0o705, 0o701, 0o702])
def test_one_that_others_may_enter_read_or_write_is_refused_with_the_command(top, bits):
    (top / "letter.txt").touch()
    top.chmod(bits)
    assert f"chmod 700 {top}" in refused(data_dir=top).hint
    assert mode(top) == bits
    top.chmod(0o700)
    private.check(data_dir=top)


@pytest.mark.parametrize("names", [(), ("libraries", "conversations"), ("models",)])
def test_one_that_is_empty_or_its_own_is_closed(top, names):
    for name in names:
        (top / name).mkdir()
    top.chmod(0o755)
    private.check(data_dir=top)
    assert mode(top) == 0o700


def test_one_that_everybody_may_write_is_refused_though_it_is_empty(top):
    top.chmod(0o777)
    refused(data_dir=top)


def test_a_link_is_refused_even_to_a_closed_folder(top, tmp_path):
    (tmp_path / "link").symlink_to(top)
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    assert "MANOLE_DATA_DIR" in refused(data_dir=tmp_path / "link").hint
    refused(cache_dir=tmp_path / "nowhere")


def test_one_below_a_link_is_let_through(top, tmp_path):
    (tmp_path / "home").symlink_to(tmp_path)
    private.check(data_dir=tmp_path / "home" / "data")


def test_one_of_another_user_is_refused(top, monkeypatch):
    owner = top.stat().st_uid

    def fake_geteuid() -> int:  # only root can give a folder away
        return owner + 1

    monkeypatch.setattr(os, "geteuid", fake_geteuid)
    assert "MANOLE_CACHE_DIR" in refused(cache_dir=top).hint


def test_where_no_modes_are_kept_it_is_let_through_and_nothing_is_left(top, monkeypatch):
    real = os.mkdir

    def fake_mkdir(path, mode=0o777, **more):  # as on vfat, where the mount says what modes are
        real(path, mode, **more)
        os.chmod(path, 0o755, **more)  # noqa: PTH101

    (top / "letter.txt").touch()
    top.chmod(0o755)
    monkeypatch.setattr(os, "mkdir", fake_mkdir)
    private.check(data_dir=top)
    assert [path.name for path in top.iterdir()] == ["letter.txt"]


def test_folders_are_made_closed_with_those_above(tmp_path):
    before = os.umask(0)
    try:
        private.make(tmp_path / "a" / "b" / "c")
        private.make(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(before)
    assert [mode(tmp_path / part) for part in ("a", "a/b", "a/b/c")] == [0o700] * 3
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        private.make(tmp_path / "file")


SECRETS = {
    "MANOLE_SERVE__TOKEN": "a",
    "MANOLE_DATA_DIR": "b",
    "OPENAI_API_KEY": "c",
    "GITHUB_TOKEN": "d",
    "PGPASSWORD": "e",
    "AWS_SECRET_ACCESS_KEY": "f",
    "AWS_ACCESS_KEY_ID": "g",
    "DATABASE_URL": "postgresql://me:word@host/base",
    "https_proxy": "http://me:word@proxy:3128",
}
HARMLESS = {"PATH": "/bin", "TOKENIZERS_PARALLELISM": "false", "KEYBOARD": "de", "WHERE": "a://b/c"}


def test_children_get_no_secrets_but_those_that_are_their_own(monkeypatch):
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in (SECRETS | HARMLESS).items():
        monkeypatch.setenv(name, value)
    assert private.environment() == HARMLESS
    assert private.environment("GITHUB", "HTTPS_PROXY").keys() - HARMLESS.keys() == {
        "GITHUB_TOKEN",
        "https_proxy",
    }
    assert not [name for name in private.environment("") if name.startswith("MANOLE_")]
