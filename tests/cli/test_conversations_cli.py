"""`manole conversations` and `manole chat --resume`: what was said is there again."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from fake_endpoint import fake_endpoint

from agent.conversations.exported import read_json
from manole.agent.conversations import Conversations
from manole.agent.events import Complete, Source, Token
from manole.index.store.libraries import library_name
from manole.settings import Settings

PDFS = "how many PDF files are there?"  # answered by code, without a model
NO_ID = "a" * 14


@pytest.fixture
def data(tmp_path, session_settings, household):
    """A data folder with the household's index alone in it, and no conversations yet."""
    folder = tmp_path / "data"
    libraries = folder / "libraries"
    libraries.mkdir(parents=True)
    index = session_settings.data_dir / "libraries" / household.name
    (libraries / household.name).symlink_to(index)
    return folder


@pytest.fixture
def command(environment, data, indexed):
    """`command(url, "--resume")` is a chat over the household, and its surroundings."""

    def build(url, *options):
        program = [sys.executable, "-m", "manole.cli.app", "--set", f"model.base_url={url}"]
        chat = ["chat", indexed, "--reuse", "--model", "openai:fake", *options]
        return [*program, *chat], environment | {"MANOLE_DATA_DIR": str(data)}

    return build


@pytest.fixture
def talk(command, tmp_path):
    """`talk(lines, "--resume")` types the lines into a chat; gives the finished process."""

    def run(text, *options, url="http://127.0.0.1:9/v1", **variables):
        arguments, environment = command(url, *options)
        done = subprocess.run(
            arguments, env=environment | variables, cwd=tmp_path, input=text,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def run(manole, data, indexed):
    """`run("list")` runs a command of `manole conversations` over the household."""

    def call(name, *arguments, folder=indexed):
        more = [folder] if folder else []
        done = manole("conversations", name, *arguments, *more, MANOLE_DATA_DIR=str(data))
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return call


@pytest.fixture
def store(data, household):
    store = Conversations.of(Settings(data_dir=data), household.name)
    yield store
    store.close()


@pytest.fixture
def said(store):
    """The id of a conversation with one finished turn and an unfinished one."""
    id = store.create().id
    source = Source(n=1, file="home/rent.pdf", page=2, quote="The rent is 900.")
    store.append(id, store.begin(id, "What is the rent?"), Token(content="The rent is 900. [1]"))
    store.append(id, 1, Complete(answer="The rent is 900. [1]", sources=[source]))
    store.append(id, store.begin(id, "And the deposit?"), Token(content="The deposit"))
    return id


def listed(run, *options):
    return json.loads(run("list", "--json", *options).stdout)["conversations"]


def test_a_talk_is_saved_and_replayed_as_it_was_shown(talk, run):
    done = talk(f"{PDFS}\nwhich are the five largest files?\n/new\nhow many folders are there?\n")
    assert done.returncode == 0
    newest, first = listed(run)
    assert (newest["title"], newest["turns"]) == ("how many folders are there?", 1)
    assert (first["title"], first["turns"]) == (PDFS, 2)
    assert f"--resume {newest['id']}" in done.stdout
    shown = run("show", first["id"]).stdout
    (live,) = [part for part in done.stdout.split("› /new") if PDFS in part]
    assert "21 PDF files" in shown
    assert shown[shown.index("› ") :].strip() == live[live.index("› ") :].strip()
    assert '"timings"' not in shown
    assert '"timings"' in run("show", first["id"], "--debug").stdout


def test_resume_goes_on_where_the_talk_was(talk, run):
    with fake_endpoint("The deposit is 3,540.00 euros.") as (url, _):
        talk("How high is the deposit of the rental contract?\n", url=url)
        done = talk("And who holds it?\n", "--resume", url=url)
    before, _, after = done.stdout.partition("Ask about your files.")
    assert "› How high is the deposit of the rental contract?" in before
    assert "3,540.00" in before
    assert "rental-contract.pdf, page 2" in before
    sources = [line for line in before.splitlines() if line.startswith("  [")]
    assert sources
    assert not any("“" in line for line in sources)  # briefly: no quotes of sources, no steps
    assert "semantic_search" not in before
    assert "And who holds it?" in after
    assert "rental-contract.pdf" in after  # which only the question before it names
    (only,) = listed(run)
    assert only["turns"] == 2


def test_resume_takes_an_id(talk, run):
    talk(f"{PDFS}\n/new\nhow many folders are there?\n")
    _, first = listed(run)
    done = talk("which are the five largest files?\n/new\n/quit\n", "--resume", first["id"])
    assert done.returncode == 0
    assert f"› {PDFS}" in done.stdout
    assert [c["turns"] for c in listed(run)] == [2, 1]
    assert listed(run)[0]["id"] == first["id"]


def test_resume_with_a_folder_instead_of_an_id(manole, data, indexed, said, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: "/quit")
    done = manole("chat", "--reuse", "--resume", indexed, MANOLE_DATA_DIR=str(data))
    assert done.returncode == 0, done.stderr
    assert "› What is the rent?" in done.stdout
    assert "This answer was not finished." in done.stdout


@pytest.mark.parametrize(
    ("option", "variables"),
    [("--no-save", {}), ("--reuse", {"MANOLE_AGENT__KEEP_CONVERSATIONS": "false"})],
)
def test_nothing_is_saved_when_that_is_wanted(talk, data, option, variables):
    done = talk(f"{PDFS}\n", option, **variables)
    assert "21 PDF files" in done.stdout
    assert "--resume" not in done.stdout
    assert not (data / "conversations").exists()


def test_what_is_no_question_is_not_saved(talk, data):
    talk("?!\n/help\n")
    assert not (data / "conversations").exists()


def test_a_chat_that_is_killed_keeps_the_question(command, talk, run, tmp_path):
    with fake_endpoint(None) as (url, prompts):
        arguments, environment = command(url)
        process = subprocess.Popen(
            arguments, env=environment, cwd=tmp_path,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        with process.stdin:
            process.stdin.write(b"What is the capital of Peru?\n")
            process.stdin.flush()
            until = time.monotonic() + 60
            while not prompts and time.monotonic() < until:
                time.sleep(0.02)
            assert prompts
            process.send_signal(signal.SIGKILL)
            assert process.wait(timeout=60) == -signal.SIGKILL
    (only,) = listed(run)
    shown = run("show", only["id"]).stdout
    assert "› What is the capital of Peru?" in shown
    assert "This answer was not finished." in shown
    assert "21 PDF files" in talk(f"{PDFS}\n", "--resume").stdout
    assert listed(run)[0]["turns"] == 2


def test_list_says_what_there_is_and_searches(run, store, said):
    store.create("100% [bold]mine")
    shown = run("list").stdout
    assert "What is the rent?" in shown
    assert "100% [bold]mine" in shown
    assert [c["id"] for c in listed(run, "--containing", "RENT IS")] == [said]
    assert [c["title"] for c in listed(run, "--containing", "%")] == ["100% [bold]mine"]
    assert len(listed(run, "--limit", "1")) == 1
    assert "no such conversation" in run("list", "--containing", "unicorn").stdout


def test_without_a_conversation_that_is_said(run, talk, data):
    assert "no saved conversation" in run("list").stdout
    done = talk("", "--resume")
    assert done.returncode == 1
    assert "has no saved conversation" in done.stderr
    assert not (data / "conversations").exists()


def test_without_a_command_they_are_listed(manole, data, said, household):
    done = manole("conversations", "--json", MANOLE_DATA_DIR=str(data))
    assert json.loads(done.stdout)["library"] == household.name


def test_rename(run, said):
    assert "now called: Rent & more" in run("rename", said, " Rent & more ").stdout
    renamed = json.loads(run("rename", said, "Rent", "--json").stdout)["renamed"]
    assert (renamed["id"], renamed["title"]) == (said, "Rent")
    assert run("rename", said, "  ").returncode == 2


def test_export(run, store, said, tmp_path):
    markdown = run("export", said).stdout
    assert markdown.startswith("# What is the rent?\n")
    assert "- [1] home/rent.pdf, page 2: “The rent is 900.”" in markdown
    expected = (store.get(said), store.turns(said))
    for options in (("--format", "json"), ("--json",), ("--json", "--format", "json")):
        assert read_json(run("export", said, *options).stdout) == expected
    assert read_json(run("show", said, "--json").stdout) == expected
    file = tmp_path / "kept.md"
    done = run("export", said, "--output", str(file))
    assert (done.stdout, file.read_text("utf-8")) == ("", markdown)
    done = run("export", said, "--output", str(file), "--json")
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert file.read_text("utf-8") == markdown


def test_delete(run, said):
    refused = run("delete", said)
    assert refused.returncode == 2
    assert "Add --yes." in refused.stderr
    assert len(listed(run)) == 1
    gone = json.loads(run("delete", said, "--yes", "--json").stdout)["deleted"]
    assert gone["id"] == said
    assert listed(run) == []


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("show", NO_ID), 2, f"no conversation {NO_ID}"),
        (("show", "' OR 1=1"), 2, "no conversation ' OR 1=1"),
        (("rename", NO_ID, "x"), 2, "no conversation"),
        (("export", NO_ID), 2, "no conversation"),
        (("delete", NO_ID, "--yes"), 2, "no conversation"),
        (("export", NO_ID, "--format", "pdf"), 2, "pdf is no format"),
        (("export", NO_ID, "--format", "markdown", "--json"), 2, "exclude each other"),
        (("set-aside", "--yes"), 2, "has no conversations"),
    ],
)
def test_wrong_usage_is_told(run, arguments, code, told):
    done = run(*arguments)
    assert done.returncode == code
    assert told in " ".join(done.stderr.split())


