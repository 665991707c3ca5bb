"""Settings: where each value comes from, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manole.config_files import own_path
from manole.errors import SettingsError
from manole.settings import Settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    """No settings but those of the test: an empty working directory and environment."""
    for name in list(os.environ):
        if name.startswith("MANOLE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def toml(text, folder="config/manole"):
    """Write the user's own settings file, or one in another folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "manole.toml").write_text(text, "utf-8")


def test_defaults_need_nothing():
    settings, origins = Settings.explain()
    assert origins == {}
    assert settings.model.name == "auto"
    assert settings.agent.max_iterations == 5
    assert settings.index.exclude == ()
    assert settings.weights_dir == settings.cache_dir / "models"


def test_file_then_environment_then_flag(monkeypatch):
    def value():
        settings, origins = Settings.explain(flags)
        return settings.model.context, origins.get("model.context")

    flags: dict[str, object] = {}
    assert value() == (8192, None)
    toml("[model]\ncontext = 2048\n")
    assert value() == (2048, str(own_path()))
    monkeypatch.setenv("MANOLE_MODEL__CONTEXT", "4096")
    assert value() == (4096, "environment (MANOLE_MODEL__CONTEXT)")
    flags["model.context"] = 16384
    assert value() == (16384, "flag")
    flags["model.context"] = None  # an option that was not given
    assert value()[0] == 4096


def test_sources_add_up_field_by_field(monkeypatch):
    toml('links = "never"\n[agent]\nmax_iterations = 2\nanswer_tokens = 30\n')
    monkeypatch.setenv("MANOLE_AGENT__ANSWER_TOKENS", "40")
    settings = Settings.load({"model.name": "ollama:x"})
    assert (settings.links, settings.agent.max_iterations) == ("never", 2)
    assert (settings.agent.answer_tokens, settings.model.name) == (40, "ollama:x")


def test_top_level_settings_come_from_everywhere(monkeypatch, tmp_path):
    toml('data_dir = "/from/file"\n')
    assert Settings.load().data_dir == Path("/from/file")
    monkeypatch.setenv("MANOLE_DATA_DIR", "/from/environment")
    assert Settings.load().data_dir == Path("/from/environment")
    assert Settings.load({"data_dir": tmp_path}).data_dir == tmp_path


def test_lists(monkeypatch):
    toml('[index]\nexclude = ["*.tmp", "old/"]\n')
    assert Settings.load().index.exclude == ("*.tmp", "old/")
    monkeypatch.setenv("MANOLE_INDEX__EXCLUDE", "*.log,build")
    assert Settings.load().index.exclude == ("*.log", "build")


def where(source, monkeypatch, field, value):
    """Set `field` to `value` in one source; returns the flags and how the origin is called."""
    section, _, name = field.partition(".")
    if source == "file":
        literal = f'"{value}"' if isinstance(value, str) else value
        toml(f"[{section}]\n{name} = {literal}\n" if name else f"{section} = {literal}\n")
        return {}, "manole.toml"
    if source == "environment":
        variable = "MANOLE_" + field.upper().replace(".", "__")
        monkeypatch.setenv(variable, str(value))
        return {}, variable
    return {field: value}, "flag"


@pytest.mark.parametrize("source", ["file", "environment", "flag"])
@pytest.mark.parametrize("field", ["model.nmae", "modle.name", "colour"])
def test_an_unknown_key_is_refused_by_name_and_origin(monkeypatch, source, field):
    flags, origin = where(source, monkeypatch, field, "x")
    with pytest.raises(SettingsError) as caught:
        Settings.load(flags)
    named = field if field == "model.nmae" else field.partition(".")[0]
    assert named in caught.value.message
    assert "not a setting" in caught.value.message
    assert caught.value.hint
    assert origin in caught.value.message


