"""Two real `manole serve` processes with one database: what one begins, the other goes on with."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import httpx
import pytest

LONG = 120.0
MANOLE = [sys.executable, "-c", "from manole.cli.app import main; main()"]
COUNT = "How many files are there?"


@pytest.fixture
def place(tmp_path, environment):
    """A folder with an index, and what every process of the test is told."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"This is paper {name}.")
    told = os.environ | environment | {"MANOLE_MODEL__DOWNLOAD": "false"}
    subprocess.run([*MANOLE, "index", folder], env=told, check=True, capture_output=True)
    return folder, told


@pytest.fixture
def serving(place):
    """`serving()`: a server that listens, its client, and its process."""
    folder, told = place
    begun = []

    def one():
        process = subprocess.Popen(
            [*MANOLE, "serve", folder, "--port", "0", "--reuse"],
            env=told, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        client = httpx.Client(timeout=LONG, trust_env=False)
        begun.append((process, client))
        url = re.search(r"http://[\d.:]+", process.stdout.readline())
        client.base_url = url[0]
        return client, process

    yield one
    for process, client in begun:
        client.close()
        process.kill()
        process.wait(LONG)
        process.stdout.close()


def ask(client, conversation):
    answer = client.post("/agentic_search", json={"query": COUNT, "conversation": conversation})
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_conversation_outlives_the_server_it_was_begun_on(serving):
    (one, process), (two, _) = serving(), serving()
    library = one.get("/libraries").json()["libraries"][0]["name"]
    kept = f"/libraries/{library}/conversations"
    id = one.post(kept).json()["id"]
    first = ask(one, id)
    assert first[-1]["type"] == "complete"
    assert "3" in first[-1]["answer"]
    process.send_signal(signal.SIGKILL)
    process.wait(LONG)
    assert ask(two, id)[-1]["answer"] == first[-1]["answer"]
    whole = two.get(f"{kept}/{id}").json()
    assert [turn["question"] for turn in whole["turns"]] == [COUNT, COUNT]
    assert [event["type"] for event in whole["turns"][0]["events"]] == [e["type"] for e in first]
    assert two.get(kept, params={"containing": "HOW MANY"}).json()["conversations"][0]["id"] == id
    two.post(f"{kept}/{id}/turns/1/feedback", json={"rating": "up"}).raise_for_status()
    three, _ = serving()
    assert three.get(f"{kept}/{id}").json()["turns"][0]["rating"] == "up"


def test_a_question_is_answered_while_the_database_is_away(serving, postgres):
    client, _ = serving()
    library = client.get("/libraries").json()["libraries"][0]["name"]
    kept = f"/libraries/{library}/conversations"
    id = client.post(kept).json()["id"]
    postgres.kill()
    try:
        events = ask(client, id)
        assert "3" in events[-1]["answer"]
        (told,) = [event for event in events if event["type"] == "error"]
        assert told["message"].startswith("This turn is not saved")
        assert "cannot be reached" in told["message"]
        refused = client.post(kept)
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "conversations_not_available"
    finally:
        postgres.start()
    assert not [event for event in ask(client, id) if event["type"] == "error"]
    assert [turn["n"] for turn in client.get(f"{kept}/{id}").json()["turns"]] == [1]


@pytest.mark.parametrize("command", ["serve", "stdio", "chat"])
def test_a_server_does_not_start_without_its_database(place, postgres, command):
    folder, told = place
    wrong = told | {"MANOLE_CONVERSATIONS__DATABASE": postgres.url(password="wrong-secret")}
    done = subprocess.run(
        [*MANOLE, command, folder], env=wrong, capture_output=True, text=True, timeout=LONG
    )
    assert done.returncode == 1
    assert "does not let postgres in" in done.stderr
    assert "Traceback" not in done.stderr
    assert "wrong-secret" not in done.stdout + done.stderr
    done = subprocess.run([*MANOLE, "config"], env=wrong, capture_output=True, text=True)
    assert "wrong-secret" not in done.stdout
    assert "***" in done.stdout


def test_the_commands_for_conversations_use_it(place, serving):
    folder, told = place
    client, _ = serving()
    library = client.get("/libraries").json()["libraries"][0]["name"]
    id = client.post(f"/libraries/{library}/conversations").json()["id"]
    ask(client, id)

    def run(*words):
        done = subprocess.run(
            [*MANOLE, "conversations", *words], env=told, capture_output=True, text=True
        )
        return done.stdout + done.stderr

    assert id in run("list", folder)
    shown = run("show", id, folder)
    assert "3 files" in shown and "a.txt" in shown
    assert "Counting" in run("rename", id, "Counting", folder)
    assert "not in a file" in run("set-aside", folder, "--yes")
    assert "Deleted: Counting" in run("delete", id, folder, "--yes")
    assert "no saved conversation" in run("list", folder)
