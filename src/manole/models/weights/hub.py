"""The model hub: whether it can be reached, and downloads of its files over HTTPS.

`HF_ENDPOINT` replaces https://huggingface.co as the hub, `HF_TOKEN` is sent to the hub and to no
other host, and `HF_HUB_OFFLINE` rules the hub out. Whether it can be reached is asked once per
process and given up after three seconds: behind a firewall, every attempt takes long.

A file is downloaded (`transfer.py`) in a thread of its own, so that the caller can stop at once. An
interrupted download leaves `part` in its folder, and `part.json`, which says of which file.
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from manole import private
from manole.errors import WeightsError
from manole.models.catalog.table import HubSource
from manole.models.weights.files import write_whole
from manole.models.weights.join import check_space

if TYPE_CHECKING:
    import httpx

    from manole.models.weights.transfer import Patience, Tags

DEFAULT = "https://huggingface.co"
PLAIN = "HF_ENDPOINT_PLAIN_HTTP"
# All set by hand.
REACH_SECONDS = 3.0
POLL_SECONDS = 0.2
AHEAD = 64  # pieces of at most 64 KiB that may wait to be written

T = TypeVar("T")

_reach_lock = threading.Lock()
_unreachable: str | None = None
_asked = False


def hub_problem() -> str | None:
    """Return why the hub cannot be used from here; `None` if it can. Asks once per process."""
    global _asked, _unreachable
    if _is_offline():
        return "the model hub is switched off by HF_HUB_OFFLINE"
    with _reach_lock:
        if not _asked:
            _unreachable = _ask()
            _asked = True
        return _unreachable


def check_hub() -> None:
    """Raise `WeightsError` if the hub cannot be used from here."""
    problem = hub_problem()
    if problem:
        raise WeightsError(f"{problem[0].upper()}{problem[1:]}.")


def is_ruled_out() -> bool:
    """Return whether the hub is known to be out of reach. Makes no network call."""
    return _unreachable is not None or _is_offline()


def fetch_from_hub(
    source: HubSource,
    folder: Path,
    on_bytes: Callable[[int, int], None] | None = None,
    size: int = 0,
    patience: Patience | None = None,
) -> Path:
    """Download `source` below `folder` and return its path. A broken download resumes there.

    `on_bytes` gets the bytes present so far and those of the whole file (0 if not known), several
    times a second; if it raises, the download ends. Raises `WeightsError`, and `HashMismatchError`
    if the file does not have the published `size` (0 if not known).
    """
    check_hub()
    from manole.models.weights.transfer import Begin, Patience, Wanted, transfer

    name, home = f"{source.filename} of {source.repo}", endpoint()
    wanted = Wanted(name, source.repo, _address(home, source), size, _token(home))
    private.make(folder)
    part = folder / "part"
    done, tags = _left(folder, source)
    total, reported = size, 0.0
    with part.open("r+b" if done else "wb") as file:
        with closing(
            _polled(transfer(wanted, done, tags, patience or Patience()), POLL_SECONDS)
        ) as coming:
            for item in coming:
                if isinstance(item, Begin):
                    file.truncate(item.at)
                    file.seek(done := item.at)
                    total = total or item.total
                    _note(folder, source, item.tags)
                    check_space(folder, total - done, name)
                elif item:
                    done += file.write(item)
                if on_bytes and monotonic() - reported > POLL_SECONDS / 2:
                    reported = monotonic()
                    on_bytes(done, total)
        file.flush()
        os.fsync(file.fileno())
    return part


def hub_bytes(folder: Path) -> int:
    """Return the bytes that an interrupted download left in `folder`."""
    part = folder / "part"
    return part.stat().st_size if part.is_file() else 0


def endpoint() -> httpx.URL:
    """Return the hub's address: `HF_ENDPOINT`, or the usual one. Raises `WeightsError`.

    Plain HTTP is allowed for this machine, or if `HF_ENDPOINT_PLAIN_HTTP` is set: anybody between
    could read the requests, and exchange a file that has no published hash.
    """
    import httpx

    from manole.models.weights.transfer import is_loopback

    given = os.environ.get("HF_ENDPOINT", "").strip() or DEFAULT
    try:
        url = httpx.URL(given.rstrip("/"))
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("https", "http") or not url.host or url.query or url.fragment:
        raise WeightsError(f"HF_ENDPOINT is no address of a hub: {given}.", f"Such as {DEFAULT}.")
    if url.scheme == "http" and not (is_loopback(url) or _is_set(PLAIN)):
        raise WeightsError(
            f"HF_ENDPOINT is plain HTTP, to another machine: {given}.",
            f"Give its https address, or set {PLAIN}=1 if you trust all that lies between.",
        )
    return url


def _address(home: httpx.URL, source: HubSource) -> httpx.URL:
    """Return a file's address: `{home}/{repo}/resolve/{revision}/{filename}`."""
    revision = quote(source.revision, safe="")
    path = f"{quote(source.repo)}/resolve/{revision}/{quote(source.filename)}"
    return home.copy_with(raw_path=f"{home.path.rstrip('/')}/{path}".encode())


