"""Caches within their bound, and what interrupted writers left."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from manole.care.tidy import EVERY, tidy
from manole.index.store.lance import LanceStore
from manole.settings import Settings

KB = 1024
BOUND = 16 * KB * KB


@pytest.fixture
def caches(place) -> Settings:
    return place.settings


def keep(settings: Settings, kind: str, digest: str, used: float, size: int = 6 * KB * KB) -> Path:
    """A kept file, last used so many seconds ago."""
    path = settings.cache_dir / kind / digest[:2] / f"{digest}-1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    os.truncate(path, size)
    os.utime(path, (time.time() - used,) * 2)
    return path


async def test_within_the_bound_everything_stays(caches):
    kept = [keep(caches, kind, "a" * 64, 9e6) for kind in ("pictures", "captions")]
    done = await tidy(caches, now=True, bound=BOUND)
    assert (done.entries, done.freed, done.kept) == (0, 0, 12 * KB * KB)
    assert all(path.exists() for path in kept)


async def test_the_least_recently_used_goes_first_and_no_more_than_needed(caches):
    oldest = keep(caches, "pictures", "1" * 64, 3000)
    older = keep(caches, "captions", "2" * 64, 2000)
    newest = keep(caches, "thumbnails", "3" * 64, 1000)
    done = await tidy(caches, now=True, bound=BOUND)
    assert (done.entries, done.freed) == (1, 6 * KB * KB)
    assert [path.exists() for path in (oldest, older, newest)] == [False, True, True]


async def test_what_was_read_lately_counts_as_used(caches):
    first = keep(caches, "pictures", "1" * 64, 3000)
    second = keep(caches, "pictures", "2" * 64, 2000)
    third = keep(caches, "pictures", "3" * 64, 1000)
    os.utime(first, (time.time(), time.time() - 3000))  # as a reading notes it
    await tidy(caches, now=True, bound=BOUND)
    assert [path.exists() for path in (first, second, third)] == [True, False, True]


async def test_content_that_an_index_knows_stays_if_it_fits(place, caches):
    hashes = [f"{number}" * 64 for number in range(4, 7)]
    store = await LanceStore.open(place.path)
    async with place.writing(store):
        files = await store.files()
        pairs = zip(files, hashes, strict=True)
        await store.touch([replace(file, content_hash=digest) for file, digest in pairs])
    await store.close()
    indexed = keep(caches, "pictures", hashes[0], 9000)
    thumbnail = keep(caches, "thumbnails", hashes[1], 1000)
    unknown = keep(caches, "pictures", "9" * 64, 10)
    await tidy(caches, now=True, bound=BOUND)
    assert [path.exists() for path in (indexed, thumbnail, unknown)] == [True, True, False]
    other = keep(caches, "captions", hashes[2], 8000)
    await tidy(caches, now=True, bound=BOUND)
    assert [path.exists() for path in (indexed, thumbnail, other)] == [True, False, True]


async def test_weights_prefixes_and_what_is_not_ours_are_left_alone(caches):
    others = [
        caches.cache_dir / "models" / "m" / "model.gguf",
        caches.cache_dir / "prefixes" / "a.kv",
        caches.cache_dir / "somebody" / "else",
    ]
    for path in others:
        path.parent.mkdir(parents=True)
        path.touch()
        os.truncate(path, 40 * KB * KB)
        os.utime(path, (1, 1))
    keep(caches, "pictures", "1" * 64, 10, size=20 * KB * KB)
    done = await tidy(caches, now=True, bound=BOUND)
    assert done.kept == 0
    assert all(path.exists() for path in others)


async def test_unfinished_files_are_removed_after_a_day(place, caches):
    data, cache = caches.data_dir, caches.cache_dir
    left = [
        place.path / "meta.json0a.tmp",
        cache / "thumbnails" / "aa" / "x.part",
        cache / "tuning.json.7.new",
        data / "libraries" / ".copy-abc" / "half" / "data",
        data / ".example-abc" / "a.txt",
        cache / "engines" / "build-x" / "a.o",
    ]
    for path in left:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    assert (await tidy(caches, now=True, bound=BOUND)).orphans == 0
    for path in left:
        for item in (path, path.parent.parent, path.parent):
            if item.is_relative_to(place.path.parents[1]) or item.is_relative_to(cache):
                os.utime(item, (1, 1))
    done = await tidy(caches, now=True, bound=BOUND)
    assert (done.orphans, done.freed) == (6, 24)
    assert not any(path.exists() for path in left)
    assert not (data / "libraries" / ".copy-abc").exists()


async def test_it_looks_once_an_hour_at_most(caches):
    keep(caches, "pictures", "1" * 64, 10, size=20 * KB * KB)
    assert (await tidy(caches, bound=BOUND)).entries == 1
    over = keep(caches, "pictures", "1" * 64, 10, size=20 * KB * KB)
    assert (await tidy(caches, bound=BOUND)).entries == 0
    assert over.exists()
    past = time.time() - EVERY - 1
    os.utime(caches.cache_dir / "tidied", (past, past))
    assert (await tidy(caches, bound=BOUND)).entries == 1


async def test_a_cache_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    settings = Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "file" / "cache")
    assert (await tidy(settings)).entries == 0
    assert (await tidy(settings, now=True)).entries == 0
