"""`manole serve` as it is typed: a process of its own, stopped by signals."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from .running import LONG

TOKEN = "a-token-of-sixteen-or-more"


@pytest.fixture
def environment(settings, tmp_path):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MANOLE_")}
    return kept | {
        "MANOLE_DATA_DIR": str(settings.data_dir),
        "MANOLE_CACHE_DIR": str(settings.cache_dir),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "COLUMNS": "100",
        "PYTHONUNBUFFERED": "1",
    }


def command(*arguments):
    return [sys.executable, "-m", "manole.cli.app", "serve", *map(str, arguments)]


@pytest.fixture
def serve(environment, tmp_path):
    """`serve(...)` starts the program; gives the process and the address it printed."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            command(*arguments), env=environment, cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        line = process.stdout.readline()
        address = re.search(r"(http://\S+)/ ", line)
        assert address, line + process.stderr.read()
        process.greeting = line
        return process, address[1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_syncs_and_stops(serve, tmp_path, how):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text("The key is under the mat.", "utf-8")
    process, url = serve(folder, "--port", "0")
    with httpx.Client(base_url=url, timeout=LONG) as client:
        health = client.get("/health").json()
        assert health["model"]["loaded"] is False
        path = f"/libraries/{health['library']}/sync"
        until = time.monotonic() + LONG
        while client.get(path).json()["state"] == "running" and time.monotonic() < until:
            time.sleep(0.05)
        assert client.get(path).json()["state"] == "done"
        assert client.get("/search?q=key").json()["results"][0]["file"] == "one.txt"
        assert client.get("/v1/models").status_code == 404
    process.send_signal(how)
    out, err = process.communicate(timeout=LONG)
    assert (process.returncode, err) == (0, "")
    assert "Stopped." in out


def test_without_any_library_it_starts_and_one_is_chosen(serve, environment, tmp_path):
    environment["MANOLE_DATA_DIR"] = str(tmp_path / "data")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text("The key is under the mat.", "utf-8")
    process, url = serve("--port", "0")
    assert "Choose a folder" in process.greeting
    with httpx.Client(base_url=url, timeout=LONG) as client:
        assert client.get("/health").json()["library"] is None
        made = client.post("/libraries", json={"folder": str(folder)}).json()
        state = client.post(f"/libraries/{made['name']}/sync?stream=true").text.splitlines()[-1]
        assert '"state": "done"' in state
    process.terminate()
    assert "Stopped." in process.communicate(timeout=LONG)[0]
    for _ in range(2):  # later, it is the only one; then, the one that was synced last
        process, url = serve("--port", "0", "--reuse")
        assert f"answers for {folder} at" in process.greeting
        older = tmp_path / "data" / "libraries" / "older-1"
        older.mkdir(exist_ok=True)
        meta = {"format": 1, "roots": [str(tmp_path)], "updated": "2001-01-01T00:00:00+00:00"}
        (older / "meta.json").write_text(json.dumps(meta))
    (tmp_path / "notes").rename(tmp_path / "elsewhere")  # its folder is gone
    process, url = serve("--port", "0", "--reuse")
    assert f"answers for {tmp_path} at" in process.greeting


def test_the_page_is_opened_on_request(serve, environment, tmp_path, indexed):
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    environment["BROWSER"] = str(browser)
    _, url = serve(indexed, "--port", "0", "--reuse", "--open")
    until = time.monotonic() + LONG
    opened = tmp_path / "opened"
    while not (opened.exists() and opened.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    assert opened.read_text() == f"{url}/\n"


@pytest.mark.model
def test_settings_given_as_flags_cannot_be_changed_by_a_page(serve, environment, tmp_path, indexed):
    environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    _, url = serve(indexed, "--port", "0", "--reuse", "--model", "smollm2-135m-instruct")
    changes = {"model.name": "auto"}
    got = httpx.patch(f"{url}/settings", json=changes)
    assert (got.status_code, "set by a flag" in got.text) == (400, True)
    assert httpx.patch(f"{url}/settings", json={"agent.thorough": True}).status_code == 200
    written = tmp_path / "config" / "manole" / "manole.toml"
    assert written.read_text() == "[agent]\nthorough = true\n"


def test_a_token_from_a_file_is_demanded(serve, indexed, tmp_path):
    (tmp_path / "token").write_text(f"{TOKEN}\n", "utf-8")
    process, url = serve(
        indexed, "--port", "0", "--token-file", tmp_path / "token", "--reuse", "--openai", "--log"
    )
    assert httpx.get(f"{url}/v1/models?x=private").status_code == 401
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(f"{url}/v1/models?x=private", headers=headers).status_code == 200
    process.terminate()
    out, err = process.communicate(timeout=LONG)
    assert "GET /v1/models 200" in err
    assert TOKEN not in out + err
    assert "private" not in out + err


def done(environment, tmp_path, *arguments):
    return subprocess.run(
        command(*arguments), env=environment, cwd=tmp_path, text=True, capture_output=True,
        timeout=LONG,
    )  # fmt: skip


def test_a_port_that_is_taken_gives_a_message(environment, tmp_path, indexed):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        got = done(environment, tmp_path, indexed, "--reuse", "--port", port)
    assert got.returncode == 1
    assert f"127.0.0.1:{port} cannot be listened on: address already in use." in got.stderr
    assert "--port" in got.stderr
    assert "Traceback" not in got.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["--host", "0.0.0.0"], "no token is set"), (["--token-file", "none"], "cannot be read"),
     (["--token-file", "short"], "serve.token"), (["--port", "99999"], "serve.port")],
)  # fmt: skip
def test_what_cannot_be_served_is_refused(environment, tmp_path, indexed, arguments, told):
    (tmp_path / "short").write_text("tooshort", "utf-8")
    got = done(environment, tmp_path, indexed, *arguments)
    assert got.returncode == 2
    assert told in got.stderr
    assert "Traceback" not in got.stderr
    assert "tooshort" not in got.stderr


def test_help_does_not_import_the_server():
    program = "import sys, manole.cli.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "manole.cli.serve" in loaded.stdout.split()
    assert not {"fastapi", "uvicorn", "starlette"} & set(loaded.stdout.split())
