"""Writing settings: what stays as it was, what is refused, and when a change holds."""

from __future__ import annotations

import os
import stat
import threading
import tomllib
from pathlib import Path

import pytest

from manole.config_files import own_path
from manole.errors import SettingsError
from manole.serve.preferences import changeable
from manole.settings import Settings
from manole.settings_file import CHANGEABLE, change, with_changes

WRITTEN = """\
# my settings
links = "never"

[agent]  # how it answers
max_iterations = 3  # enough
answer_tokens = 200

[index]
exclude = [
  "*.tmp",  # of the editor
]
"""


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    """No settings but those of the test: an empty working directory and environment."""
    for name in list(os.environ):
        if name.startswith("MANOLE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "here").mkdir()
    (tmp_path / "config" / "manole").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")


def one(name, flags=None):
    return next(item for item in changeable(Settings(), flags or {}) if item.name == name)


def test_every_changeable_setting_is_described():
    found = {item.name: item for item in changeable(Settings(), {})}
    assert list(found) == list(CHANGEABLE)
    assert all(item.description for item in found.values())
    assert {item.value == item.default for item in found.values()} == {True}
    assert {item.origin for item in found.values()} == {"default"}
    count = found["agent.max_iterations"]
    assert (count.kind, count.minimum, count.maximum, count.choices) == ("int", 1, 20, None)
    assert found["index.ocr"].kind == "bool"
    assert found["index.pages"].choices == ["lines", "off"]
    assert found["agent.strategy"].kind == "choice"
    assert "journal" in found["agent.strategy"].choices
    assert (found["model.name"].kind, found["model.name"].takes_effect) == ("text", "now")


def test_a_value_that_only_a_file_may_give_is_among_its_choices():
    own_path().write_text('[index]\npages = "colqwen"\n')
    assert one("index.pages").choices == ["lines", "off", "colqwen"]


def test_the_users_own_file_is_made_where_there_is_none(tmp_path):
    settings = change({"agent.thorough": True, "model.name": "ollama:x", "index.ocr": False})
    file = tmp_path / "config" / "manole" / "manole.toml"
    assert own_path() == file
    assert tomllib.loads(file.read_text()) == {
        "agent": {"thorough": True}, "model": {"name": "ollama:x"}, "index": {"ocr": False},
    }  # fmt: skip
    assert (settings.agent.thorough, settings.model.name) == (True, "ollama:x")
    assert one("agent.thorough").origin == str(file)


def test_comments_order_and_everything_else_stay():
    file = own_path()
    file.write_text(WRITTEN)
    change({"agent.max_iterations": 7, "agent.thorough": True, "index.ocr": False})
    text = WRITTEN.replace("= 3", "= 7")
    text = text.replace("answer_tokens = 200\n", "answer_tokens = 200\nthorough = true\n")
    assert file.read_text() == f"{text}ocr = false\n"
    settings = Settings.load()
    assert (settings.agent.max_iterations, settings.agent.thorough) == (7, True)
    assert (settings.index.ocr, settings.index.exclude) == (False, ("*.tmp",))
    assert (settings.links, settings.agent.answer_tokens) == ("never", 200)


@pytest.mark.parametrize(
    "written",
    ["agent.max_iterations = 3\nagent.answer_tokens = 200\n",
     "agent = {max_iterations = 3, answer_tokens = 200}\n",
     "[agent]\nmax_iterations = 3\n[index]\nocr = true\n[agent.x]\n",
     '"agent" = {}\n', "[index]\n\n\n[agent]\n\n# nothing\n", "\ufeff# a mark\n",
     "[agent]\r\nanswer_tokens = 200\r\n"],
)  # fmt: skip
def test_however_the_file_is_written_the_value_is_read_back(written):
    own_path().write_text(written, newline="")
    try:
        Settings.load()
    except SettingsError:  # such a file is refused before anything is changed
        with pytest.raises(SettingsError):
            change({"agent.max_iterations": 9})
        assert own_path().read_text() == written
        return
    change({"agent.max_iterations": 9, "model.name": "ollama:x"})
    settings = Settings.load()
    assert (settings.agent.max_iterations, settings.model.name) == (9, "ollama:x")
    assert settings.agent.answer_tokens == (200 if "200" in written else 160)
    assert ("\r\n" in own_path().read_bytes().decode()) == ("\r" in written)


def test_none_takes_a_setting_back_to_its_default():
    file = own_path()
    file.write_text(WRITTEN)
    change({"agent.max_iterations": None, "model.name": None})
    assert Settings.load().agent.max_iterations == 5
    assert "max_iterations" not in file.read_text()
    assert "answer_tokens = 200" in file.read_text()


def test_nothing_to_change_writes_nothing():
    assert change({}).agent.max_iterations == 5
    assert not own_path().exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("agent.max_iterations", 0), ("agent.max_iterations", 21), ("agent.strategy", "magic"),
     ("index.pages", "none"), ("agent.thorough", "perhaps")],
)  # fmt: skip
def test_what_settings_would_refuse_is_refused_by_name_and_not_written(name, value):
    own_path().write_text(WRITTEN)
    with pytest.raises(SettingsError, match=name):
        change({"index.ocr": False, name: value})
    assert own_path().read_text() == WRITTEN


