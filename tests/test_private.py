"""What is closed, what is left alone, and what children are given."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from manole import private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def old(top: Path, *files: str) -> Path:
    """A folder as it was made under the mask 022."""
    for name in files:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    for path in (top, *top.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return top


def test_a_folder_of_manoles_is_closed_with_all_that_is_in_it(tmp_path):
    top = old(tmp_path / "data", "libraries/a-12/tables/x.lance", "conversations/a.sqlite")
    engine = top / "engines" / "llama-server"
    engine.parent.mkdir()
    engine.write_text("run")
    engine.chmod(0o755)
    assert top in private.exposed(top)
    private.enclose(top)
    assert list(private.exposed(top)) == []
    assert mode(top) == 0o700
    assert mode(top / "libraries/a-12/tables/x.lance") == 0o600
    assert mode(engine) == 0o700


def test_what_is_closed_is_not_looked_through_again(tmp_path):
    top = old(tmp_path / "data", "libraries/a/x")
    private.enclose(top)
    (top / "libraries/a/x").chmod(0o644)
    private.enclose(top)
    assert mode(top / "libraries/a/x") == 0o644  # a closed folder is in front of it
    assert private.close_all(top) == 1
    assert mode(top / "libraries/a/x") == 0o600


def test_an_interrupted_closing_is_gone_on_from(tmp_path, monkeypatch):
    top = old(tmp_path / "data", "libraries/a/x", "libraries/a/y")

    def killed(path: Path, info: os.stat_result) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(private, "_close_one", killed)
        with pytest.raises(KeyboardInterrupt):
            private.enclose(top)
    assert not mode(top) & 0o077  # it is closed at once
    private.enclose(top)
    assert list(private.exposed(top)) == []
    assert mode(top) == 0o700


def test_of_a_folder_with_other_things_only_manoles_own_part_is_closed(tmp_path):
    home = old(tmp_path / "home", "letter.txt", "Pictures/a.png", "libraries/a/x", "tuning.json")
    private.enclose(home)
    open_ones = (home, home / "letter.txt", home / "Pictures", home / "Pictures/a.png")
    assert [mode(path) for path in open_ones] == [0o755, 0o644, 0o755, 0o644]
    closed = (home / "libraries", home / "libraries/a/x", home / "tuning.json")
    assert [mode(path) for path in closed] == [0o700, 0o600, 0o600]


def test_the_home_folder_is_never_closed(tmp_path, monkeypatch):
    home = old(tmp_path / "home", "libraries/a/x")
    monkeypatch.setenv("HOME", str(home))
    private.enclose(home)
    assert mode(home) == 0o755
    assert mode(home / "libraries") == 0o700


def test_the_usual_folder_is_closed_whatever_lies_in_it(tmp_path, monkeypatch):
    monkeypatch.setattr(private, "user_cache_path", lambda name: tmp_path / name)
    top = old(tmp_path / "manole", "models/a/x", "made/by/another.version")
    private.enclose(top)
    assert mode(top) == 0o700
    assert mode(top / "made/by/another.version") == 0o600


def test_links_and_files_that_have_a_name_elsewhere_are_left_alone(tmp_path):
    own = old(tmp_path / "own", "letter.txt", "weights.gguf")
    top = old(tmp_path / "cache", "models/a/x")
    (top / "models/a/link").symlink_to(own)
    (top / "models/a/file").symlink_to(own / "letter.txt")
    (top / "models/a/model.gguf").hardlink_to(own / "weights.gguf")
    (top / "pictures").symlink_to(own)
    private.enclose(top)
    assert [mode(path) for path in (own, own / "letter.txt", own / "weights.gguf")] == [
        0o755,
        0o644,
        0o644,
    ]
    assert mode(top) == 0o700


def test_a_data_folder_that_is_a_link_is_closed_where_it_leads(tmp_path):
    real = old(tmp_path / "disk", "libraries/a/x")
    (tmp_path / "data").symlink_to(real)
    private.enclose(tmp_path / "data")
    assert mode(real) == 0o700
    assert list(private.exposed(tmp_path / "data")) == []


def test_a_folder_that_its_owner_may_not_write_stays_so(tmp_path):
    top = old(tmp_path / "data", "libraries/a/x")
    (top / "libraries").chmod(0o555)
    private.enclose(top)
    assert mode(top / "libraries") == 0o500
    (top / "libraries").chmod(0o700)


def test_without_modes_nothing_fails_and_nothing_is_looked_through(tmp_path, monkeypatch):
    top = old(tmp_path / "data", "libraries/a/x")
    tried = []

    def fake_chmod(path: Path, mode: int, **_: object) -> None:
        """A disk that takes the call and keeps no mode, as vfat does with the option `quiet`."""
        tried.append(path)

    monkeypatch.setattr(Path, "chmod", fake_chmod)
    private.enclose(top)
    assert tried == [top]

    def fake_refusal(path: Path, mode: int, **_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", fake_refusal)
    private.enclose(top, tmp_path / "nothing")
    private.settle(top)
    assert mode(top) == 0o755


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
