"""The program as a whole: help, exit codes, and how errors reach a person."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from fake_endpoint import fake_endpoint

import manole as package

COMMANDS = [
    "index", "search", "ask", "chat", "conversations", "status", "library", "models", "config",
    "eval",
]  # fmt: skip


def no_traceback(done):
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_help_lists_every_command(program):
    done = program("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(manole, command):
    done = manole(command, "--help")
    assert done.returncode == 0
    assert "Usage:" in done.stdout
    assert "--json" in done.stdout or command == "chat"


def test_version(program):
    done = program("--version")
    assert (done.returncode, done.stdout.strip()) == (0, package.__version__)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask", "what?", "/no/such/folder"), "There is no folder /no/such/folder"),
        (("index", "/no/such/folder"), "There is no folder /no/such/folder"),
        (("status", "/no/such/folder"), "There is no folder"),
        (("search", "  ", "."), "query is empty"),
        (("ask", "", "."), "question is empty"),
        (("ask", "?!", "."), "question is empty"),
        (("ask", "a" * 100_000, "."), "100,000 characters"),
        (("ask", "what?", ".", "--reuse", "--force"), "exclude each other"),
        (("index", ".", "--reuse", "--force"), "exclude each other"),
        (("chat", ".", "--reuse", "--force"), "exclude each other"),
        (("--set", "model.colour=red", "config"), "model.colour"),
        (("--set", "model.context=9", "config"), "model.context = 9 (from flag)"),
        (("--set", "nonsense", "config"), "has no value"),
        (("library", "info", "unicorn"), "no library called unicorn"),
        (("library", "remove", "unicorn"), "no library called unicorn"),
        (("ask", "how many files?", ".", "--model", "x", "--colour"), "No such option"),
        (("dance",), "No such command"),
    ],
)
def test_wrong_usage_ends_with_2_and_two_lines(manole, arguments, said):
    done = no_traceback(manole(*arguments))
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""


@pytest.mark.parametrize(
    "command",
    [("ask", "what is this?", ".", "--reuse"), ("search", "rent", "."), ("status", "."),
     ("index", ".", "--reuse"), ("ask", "what is this?", ".", "--reuse", "--json")],
)  # fmt: skip
def test_without_an_index_the_hint_names_the_command(manole, command):
    done = no_traceback(manole(*command))
    assert done.returncode == 1
    assert "no index yet" in done.stderr
    assert "manole index" in done.stderr


def test_a_file_instead_of_a_folder(manole, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    done = no_traceback(manole("index", "a.txt"))
    assert done.returncode == 2
    assert "is not a folder" in done.stderr


def test_an_unknown_variable_and_bad_toml_are_named(manole, tmp_path):
    done = no_traceback(manole("config", MANOLE_MODEL__NMAE="x"))
    assert done.returncode == 2
    assert "MANOLE_MODEL__NMAE" in done.stderr
    (tmp_path / "config" / "manole").mkdir(parents=True)
    (tmp_path / "config" / "manole" / "manole.toml").write_text("[model\n")
    done = no_traceback(manole("config", MANOLE_MODEL__NMAE=""))
    assert done.returncode == 2
    assert "manole.toml is not valid TOML" in done.stderr


def test_an_empty_folder_is_no_error(manole, tmp_path):
    (tmp_path / "empty").mkdir()
    done = no_traceback(manole("index", "empty"))
    assert done.returncode == 0
    assert "no files" in done.stdout
    done = no_traceback(manole("ask", "what is the rent?", "empty", "--json"))
    end = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, end["type"], end["found"]) == (0, "complete", False)


def test_a_closed_pipe_is_no_error(environment, indexed):
    command = f"{sys.executable} -m manole.cli.app status {indexed} --json | head -c 10"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in done.stderr


STRANGE = "a\nb\x1b]0;owned\x07\x1b[31m‮\U0001f389.txt"


def test_names_never_steer_the_terminal(manole, tmp_path):
    folder = tmp_path / "strange"
    folder.mkdir()
    (folder / STRANGE).write_text("The unicorn is called \x1b[31mAda\x1b[0m.\x07")
    (folder / ("\x1b[2J" + "broken.pdf")).write_bytes(b"no pdf")
    for arguments in (
        ("index", "strange"),
        ("status", "strange"),
        ("search", "unicorn", "strange"),
        ("ask", "list files", "strange", "--reuse"),
        ("ask", "list files", "strange", "--reuse", "--debug"),
    ):
        done = no_traceback(manole(*arguments))
        assert done.returncode == 0
        shown = done.stdout + done.stderr
        assert not set(shown) & set("\x1b\x07\x0d‮")
    assert "\U0001f389" in shown
    listed = json.loads(manole("status", "strange", "--json").stdout)
    assert STRANGE in {item["file"] for item in listed["files"]}


def test_names_that_are_not_utf8_are_answered_from_and_linked(program, tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    file = folder / os.fsdecode(b"m\xfcll.txt")
    folder.mkdir()
    file.write_text("The unicorn is called Ada.")
    name = os.fsdecode(b"caf\xe9")
    assert r"caf\xe9: 1 file (1 indexed)" in program("index", name).stdout
    linked = {"MANOLE_LINKS": "always", "FORCE_COLOR": "1"}
    listed = no_traceback(program("ask", "list files", name, "--reuse", **linked))
    assert "/caf%E9/m%FCll.txt" in listed.stdout
    for question in ("how many folders are there", "list files"):
        done = no_traceback(program("ask", question, name, "--reuse", "--json", "--in", "."))
        end = json.loads(done.stdout.splitlines()[-1])
        assert end["type"] == "complete"
    assert end["sources"][0]["file"] == r"m\xfcll.txt"


def interrupted(command, environment, cwd, ready):
    """Run a command, send Ctrl-C once `ready()`, and give exit code and what it wrote."""
    process = subprocess.Popen(
        [sys.executable, "-m", "manole.cli.app", *command],
        env=environment, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not ready() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_ctrl_c_stops_indexing_and_the_next_run_goes_on(environment, program, tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(1500):
        (folder / f"{number}.txt").write_text(f"File {number} speaks of the number {number}. " * 20)
    data = tmp_path / "data"
    environment = environment | {"MANOLE_DATA_DIR": str(data)}

    def begun():
        return any(data.rglob("meta.json"))

    code, _, err = interrupted(["index", str(folder)], environment, tmp_path, begun)
    assert code == 130, err
    assert "Stopped" in err
    assert "Traceback" not in err
    os.truncate(folder / "0.txt", 10)
    for number in range(20, 1500):
        (folder / f"{number}.txt").unlink()
    done = program("index", str(folder), MANOLE_DATA_DIR=str(data))
    assert done.returncode == 0
    assert "20 files (20 indexed)" in done.stdout


def test_ctrl_c_stops_an_answer(environment, indexed, tmp_path):
    with fake_endpoint(None) as (url, prompts):
        code, _, err = interrupted(
            ["--set", f"model.base_url={url}", "ask", "Is the notice period fair?", indexed,
             "--in", "home/rental-contract.pdf", "--reuse", "--model", "openai:slow"],
            environment, tmp_path, lambda: bool(prompts),
        )  # fmt: skip
    assert code == 130
    assert "Stopped" in err
    assert "Traceback" not in err
