"""The process that tries a regular expression: `python -m manole.text.matching_apart`.

An expression such as `(a+)+$` takes longer than anybody waits, and Python cannot be interrupted in
one from another thread. Here an alarm interrupts it. Requests and replies are lines of JSON: first
the pattern, then the lines of one file after another; `stopped` is the line that took too long.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from typing import Any

from manole.text.line_matching import LinePattern

SECONDS = 2.0  # for the lines of one file; set by hand


class _LateError(Exception):
    """The time is over."""


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGALRM, _late)
    pattern = LinePattern(**json.loads(sys.stdin.readline()))
    try:
        _ = pattern.compiled
    except (re.error, RecursionError, OverflowError) as error:
        _reply({"error": str(error)})
        return
    _reply({})
    for line in sys.stdin:
        texts, joints = json.loads(line)
        _reply(_found(pattern, texts, joints))


def _found(pattern: LinePattern, texts: list[str], joints: list[bool]) -> dict[str, Any]:
    found: list[Any] = []
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        found.extend([m.at, m.text, m.spans] for m in pattern.matches(texts, joints))
    except _LateError:
        return {"found": found, "stopped": True}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {"found": found}


def _late(*_: object) -> None:
    raise _LateError


def _reply(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
