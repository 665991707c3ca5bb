"""What holds of conversations wherever they are kept.

Every back end runs these tests: `test_contract.py` beside this file in SQLite,
`plugins/postgres/tests` in PostgreSQL. They take these fixtures: `settings` and `store`, the
conversations of a library called `papers` that has none yet; `again()`, the same as another process
opens them; `fresh()`, those of any new library; `environment`, for programs that use the settings.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.conversations.samples import FULL, events, say, texts
from manole.agent.conversations import Conversations, kept_libraries
from manole.agent.events import Complete, StatusEvent, Token
from manole.errors import ConversationError, UnknownConversationError, UsageError
from manole.models.chat.protocol import Message

NO_ID = "a" * 14
STRANGE_IDS = ["", "x", NO_ID, "' OR 1=1 --", "a" * 14 + "\n", "\udcff" * 14, "../../etc/passwd"]

TALKER = """
import sys, time
from pathlib import Path
from manole.agent.conversations import Conversations
from manole.agent.events import Complete, Token
from manole.settings import Settings

library, id, name, turns, go = sys.argv[1:]
store = Conversations.of(Settings.load(), library)
print("ready", flush=True)
while not Path(go).exists():
    time.sleep(0.001)
id = id or store.create(name).id
for turn in range(int(turns)):
    n = store.begin(id, f"{name} {turn}")
    for piece in range(4):
        store.append(id, n, Token(content=f"{name} {turn} {piece}\\n"))
    store.append(id, n, Complete(answer=f"{name} {turn}"))
"""

VICTIM = """
import sys
from manole.agent.conversations import Conversations
from manole.agent.events import Token
from manole.settings import Settings

store, id = Conversations.of(Settings.load(), sys.argv[1]), sys.argv[2]
n = store.begin(id, "and then?")
for number in range(1_000_000):
    store.append(id, n, Token(content=f"{number} "))
    print(number, flush=True)
"""

SAVER = """
import sys
from manole.agent.conversations import Conversations
from manole.agent.events import Complete
from manole.settings import Settings

store, round = Conversations.of(Settings.load(), sys.argv[1]), sys.argv[2]
for number in range(1_000_000):
    name = f"{round}.{number}"
    id = store.create("to be renamed").id
    n = store.begin(id, f"question {name}")
    store.append(id, n, Complete(answer=f"answer {name}"))
    store.rate(id, n, "up", f"comment {name}")
    store.rename(id, f"title {name}")
    print(name, flush=True)
