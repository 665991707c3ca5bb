"""The other side of the protocol: a client with as little sense as possible, over any two pipes.

And the folder that it asks about.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

LEASE = "The notice period of the flat is three months.\n"
SECONDS = 90  # that an answer may take on a busy machine


def fill(folder):
    """The files that the tests know."""
    (folder / "home").mkdir(parents=True)
    (folder / "home" / "lease.md").write_text(f"# Lease\n\n{LEASE}")
    (folder / "home" / "boiler.txt").write_text("The boiler was serviced by Anna Meyer in May.")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    return folder


def _message(line):
    """A message; a line that is none has the type `broken`, which no answer may have."""
    try:
        message = json.loads(line)
        whole = line.endswith(b"\n") and message.keys() == {"id", "type", "data"}
    except (ValueError, AttributeError):
        whole = False
    return message if whole else {"id": None, "type": "broken", "data": {"line": line}}


class Talk:
    """Writes lines, collects messages."""

    def __init__(self, requests, answers):
        self.requests = requests
        self.messages = []
        self.ended = False
        self._next = 1000
        self._changed = threading.Condition()
        self._answers = answers
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        with os.fdopen(self._answers, "rb") as answers:
            for line in answers:
                with self._changed:
                    self.messages.append(_message(line))
                    self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def send(self, line):
        """Write a line: bytes as they are, anything else as JSON."""
        data = line if isinstance(line, bytes) else json.dumps(line).encode()
        data += b"\n"
        while data:
            data = data[os.write(self.requests, data) :]

    def ask(self, method, **params):
        """Send a request; gives its id."""
        self._next += 1
        self.send({"id": self._next, "method": method, "params": params})
        return self._next

    def wait(self, fits, what="a message"):
        """The first message that fits. Fails when a line is no message."""
        until = time.monotonic() + SECONDS
        with self._changed:
            while True:
                assert not self.events("broken"), self.events("broken")
                found = next((m for m in self.messages if fits(m)), None)
                if found is not None:
                    return found
                left = until - time.monotonic()
                assert not self.ended and left > 0, f"{what} never came: {self.messages[-5:]}"
                self._changed.wait(left)

    def answer(self, id):
        """The answer to a request, result or error."""
        return self.wait(lambda m: m["id"] == id, f"the answer to {id}")

    def result(self, method, **params):
        answer = self.answer(self.ask(method, **params))
        assert answer["type"] == "result", answer
        return answer["data"]

    def error(self, method, **params):
        answer = self.answer(self.ask(method, **params))
        assert answer["type"] == "error", answer
        return answer["data"]

    def events(self, type, **data):
        """The events of a type so far whose data hold `data`."""
        return [
            m["data"]
            for m in self.messages
            if m["id"] is None and m["type"] == type and data.items() <= m["data"].items()
        ]

    def hang_up(self):
        os.close(self.requests)

    def end(self):
        """Wait for the end of the messages."""
        self._thread.join(SECONDS)
        assert self.ended


class Program(Talk):
    """The same with `manole stdio` as a process of its own; `code` runs before it."""

    def __init__(self, environment, *arguments, code=""):
        program = f"{code}\nfrom manole.cli.app import main\nmain()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.stderr = ""
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._errors.start()
        super().__init__(os.dup(self.process.stdin.fileno()), os.dup(self.process.stdout.fileno()))
        self.process.stdin.close()
        self.process.stdout.close()

    def _read_errors(self):
        for line in self.process.stderr:
            self.stderr += line.decode("utf-8", "replace")

    def end(self):
        """The exit code, once the process has ended."""
        code = self.process.wait(SECONDS)
        self._errors.join(SECONDS)
        super().end()
        return code
