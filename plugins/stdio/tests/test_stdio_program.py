"""`manole stdio` as a process of its own, as another program starts it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys

import pytest
from talk import LEASE, SECONDS, Program, fill

import manole

SECRET = "The vault opens with 4711-quince."


def test_it_begins_with_ready(program, tiny):
    first = program.messages[0]
    assert (first["id"], first["type"]) == (None, "ready")
    assert first["data"]["version"] == manole.__version__
    assert first["data"]["library"].startswith("tiny-")
    assert first["data"]["folders"] == [str(tiny)]


def test_a_question_that_code_answers(program):
    id = program.ask("query", text="how many PDF files are there?")
    data = program.answer(id)["data"]
    assert data["answer"].startswith("You have 1 PDF file: broken.pdf")
    assert [s["file"] for s in data["sources"]] == ["broken.pdf"]
    (step,) = program.events("agent_step", request=id)
    assert step["tool"] == "query"
    assert "kind = 'pdf'" in step["input"]
    assert "".join(t["text"] for t in program.events("token", request=id)) == data["answer"]


def test_search(program):
    results = program.result("search", text="boiler service", limit=1)["results"]
    assert [set(r) for r in results] == [{"file", "page", "line", "score", "text", "also"}]
    assert (results[0]["file"], results[0]["line"]) == ("home/boiler.txt", 1)
    assert len(program.result("search", text="flat boiler", limit=2)["results"]) == 2


def test_status_and_files(program):
    status = program.result("status")
    assert status["indexed"] is True
    assert status["counts"] == {
        "files": 3, "passages": 2, "statuses": {"failed": 1, "indexed": 2},
    }  # fmt: skip
    by_name = {f["file"]: f for f in status["files"]}
    assert by_name["home/lease.md"] == {
        "file": "home/lease.md", "status": "indexed", "reason": None,
    }  # fmt: skip
    assert by_name["broken.pdf"]["reason"]
    whole = program.result("files")
    assert whole["total"] == 3
    assert whole["files"][2]["size"] > 0
    part = program.result("files", offset=1, limit=1)
    assert part == {"total": 3, "files": whole["files"][1:2]}


def test_scope_and_iterations(program):
    def counted(**how):
        return program.result("query", text="how many files are there?", **how)["answer"]

    assert counted(scope="./home/").startswith("You have 2 files")
    assert counted(scope=["home/lease.md", "broken.pdf"]).startswith("You have 2 files")
    assert "no files to" in counted(until="1980-01-01")
    assert counted(scope=".", max_iterations=1).startswith("You have 3 files")
    before = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hello."}]
    assert counted(history=before, today="2024-06-01").startswith("You have 3 files")


@pytest.mark.parametrize(
    ("method", "params", "code", "said"),
    [
        ("graph", {"threshold": 2}, "bad_params", "`threshold`"),
        ("due", {"days": 0}, "bad_params", "`days`"),
        ("due", {"today": "soon"}, "bad_params", "`today`"),
        ("query", {"text": "x?", "today": "soon"}, "bad_params", "`today`"),
        ("query", {"text": "x?", "history": [{"role": "system"}]}, "bad_params", "history"),
        ("dance", {}, "unknown_method", "'dance'"),
        ("x" * 5000, {}, "unknown_method", "xxx…"),
        ("query", {}, "bad_params", "`text`"),
        ("query", {"text": 5}, "bad_params", "`text`"),
        ("query", {"text": "a?", "max_iterations": 0}, "bad_params", "`max_iterations`"),
        ("query", {"text": "a?", "max_iterations": "3"}, "bad_params", "`max_iterations`"),
        ("query", {"text": "a?", "strategy": "magic"}, "bad_params", "'literal'"),
        ("query", {"text": "a?", "colour": "red"}, "bad_params", "`colour`"),
        ("query", {"text": "a?", "y" * 5000: 1}, "bad_params", "yyy…"),
        ("query", {"text": " ?!"}, "usage", "empty"),
        ("query", {"text": "a" * 100_000}, "usage", "100,000 characters"),
        ("search", {"text": "  "}, "usage", "empty"),
        ("search", {"text": "a", "limit": 0}, "bad_params", "`limit`"),
        ("search", {"text": "a", "limit": 1.0}, "bad_params", "`limit`"),
        ("search", {"text": "a" * 100_000}, "bad_params", "`text`"),
        ("index", {"force": "yes"}, "bad_params", "`force`"),
        ("status", {"all": True}, "bad_params", "`all`"),
        ("cancel", {}, "bad_params", "`id`"),
        ("cancel", {"id": True}, "bad_params", "`id`"),
        ("shutdown", {"now": True}, "bad_params", "`now`"),
        ("conversation_export", {"id": "a", "format": "pdf"}, "bad_params", "`format`"),
        ("conversation_get", {"id": ""}, "bad_params", "`id`"),
    ],
)
def test_a_request_that_makes_no_sense_is_told_why(program, method, params, code, said):
    error = program.error(method, **params)
    assert error["code"] == code
    assert said in error["message"]
    assert len(error["message"]) < 400


# The end --------------------------------------------------------------------------------------


def test_shutdown_ends_with_0(environment, tiny):
    program = Program(environment, "stdio", str(tiny), "--reuse")
    assert program.result("shutdown") == {"stopped": True}
    assert program.end() == 0
    assert program.messages[-1]["data"] == {"stopped": True}
    assert program.stderr == ""


def test_sigterm_ends_it_as_the_end_of_input_does(environment, tiny):
    program = Program(environment, "stdio", str(tiny), "--reuse")
    program.wait(lambda m: m["type"] == "ready")
    program.process.send_signal(signal.SIGTERM)
    assert program.end() == 0


def test_nobody_reads_the_answers(environment, tiny):
    process = subprocess.Popen(
        [sys.executable, "-m", "manole.cli.app", "stdio", str(tiny), "--reuse"],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.close()
    assert process.wait(SECONDS) == 0
    assert process.stderr.read() == b""


def test_requests_from_a_file_answers_into_a_file(environment, tiny, tmp_path):
    (tmp_path / "in").write_text('{"id": 1, "method": "graph"}\n{"id": 2, "method": "shutdown"}')
    with (tmp_path / "in").open() as requests, (tmp_path / "out").open("w") as answers:
        command = [sys.executable, "-m", "manole.cli.app", "stdio", str(tiny), "--reuse"]
        done = subprocess.run(
            command, env=environment, stdin=requests, stdout=answers, timeout=SECONDS
        )
    assert done.returncode == 0
    lines = (tmp_path / "out").read_text().splitlines()
    assert len(lines) == 3
    assert lines[-1] == '{"id":2,"type":"result","data":{"stopped":true}}'


QUERY = '{"id": 1, "method": "query", "params": {"text": "What is the notice period of the flat?"}}'


def piped(environment, folder, *requests, **more):
    """What the program writes to requests that are piped in, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "manole.cli.app", "stdio", str(folder)],
        env=environment | more, input="\n".join(requests).encode(), stdout=subprocess.PIPE,
        timeout=SECONDS,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def test_requests_that_are_piped_in_are_answered_before_the_end(environment, tmp_path):
    search = '{"id": 2, "method": "search", "params": {"text": "boiler"}}'
    messages, code = piped(
        environment, fill(tmp_path / "new"), search, '{"id": 3, "method": "index"}'
    )
    answers = {m["id"]: m for m in messages if m["id"]}
    assert answers[2]["data"]["results"][0]["file"] == "home/boiler.txt"  # after the first sync
    assert answers[3]["data"]["files"] == 3
    assert code == 0


