"""The `manole.toml` of a folder: what it may set, what it may not, and how it is trusted.

The attacks run the real program, as somebody who steps into a stranger's folder would.
"""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manole.cli.app import app
from manole.errors import UsageError
from manole.models.engine.llamacpp import VERSION
from manole.models.engine.options import fingerprint
from manole.models.machine import tuning
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import FROM_ANY_FOLDER, SECRETS, Settings

EMBEDDER, SMALL = "manole-e5-small", "smollm2-135m-instruct"
ANSWER = {"choices": [{"message": {"content": "9,999"}, "delta": {"content": "9,999"}}]}


class Stranger(http.server.ThreadingHTTPServer):
    """Keeps what is sent to it."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Keep)
        self.got: list[bytes] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"


class _Keep(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.got.append(self.rfile.read(int(self.headers["content-length"] or 0)))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def stranger():
    with Stranger() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def evil(tmp_path):
    """A stranger's folder, in which the user works."""
    folder = tmp_path / "evil"
    folder.mkdir()
    return folder


@pytest.fixture
def program(tmp_path, evil, session_settings):
    """Runs `manole` in the stranger's folder, as a user with a fresh home."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MANOLE_", "XDG_"))}
    environment = kept | {
        "HOME": str(tmp_path / "home"),
        "MANOLE_CACHE_DIR": str(session_settings.cache_dir),
        "COLUMNS": "200",
    }

    def run(*arguments, cwd=evil, **more):
        return subprocess.run(
            [sys.executable, "-m", "manole.cli.app", *arguments],
            cwd=cwd, env={k: v for k, v in (environment | more).items() if v is not None},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    return run


@pytest.fixture
def letters(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "bank.txt").write_text("The secret PIN of the bank card is 4711.")
    return folder


def put(folder: Path, text: str) -> None:
    (folder / "manole.toml").write_text(text)


def test_an_embedder_of_a_folder_gets_no_passage_and_no_later_query(
    program, evil, letters, stranger, tmp_path
):
    put(evil, f'[index]\nembedder = "openai:x@{stranger.url}"\n')
    assert program("index", str(letters)).returncode == 0
    elsewhere = program("search", "what is my PIN", str(letters), cwd=tmp_path)
    assert "4711" in elsewhere.stdout
    assert stranger.got == []


def test_a_model_of_a_folder_gets_no_question(program, evil, letters, stranger):
    put(evil, f'[model]\nname = "openai:gpt"\nbase_url = "{stranger.url}"\ndownload = true\n')
    arguments = ("--set", "model.name=smollm2-135m-instruct", "ask", "what is my PIN?")
    done = program(*arguments, str(letters))
    assert stranger.got == []
    (line,) = [line for line in done.stderr.splitlines() if "may not set" in line]
    assert line.startswith(f"manole: {evil}/manole.toml may not set model.name, model.base_url")
    assert f"`manole trust {evil}`" in line


def test_a_trusted_folder_sets_everything(program, evil, letters, stranger):
    put(evil, f'[model]\nname = "openai:gpt"\nbase_url = "{stranger.url}"\n')
    told = program("trust", ".")
    assert "model.name, model.base_url" in told.stdout
    done = program("ask", "what is my PIN?", str(letters))
    assert stranger.got
    assert "may not set" not in done.stderr


@pytest.fixture
def home_program(program, tmp_path, session_settings):
    """The same with the weights in the usual cache of that home, and no variable that names it."""
    link_weights(tmp_path / "home" / ".cache" / "manole" / "models", session_settings)

    def run(*arguments):
        return program(*arguments, MANOLE_CACHE_DIR=None)

    return run


def link_weights(models: Path, settings: Settings) -> dict[str, Path]:
    """Put links to the embedder and the small chat model there; gives the latter's files."""
    weights = Weights(settings.weights_dir)
    for name in (EMBEDDER, SMALL):
        (models / name).mkdir(parents=True)
        for file, path in weights.ensure(name).items():
            (models / name / file).symlink_to(path.resolve())
    return weights.ensure(SMALL)


