"""What holds of conversations in a file, and of their titles."""

from __future__ import annotations

import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.conversations.samples import say
from manole.agent.conversations.model import title_of
from manole.agent.events import Token
from manole.errors import UnknownConversationError

NO_ID = "a" * 14


def test_nothing_is_made_by_looking(store):
    assert store.list() == []
    assert store.latest() is None
    with pytest.raises(UnknownConversationError):
        store.turns(NO_ID)
    assert not store.path.parent.exists()


def test_only_its_owner_can_read_it(store):
    store.create()
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    log = store.path.with_name(f"{store.path.name}-wal")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("", "New conversation"),
        ("\x1b[31m\u202e", "[31m"),
        ("word " * 12, ("word " * 12).strip()),
        ("word " * 30, "word " * 11 + "word…"),
        ("x" * 100, "x" * 59 + "…"),
        ("Which of the many, many papers that I have in here is the newest, and why is it so?",
         "Which of the many, many papers that I have in here is the…"),
    ],
)  # fmt: skip
def test_titles_are_cut_at_a_word(question, title):
    assert title_of(question) == title


@given(st.text())
def test_a_title_is_one_line_and_not_long(question):
    title = title_of(question)
    assert 0 < len(title) <= 60
    assert len(title.splitlines()) == 1


def test_what_is_deleted_is_gone_from_the_disk(store):
    secret = "zebra-giraffe-okapi"
    kept, gone = store.create(), store.create()
    say(store, kept.id, "What stays?", "This stays.")
    say(store, gone.id, f"Who is {secret}?", secret, events=[Token(content=secret)])
    assert any(secret.encode() in file.read_bytes() for file in store.path.parent.iterdir())
    store.delete(gone.id)
    assert not any(secret.encode() in file.read_bytes() for file in store.path.parent.iterdir())
    assert [c.id for c in store.list()] == [kept.id]
    assert store.turns(kept.id)[0].answer == "This stays."


def test_a_file_that_was_moved_away_is_not_written_to(store):
    id = store.create().id
    store.path.rename(store.path.with_suffix(".old"))
    with pytest.raises(UnknownConversationError):
        store.begin(id, "Where am I?")
    assert store.create().id in {c.id for c in store.list()}
