"""What stands in the file's way: damage, other versions, other programs, no room, no right."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from agent.conversations.samples import FULL, say
from manole.agent.conversations import Conversations, database
from manole.agent.events import Token
from manole.errors import ConversationError


@pytest.fixture
def filled(store):
    """The id of a conversation with some turns; the file is closed and whole."""
    id = store.create().id
    for number in range(40):
        say(store, id, f"{number}?", f"{number}." * 100, events=FULL)
    store.close()
    return id


def sql(path, statement):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def everything(store, id):
    """What a person may do with a conversation."""
    return [
        store.list, store.latest, lambda: store.get(id), lambda: store.turns(id),
        lambda: store.history(id, 3), lambda: store.create("x"), lambda: store.begin(id, "x"),
        lambda: store.append(id, 1, Token(content="x")), lambda: store.export(id, "markdown"),
    ]  # fmt: skip


def test_commits_are_on_the_disk(store, filled):
    store.list()
    with store.backend.database.reading() as db:
        values = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in (
            "journal_mode", "synchronous", "foreign_keys", "user_version")]  # fmt: skip
    assert values == ["wal", 2, 1, database.VERSION]


@pytest.mark.parametrize("harm", ["no database", "empty head"])
def test_a_damaged_file_is_named_and_left_alone(store, filled, harm):
    data = store.path.read_bytes()
    store.path.write_bytes(b"not a database" * 999 if harm == "no database" else b"\0" * 100 + data)
    harmed = store.path.read_bytes()
    for call in everything(store, filled):
        with pytest.raises(ConversationError, match=r"papers\.sqlite are damaged") as caught:
            call()
        assert "set-aside papers" in caught.value.hint
    assert store.path.read_bytes() == harmed


def test_a_file_that_is_cut_short_is_named(store, filled):
    data = store.path.read_bytes()
    store.path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ConversationError, match=r"papers\.sqlite are damaged"):
        store.turns(filled)


def test_an_event_of_another_shape_is_told(store, filled):
    sql(store.path, """UPDATE events SET event = '{"type":"dance"}' WHERE key = 30""")
    with pytest.raises(ConversationError, match="an event that this version cannot read"):
        store.turns(filled)
    assert len(store.history(filled, 3)) == 6


def test_set_aside_deletes_nothing_and_makes_room(store, filled):
    before = store.turns(filled)
    store.append(filled, 1, Token(content="not yet in the main file"))
    aside = store.set_aside()
    assert aside.name.startswith("papers.sqlite.set-aside-")
    assert store.list() == []
    say(store, store.create().id, "new?", "New.")
    old = Conversations.in_file(aside)
    assert old.turns(filled)[1:] == before[1:]
    assert old.turns(filled)[0].events[-1].content == "not yet in the main file"
    old.close()


def test_a_newer_version_is_refused_and_left_alone(store, filled):
    sql(store.path, f"PRAGMA user_version = {database.VERSION + 1}")
    before = store.path.read_bytes()
    for call in everything(store, filled):
        with pytest.raises(ConversationError, match="kept by a newer Manole"):
            call()
    assert store.path.read_bytes() == before


def test_another_programs_database_is_left_alone(store):
    store.path.parent.mkdir(parents=True)
    sql(store.path, "CREATE TABLE conversations (mine TEXT)")
    with pytest.raises(ConversationError, match="another program's database"):
        store.create()
    assert sql(store.path, "SELECT name FROM sqlite_master") == [("conversations",)]


def test_an_empty_file_is_as_good_as_none(store):
    store.path.parent.mkdir(parents=True)
    store.path.touch()
    assert store.list() == []
    assert store.create().turns == 0


def test_a_long_wait_for_another_process_ends_with_words(store, filled, monkeypatch):
    monkeypatch.setattr(database, "WAIT", 0.05)
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ConversationError, match="Another process"):
            store.begin(filled, "now?")
        assert len(store.turns(filled)) == 40  # reading is not kept waiting
        other.execute("ROLLBACK")
    assert store.begin(filled, "now?") == 41


def test_a_full_disk_loses_nothing_that_was_kept(store, filled):
    store.list()
    with store.backend.database.reading() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages}")
    n = store.begin(filled, "more?")
    with pytest.raises(ConversationError, match="no space left"):
        for _ in range(100):
            store.append(filled, n, Token(content="x" * 5000))
    assert len(store.turns(filled)) == 41
    assert store.append(filled, n, Token(content="there is room again")) is None
    assert store.turns(filled)[-1].streamed.endswith("there is room again")


def test_a_folder_that_cannot_be_made_is_named(store):
    store.path.parent.parent.mkdir()
    store.path.parent.write_text("a file where the folder should be")
    assert store.list() == []
    with pytest.raises(ConversationError, match=r"papers\.sqlite cannot be used"):
        store.create()


def test_a_folder_in_place_of_the_file_is_named(store):
    store.path.mkdir(parents=True)
    for call in everything(store, "a" * 14)[:2]:
        with pytest.raises(ConversationError, match=r"papers\.sqlite cannot be used"):
            call()


def test_what_fails_half_way_leaves_nothing(store, filled):
    with pytest.raises(KeyError), store.backend.database.writing() as db:
        db.execute("DELETE FROM turns")
        raise KeyError
    assert len(store.turns(filled)) == 40
