"""The contract of conversations, kept in SQLite files."""

import contextlib
import sqlite3

import pytest

from agent.conversations.contract import *  # noqa: F403  # its tests are collected here


@pytest.fixture(autouse=True)
def file_stays_whole(store):
    """Whatever a test does, kills included, the file is as SQLite wants it."""
    yield
    if store.path.exists():
        with contextlib.closing(sqlite3.connect(store.path)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
