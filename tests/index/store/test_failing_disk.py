"""A file that the disk does not give today is read tomorrow, and is not failed for good."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from manole.documents import opened
from manole.documents.extract import Extractor
from manole.documents.model import Document, Status
from manole.documents.reading import read_slice
from manole.documents.slices import read_in_slices
from manole.index.store.records import Filters
from manole.library import Library

LONG = "pear and plum " * 2000  # more than is read from the disk at once


class FakeDisk:
    """A disk that fails for `bad.txt`, in this process: so files are read here, not in a worker."""

    def __init__(self, error: int, at: str) -> None:
        self.error, self.at = error, at
        self._descriptors: set[int] = set()

    @contextmanager
    def failing(self) -> Iterator[None]:
        real_open, real_readinto = os.open, opened._Raw.readinto

        def fake_open(path, *others, **more):
            if path == "bad.txt" and self.at == "open":
                raise self._failure()
            descriptor = real_open(path, *others, **more)
            (self._descriptors.add if path == "bad.txt" else self._descriptors.discard)(descriptor)
            return descriptor

        def fake_readinto(raw, buffer):
            here = {"read": 0, "read on": 1}.get(self.at)
            if raw.fileno() in self._descriptors and here is not None and raw.tell() >= here:
                raw.error = self._failure()
                raise raw.error
            return real_readinto(raw, buffer)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "open", fake_open)
            patch.setattr(opened._Raw, "readinto", fake_readinto)
            patch.setattr(Extractor, "extract", fake_extract)
            yield

    def _failure(self) -> OSError:
        return OSError(self.error, os.strerror(self.error))


async def fake_extract(extractor: Extractor, found: opened.FoundFile, max_pages=None) -> Document:
    limits = extractor._limits
    return read_in_slices(lambda span: read_slice(found, limits, span), limits.max_chars)


@pytest.fixture(
    params=[
        (errno.EIO, "open"),
        (errno.EIO, "read"),
        (errno.EIO, "read on"),
        (errno.EACCES, "open"),  # locked, as network folders say it
        (errno.EBUSY, "open"),
        (errno.EAGAIN, "read"),  # a range that another program has locked
    ],
    ids=lambda param: f"{errno.errorcode[param[0]]} at {param[1]}",
)
def disk(request) -> FakeDisk:
    return FakeDisk(*request.param)


@pytest.fixture
async def library(tmp_path, session_settings):
    (tmp_path / "files").mkdir()
    settings = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open(tmp_path / "files", settings) as library:
        yield library


async def statuses(library: Library) -> dict[str, Status]:
    return {file.path: file.status for file in await library.files()}


async def matched(library: Library, word: str) -> set[str]:
    store = await library.store()
    return {passage.path for passage in await store.take(await store.match(word, 50, Filters()))}


async def test_a_new_file_that_cannot_be_read_is_told_with_the_reason_and_read_by_the_next_sync(
    library, tmp_path, disk
):
    for name in ("bad.txt", "good.txt"):
        (tmp_path / "files" / name).write_text(LONG)
    with disk.failing():
        report = await library.sync()
    assert await statuses(library) == {"bad.txt": Status.FAILED, "good.txt": Status.INDEXED}
    (problem,) = report.problems
    said = "no permission" if disk.error == errno.EACCES else os.strerror(disk.error)
    assert said in (problem.reason or "")
    report = await library.sync()  # nothing of the file has changed
    assert (report.changed, report.unchanged, report.problems) == (1, 1, [])
    assert set((await statuses(library)).values()) == {Status.INDEXED}
    assert await matched(library, "plum") == {"bad.txt", "good.txt"}
    assert (await library.sync()).unchanged == 2  # and not again and again


async def test_a_changed_file_that_cannot_be_read_keeps_its_text_until_it_can(
    library, tmp_path, disk
):
    file: Path = tmp_path / "files" / "bad.txt"
    file.write_text(f"apple {LONG}")
    await library.sync()
    file.write_text(f"quince {LONG}")
    for _ in range(2):
        with disk.failing():
            await library.sync()
        assert await statuses(library) == {"bad.txt": Status.INDEXED}
        assert await matched(library, "apple") == {"bad.txt"}
    report = await library.sync()
    assert (report.changed, report.problems) == (1, [])
    assert await matched(library, "quince") == {"bad.txt"}
    assert await matched(library, "apple") == set()