def test_an_unknown_id_ends_a_chat_before_it_begins(talk):
    done = talk(f"{PDFS}\n", "--resume", NO_ID)
    assert done.returncode == 2
    assert f"no conversation {NO_ID}" in done.stderr
    assert PDFS not in done.stdout


def test_conversations_outlive_their_index(manole, tmp_path):
    folder, data = tmp_path / "few", tmp_path / "own"
    folder.mkdir()
    (folder / "a.txt").write_text("The unicorn is called Ada.")

    def call(*arguments):
        done = manole(*arguments, MANOLE_DATA_DIR=str(data))
        assert done.returncode == 0, done.stderr
        return done.stdout

    call("index", str(folder))
    name = library_name([folder])
    store = Conversations.of(Settings(data_dir=data), name)
    id = store.create("Unicorns").id
    store.append(id, store.begin(id, "Who?"), Complete(answer="Ada."))
    store.close()
    call("index", "--force", str(folder))
    assert "Unicorns" in call("conversations", "list", str(folder))
    call("library", "remove", name)
    assert "Unicorns" in call("conversations")  # the only ones there are
    assert "Unicorns" in call("conversations", "list", str(folder))
    assert "Ada." in call("conversations", "show", id, name)
    (folder / "a.txt").unlink()
    folder.rmdir()
    assert "Ada." in call("conversations", "export", id, name)