"""


def start(environment, program, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


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
    assert store.history(id, 1)[1].files == FULL[-1].cited == ("home/rent.pdf",)
    assert timedelta(0) <= datetime.now(UTC) - turn.asked < timedelta(minutes=5)


@given(st.lists(st.lists(events, max_size=6), max_size=4), texts)
def test_any_events_survive(fresh, turns, question):
    store = fresh()
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


@pytest.mark.parametrize("shared", [True, False], ids=["one conversation", "nothing is there yet"])
def test_several_processes_write_at_once(store, environment, tmp_path, shared):
    id = store.create().id if shared else ""
    go = tmp_path / "go"
    names, turns = ("a", "b", "c"), 8
    others = [start(environment, TALKER, store.library, id, name, turns, go) for name in names]
    for other in others:
        assert other.stdout.readline() == "ready\n"
    go.touch()
    assert [other.wait(timeout=60) for other in others] == [0, 0, 0]
    for other in others:
        other.stdout.close()
    found = store.list()
    assert len(found) == (1 if shared else len(names))
    kept = [turn for conversation in found for turn in store.turns(conversation.id)]
    assert sorted(t.question for t in kept) == sorted(
        f"{n} {t}" for n in names for t in range(turns)
    )
    for conversation in found:
        numbers = [turn.n for turn in store.turns(conversation.id)]
        assert numbers == list(range(1, len(numbers) + 1))
    for turn in kept:
        assert turn.streamed == "".join(f"{turn.question} {piece}\n" for piece in range(4))
        assert turn.answer == turn.question


def test_ten_kills_in_the_middle_of_an_answer_lose_nothing_that_was_handed_over(
    store, again, environment
):
    id = store.create().id
    n = store.begin(id, "first?")
    store.append(id, n, Complete(answer="First."))
    store.close()
    told = []
    for number in range(10):
        victim = start(environment, VICTIM, store.library, id)
        for _ in range(1 + 7 * number):  # another moment each time
            assert victim.stdout.readline()
        victim.send_signal(signal.SIGKILL)
        assert victim.wait(timeout=60) == -signal.SIGKILL
        with victim.stdout:
            told.append(1 + 7 * number + victim.stdout.read().count("\n"))
        after = again()  # as the next process finds it
        first, *cut = after.turns(id)
        assert first.answer == "First."
        assert len(cut) == number + 1
        for turn, count in zip(cut, told, strict=True):
            pieces = turn.streamed.split()
            assert pieces == [str(i) for i in range(len(pieces))]
            assert count <= len(pieces) <= count + 1  # one may be kept that was not told yet
            assert turn.answer is None
        assert [m.content for m in after.history(id, 20)] == ["first?", "First."]
        after.close()
    n = store.begin(id, "once more?")
    store.append(id, n, Token(content="Yes"))
    store.append(id, n, Complete(answer="Yes."))
    assert n == 12
    assert [m.content for m in store.history(id, 1)] == ["once more?", "Yes."]


def test_ten_kills_in_the_middle_of_saving_lose_nothing_that_was_saved(store, again, environment):
    saved = set()
    for number in range(10):
        saver = start(environment, SAVER, store.library, number)
        for _ in range(1 + 3 * number):
            assert saver.stdout.readline()
        saver.send_signal(signal.SIGKILL)
        assert saver.wait(timeout=60) == -signal.SIGKILL
        with saver.stdout:
            told = 1 + 3 * number + saver.stdout.read().count("\n")
        saved |= {f"{number}.{i}" for i in range(told)}
        after = again()
        kept = {conversation.title: conversation for conversation in after.list(limit=1000)}
        assert {f"title {name}" for name in saved} <= set(kept)
        assert len(kept) <= len(saved) + 2 * (number + 1)  # whole but untold, or unfinished
        for name in saved:
            (turn,) = after.turns(kept[f"title {name}"].id)
            assert (turn.question, turn.answer) == (f"question {name}", f"answer {name}")
            assert (turn.rating, turn.comment) == ("up", f"comment {name}")
        after.close()


def test_it_can_be_gone_on_with_elsewhere(store, again):
    id = store.create().id
    say(store, id, "one?", "One.")
    n = store.begin(id, "two?")
    elsewhere = again()
    assert elsewhere.latest().id == id
    assert [m.content for m in elsewhere.history(id, 4)] == ["one?", "One."]
    assert say(elsewhere, id, "three?", "Three.") == 3
    store.append(id, n, Complete(answer="Two."))
    elsewhere.rename(id, "Ours")
    elsewhere.rate(id, 1, "up")
    assert [m.content for m in store.history(id, 2)] == ["two?", "Two.", "three?", "Three."]
    assert store.get(id).title == "Ours"
    assert [turn.rating for turn in store.turns(id)] == ["up", None, None]
    elsewhere.delete(id)
    with pytest.raises(UnknownConversationError):
        store.append(id, n, Token(content="gone"))
    assert store.list() == []


def test_a_question_waits_for_no_answer_of_another(store, again):
    """Turns of one conversation under way at once keep their events apart."""
    id, other = store.create().id, again()
    first, second = store.begin(id, "first?"), other.begin(id, "second?")
    for number in range(20):
        store.append(id, first, Token(content=f"a{number} "))
        other.append(id, second, Token(content=f"b{number} "))
    assert [turn.streamed for turn in again().turns(id)] == [
        "".join(f"{name}{number} " for number in range(20)) for name in "ab"
    ]


def test_an_export_is_all_there_is(store, again):
    id = store.create().id
    say(store, id, "What is the rent?", events=FULL)
    store.rate(id, 1, "up", "right")
    told = json.loads(again().export(id, "json"))
    assert (told["library"], told["conversation"]["turns"]) == ("papers", 1)
    assert told["turns"][0]["answer"] == "The rent is 900. [1]"
    assert [event["type"] for event in told["turns"][0]["events"]] == [e.type for e in FULL]
    assert "The rent is 900. [1]" in again().export(id, "markdown")
