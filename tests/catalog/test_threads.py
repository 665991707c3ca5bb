"""Threads of mail from real files, whose headers are hostile or not there."""

# ruff: noqa: E501  # mails as rows of a table
from __future__ import annotations

from datetime import date

import pytest
import pytest_asyncio

from agent.mail.letters import KRAMER, MINA, NINA, TOM, mail
from manole.agent.plan.open_catalog import catalog_of
from manole.catalog.threads import Mail, Person, bare_subject, people_in, placed
from manole.library import Library
from manole.text.question import Question
from manole.tools.base import TurnState

MANY = " ".join(f"<x{n}@spam>" for n in range(10_000))
HOSTILE = {
    "a": mail(MINA, NINA, "One", "2024-01-01T08:00", "First.", "a@home"),
    "b": mail(NINA, MINA, "Re: One", "2024-01-02T08:00", "Second.", "b@choir", References="<a@home>"),
    "claims": mail(TOM, MINA, "Mine now", "2024-01-03T08:00", "I have another's id.", "a@home"),
    "c": mail(NINA, MINA, "Re: One", "2024-01-04T08:00", "Third.", "c@choir", In_Reply_To="<a@home>"),
    "many": mail(TOM, MINA, "Much", "2024-02-01T08:00", "Many.", "m@spam", References=MANY),
    "both": mail(TOM, MINA, "Joins", "2024-02-02T08:00", "Both.", "j@spam", References="<a@home> <p@home>"),
    "other": mail(MINA, KRAMER, "Two", "2024-01-01T09:00", "Another.", "p@home"),
    "circle1": mail(MINA, NINA, "Round", "2024-03-01T08:00", "One.", "k1@home", References="<k2@home>"),
    "circle2": mail(MINA, NINA, "Round", "2024-03-02T08:00", "Two.", "k2@home", References="<k1@home>"),
    "self": mail(MINA, NINA, "Self", "2024-03-03T08:00", "Self.", "s@home", References="<s@home>"),
    "long": mail(MINA, NINA, "Long", "2024-04-01T08:00", "Long.", "l" * 3000 + "@home"),
    "after": mail(NINA, MINA, "Re: Long", "2024-04-02T08:00", "Yes.", "l2@choir", In_Reply_To=f"<{'l' * 3000}@home>"),
    "folded": mail(MINA, NINA, "Folded", "2024-05-01T08:00", "Folded.", "fol\n ded@home"),
    "unfolds": mail(NINA, MINA, "Re: Folded", "2024-05-02T08:00", "Yes.", "u@choir", In_Reply_To="<folded@home>"),
    "lost1": mail(NINA, MINA, "Re: Lost", "2024-06-01T08:00", "A.", "o1@choir", References="<gone@x>"),
    "lost2": mail(TOM, MINA, "Re: Lost", "2024-06-02T08:00", "B.", "o2@choir", References="<gone@x> <too@x>"),
    "rent": mail(NINA, MINA, "Rent", "2024-07-01T08:00", "Plain.", "q1@choir"),
    "rent-other": mail(KRAMER, MINA, "Re: Rent", "2024-07-02T08:00", "Other people."),
    "rent-again": mail(NINA, MINA, "Rent", "2024-07-10T08:00", "No reply."),
    "copy/b": mail(NINA, MINA, "Re: One", "2024-01-02T08:00", "Second.", "b@choir", References="<a@home>"),
    "nothing": "Subject: No people\n\nNothing.\n",
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def catalog(tmp_path_factory, session_settings):
    folder = tmp_path_factory.mktemp("hostile-mail") / "threads"
    (folder / "copy").mkdir(parents=True)
    for name, text in HOSTILE.items():
        (folder / f"{name}.eml").write_text(text)
    async with await Library.open(folder, session_settings) as library:
        await library.sync()
        state = TurnState(Question("", date(2024, 12, 5)), library, session_settings)
        yield await catalog_of(state)


@pytest.fixture
def row(catalog):
    def of(name):
        sql = f"SELECT thread, answers, answered FROM messages WHERE path = '{name}.eml'"
        ((thread, answers, answered),) = catalog.run(sql)[1]
        return tuple(p and str(p).removesuffix(".eml") for p in (thread, answers, answered))

    return of


@pytest.mark.parametrize(
    ("name", "thread", "answers"),
    [
        ("a", "a", None),
        ("b", "a", "a"),
        ("c", "a", "a"),  # not the one that claims the id
        ("claims", "claims", None),
        ("copy/b", "a", "a"),
        ("many", "many", None),
        ("both", "other", "other"),  # the nearest of its references alone
        ("other", "other", None),
        ("self", "self", None),
        ("after", "long", "long"),
        ("unfolds", "folded", "folded"),
        ("lost2", "lost1", None),
        ("rent-other", "rent-other", None),
        ("rent-again", "rent-again", None),
        ("nothing", "nothing", None),
    ],
)
def test_a_message_is_of_one_thread(row, name, thread, answers):
    assert row(name)[:2] == (thread, answers)


def test_the_first_answer_of_somebody_else_is_told(row):
    assert row("a")[2] == "2024-01-02"
    assert row("b")[2] is None


def test_a_circle_of_references_is_one_thread_and_is_left(row):
    rows = [row(name) for name in ("circle1", "circle2")]
    assert {thread for thread, *_ in rows} == {"circle1"}
    assert sum(answers is not None for _, answers, _ in rows) == 1


def test_few_ids_of_a_long_header_are_kept(catalog):
    known = {file.path: file.metadata for file in catalog.files}
    assert known["many.eml"]["references"].split() == [
        f"x{n}@spam" for n in (0, *range(9_995, 10_000))
    ]
    assert len(known["long.eml"]["message-id"]) == 32
    assert known["folded.eml"]["message-id"] == "folded@home"
    assert "message-id" not in known["nothing.eml"]


def _mail(n, *above, id=None, sender="a@x", to="b@x"):
    people = Person(sender, sender), (Person(to, to),)
    return Mail(f"{n}.eml", *people, "Re: x", "2024-01-01", float(n), id or f"{n}@x", above, False)


def test_a_chain_of_many_answers_is_one_thread_in_whatever_order():
    chain = [_mail(n, f"{n - 1}@x") for n in range(30_000)]
    places = placed(chain[::-1])
    assert {place.thread for place in places.values()} == {"0.eml"}


def test_many_claims_of_one_id_and_of_one_subject_are_bounded():
    claims = [_mail(n, id="same@x", sender=f"{n}@x") for n in range(10_000)]
    answers = [_mail(n, "same@x", to="0@x") for n in range(10_000, 20_000)]
    places = placed([*claims, *answers])
    assert {places[m.path].answers for m in answers} == {"0.eml"}


@pytest.mark.parametrize(
    ("header", "people"),
    [
        ("Petra Wendel, tax adviser <petra@w.example>, b@c.de", [("Petra Wendel, tax adviser", "petra@w.example"), ("b@c.de", "b@c.de")]),
        ('"Weber, Nina" <Nina@Choir.example>', [("Weber, Nina", "nina@choir.example")]),
        ("undisclosed recipients", [("undisclosed recipients", "undisclosed recipients")]),
        ("", []),
        ("a" * 100_000, [("a" * 100_000, "a" * 100_000)]),
    ],
)  # fmt: skip
def test_people_of_a_header(header, people):
    assert [(p.name, p.key) for p in people_in(header)] == people


@pytest.mark.parametrize(
    "subject",
    [
        "The roof",
        "Re: The roof",
        "AW: Re[2]: the  ROOF",
        "Fwd: AW: The roof",
        "Rép\u00a0: The roof",
    ],
)
def test_marks_of_replies_are_no_part_of_a_subject(subject):
    assert bare_subject(subject) == "the roof"