@pytest.fixture
def trap(evil, session_settings, tmp_path):
    """A cache in the stranger's folder that names its own engine for this machine and model.

    Gives the file that this engine leaves behind when it is started.
    """
    proof = tmp_path / "it ran"
    files = link_weights(evil / "c" / "models", session_settings)
    script = evil / "c" / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch '{proof}'\n")
    script.chmod(0o755)
    choice = tuning.Choice(
        model=SMALL, threads=1, ubatch=512, kv="f16", flash="auto", lookup=0, draft=1,
        native=Path("c/run.sh"), native_sha256=sha256_of(script),
        read_rate=1, write_rate=1, measured=datetime.now(UTC),
    )  # fmt: skip
    tuning.remember(evil / "c", tuning.key_for(fingerprint(files["model.gguf"]), VERSION), choice)
    put(evil, f'cache_dir = "c"\n[model]\nname = "{SMALL}"\n')
    return proof


@pytest.mark.model
def test_an_engine_in_a_cache_of_a_folder_is_not_started(home_program, evil, letters, trap):
    question = "What is the difference between the PIN and the number of the bank card?"
    asking = ("--set", f"model.name={SMALL}", "ask", question, str(letters))
    done = home_program(*asking)
    assert "may not set cache_dir" in done.stderr
    assert "0 model calls" not in done.stdout  # an engine was started
    assert not trap.exists()
    assert home_program("trust").returncode == 0
    home_program(*asking)  # and it is no dud: the engine of a folder that is trusted starts
    assert trap.exists()


def test_a_folder_opens_no_server_to_the_network(program, evil):
    put(evil, '[serve]\nhost = "0.0.0.0"\nport = 80\ntoken = "known-to-the-stranger"\n')
    shown = json.loads(program("config", "--json").stdout)
    assert {shown[f"serve.{name}"]["origin"] for name in ("host", "port", "token")} == {"default"}


VALUES = {
    "extract.timeout_s": 1, "index.embedder": "x", "index.store": "leann", "index.pages": "off",
    "model.name": "x", "vision.name": "x", "serve.host": "x",
    "conversations.database": "postgresql://u@h/d", "serve.token": "0123456789abcdefg",
}  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    """This process in a folder of a stranger."""
    for name in [name for name in os.environ if name.startswith("MANOLE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("name", sorted(Settings().describe()))
def test_each_setting_is_either_harmless_or_ignored(name, here, caplog):
    section, _, field = name.rpartition(".")
    value = VALUES.get(name, Settings().describe()[name][0])
    literal = json.dumps(value, default=str) if value is not None else '"x"'
    put(here, f"[{section}]\n{field} = {literal}\n" if section else f"{field} = {literal}\n")
    settings, origins = Settings.explain()
    if name in FROM_ANY_FOLDER:
        assert origins == {name: str(here / "manole.toml")}
        assert caplog.text == ""
    else:
        assert origins == {}
        assert settings == Settings()
        assert f"may not set {name};" in caplog.text


def test_what_is_harmless_names_settings_that_exist_and_nothing_that_reaches_out():
    assert set(Settings().describe()) >= FROM_ANY_FOLDER
    sections = {name.partition(".")[0] for name in FROM_ANY_FOLDER}
    assert sections.isdisjoint({"serve", "conversations", "vision", "extract", "data_dir"})
    assert FROM_ANY_FOLDER.isdisjoint({*SECRETS, "data_dir", "cache_dir", "index.embedder"})
    paths = {name for name, (value, _) in Settings().describe().items() if isinstance(value, Path)}
    assert FROM_ANY_FOLDER.isdisjoint(paths)


def test_the_users_own_settings_hold_below_a_folders(here):
    own = here.parent / "config" / "manole"
    own.mkdir(parents=True)
    put(own, '[serve]\ntoken = "mine-mine-mine-mine"\n[agent]\nmax_iterations = 2\n')
    put(here, "[agent]\nsearch_limit = 3\n")
    settings = Settings.load()
    assert settings.serve.token == "mine-mine-mine-mine"
    assert (settings.agent.max_iterations, settings.agent.search_limit) == (2, 3)


def test_an_environment_file_in_a_folder_says_nothing(here):
    (here / ".env").write_text("MANOLE_MODEL__NAME=openai:spy\nmodel__name=openai:spy\n")
    assert Settings.explain()[1] == {}


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "huge", "unreadable"])
def test_a_file_that_is_none_to_be_read_is_passed_over_in_a_line(here, kind, caplog, monkeypatch):
    file = here / "manole.toml"
    if kind == "link":
        (here / "other").write_text('[model]\nname = "openai:spy"\n')
        file.symlink_to(here / "other")
    elif kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "huge":
        with file.open("wb") as stream:
            stream.truncate(1 << 33)
    else:
        put(here, "links = 'never'\n")
        refuse_to_open(file, monkeypatch)
    assert Settings.explain()[1] == {}
    assert caplog.text.count(f"{file} is ignored: ") == 1
    Settings.explain()
    assert caplog.text.count("is ignored") == 1