@pytest.mark.parametrize("name", ["serve.host", "data_dir", "model.api_key", "agent", "x.y"])
def test_only_some_settings_may_be_changed(name):
    with pytest.raises(SettingsError, match=f"{name} cannot be changed"):
        change({name: "x"})
    assert not own_path().exists()


def test_what_goes_before_the_file_is_refused(monkeypatch):
    monkeypatch.setenv("MANOLE_AGENT__THOROUGH", "true")
    assert one("agent.thorough").origin == "environment (MANOLE_AGENT__THOROUGH)"
    with pytest.raises(SettingsError, match="MANOLE_AGENT__THOROUGH") as caught:
        change({"agent.thorough": False})
    assert "agent.thorough" in caught.value.message
    flags = {"model.name": "ollama:x"}
    assert (one("model.name", flags).value, one("model.name", flags).origin) == ("ollama:x", "flag")
    with pytest.raises(SettingsError, match=r"model\.name is set by a flag"):
        change({"model.name": "auto"}, flags)
    change({"index.ocr": False}, flags)
    assert tomllib.loads(own_path().read_text()) == {"index": {"ocr": False}}


def test_a_file_that_is_no_toml_is_left_alone():
    own_path().write_text("[agent\n")
    with pytest.raises(SettingsError, match="valid TOML"):
        change({"agent.thorough": True})
    assert own_path().read_text() == "[agent\n"


def test_a_link_stays_one_and_the_file_keeps_its_permissions(tmp_path):
    real = tmp_path / "dotfiles.toml"
    real.write_text(WRITTEN)
    real.chmod(0o640)
    own_path().symlink_to(real)
    change({"agent.max_iterations": 8})
    assert own_path().is_symlink()
    assert tomllib.loads(real.read_text())["agent"]["max_iterations"] == 8
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [path.name for path in tmp_path.glob("*.tmp")] == []


def test_a_file_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SettingsError, match="cannot be read"):
        change({"agent.thorough": True})


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="root may write everywhere else")
def test_a_file_that_cannot_be_written_is_an_error(monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/none")
    with pytest.raises(SettingsError, match="cannot be written"):
        change({"agent.thorough": True})


def test_many_changes_at_once_all_arrive():
    threads = [
        threading.Thread(target=change, args=({name: value},))
        for name, value in {
            "index.ocr": False, "vision.name": "off", "index.pages": "off", "model.name": "auto",
            "agent.thorough": True, "agent.max_iterations": 4, "agent.keep_conversations": False,
        }.items()
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = tomllib.loads(own_path().read_text())
    assert sum(len(section) for section in written.values()) == 7


def test_only_the_named_values_are_taken_over():
    mine = Settings(data_dir=Path("/mine"))
    other = Settings.load({"agent.max_iterations": 9, "agent.thorough": True, "index.ocr": False})
    both = with_changes(mine, other, ["agent.max_iterations", "index.ocr"])
    assert (both.agent.max_iterations, both.agent.thorough, both.index.ocr) == (9, False, False)
    assert both.data_dir == Path("/mine")