@pytest.mark.parametrize("source", ["file", "environment", "flag"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model.timeout_s", 0),
        ("model.context", 100),
        ("agent.max_iterations", 0),
        ("agent.max_iterations", "many"),
        ("extract.max_file_mb", 0),
        ("serve.port", 70000),
        ("links", "sometimes"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name_and_origin(monkeypatch, source, field, value):
    flags, origin = where(source, monkeypatch, field, value)
    with pytest.raises(SettingsError) as caught:
        Settings.load(flags)
    assert f"{field} = {value}" in caught.value.message
    assert origin in caught.value.message
    assert caught.value.exit_code == 2


def test_several_mistakes_are_told_at_once():
    with pytest.raises(SettingsError) as caught:
        Settings.load({"model.context": 9, "model.colour": "red"})
    assert "model.context" in caught.value.message
    assert "model.colour" in caught.value.message


@pytest.mark.parametrize("flags", [{"model": "x"}, {"model": "x", "model.name": "y"}])
def test_a_section_is_no_value(flags):
    with pytest.raises(SettingsError, match="model"):
        Settings.load(flags)


def test_bad_toml_names_the_file_and_the_place():
    toml("[model\nname = 1")
    with pytest.raises(SettingsError, match="valid TOML") as caught:
        Settings.load()
    assert "manole.toml" in caught.value.message
    assert "line 1" in caught.value.message


def test_toml_in_another_encoding_is_refused():
    toml("")
    own_path().write_bytes('links = "\xe4uto"'.encode("latin-1"))
    with pytest.raises(SettingsError, match=r"manole\.toml"):
        Settings.load()


def test_nothing_in_the_working_directory_sets_anything():
    toml("[agent]\nanswer_tokens = 70\n")
    toml('links = "never"\n[agent]\nanswer_tokens = 80\n[model]\nname = "openai:spy"\n', ".")
    Path(".env").write_text("MANOLE_MODEL__NAME=openai:spy\nmodel__name=openai:spy\n")
    assert Settings.explain()[1] == {"agent.answer_tokens": str(own_path())}
    assert Settings.load().agent.answer_tokens == 70


def test_a_file_that_everybody_may_write_is_refused_unless_it_is_named(monkeypatch):
    toml('[model]\nname = "openai:spy"\n')
    own_path().chmod(0o666)
    with pytest.raises(SettingsError, match=r"may have written .*manole\.toml"):
        Settings.load()
    monkeypatch.setenv("MANOLE_CONFIG", str(own_path()))
    assert Settings.load().model.name == "openai:spy"


def test_a_file_of_another_user_is_refused(monkeypatch):
    toml('[model]\nname = "openai:spy"\n')
    if os.getuid() == 0:  # the system's files are everybody's own
        os.chown(own_path(), 12345, -1)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    with pytest.raises(SettingsError, match="Other users"):
        Settings.load()


def test_manole_config_names_the_file(tmp_path, monkeypatch):
    toml("[agent]\nmax_iterations = 2\n")
    (tmp_path / "other.toml").write_text("[agent]\nanswer_tokens = 90\n")
    monkeypatch.setenv("MANOLE_CONFIG", str(tmp_path / "other.toml"))
    assert own_path() == tmp_path / "other.toml"
    settings, origins = Settings.explain()
    assert (settings.agent.answer_tokens, settings.agent.max_iterations) == (90, 5)
    assert origins["agent.answer_tokens"].endswith("other.toml")


def test_manole_config_must_exist(monkeypatch, tmp_path):
    monkeypatch.setenv("MANOLE_CONFIG", str(tmp_path / "gone.toml"))
    with pytest.raises(SettingsError, match=r"MANOLE_CONFIG names .*gone\.toml"):
        Settings.load()


def test_settings_do_not_change():
    settings = Settings.load()
    with pytest.raises(ValueError, match="frozen"):
        settings.links = "never"


def test_every_setting_is_described():
    described = Settings.load().describe()
    assert "model.name" in described
    assert "data_dir" in described
    assert all(text for _, text in described.values())


def test_a_key_is_never_shown():
    settings = Settings.load({"model.api_key": "very-secret"})
    assert "very-secret" not in repr(settings)
    assert "very-secret" not in str(settings.describe())
    with pytest.raises(SettingsError) as caught:
        Settings.load({"model.api_key": "very-secret", "model.context": 1})
    assert "very-secret" not in str(caught.value)
