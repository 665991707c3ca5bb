"""The model hub: whether it can be reached, and downloads of its files.

`HF_ENDPOINT` replaces https://huggingface.co as the hub, `HF_TOKEN` is sent to it, and
`HF_HUB_OFFLINE` rules it out. Whether it can be reached is asked once per process and given up
after three seconds: behind a firewall, every attempt takes long.

A file is downloaded by the hub's own client in a process of its own (`from_hub.py`), which can be
ended at any time. What it leaves is gone on from.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from manole import private
from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import HubSource
from manole.models.weights.files import too_large
from manole.models.weights.watched import run

REACH_SECONDS = 3.0  # set by hand

_lock = threading.Lock()
_answers: dict[str, str] = {}  # why a hub cannot be reached, by its address; empty if it can


def endpoint() -> str:
    """Return the hub's address: `HF_ENDPOINT`, or the usual one."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or "https://huggingface.co"


def hub_problem() -> str | None:
    """Return why the hub cannot be used from here; `None` if it can. Asks once per process."""
    if _is_offline():
        return "the model hub is switched off by HF_HUB_OFFLINE"
    home = endpoint()
    with _lock:
        if home not in _answers:
            _answers[home] = "" if _reaches(home) else "the model hub cannot be reached from here"
    return _answers[home] or None


def is_ruled_out() -> bool:
    """Return whether the hub is known to be out of reach. Makes no network call."""
    return _is_offline() or bool(_answers.get(endpoint()))


def fetch_from_hub(
    source: HubSource, folder: Path, on_bytes: Callable[[int, int], None], size: int = 0
) -> Path:
    """Download `source` below `folder` and return its path. A broken download resumes there.

    `on_bytes` gets the bytes present so far and those of the whole file (0 if not known), several
    times a second; if it raises, the download ends. Raises `WeightsError`, and `HashMismatchError`
    if the file does not have the published `size` (0 if not known).
    """
    if problem := hub_problem():
        raise WeightsError(f"{problem[0].upper()}{problem[1:]}.")
    private.make(folder)
    name = f"{source.filename} of {source.repo}"

    def watch() -> None:
        part = part_in(folder)
        have = part.stat().st_size if part else 0
        if size and have > size:
            raise too_large(name, size)
        on_bytes(have, size or int(part.name.split(".")[1]) if part else size)

    program = [sys.executable, "-P", "-m", "manole.models.weights.from_hub", str(folder)]
    what = [source.repo, source.filename, source.revision, str(size)]
    status, said = run([*program, *what], folder, watch)
    part = part_in(folder)
    if status or part is None:
        raise _error(name, said)
    return part


def part_in(folder: Path) -> Path | None:
    """Return what a download has left in `folder`: `TAG.BYTES.part`, both of the whole file."""
    return next(folder.glob("*.*.part"), None)


def _error(name: str, said: str) -> WeightsError:
    """Return the error that `from_hub.py` reported in its last line."""
    last = (said.strip().splitlines() or ["it gave no reason"])[-1]
    try:
        wrong, message, hint = json.loads(last)
    except ValueError:
        return WeightsError(f"{name} could not be fetched: {last.rstrip('.')}.")
    return (HashMismatchError if wrong else WeightsError)(message, hint)


def _is_offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in ("1", "ON", "YES", "TRUE")


def _reaches(home: str) -> bool:
    import httpx

    answer: list[int] = []

    def head() -> None:
        try:
            reply = httpx.head(home, timeout=REACH_SECONDS, follow_redirects=True)
            answer.append(reply.status_code)
        except Exception:  # no address, name or route, refusal, bad certificate: all the same
            return

    # In a thread, because looking up a name has no timeout.
    thread = threading.Thread(target=head, daemon=True)
    thread.start()
    thread.join(REACH_SECONDS)
    return bool(answer) and (answer[0] < 400 or answer[0] in (404, 405))
