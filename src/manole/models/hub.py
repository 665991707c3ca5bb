"""Fetch a file from a model hub with `huggingface_hub`, an optional dependency.

The only module that imports it, and only when a hub is asked for. Whether the hub can be
reached is asked once a process and given up after three seconds, because behind a firewall the
client's own retries take minutes. Its `HF_ENDPOINT`, `HF_HUB_OFFLINE` and `HF_TOKEN` hold.

A download runs in a process of its own (`python -m manole.models.hub`), because the client offers
no way to stop one that holds whatever it transfers with.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from manole import private
from manole.errors import WeightsError
from manole.models.catalog import HubSource
from manole.models.files import folder_bytes
from manole.models.wheels import too_large

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


def is_ruled_out() -> bool:
    """Whether it is known, without asking anybody, that the hub cannot be used from here."""
    return _unreachable is not None or importlib.util.find_spec("huggingface_hub") is None


def fetch_from_hub(
    source: HubSource,
    folder: Path,
    on_bytes: Callable[[int], None] | None = None,
    most: int | None = None,
) -> Path:
    """Download `source` below `folder` and return its path. A broken download resumes there.

    `on_bytes` gets the bytes present so far; where it raises, the download ends. Raises
    `WeightsError`, and `HashMismatchError` as soon as more than `most` bytes have come.
    """
    problem = hub_problem()
    if problem:
        raise WeightsError(f"{problem[0].upper()}{problem[1:]}.")
    # -P: the working directory holds a person's files, and Python would import them.
    command = [sys.executable, "-P", "-m", __name__]
    command += [source.repo, source.filename, source.revision, str(folder)]
    left = folder_bytes(folder)  # by a download that was cut short, which need not be gone on from
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=private.environment("HF_", "HUGGING", *private.PROXIES),
            umask=private.UMASK,
        )
        try:
            while process.poll() is None:
                time.sleep(POLL_SECONDS)
                come = folder_bytes(folder)
                if most is not None and come - left > most:
                    raise too_large(f"{source.filename} of {source.repo}", most)
                if on_bytes:
                    on_bytes(come)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    path, reason = _outcome(said)
    if path is None:
        raise WeightsError(f"{source.repo} on the model hub: {reason}")
    return path


def _outcome(said: str) -> tuple[Path | None, str]:
    """The path that the downloading process printed on its last line, or its reason for none."""
    try:
        told = json.loads(said.splitlines()[-1])
        return Path(told["path"]), ""
    except KeyError:
        return None, str(told["reason"])
    except (IndexError, ValueError, TypeError):
        return None, "the download broke off"


def _main(repo: str, filename: str, revision: str, folder: str) -> None:
    """What the downloading process does."""
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()
        path = hf_hub_download(repo, filename, revision=revision, local_dir=folder)
        told = {"path": str(path)}
    except Exception as error:  # the client raises many kinds; all mean "not from here"
        told = {"reason": (str(error).strip().splitlines() or [type(error).__name__])[0]}
    sys.stdout.write(f"\n{json.dumps(told)}\n")


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


if __name__ == "__main__":
    _main(*sys.argv[1:])
