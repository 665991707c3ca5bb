"""`manole index`, `status` and `library`, run as a user runs them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from manole.cli.app import app
from manole.errors import NotIndexedError, UsageError


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("MANOLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)

    def call(*args):
        return CliRunner().invoke(app, [str(arg) for arg in args])

    return call


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.txt").write_text("The heating cost 120 euros.")
    (folder / "bad [bold]x[red]\n.pdf").write_text("%PDF-1.4 and no more")
    return folder


def test_index_says_what_was_done_and_what_failed_and_why(run, folder):
    result = run("index", folder)
    assert result.exit_code == 0, result.output
    assert "2 added" in result.output
    assert "1 failed, 1 indexed" in result.output
    # The name is shown as it is, on one line: neither markup nor control character.
    assert r"bad [bold]x[red]\n.pdf" in result.output
    assert "2 unchanged" in run("index", folder).output
    assert "2 changed" in run("index", "--force", folder).output


def test_index_as_json(run, folder):
    answer = json.loads(run("index", folder, "--json").stdout)
    assert answer["folders"] == [str(folder)]
    assert (answer["files"], answer["added"]) == (2, 2)
    assert answer["statuses"] == {"failed": 1, "indexed": 1}
    (problem,) = answer["problems"]
    assert problem["status"] == "failed"
    assert problem["reason"]


def test_status_as_json_lists_every_file(run, folder):
    run("index", folder)
    files = json.loads(run("status", folder, "--json").stdout)["files"]
    assert {(file["file"], file["status"]) for file in files} == {
        ("good.txt", "indexed"),
        ("bad [bold]x[red]\n.pdf", "failed"),
    }
    assert all((file["reason"] is None) == (file["status"] == "indexed") for file in files)


def test_status_without_a_folder_takes_the_only_library(run, folder):
    run("index", folder)
    assert "2 files" in run("status").output
    other = folder.parent / "other"
    other.mkdir()
    run("index", other)
    result = run("status")
    assert isinstance(result.exception, UsageError)
    assert "other-" in str(result.exception)


@pytest.mark.parametrize("folder", ["/proc/self", "/", "/proc", "/sys", "/dev"])
def test_folders_of_the_systems_own_state_are_refused_by_the_program(program, folder, tmp_path):
    data = tmp_path / "data"
    done = program("index", folder, MANOLE_DATA_DIR=str(data))
    assert (done.returncode, done.stdout, data.exists()) == (2, "", False)
    assert f"{folder} holds the system's own state, no documents." in done.stderr
    assert "Name a folder of yours." in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_folder_says_so(run, tmp_path):
    (tmp_path / "empty").mkdir()
    result = run("index", "empty")
    assert result.exit_code == 0
    assert "no files in it" in result.output


def test_reuse_looks_for_no_changes(run, folder):
    assert isinstance(run("index", "--reuse", folder).exception, NotIndexedError)
    run("index", folder)
    (folder / "new.txt").write_text("new")
    assert "2 files" in run("index", "--reuse", folder).output
    assert "3 files" in run("index", folder).output
    assert isinstance(run("index", "--reuse", "--force", folder).exception, UsageError)


def test_libraries_are_listed_described_and_removed(run, folder):
    assert "no index yet" in run("library").output
    assert json.loads(run("library", "list", "--json").stdout) == {"libraries": []}
    run("index", folder)
    (info,) = json.loads(run("library", "list", "--json").stdout)["libraries"]
    assert (info["roots"], info["files"]) == ([str(folder)], 2)
    assert info["name"] in run("library", "list").output
    assert json.loads(run("library", "info", folder, "--json").stdout) == info
    assert str(folder) in run("library", "info", info["name"]).output
    assert "2 files" in run("status", info["name"]).output
    assert "untouched" in run("library", "remove", info["name"]).output
    assert "no index yet" in run("library").output
    assert (folder / "good.txt").exists()
    assert isinstance(run("library", "remove", "nothing").exception, UsageError)


def test_a_library_is_renamed_and_keeps_its_name(run, folder):
    run("index", folder)
    (info,) = json.loads(run("library", "list", "--json").stdout)["libraries"]
    assert "“Papers”" in run("library", "rename", info["name"], " Papers ").output
    shown = run("library", "list").output
    assert "Papers" in shown and info["name"] in shown
    run("index", "--force", folder)
    again = json.loads(run("library", "info", info["name"], "--json").stdout)
    assert (again["name"], again["title"]) == (info["name"], "Papers")
    assert "by its folder" in run("library", "rename", folder, "").output
    assert json.loads(run("library", "info", folder, "--json").stdout)["title"] is None
    assert isinstance(run("library", "rename", info["name"], "x" * 81).exception, UsageError)


def test_a_description_that_steers_a_terminal_is_shown_without(run, tmp_path, folder):
    run("index", folder)
    (meta,) = (tmp_path / "data").rglob("meta.json")
    said = json.loads(meta.read_text("utf-8"))
    evil = "2025\x1b]0;pwn\x07\x9b2J"
    for change in (
        {"updated": evil, "created": evil},
        {"roots": [f"/home/{evil}"], "exclude": [evil]},
        {"format": evil},
    ):
        meta.write_text(json.dumps(said | change), "utf-8")
        for command in (("library",), ("library", "info", meta.parent.name)):
            for options in ((), ("--json",)):
                out = run(*command, *options).output
                assert meta.parent.name[:10] in out
                assert not {"\x1b", "\x07", "\x9b"} & set(out)


def test_an_embedder_for_other_languages_is_offered_once_and_by_the_doctor(run, folder):
    letter = (
        "Informamos que a senhora não pagou a renda e que não recebemos nenhuma resposta às "
        "nossas cartas até hoje."
    )
    for number in range(19):
        (folder / f"carta{number}.txt").write_text(f"{letter} Anexo {number}.")
    offered = "index.embedder=granite-embedding-97m-multilingual-r2 index"
    first = run("index", folder).output
    assert "About 95% of the passages are in languages (pt 95%, unknown 5%) that" in first
    assert f"`manole --set {offered} {folder}` embeds them (all 20 passages anew, about " in first
    assert offered not in run("index", folder).output
    shares = {"pt": 0.95, "unknown": 0.05}
    assert json.loads(run("status", folder, "--json").stdout)["languages"] == shares
    assert json.loads(run("index", folder, "--json").stdout)["languages"] == shares
    library = json.loads(run("library", "list", "--json").stdout)["libraries"][0]
    assert library["languages"] == shares
    assert "languages: pt 95%, unknown 5%" in run("library", "info", library["name"]).output
    found = json.loads(run("doctor", folder, "--json").stdout)["findings"]
    assert [item["level"] for item in found if offered in item["remedy"]] == ["warning"]
