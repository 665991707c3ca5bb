"""`manole config`: the effective settings and where each came from."""

from __future__ import annotations

import json


def shown(manole, *flags, **environment):
    done = manole(*flags, "config", "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_setting_has_value_origin_and_description(manole):
    rows = shown(manole)
    assert {"data_dir", "model.name", "agent.max_iterations", "index.exclude"} <= rows.keys()
    for row in rows.values():
        assert set(row) == {"value", "origin", "description"}
        assert row["description"]
    assert rows["model.name"] == rows["model.name"] | {"value": "auto", "origin": "default"}


def test_origins(manole, tmp_path):
    own = tmp_path / "config" / "manole" / "manole.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[agent]\nmax_iterations = 2\nanswer_tokens = 50\n")
    rows = shown(
        manole, "--set", "model.name=ollama:x", "--set", "index.exclude=*.tmp,old",
        MANOLE_AGENT__ANSWER_TOKENS="60",
    )  # fmt: skip
    assert rows["agent.max_iterations"]["value"] == 2
    assert rows["agent.max_iterations"]["origin"] == str(own)
    assert rows["agent.answer_tokens"]["value"] == 60
    assert "MANOLE_AGENT__ANSWER_TOKENS" in rows["agent.answer_tokens"]["origin"]
    assert (rows["model.name"]["value"], rows["model.name"]["origin"]) == ("ollama:x", "flag")
    assert rows["index.exclude"]["value"] == ["*.tmp", "old"]


def test_on_the_screen(manole, tmp_path):
    done = manole("config", COLUMNS="160")
    assert "agent.max_iterations" in done.stdout
    assert "File: none" in done.stdout


def test_keys_are_not_shown(manole):
    for flags in (("config",), ("config", "--json")):
        done = manole(*flags, MANOLE_MODEL__API_KEY="very-secret")
        assert "very-secret" not in done.stdout
        assert "(set)" in done.stdout