def test_a_damaged_file_stops_no_talk_and_is_set_aside_when_wanted(talk, run, store, said, data):
    store.close()
    store.path.write_bytes(b"no database" * 1000)
    for call in (run("list"), run("show", said), talk("", "--resume")):
        assert call.returncode == 1
        assert "are damaged" in call.stderr
        assert "manole conversations set-aside" in call.stderr
    done = talk(f"{PDFS}\n{PDFS}\n")
    assert done.returncode == 0
    assert done.stdout.count("This turn is not saved.") == 2
    assert done.stdout.count("\nYou have 21 PDF files") == 2
    assert run("set-aside").returncode == 2  # nobody can be asked
    assert store.path.exists()
    moved = json.loads(run("set-aside", "--yes", "--json").stdout)["set_aside"]
    assert (data / "conversations" / moved).read_bytes() == b"no database" * 1000
    assert listed(run) == []
    talk(f"{PDFS}\n")
    assert len(listed(run)) == 1


def test_a_newer_version_is_told(run, store, said):
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    done = run("list")
    assert done.returncode == 1
    assert "newer Manole" in done.stderr
    assert "Update Manole." in done.stderr


def test_kept_text_does_not_steer_the_terminal(run, store):
    evil = "\x1b]0;owned\x07\x1b[31mred\u202e[bold]x[/bold] <script>"
    id = store.create().id
    n = store.begin(id, evil, evil)
    store.append(id, n, Token(content=evil))
    source = Source(n=1, file=evil, quote=evil)
    store.append(id, n, Complete(answer=f"{evil}!", sources=[source]))
    store.rate(id, n, "down", evil)
    for arguments in (("list",), ("show", id), ("show", id, "--debug"), ("export", id),
                      ("rename", id, evil), ("list",)):  # fmt: skip
        done = run(*arguments)
        assert done.returncode == 0
        assert not set(done.stdout + done.stderr) & set("\x1b\x07\x0d\u202e")
        assert "red" in done.stdout
