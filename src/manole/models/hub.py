"""Fetch a file from a model hub with `huggingface_hub`, an optional dependency.

The only module that imports it, and only when a hub is asked for. Whether the hub can be
reached is asked once a process and given up after three seconds, because behind a firewall the
client's own retries take minutes. Its `HF_ENDPOINT`, `HF_HUB_OFFLINE` and `HF_TOKEN` hold.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manole.errors import WeightsError
from manole.models.catalog import HubSource
from manole.models.files import folder_bytes

REACH_SECONDS = 3.0
POLL_SECONDS = 0.2

_reach_lock = threading.Lock()
_unreachable: str | None = None
_asked = False


def hub_problem() -> str | None:
    """Why the hub cannot be used from here, in words; None if it can. Remembered."""
    global _asked, _unreachable
    with _reach_lock:
        if not _asked:
            _unreachable = _ask()
            _asked = True
        return _unreachable


def fetch_from_hub(
    source: HubSource, folder: Path, on_bytes: Callable[[int], None] | None = None
) -> Path:
    """Download `source` below `folder` and return its path. A broken download resumes there.

    `on_bytes` gets the bytes present so far. Raises `WeightsError`.
    """
    problem = hub_problem()
    if problem:
        raise WeightsError(f"{problem[0].upper()}{problem[1:]}.")
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["path"] = _download(source, folder)
        except Exception as error:  # the client raises many kinds; all mean "not from here"
            outcome["error"] = error

    # A daemon thread, so that Ctrl-C ends the program and not only the progress bar.
    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(POLL_SECONDS)
        if on_bytes:
            on_bytes(folder_bytes(folder))
    if "error" in outcome:
        error = outcome["error"]
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise WeightsError(f"{source.repo} on the model hub: {first}")
    return Path(outcome["path"])


def _download(source: HubSource, folder: Path) -> str:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    return str(
        hf_hub_download(
            source.repo, source.filename, revision=source.revision, local_dir=str(folder)
        )
    )


def _ask() -> str | None:
    try:
        import httpx
        from huggingface_hub import constants
    except ImportError:
        return "the model hub needs the optional package huggingface-hub (extra `hub`)"
    if constants.HF_HUB_OFFLINE:
        return "the model hub is switched off by HF_HUB_OFFLINE"
    answer: list[int] = []

    def head() -> None:
        try:
            reply = httpx.head(constants.ENDPOINT, timeout=REACH_SECONDS, follow_redirects=True)
            answer.append(reply.status_code)
        except Exception:  # no name, no route, refused, bad certificate: the same to us
            return

    # In a thread, because looking up a name obeys no timeout.
    thread = threading.Thread(target=head, daemon=True)
    thread.start()
    thread.join(REACH_SECONDS)
    if answer and (answer[0] < 400 or answer[0] in (404, 405)):
        return None
    return "the model hub cannot be reached from here"
