"""Turns are kept as they were emitted, found again, rated, renamed and deleted."""

from __future__ import annotations

import stat
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agent.conversations.samples import FULL, events, say, texts
from manole.agent.conversations import Conversations, kept_libraries
from manole.agent.conversations.model import title_of
from manole.agent.events import Complete, StatusEvent, Token
from manole.errors import ConversationError, UnknownConversationError, UsageError
from manole.models.chat import Message

NO_ID = "a" * 14
STRANGE_IDS = ["", "x", NO_ID, "' OR 1=1 --", "a" * 14 + "\n", "\udcff" * 14, "../../etc/passwd"]


def test_a_turn_is_given_back_as_it_was_emitted(store, settings):
    id = store.create().id
    assert store.begin(id, "What is the rent?", "home") == 1
    for event in FULL:
        store.append(id, 1, event)
    store.close()
    (turn,) = Conversations.of(settings, "papers").turns(id)
    assert turn.events == tuple(FULL)
    assert (turn.n, turn.question, turn.scope) == (1, "What is the rent?", "home")
    assert (turn.answer, turn.streamed) == ("The rent is 900. [1]", "The rent is 900. [1]")
    assert timedelta(0) <= datetime.now(UTC) - turn.asked < timedelta(minutes=5)


@given(st.lists(st.lists(events, max_size=6), max_size=4), texts)
@hypothesis_settings(max_examples=60)
def test_any_events_survive(turns, question):
    with tempfile.TemporaryDirectory() as folder:
        store = Conversations.in_file(Path(folder) / "any.sqlite")
        id = store.create().id
        for number, emitted in enumerate(turns, start=1):
            assert store.begin(id, question) == number
            for event in emitted:
                store.append(id, number, event)
        store.close()
        assert [list(turn.events) for turn in store.turns(id)] == turns
        finished = [turn for turn in store.turns(id) if turn.answer is not None]
        assert len(store.history(id, 10)) == 2 * len(finished)
        assert store.get(id).turns == len(turns)
        store.close()


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


def test_an_unfinished_turn_is_kept_but_is_no_history(store):
    id = store.create().id
    say(store, id, "one?", "One.")
    say(
        store,
        id,
        "two?",
        events=[StatusEvent(message="…"), Token(content="Tw"), Token(content="o")],
    )
    say(store, id, "three?", "Three.")
    one, two, three = store.turns(id)
    assert (one.answer, two.answer, three.answer) == ("One.", None, "Three.")
    assert two.streamed == "Two"
    assert store.history(id, 4) == [
        Message("user", "one?"), Message("assistant", "One."),
        Message("user", "three?"), Message("assistant", "Three."),
    ]  # fmt: skip
    assert [m.content for m in store.history(id, 1)] == ["three?", "Three."]
    assert store.history(id, 0) == []


def test_the_first_question_gives_the_title(store):
    conversation = store.create()
    assert conversation.title == "New conversation"
    say(store, conversation.id, "  When does the\nrental contract end? ")
    say(store, conversation.id, "And then?")
    assert store.get(conversation.id).title == "When does the rental contract end?"
    assert store.get(conversation.id).turns == 2
    named = store.create("Mine")
    say(store, named.id, "Something?")
    assert store.get(named.id).title == "Mine"


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


def test_rename(store):
    id = store.create().id
    say(store, id, "What?")
    before = store.get(id).updated
    assert store.rename(id, " Rent\nand more ").title == "Rent and more"
    assert store.get(id).updated == before
    for title in ("", " \n", "x" * 201):
        with pytest.raises(UsageError):
            store.rename(id, title)
    assert store.get(id).title == "Rent and more"


