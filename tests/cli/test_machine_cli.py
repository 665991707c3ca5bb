"""`manole doctor --machine`: of a machine that is described, and of this one."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from manole.cli.app import app
from manole.errors import UsageError
from manole.models.catalog.table import CATALOG
from manole.models.machine.outlook import Speed
from manole.models.machine.tuning import remember_speed

DESKTOP = """
name = "a desktop"
memory_gb = 32
cores = 8
[processor]
gflops = 800
gb_s = 70
[gpu]
name = "a card"
memory_gb = 12
gflops = 12700
gb_s = 360
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("MANOLE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MANOLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "140")

    def call(*args):
        return CliRunner().invoke(app, ["doctor", *args])

    return call


def test_a_described_machine_is_reckoned(run, tmp_path):
    (tmp_path / "m.toml").write_text(DESKTOP)
    told = json.loads(run("--like", str(tmp_path / "m.toml"), "--json").stdout)
    assert told["machine"]["gpus"] == ["a card"]
    assert told["machine"]["gpu_speed"]["how"] == "reckoned"
    assert told["best"] == "ternary-bonsai-8b"
    rows = {row["name"]: row for row in told["models"]}
    assert {row["how"] for row in rows.values()} == {"reckoned"}
    assert rows["smollm3-3b"]["place"] == "a card"
    assert rows["smollm3-3b"]["answer_seconds"] > rows["qwen3.5-2b"]["answer_seconds"]
    assert rows["qwen3-vl-2b-instruct"]["page_seconds"] > 0
    assert told["embedding"]["hours"] > 0
    said = run("--like", str(tmp_path / "m.toml")).stdout
    assert "a desktop: 8 cores, 32.0 GB of memory." in said
    assert "the best here" in said


def test_this_machine_is_told_from_what_is_remembered(run, tmp_path):
    coder = CATALOG["qwen2.5-coder-1.5b-instruct"]
    remember_speed(tmp_path / "cache", Speed.of(coder, 46, 19.5))
    told = json.loads(run("--machine", "--json").stdout)
    rows = {row["name"]: row for row in told["models"]}
    assert rows[coder.name]["how"] == "measured"
    assert rows[coder.name]["answer_seconds"] == 9.6
    assert rows["smollm3-3b"]["how"] == "reckoned"
    assert not rows["ternary-bonsai-8b"]["quick_enough"]
    assert told["embedding"] is None  # no embedder is at hand, and none is fetched


def test_without_a_model_nothing_is_claimed(run):
    result = run("--machine")
    assert result.exit_code == 0, result.output
    assert "was not measured" in result.stdout
    told = json.loads(run("--machine", "--json").stdout)
    assert told["best"] is None
    assert {row["answer_seconds"] for row in told["models"]} == {None}


def test_it_looks_at_no_library(run):
    assert isinstance(run("--machine", "--fix").exception, UsageError)