def test_a_question_that_is_piped_in_is_answered_by_a_real_model(environment, tiny):
    gone = {"MANOLE_MODEL__NAME", "MANOLE_MODEL__BASE_URL"}
    real = {k: v for k, v in environment.items() if k not in gone}
    fair = '"Is the notice period fair?", "scope": "home/lease.md"'
    asked = QUERY.replace('"What is the notice period of the flat?"', fair)
    messages, code = piped(real, tiny, asked, MANOLE_MODEL__NAME="smollm2-135m-instruct")
    assert (messages[-1]["id"], messages[-1]["type"]) == (1, "result")
    assert messages[-1]["data"]["model_calls"] >= 1
    assert messages[-1]["data"]["answer"]
    assert code == 0


@pytest.fixture
def waiting(environment, tiny):
    """A program whose input has ended and whose question waits for a model that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it listens, and takes no call
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        program = Program(
            environment | {"MANOLE_MODEL__BASE_URL": url}, "stdio", str(tiny), "--reuse"
        )
        program.send(QUERY.encode())
        program.hang_up()
        program.wait(lambda m: m["type"] == "agent_result", "the question's search")
        yield program
        if program.process.poll() is None:
            program.process.kill()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_what_runs_after_the_end_of_the_input(waiting, number, code):
    assert waiting.process.poll() is None
    waiting.process.send_signal(number)
    assert waiting.end() == code
    assert "Traceback" not in waiting.stderr
    if number == signal.SIGTERM:
        assert waiting.answer(1)["data"]["code"] == "cancelled"


def test_a_client_that_is_gone_is_not_waited_for(environment, tiny):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        process = subprocess.Popen(
            [sys.executable, "-m", "manole.cli.app", "stdio", str(tiny), "--reuse"],
            env=environment | {"MANOLE_MODEL__BASE_URL": url},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        process.stdin.write(QUERY.encode())
        process.stdin.close()
        while b'"agent_result"' not in process.stdout.readline():
            pass
        process.stdout.close()
        assert process.wait(SECONDS) == 0
        assert process.stderr.read() == b""


def test_a_wrong_folder_is_told_on_standard_error(environment):
    program = Program(environment, "stdio", "/no/such/folder")
    assert program.end() == 2
    assert "There is no folder /no/such/folder" in program.stderr
    assert program.messages == []


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom manole.cli.app import app\n"
        "shown = CliRunner().invoke(app, ['stdio', '--help']).output\n"
        "assert 'standard input' in ' '.join(shown.split()), shown\n"
        "print({'manole.serve', 'manole.agent', 'lancedb', 'fastapi', 'mcp'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# What else prints -----------------------------------------------------------------------------

NOISE = """
import ctypes, os, subprocess, sys
from manole.library import Library
libc = ctypes.CDLL(None)
libc.puts(b"C, buffered before the start")
real = Library.search
async def noisy(self, *arguments, **more):
    libc.puts(b"noise of C")
    libc.fflush(None)
    os.write(1, b"noise of a descriptor\\n")
    print("noise of Python", flush=True)
    subprocess.run(["sh", "-c", "echo noise of a child; cat"], check=True)
    return await real(self, *arguments, **more)
