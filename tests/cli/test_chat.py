"""`manole chat`, typed into: questions, a follow-up, commands, the end."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from fake_endpoint import fake_endpoint

from manole.agent.events import Token
from manole.cli.talk import Talk
from manole.serve.turn_recorder import TurnRecorder


@pytest.fixture
def chat(environment, indexed, tmp_path):
    """`chat(lines, url)` types the lines into a chat; gives the finished process."""

    def run(text, url="http://127.0.0.1:9/v1"):
        return subprocess.run(
            [sys.executable, "-m", "manole.cli.app", "--set", f"model.base_url={url}",
             "chat", indexed, "--reuse", "--model", "openai:fake"],
            env=environment, cwd=tmp_path, input=text, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    return run


def test_a_question_a_follow_up_and_quit(chat):
    with fake_endpoint("The deposit is 3,540.00 euros.") as (url, prompts):
        done = chat(
            "How high is the deposit of the rental contract?\nWhich colour has it?\n/quit\nnever\n",
            url,
        )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "3,540.00" in done.stdout
    assert "home/rental-contract.pdf, page 2" in done.stdout
    # The second question was rewritten with the first turn before it.
    assert any("How high is the deposit" in p and "Which colour has it?" in p for p in prompts)
    assert "never" not in done.stdout


def test_commands_and_errors_do_not_end_the_talk(chat):
    done = chat("/help\n\n/debug\n/new\n?!\nhow many invoices are there?\n")
    assert done.returncode == 0
    assert "/quit" in done.stdout
    assert "Stages are shown." in done.stdout
    assert "A new conversation." in done.stdout
    assert "The question is empty." in done.stdout
    assert "12 " in done.stdout
    assert '"timings"' in done.stdout  # /debug holds


def test_new_forgets_the_talk(chat):
    with fake_endpoint("The deposit is 3,540.00 euros.") as (url, prompts):
        chat("How high is the deposit?\n/new\nAnd which colour has it?\n", url)
    assert not any("How high is" in p and "Which colour has it?" in p for p in prompts)


def read_until(terminal, text, seconds=60):
    """Read what the program writes until it has shown `text` and then its prompt."""
    seen = ""
    until = time.monotonic() + seconds
    while "›" not in seen.partition(text)[2] and (left := until - time.monotonic()) > 0:
        try:
            if select.select([terminal], [], [], left)[0]:
                seen += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            break
    assert text in seen, seen


def test_on_a_terminal_ctrl_c_stops_an_answer_but_not_the_talk(environment, indexed, tmp_path):
    with fake_endpoint(None) as (url, prompts):
        main, side = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "manole.cli.app", "--set", f"model.base_url={url}",
             "chat", indexed, "--reuse", "--model", "openai:slow"],
            env=environment, cwd=tmp_path, stdin=side, stdout=side, stderr=side,
            start_new_session=True, preexec_fn=lambda: __import__("fcntl").ioctl(0, 0x540E, 0),
        )  # fmt: skip
        os.close(side)
        try:
            read_until(main, "/help for help")
            os.write(main, b"What is the capital of Peru?\n")  # no file says it: the model is asked
            until = time.monotonic() + 60
            while not prompts and time.monotonic() < until:
                time.sleep(0.02)
            assert prompts
            os.write(main, b"\x03")
            read_until(main, "Stopped.")
            os.write(main, b"how many invoices are there?\n")
            read_until(main, "confidence")
            os.write(main, b"/quit\n")
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
            os.close(main)


class FakeStore:
    """Conversations in memory, slow to begin one; `kept` has the question of each event."""

    def __init__(self):
        self.questions, self.kept = [], []

    def create(self):
        return SimpleNamespace(id="one")

    def begin(self, id, question, scope):
        time.sleep(0.3 if question == "first?" else 0)
        self.questions.append(question)
        return len(self.questions)

    def append(self, id, turn, event):
        self.kept.append((self.questions[turn - 1], event.content))


class FakeAgent:
    """Repeats the question; `closed` counts the turns that ended."""

    closed = 0

    async def ask(self, question, history):
        try:
            while True:
                yield Token(content=question)
                await asyncio.sleep(0.01)
        finally:
            self.closed += 1


async def test_a_question_that_is_stopped_is_saved_before_the_next():
    store, agent = FakeStore(), FakeAgent()
    screen = SimpleNamespace(show=lambda event: None, stop=lambda: None, debug=False, console=None)
    talk = Talk(None, agent, screen, TurnRecorder(store, None), history=[])
    for question, seconds in (("first?", 0.1), ("second?", 0.5)):
        turn = asyncio.ensure_future(talk._turn(question))
        await asyncio.sleep(seconds)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert store.questions == ["first?", "second?"]
    assert {question for question, _ in store.kept} == {"second?"}
    assert all(question == said for question, said in store.kept)
    assert agent.closed == 1  # the first had hardly begun