def test_the_last_used_comes_first(store):
    first, second, third = (store.create(title) for title in ("a", "b", "c"))
    say(store, first.id, "again?")
    assert [c.title for c in store.list()] == ["a", "c", "b"]
    assert store.latest() == store.get(first.id)
    n = store.begin(second.id, "slow?")
    say(store, third.id, "quick?", "Yes.")
    store.append(second.id, n, Complete(answer="Done."))
    assert [c.title for c in store.list()] == ["b", "c", "a"]
    assert [c.title for c in store.list(limit=1, offset=1)] == ["c"]
    assert store.list(limit=0) == store.list(limit=-5) == store.list(offset=10**30) == []
    assert len(store.list(limit=10**30, offset=-1)) == 3


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("STRASSE", ["a"]), ("straße", ["a"]), ("100%", ["b"]), ("%", ["b"]), ("_", ["c"]),
        ("file_", ["c"]), ("\\", ["c"]), ("nine hundred", ["a"]), ("' OR '1'='1", []),
        ("half", []), ("é", ["b"]), ("e\u0301", ["b"]), ("", ["c", "b", "a"]), ("\udcff", []),
    ],
)  # fmt: skip
def test_a_search_takes_each_character_as_it_stands(store, text, found):
    for title, question, answer in (
        ("a", "Which Straße?", "Nine Hundred."),
        ("b", "Is it 100% café?", "Yes."),
        ("c", "Where is file_1?", "In C:\\x."),
    ):
        say(store, store.create(title).id, question, answer)
    say(store, store.latest().id, "cut off", events=[Token(content="half")])
    assert [c.title for c in store.list(containing=text)] == found


def test_an_endless_search_is_refused(store):
    with pytest.raises(UsageError, match="1,001 characters"):
        store.list(containing="%" * 1001)


def test_rate(store):
    id = store.create().id
    say(store, id, "one?", "One.")
    say(store, id, "two?", "Two.")
    store.rate(id, 2, "down", "wrong: it's 3")
    one, two = store.turns(id)
    assert (one.rating, one.comment) == (None, None)
    assert (two.rating, two.comment) == ("down", "wrong: it's 3")
    store.rate(id, 2, None)
    assert (store.turns(id)[1].rating, store.turns(id)[1].comment) == (None, None)
    with pytest.raises(UsageError, match="sideways"):
        store.rate(id, 2, "sideways")
    for n in (0, -1, 3, 10**30):
        with pytest.raises(UnknownConversationError):
            store.rate(id, n, "up")


@pytest.mark.parametrize("id", STRANGE_IDS)
def test_an_unknown_conversation_is_named(store, id):
    store.create()
    for call in (
        lambda: store.get(id),
        lambda: store.rename(id, "x"),
        lambda: store.delete(id),
        lambda: store.begin(id, "x"),
        lambda: store.append(id, 1, Token(content="x")),
        lambda: store.turns(id),
        lambda: store.history(id, 1),
        lambda: store.rate(id, 1, "up"),
        lambda: store.export(id, "json"),
    ):
        with pytest.raises(UnknownConversationError, match="no conversation"):
            call()
    assert [c.turns for c in store.list()] == [0]


def test_an_event_of_an_unknown_turn_is_refused(store):
    id = store.create().id
    with pytest.raises(UnknownConversationError, match="no turn 1"):
        store.append(id, 1, Token(content="x"))


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


def test_each_library_has_its_own(settings):
    assert kept_libraries(settings) == []
    for name in ("b", "a"):
        store = Conversations.of(settings, name)
        say(store, store.create().id, f"{name}?", name)
        store.close()
    assert kept_libraries(settings) == ["a", "b"]
    assert [c.title for c in Conversations.of(settings, "a").list()] == ["a?"]


def test_ids_need_no_escaping_and_differ(store):
    ids = {store.create().id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(id) == 14 and id.isascii() and id.isalnum() and id == id.lower() for id in ids)


def test_many_threads_share_a_store(store):
    id = store.create().id
    errors = []

    def turn(number):
        try:
            tokens = [Token(content=f"{number}.{i}") for i in range(5)]
            say(store, id, str(number), str(number), events=tokens)
        except ConversationError as error:
            errors.append(error)

    threads = [threading.Thread(target=turn, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    turns = store.turns(id)
    assert [turn.n for turn in turns] == list(range(1, 13))
    for turn in turns:
        assert turn.streamed == "".join(f"{turn.question}.{i}" for i in range(5))
        assert turn.answer == turn.question


def test_a_file_that_was_moved_away_is_not_written_to(store):
    id = store.create().id
    store.path.rename(store.path.with_suffix(".old"))
    with pytest.raises(UnknownConversationError):
        store.begin(id, "Where am I?")
    assert store.create().id in {c.id for c in store.list()}