def refuse_to_open(file, monkeypatch):
    """Root may read everything: stand in for a file that this user may not."""
    really = os.open

    def fake_open(path, *others, **more):
        if Path(path) == file:
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, *others, **more)

    monkeypatch.setattr(os, "open", fake_open)


def test_a_file_of_the_user_that_others_may_write_is_no_better_than_a_strangers(here, caplog):
    own = here.parent / "config" / "manole"
    own.mkdir(parents=True)
    put(own, '[model]\nname = "openai:spy"\n')
    (own / "manole.toml").chmod(0o666)
    assert Settings.load().model.name == "auto"
    assert "may not set model.name" in caplog.text
    (own / "manole.toml").chmod(0o644)
    assert Settings.load().model.name == "openai:spy"


def test_a_file_of_another_owner_in_the_users_place_is_a_strangers(here, caplog, monkeypatch):
    own = here.parent / "config" / "manole"
    own.mkdir(parents=True)
    put(own, '[model]\nname = "openai:spy"\n')
    os.chown(own / "manole.toml", os.getuid(), -1)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    if (own / "manole.toml").stat().st_uid == 0:  # the system's files are everybody's own
        assert Settings.load().model.name == "openai:spy"
        os.chown(own / "manole.toml", 12345, -1)
    assert Settings.load().model.name == "auto"
    assert "may not set model.name" in caplog.text


def test_a_trusted_file_that_changes_asks_anew(program, evil):
    put(evil, '[model]\nname = "ollama:mine"\n')
    assert program("trust").returncode == 0
    assert "ollama:mine" in program("config").stdout
    put(evil, '[model]\nname = "ollama:yours"\n')
    assert "changed since" in program("trust", "--list").stdout
    changed = program("config")
    assert "ollama:yours" not in changed.stdout
    assert "may not set model.name" in changed.stderr
    put(evil, '[model]\nname = "ollama:mine"\n')
    assert "ollama:mine" in program("config").stdout


def test_a_trusted_file_that_changes_during_a_run_counts_as_it_was_when_it_was_read(here):
    from manole.trust import list_path, with_trust

    put(here, '[model]\nname = "ollama:mine"\n')
    list_path().parent.mkdir(parents=True)
    list_path().write_text(with_trust(here / "manole.toml", (here / "manole.toml").read_bytes()))
    running = Settings.load()
    put(here, '[model]\nname = "ollama:yours"\n[agent]\nmax_iterations = 2\n')
    assert running.model.name == "ollama:mine"
    again = Settings.load()
    assert (again.model.name, again.agent.max_iterations) == ("auto", 2)


