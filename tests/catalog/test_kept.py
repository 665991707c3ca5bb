"""The catalog of a large library is kept, and taken back only where it is of these very files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from agent.plan.catalogs import FILES
from manole.agent.plan.open_catalog import FUNCTIONS
from manole.catalog.catalog import Catalog

ROWS = "SELECT path, kind, size FROM files ORDER BY path"


@pytest.fixture
def kept(tmp_path):
    catalog = Catalog(FILES, FUNCTIONS)
    catalog.fill_files()
    catalog.fill_folders([])
    catalog.fill_messages()
    catalog.keep(tmp_path / "catalog.sqlite3")
    assert [path.name for path in tmp_path.iterdir()] == ["catalog.sqlite3"]
    return tmp_path / "catalog.sqlite3", catalog


def test_what_was_kept_is_taken_back(kept):
    path, first = kept
    again = Catalog(FILES, FUNCTIONS)
    assert again.restore(path)
    assert again.run(ROWS) == first.run(ROWS)
    assert again.run("SELECT count(*) FROM messages")[1] == [(1,)]
    assert {"files", "folders", "messages"} <= again.filled
    again.search(["a"])
    again.close()


@pytest.mark.parametrize(
    "files",
    [
        FILES[1:],
        [replace(FILES[0], mtime_ns=1), *FILES[1:]],
        [replace(FILES[0], path="moved.pdf"), *FILES[1:]],
        [replace(FILES[0], content_hash="other"), *FILES[1:]],
    ],
)
def test_of_other_files_it_is_not(kept, files):
    assert not Catalog(files, FUNCTIONS).restore(kept[0])


def test_nor_where_it_is_missing_damaged_or_not_ours(kept, tmp_path):
    path, _ = kept
    fresh = Catalog(FILES, FUNCTIONS)
    assert not fresh.restore(tmp_path / "none.sqlite3")
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE VIEW more AS SELECT * FROM files")
    assert not fresh.restore(path)
    path.write_bytes(b"no database")
    assert not fresh.restore(path)
    fresh.fill_files()
    assert len(fresh.run(ROWS)[1]) == len(FILES)


def test_where_it_cannot_be_kept_nothing_fails(kept, tmp_path):
    kept[1].keep(tmp_path / "no such folder" / "catalog.sqlite3")
