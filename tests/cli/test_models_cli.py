"""`manole models` with a real, small model in a cache of its own."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from manole.cli.models import app
from manole.errors import HashMismatchError, SettingsError, UsageError, WeightsError
from manole.models.catalog.table import CATALOG
from manole.models.machine.tuning import remember_speed

SMALL = "smollm2-135m-instruct"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("models-cli")


@pytest.fixture
def run(cache, monkeypatch):
    monkeypatch.setenv("MANOLE_CACHE_DIR", str(cache))
    monkeypatch.setenv("COLUMNS", "200")

    def call(*args):
        return CliRunner().invoke(app, list(args))

    return call


@pytest.fixture
def fetched(run):
    result = run("fetch", SMALL, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_fetch_prints_where_the_verified_files_are(fetched, cache):
    (entry,) = fetched["models"]
    assert entry["name"] == SMALL
    assert entry["files"] == {"model.gguf": str(cache / "models" / SMALL / "model.gguf")}


def test_the_list_says_what_is_at_hand_and_in_use_and_why(run, fetched, monkeypatch):
    monkeypatch.setenv("MANOLE_MODEL__NAME", SMALL)
    data = json.loads(run("list", "--json").stdout)
    states = {entry["name"]: (entry["at_hand"], entry["in_use"]) for entry in data["models"]}
    assert states[SMALL] == (True, True)
    assert states["qwen2.5-coder-1.5b-instruct"] == (False, False)
    assert states["manole-e5-small"] == (False, True)
    assert data["chat"] == {"name": SMALL, "reason": "you named it"}


def test_without_a_command_the_list_is_shown(run, fetched, monkeypatch):
    monkeypatch.setenv("MANOLE_MODEL__NAME", SMALL)
    result = run()
    assert result.exit_code == 0
    row = next(line for line in result.stdout.splitlines() if line.strip().startswith(SMALL))
    assert "at hand, in use" in row
    assert f"Chat model in use: {SMALL} (you named it)." in result.stdout
    assert json.loads(run("--json").stdout) == json.loads(run("list", "--json").stdout)


def test_whose_hashes_are_to_be_believed_is_said(run, fetched):
    (line,) = [line for line in run().stdout.splitlines() if "the LocalAI gallery" in line]
    assert line.startswith("Pinned by the LocalAI gallery, not verified here: ")
    assert "lfm2.5-vl-1.6b" in line
    data = json.loads(run("--json").stdout)
    said = {entry["name"]: (entry["pinned_by"], entry["verified_here"]) for entry in data["models"]}
    assert said["lfm2.5-vl-1.6b"] == ("the LocalAI gallery", False)
    assert said[SMALL] == (None, True)


def test_the_list_is_shown_even_when_the_configured_name_is_wrong(run, monkeypatch):
    monkeypatch.setenv("MANOLE_MODEL__NAME", "gpt-9")
    result = run("list")
    assert result.exit_code == 0
    assert "There is no model called 'gpt-9'" in result.stdout


def test_an_endpoint_is_named_as_such(run, monkeypatch):
    monkeypatch.setenv("MANOLE_MODEL__NAME", "ollama:qwen3")
    data = json.loads(run("--json").stdout)
    assert data["chat"]["name"] == "ollama:qwen3"
    assert "endpoint" in data["chat"]["reason"]


def test_verify_accepts_the_right_file(run, fetched):
    result = run("verify")
    assert result.exit_code == 0
    assert f"{SMALL}: verified" in result.stdout


def test_fetch_from_a_folder_and_remove(run, fetched, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("MANOLE_CACHE_DIR", str(tmp_path))
    shelf = cache / "models" / SMALL
    assert run("fetch", SMALL, "--from", str(shelf)).exit_code == 0
    assert (tmp_path / "models" / SMALL / "model.gguf").stat().st_size == 98_362_432
    assert "98.4 MB freed" in run("remove", SMALL).stdout
    assert not (tmp_path / "models" / SMALL).exists()
    assert (shelf / "model.gguf").exists()


def test_mistakes_are_errors_for_the_user_before_anything_happens(run, fetched, tmp_path):
    assert isinstance(run("fetch", "gpt-9").exception, UsageError)
    assert isinstance(run("remove", SMALL, "gpt-9").exception, UsageError)
    assert isinstance(run("fetch", "--from", str(tmp_path)).exception, UsageError)
    assert isinstance(run("fetch", SMALL, "--from", str(tmp_path / "no")).exception, UsageError)
    assert isinstance(run("fetch", "contriever").exception, WeightsError)
    assert run("verify", SMALL).exit_code == 0  # still there


def test_a_damaged_file_is_found_and_removed(run, fetched, cache):
    path = cache / "models" / SMALL / "model.gguf"
    with path.open("r+b") as opened:
        opened.write(b"XXXX")
    result = run("verify", SMALL)
    assert isinstance(result.exception, HashMismatchError)
    assert not path.exists()


# Choosing one


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    path = tmp_path / "manole.toml"
    path.write_text("# mine\n")
    monkeypatch.setenv("MANOLE_CONFIG", str(path))
    return path


def test_a_model_is_used_from_now_on_and_auto_goes_back(run, fetched, own_file):
    result = run("use", SMALL)
    assert result.exit_code == 0, result.output
    assert f"{SMALL} is used from now on" in result.stdout
    assert own_file.read_text() == f'# mine\n\n[model]\nname = "{SMALL}"\n'
    assert json.loads(run("--json").stdout)["chat"] == {"name": SMALL, "reason": "you named it"}
    assert json.loads(run("use", "auto", "--json").stdout)["model"] == "auto"
    assert own_file.read_text().strip() == "# mine"


def test_an_endpoint_can_be_used(run, own_file):
    assert run("use", "ollama:qwen3").exit_code == 0
    assert 'name = "ollama:qwen3"' in own_file.read_text()


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("smolm3-3b", "no model called 'smolm3-3b'", "smollm3-3b"),
        ("all-minilm-l6-v2", "no chat model", SMALL),
        ("smollm3-3b", "not at hand: about 1.9 GB", "manole models fetch smollm3-3b"),
        ("gone.gguf", "no file", ""),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_written(run, own_file, name, said, hint):
    refused = run("use", name).exception
    assert isinstance(refused, UsageError)
    assert said in refused.message
    assert hint in (refused.hint or "")
    assert own_file.read_text() == "# mine\n"


def test_a_model_that_does_not_fit_is_refused_unless_it_is_forced(
    run, fetched, own_file, monkeypatch
):
    monkeypatch.setattr("manole.models.machine.outlook._SHARE", 0.00001)  # of any machine's memory
    refused = run("use", SMALL).exception
    assert isinstance(refused, UsageError)
    assert "of memory" in refused.message
    assert own_file.read_text() == "# mine\n"
    assert run("use", SMALL, "--force").exit_code == 0
    assert SMALL in own_file.read_text()


def test_a_name_that_the_environment_set_is_not_changed_in_a_file(
    run, fetched, own_file, monkeypatch
):
    monkeypatch.setenv("MANOLE_MODEL__NAME", SMALL)
    assert isinstance(run("use", "auto").exception, SettingsError)
    assert own_file.read_text() == "# mine\n"


def test_the_best_one_for_this_machine_is_named_once_it_is_known(run, cache):
    """The file is a hole: it is not used, only counted."""
    name = "qwen2.5-coder-1.5b-instruct"
    folder = cache / "models" / name
    folder.mkdir(parents=True)
    with (folder / "model.gguf").open("wb") as hole:
        hole.truncate(CATALOG[name].size)
    try:
        told = json.loads(run("--json").stdout)
        assert (told["recommended"], told["answer_seconds"]) == ("lfm2.5-1.2b-instruct", None)
        remember_speed(cache, CATALOG[name], 500, 50)
        told = json.loads(run("--json").stdout)
        assert (told["recommended"], told["answer_seconds"]) == ("ternary-bonsai-8b", 1.8)
        assert "`manole models use ternary-bonsai-8b`" in run().stdout
    finally:
        shutil.rmtree(folder)
        (cache / "tuning.json").unlink(missing_ok=True)