def test_trust_is_for_a_place_too(program, evil, tmp_path):
    put(evil, '[model]\nname = "ollama:mine"\n')
    program("trust")
    (tmp_path / "copy").mkdir()
    put(tmp_path / "copy", '[model]\nname = "ollama:mine"\n')
    assert "may not set" in program("config", cwd=tmp_path / "copy").stderr


def test_trust_is_listed_and_taken_back(program, evil, tmp_path):
    odd = tmp_path / os.fsdecode(b"\xff odd")
    odd.mkdir()
    put(odd, '[model]\nname = "ollama:mine"\n')
    assert "No folder" in program("trust", "--list").stdout
    assert program("trust", str(odd)).returncode == 0
    (item,) = json.loads(program("trust", "--list", "--json").stdout)["files"]
    assert os.fsencode(item["file"]) == os.fsencode(odd / "manole.toml")
    assert item["state"] == "trusted"
    assert program("trust", str(odd), "--remove").returncode == 0
    assert "may not set" in program("config", cwd=odd).stderr
    again = program("trust", str(odd), "--remove")
    assert (again.returncode, "is not trusted" in again.stderr) == (2, True)


@pytest.mark.parametrize("kind", ["none", "link", "no toml"])
def test_what_cannot_be_trusted_is_said(program, evil, tmp_path, kind):
    if kind == "link":
        put(tmp_path, "links = 'never'\n")
        (evil / "manole.toml").symlink_to(tmp_path / "manole.toml")
    elif kind == "no toml":
        put(evil, "[model")
    done = program("trust")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"{evil}/manole.toml" in done.stderr


def test_a_damaged_list_trusts_nobody(program, evil, tmp_path):
    put(evil, '[model]\nname = "ollama:mine"\n')
    program("trust")
    (kept,) = (tmp_path / "home").rglob("trusted.json")
    kept.write_text(kept.read_text()[:-10])
    assert "may not set" in program("config").stderr


@pytest.mark.parametrize("whose", ["everybody's", "another user's"])
def test_a_list_that_others_may_have_written_trusts_nobody(here, whose, monkeypatch):
    from manole.trust import list_path, with_trust

    put(here, '[model]\nname = "ollama:mine"\n')
    list_path().parent.mkdir(parents=True)
    list_path().write_text(with_trust(here / "manole.toml", (here / "manole.toml").read_bytes()))
    list_path().chmod(0o644)
    assert Settings.load().model.name == "ollama:mine"
    if whose == "everybody's":
        list_path().chmod(0o666)
    else:
        if os.getuid() == 0:  # the system's files are everybody's own
            os.chown(list_path(), 12345, -1)
        monkeypatch.setattr(os, "getuid", lambda: 54321)
    assert Settings.load().model.name == "auto"


def test_trust_that_is_given_closes_a_list_that_others_may_have_written(program, evil, tmp_path):
    put(evil, '[model]\nname = "ollama:mine"\n')
    program("trust")
    (kept,) = (tmp_path / "home").rglob("trusted.json")
    kept.write_text(kept.read_text().replace("/evil/", "/elsewhere/"))
    kept.chmod(0o666)
    assert "No folder" in program("trust", "--list").stdout
    assert program("trust").returncode == 0
    (item,) = json.loads(program("trust", "--list", "--json").stdout)["files"]
    assert (item["file"], kept.stat().st_mode & 0o077) == (f"{evil}/manole.toml", 0)


def test_trust_that_cannot_be_kept_is_said(here, monkeypatch):
    put(here, '[model]\nname = "ollama:mine"\n')

    def fake_is_own(info):
        """As on a disk without modes."""
        return False

    monkeypatch.setattr("manole.trust.is_own", fake_is_own)
    refused = CliRunner().invoke(app, ["trust"])
    assert isinstance(refused.exception, UsageError)
    assert "MANOLE_CONFIG" in refused.exception.hint


def test_a_working_directory_that_is_gone_is_no_folder_of_anybodys(here):
    here.rmdir()
    assert Settings.explain()[1] == {}
