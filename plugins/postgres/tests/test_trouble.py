"""What stands in a database's way: it is away, not ours, not let in; it breaks and comes back."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time

import pytest
from fake_network import FakeNetwork
from postgres_server import PASSWORD, Postgres

from agent.conversations.samples import FULL, say
from manole.agent.conversations import Conversations
from manole.agent.events import Complete, Token
from manole.errors import ConversationError
from manole.settings import ConversationsSettings, Settings
from manole_postgres import pool
from manole_postgres.schema import VERSION


def at(url, library="papers"):
    return Conversations.of(Settings(conversations=ConversationsSettings(database=url)), library)


def refused(url):
    """What is said of a database that cannot be used; never its password."""
    with pytest.raises(ConversationError) as caught:
        at(url).check()
    assert PASSWORD not in str(caught.value)
    assert "pass%20word" not in str(caught.value)
    return str(caught.value)


def name_of(url):
    return url.rpartition("/")[2]


@pytest.fixture
def own():
    """A server of the test's own, to be killed."""
    server = Postgres()
    try:
        server.start()
        yield server
    finally:
        server.close()


def test_what_cannot_be_used_is_said_readably(postgres, database):
    said = refused(postgres.url(password="another"))
    assert "does not let postgres in" in said
    assert "MANOLE_CONVERSATIONS__DATABASE" in said
    assert "does not exist" in refused(postgres.url("nowhere"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = refused(f"postgresql://postgres:x@127.0.0.1:{port}/d")
    assert f"127.0.0.1:{port} cannot be reached: Connection refused" in said


def test_a_newer_schema_is_refused_and_left_alone(postgres, database):
    say(at(database), at(database).create().id, "one?", "One.")
    postgres.sql(f"UPDATE manole.version SET version = {VERSION + 1}", name_of(database))
    at(database).close()
    assert "kept by a newer Manole" in refused(database)
    found = postgres.sql("SELECT version FROM manole.version", name_of(database))
    assert found == [[VERSION + 1]]


def test_another_programs_schema_is_left_alone(postgres, database):
    postgres.sql("CREATE SCHEMA manole", name_of(database))
    postgres.sql("CREATE TABLE manole.conversations (mine text)", name_of(database))
    assert "of another program" in refused(database)


def test_who_may_not_make_tables_is_told(postgres, database):
    postgres.sql("DROP ROLE IF EXISTS guest")
    postgres.sql("CREATE ROLE guest LOGIN PASSWORD 'x'")
    url = postgres.url(name_of(database), "guest", "x")
    assert "forbids it to guest" in refused(url)
    assert "Grant guest CREATE" in refused(url)


def test_an_owner_may_make_them_and_another_use_them(postgres, database):
    at(database).check()
    postgres.sql("DROP ROLE IF EXISTS writer")
    postgres.sql("CREATE ROLE writer LOGIN PASSWORD 'x'")
    for grant in (
        "GRANT USAGE ON SCHEMA manole TO writer",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA manole TO writer",
    ):
        postgres.sql(grant, name_of(database))
    store = at(postgres.url(name_of(database), "writer", "x"))
    assert say(store, store.create().id, "one?", "One.") == 1


def test_texts_that_are_not_utf8_are_refused(postgres):
    postgres.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    assert "keeps texts as LATIN1" in refused(postgres.url("latin"))


def test_servers_that_start_together_make_the_tables_once(database):
    program = (
        "import sys; from manole.agent.conversations import Conversations; "
        "from manole.settings import Settings; "
        "print(Conversations.of(Settings.load(), 'papers').create().id)"
    )
    others = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env=os.environ | {"MANOLE_CONVERSATIONS__DATABASE": database},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    made = {other.communicate(timeout=120)[0].strip() for other in others}
    assert [other.returncode for other in others] == [0] * 4
    assert {one.id for one in at(database).list()} == made


def test_what_was_committed_without_anybody_hearing_is_there_once(postgres, database):
    network = FakeNetwork(postgres.port)
    url = database.replace(f":{postgres.port}/", f":{network.port}/")
    store = at(f"{url}?sslmode=disable")
    store.list()  # a connection is open, and breaks
    network.lose_next_commit()
    id = store.create("Mine").id
    network.lose_next_commit()
    assert store.begin(id, "one?") == 1
    for event in (*FULL[:-1], FULL[-1]):
        network.lose_next_commit()
        store.append(id, 1, event)
    network.lose_next_commit()
    store.rate(id, 1, "up")
    assert network.lost == 3 + len(FULL)
    there = at(database)
    assert [one.id for one in there.list()] == [id]
    (turn,) = there.turns(id)
    assert turn.events == tuple(FULL)
    assert turn.rating == "up"
    store.close()
    network.close()


def test_a_crash_of_the_server_in_the_middle_of_a_turn_loses_nothing(own):
    store = at(own.url())
    id = store.create().id
    n = store.begin(id, "and then?")
    for number in range(20):
        store.append(id, n, Token(content=f"{number} "))
    own.kill()
    again = threading.Thread(target=own.start)
    again.start()
    until = time.monotonic() + 60
    while True:  # it is up again within the store's own patience, or some tries later
        try:
            store.append(id, n, Token(content="20 "))
            break
        except ConversationError as error:
            assert "cannot be reached" in str(error)
            assert time.monotonic() < until
    again.join()
    store.append(id, n, Complete(answer="Yes."))
    (turn,) = store.turns(id)
    assert turn.streamed == "".join(f"{number} " for number in range(21))
    assert store.history(id, 1)[1].content == "Yes."
    store.close()


def test_a_server_that_is_away_is_told_of_and_found_again(own):
    store = at(own.url())
    id = store.create().id
    own.kill()
    for call in (lambda: store.begin(id, "one?"), lambda: store.list(), lambda: store.get(id)):
        with pytest.raises(ConversationError, match="cannot be reached"):
            call()
    own.start()
    assert say(store, id, "one?", "One.") == 1
    store.close()


def test_a_statement_that_waits_too_long_ends_with_words(database, postgres, monkeypatch):
    store = at(database)
    id = store.create().id
    store.close()
    monkeypatch.setattr(pool, "STATEMENT", 0.2)
    held = threading.Event()
    done = threading.Event()

    def hold(db):
        db.run("SELECT * FROM manole.conversations FOR UPDATE")
        held.set()
        done.wait(60)

    other = threading.Thread(target=lambda: at(database).backend._pool.run(hold))
    other.start()
    assert held.wait(60)
    with pytest.raises(ConversationError, match="took longer"):
        store.begin(id, "one?")
    assert len(store.list()) == 1  # reading is not kept waiting
    done.set()
    other.join()
    assert store.begin(id, "one?") == 1
    store.close()
