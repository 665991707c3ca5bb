"""Several processes on one file, and processes that are killed in the middle of an answer."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from manole.agent.conversations import Conversations
from manole.agent.events import Complete, Token

TALKER = """
import sys, time
from pathlib import Path
from manole.agent.conversations import Conversations
from manole.agent.events import Complete, Token

path, id, name, turns, go = sys.argv[1:]
store = Conversations.in_file(Path(path))
print("ready", flush=True)
while not Path(go).exists():
    time.sleep(0.001)
id = id or store.create(name).id
for turn in range(int(turns)):
    n = store.begin(id, f"{name} {turn}")
    for piece in range(4):
        store.append(id, n, Token(content=f"{name} {turn} {piece}\\n"))
    store.append(id, n, Complete(answer=f"{name} {turn}"))
"""

VICTIM = """
import sys
from pathlib import Path
from manole.agent.conversations import Conversations
from manole.agent.events import Token

store, id = Conversations.in_file(Path(sys.argv[1])), sys.argv[2]
n = store.begin(id, "and then?")
for number in range(1_000_000):
    store.append(id, n, Token(content=f"{number} "))
    print(number, flush=True)
"""

SAVER = """
import sys
from pathlib import Path
from manole.agent.conversations import Conversations
from manole.agent.events import Complete

store, round = Conversations.in_file(Path(sys.argv[1])), sys.argv[2]
for number in range(1_000_000):
    name = f"{round}.{number}"
    id = store.create("to be renamed").id
    n = store.begin(id, f"question {name}")
    store.append(id, n, Complete(answer=f"answer {name}"))
    store.rate(id, n, "up", f"comment {name}")
    store.rename(id, f"title {name}")
    print(name, flush=True)
"""


def start(program, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("shared", [True, False], ids=["one conversation", "a file not made yet"])
def test_several_processes_write_at_once(store, tmp_path, shared):
    id = store.create().id if shared else ""
    go = tmp_path / "go"
    names, turns = ("a", "b", "c"), 8
    others = [start(TALKER, store.path, id, name, turns, go) for name in names]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    go.touch()
    assert [other.wait(timeout=60) for other in others] == [0, 0, 0]
    for other in others:
        other.stdout.close()
    found = store.list()
    assert len(found) == (1 if shared else len(names))
    kept = [turn for conversation in found for turn in store.turns(conversation.id)]
    assert sorted(t.question for t in kept) == sorted(
        f"{n} {t}" for n in names for t in range(turns)
    )
    for conversation in found:
        numbers = [turn.n for turn in store.turns(conversation.id)]
        assert numbers == list(range(1, len(numbers) + 1))
    for turn in kept:
        assert turn.streamed == "".join(f"{turn.question} {piece}\n" for piece in range(4))
        assert turn.answer == turn.question


def test_ten_kills_in_the_middle_of_an_answer_lose_nothing_that_was_handed_over(store):
    id = store.create().id
    n = store.begin(id, "first?")
    store.append(id, n, Complete(answer="First."))
    store.close()
    told = []
    for number in range(10):
        victim = start(VICTIM, store.path, id)
        for _ in range(1 + 7 * number):  # another moment each time
            assert victim.stdout.readline()
        victim.send_signal(signal.SIGKILL)
        assert victim.wait(timeout=60) == -signal.SIGKILL
        with victim.stdout:
            told.append(1 + 7 * number + victim.stdout.read().count("\n"))
        after = Conversations.in_file(Path(store.path))  # as the next process finds it
        first, *cut = after.turns(id)
        assert first.answer == "First."
        assert len(cut) == number + 1
        for turn, count in zip(cut, told, strict=True):
            pieces = turn.streamed.split()
            assert pieces == [str(i) for i in range(len(pieces))]
            assert count <= len(pieces) <= count + 1  # one may be kept that was not told yet
            assert turn.answer is None
        assert [m.content for m in after.history(id, 20)] == ["first?", "First."]
        after.close()
    n = store.begin(id, "once more?")
    store.append(id, n, Token(content="Yes"))
    store.append(id, n, Complete(answer="Yes."))
    assert n == 12
    assert [m.content for m in store.history(id, 1)] == ["once more?", "Yes."]


def test_ten_kills_in_the_middle_of_saving_lose_nothing_that_was_saved(store):
    saved = set()
    for number in range(10):
        saver = start(SAVER, store.path, number)
        for _ in range(1 + 3 * number):
            assert saver.stdout.readline()
        saver.send_signal(signal.SIGKILL)
        assert saver.wait(timeout=60) == -signal.SIGKILL
        with saver.stdout:
            told = 1 + 3 * number + saver.stdout.read().count("\n")
        saved |= {f"{number}.{i}" for i in range(told)}
        after = Conversations.in_file(Path(store.path))
        kept = {conversation.title: conversation for conversation in after.list(limit=1000)}
        assert {f"title {name}" for name in saved} <= set(kept)
        assert len(kept) <= len(saved) + 2 * (number + 1)  # whole but untold, or unfinished
        for name in saved:
            (turn,) = after.turns(kept[f"title {name}"].id)
            assert (turn.question, turn.answer) == (f"question {name}", f"answer {name}")
            assert (turn.rating, turn.comment) == ("up", f"comment {name}")
        after.close()
    with sqlite3.connect(store.path) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