Library.search = noisy
"""


def test_whatever_prints_does_not_reach_the_protocol(environment, tiny):
    program = Program(environment, "stdio", str(tiny), "--reuse", code=NOISE)
    for _ in range(3):  # a child that read standard input would take the next request
        assert program.result("search", text="boiler", limit=1)["results"]
    program.hang_up()
    assert program.end() == 0  # every message was JSON, else `Talk` had failed
    assert not program.events("error")
    for noise in ("C", "a descriptor", "Python", "a child"):
        assert program.stderr.count(f"noise of {noise}\n") == 3
    assert "buffered before the start" in program.stderr


# Its own files only ---------------------------------------------------------------------------


def test_no_method_reads_a_file_outside_the_folder(environment, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "vault.txt").write_text(SECRET)
    folder = fill(tmp_path / "folder")
    (folder / "link.txt").symlink_to(outside / "vault.txt")
    (folder / "linked").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    (folder / ".env").write_text(SECRET)
    program = Program(environment, "stdio", str(folder))
    assert program.result("index")["files"] == 3
    ways = [
        str(outside / "vault.txt"), "../outside/vault.txt", "home/../../outside/vault.txt",
        "link.txt", "linked/vault.txt", "up/outside", ".env", "%2e%2e/outside", "file:///etc/passwd",
        "..", "/", "/etc/passwd", "home/\x00/../../outside", "\\xff/../outside",
    ]  # fmt: skip
    question = "What does the vault open with, 4711-quince?"
    ids = [program.ask("search", text=text) for text in (*ways, question, "vault quince")]
    ids += [program.ask("query", text="list all files", scope=way) for way in ways]
    ids += [program.ask("query", text=f"when was {way} changed?") for way in ways]
    ids += [program.ask("query", text="how many files?", conversation=way) for way in ways]
    for method in ("get", "export", "delete"):
        ids += [program.ask(f"conversation_{method}", id=way) for way in ways]
    ids += [program.ask("files"), program.ask("status"), program.ask("index", force=True)]
    answers = [program.answer(id) for id in ids]
    assert {m["type"] for m in answers} == {"result", "error"}
    program.hang_up()
    assert program.end() == 0
    told = [m for m in program.messages if m["id"] in ids or m["id"] is None]
    assert "opens with" not in str(told)
    named = {r["file"] for m in answers for r in m["data"].get("results", [])}
    assert named <= {"home/lease.md", "home/boiler.txt", "broken.pdf"}
    assert (outside / "vault.txt").read_text() == SECRET
    assert (folder / "home" / "lease.md").read_text().endswith(LEASE)
    assert [path.name for path in outside.iterdir()] == ["vault.txt"]