def _token(home: httpx.URL) -> str:
    """Return `HF_TOKEN` if nobody between can read it. Raises `WeightsError` if it is none."""
    from manole.models.weights.transfer import is_loopback

    token = os.environ.get("HF_TOKEN", "").strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise WeightsError("HF_TOKEN is no token.", "Copy it from the hub once more, or unset it.")
    return token if home.scheme == "https" or is_loopback(home) else ""


def _polled(items: Generator[T, None, None], every: float) -> Generator[T | None, None, None]:
    """Yield from `items`, run in a thread of its own; yield `None` after `every` idle seconds.

    The caller can stop at any time: the thread then ends by itself and drops what it has.
    """
    box: queue.Queue[T | Exception | None] = queue.Queue(AHEAD)
    left = threading.Event()

    def give(item: T | Exception | None) -> bool:
        while not left.is_set():
            try:
                box.put(item, timeout=every)
            except queue.Full:
                continue
            return True
        return False

    def run() -> None:
        with closing(items):
            try:
                if all(give(item) for item in items):
                    give(None)
            except Exception as error:  # raised again in the caller
                give(error)

    threading.Thread(target=run, daemon=True, name="transfer").start()
    try:
        while True:
            try:
                item = box.get(timeout=every)
            except queue.Empty:
                yield None
                continue
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        left.set()


def _left(folder: Path, source: HubSource) -> tuple[int, Tags]:
    """Return the number of bytes that an interrupted download of `source` left, and their tags."""
    from manole.models.weights.transfer import Tags

    try:
        noted = json.loads((folder / "part.json").read_text("utf-8"))
        if noted["source"] == _named(source):
            return hub_bytes(folder), Tags(str(noted["file"]), str(noted["range"]))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return 0, Tags()


def _note(folder: Path, source: HubSource, tags: Tags) -> None:
    noted = {"source": _named(source), "file": tags.file, "range": tags.range}
    write_whole(folder / "part.json", json.dumps(noted))


def _named(source: HubSource) -> list[str]:
    return [source.repo, source.revision, source.filename]


def _is_set(name: str) -> bool:
    return os.environ.get(name, "").strip().upper() in ("1", "ON", "YES", "TRUE")


def _is_offline() -> bool:
    return _is_set("HF_HUB_OFFLINE")


def _ask() -> str | None:
    import httpx

    try:
        home = endpoint()
    except WeightsError as error:
        return f"the model hub cannot be used: {error.message} {error.hint}".rstrip(".")
    answer: list[int] = []

    def head() -> None:
        try:
            reply = httpx.head(home, timeout=REACH_SECONDS, follow_redirects=True)
            answer.append(reply.status_code)
        except Exception:  # no name, no route, refusal, bad certificate: all the same
            return

    # In a thread, because looking up a name has no timeout.
    thread = threading.Thread(target=head, daemon=True)
    thread.start()
    thread.join(REACH_SECONDS)
    if answer and (answer[0] < 400 or answer[0] in (404, 405)):
        return None
    return "the model hub cannot be reached from here"
