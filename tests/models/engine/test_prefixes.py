"""Evaluated prefixes on disk: named, vouched for and bounded."""

from __future__ import annotations

import os

import pytest

from manole.models.engine.prefixes import Prefixes


@pytest.fixture
def store(tmp_path):
    return Prefixes.at(tmp_path / "prefixes", "model 1, engine 2")


def write(store, prefix, content=b"numbers", *, age=0):
    """What the engine and the store do together; the file's path."""
    name = store.name(prefix)
    (store.folder / store.draft(name)).write_bytes(content)
    assert store.keep(name)
    path = store.folder / name
    when = path.stat().st_mtime - age
    os.utime(path, (when, when))
    return path


def test_what_was_kept_is_found(store):
    path = write(store, "You answer.")
    assert store.find(path.name)
    assert path.read_bytes() == b"numbers"


def test_every_model_engine_and_prefix_has_a_name_of_its_own(store, tmp_path):
    other = Prefixes.at(tmp_path, "model 1, engine 3")
    names = {store.name("a"), store.name("b"), other.name("a"), other.name("b")}
    assert len(names) == 4
    assert store.name("a") == store.name("a")


def test_what_is_not_there_is_not_found(store):
    assert not store.find(store.name("You answer."))


@pytest.mark.parametrize("content", [b"", b"numbees", b"numbers and more"])
def test_a_changed_file_is_removed(store, content):
    path = write(store, "You answer.")
    path.write_bytes(content)
    assert not store.find(path.name)
    assert not path.exists()


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"sha256": 7}', "\x00"])
def test_a_file_that_nobody_vouches_for_is_removed(store, record):
    path = write(store, "You answer.")
    path.with_name(f"{path.name}.json").write_text(record)
    assert not store.find(path.name)
    assert list(store.folder.iterdir()) == []


def test_the_least_recently_used_files_make_room(tmp_path, monkeypatch):
    store = Prefixes.at(tmp_path, "x")
    old = write(store, "old", b"o" * 40, age=300)
    used = write(store, "used", b"u" * 40, age=200)
    assert store.find(used.name)  # used again just now
    idle = write(store, "idle", b"i" * 40, age=100)
    monkeypatch.setattr("manole.models.engine.prefixes.MAX_BYTES", 100)
    fresh = write(store, "fresh", b"f" * 40)
    assert [p.exists() for p in (old, used, idle, fresh)] == [False, True, False, True]
    assert len(list(tmp_path.iterdir())) == 4  # two files with their records


def test_a_file_larger_than_the_bound_is_kept_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("manole.models.engine.prefixes.MAX_BYTES", 10)
    store = Prefixes(tmp_path, "x")
    assert write(store, "large", b"l" * 40).exists()


def test_nothing_was_written_nothing_is_kept(store):
    assert not store.keep(store.name("You answer."))
    assert list(store.folder.iterdir()) == []


def test_only_the_user_reads_the_folder(store):
    assert store.folder.stat().st_mode & 0o077 == 0


def test_a_place_where_no_folder_can_be_is_no_store(tmp_path):
    (tmp_path / "file").write_text("x")
    assert Prefixes.at(tmp_path / "file" / "prefixes", "x") is None
