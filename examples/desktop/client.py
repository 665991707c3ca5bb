"""Talks to `manole stdio`, which it starts as a child process. No window is needed for it.

A thread reads what the child writes: answers go to the future of their request, events to the
listener of their request or to the client's own. Both are called in that thread; a window has to
hand them over to its own.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

Data = dict[str, Any]
Listener = Callable[[str, Data], None]  # the type of an event, and its data
SECONDS = 20.0  # that a server may take to end


class AnswerError(Exception):
    """A request was answered with an error, or not at all; `code` says why."""

    def __init__(self, message: str, hint: str | None = None, code: str = "ended") -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.code = code


@dataclass(frozen=True)
class Asked:
    """A request on its way. `answer.result()` waits for its data and raises `AnswerError`."""

    id: int
    answer: Future[Data]
    listener: Listener | None


def manole(folder: str) -> list[str]:
    """The command that serves a folder."""
    program = shutil.which("manole")
    start = [program] if program else [sys.executable, "-m", "manole.cli.app"]
    return [*start, "stdio", folder]


class Client:
    """A running server. `listener` hears every event that belongs to no request, and its end.

    The end is an event of the type `end`, its data the last lines the server wrote to its
    standard error.
    """

    def __init__(
        self,
        command: Sequence[str],
        listener: Listener | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._listener = listener
        self._asked: dict[int, Asked] = {}
        self._next = 0
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._ended = False
        self._said: deque[str] = deque(maxlen=20)
        self.process = subprocess.Popen(
            list(command),
            env=None if environment is None else dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        self._input = self.process.stdin
        self._errors = threading.Thread(target=self._read_errors, daemon=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._errors.start()
        self._reader.start()

    def request(self, method: str, listener: Listener | None = None, **params: Any) -> Asked:
        """Send a request; `listener` hears its events. Its answer may be a `AnswerError`."""
        with self._lock:
            self._next += 1
            asked = Asked(self._next, Future(), listener)
            asked.answer.set_running_or_notify_cancel()  # only `cancel` cancels it
            if self._ended:
                asked.answer.set_exception(self._end_error())
                return asked
            self._asked[asked.id] = asked
        line = json.dumps({"id": asked.id, "method": method, "params": params}) + "\n"
        # A lock of its own: the reader must go on while this waits for the server to read.
        with self._writing, contextlib.suppress(OSError, ValueError):  # it is ending
            self._input.write(line.encode("ascii"))
            self._input.flush()
        return asked

    def call(self, method: str, **params: Any) -> Data:
        """Send a request and wait for its data. Raises `AnswerError`."""
        return self.request(method, **params).answer.result()

    def cancel(self, asked: Asked) -> None:
        """Stop a request; its answer then fails with the code `cancelled`."""
        self.request("cancel", id=asked.id)

    def close(self) -> None:
        """End the server, and wait until it has ended."""
        self.request("shutdown")  # the end of its input alone would let it finish what runs
        with self._writing, contextlib.suppress(OSError):
            self._input.close()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(SECONDS)

    # In the reader's thread -------------------------------------------------------------------

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if message["id"] is None:
                self._hear(message["type"], message["data"])
            else:
                self._settle(message["id"], message["type"], message["data"])
        self.process.wait()
        self._errors.join(1)
        with self._lock:
            self._ended = True
            left = list(self._asked.values())
            self._asked.clear()
        for asked in left:
            asked.answer.set_exception(self._end_error())
        if self._listener is not None:
            self._listener("end", {"text": "".join(self._said)})

    def _hear(self, type: str, data: Data) -> None:
        with self._lock:
            asked = self._asked.get(data.get("request") or 0)
        listener = asked.listener if asked and asked.listener is not None else self._listener
        if listener is not None:
            listener(type, data)

    def _settle(self, id: int, type: str, data: Data) -> None:
        with self._lock:
            asked = self._asked.pop(id, None)
        if asked is None:
            return
        if type == "error":
            asked.answer.set_exception(AnswerError(data["message"], data["hint"], data["code"]))
        else:
            asked.answer.set_result(data)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.append(line.decode("utf-8", "replace"))

    def _end_error(self) -> AnswerError:
        return AnswerError("Manole has ended.", "".join(self._said).strip() or None)
