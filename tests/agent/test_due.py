"""The days that matter, from real files of a library."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import date

import pytest
import pytest_asyncio

from manole.agent.due import due
from manole.agent.plan.open_catalog import filled, with_texts
from manole.library import Library
from manole.serve.answers import due_list
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import TurnState

TODAY = date(2026, 11, 20)
FILES = {
    "gym.txt": "Membership contract\n\nCorefit GmbH, Kanalstr. 4, 50667 Köln\n\n"
    "Date: 1 March 2025\nThe contract ends on 28 February 2027.\nNotice period: 3 months\n",
    "painter.txt": "Invoice\n\nLutz Painting Ltd\n1 High Street, Leeds\n\nInvoice number: L-87\n"
    "Invoice date: 2 November 2026\nDue date: 1 December 2026\nTotal amount due: 420.00 EUR\n",
    "old.txt": "Invoice\n\nLutz Painting Ltd\n1 High Street, Leeds\n\nInvoice number: L-12\n"
    "Invoice date: 2 January 2026\nDue date: 1 February 2026\nTotal amount due: 99.00 EUR\n"
    "Paid on 20 January 2026.\n",
    "todo.md": "- [ ] return keys (due 2026-11-18)\n- [x] buy lamps (due 2026-11-25)\n",
    "family.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261212T093000\nSUMMARY:Car to garage\n"
    "END:VEVENT\nEND:VCALENDAR\n",
    "garage.eml": "From: garage@a.example\nTo: me@a.example\nSubject: Appointment\n"
    "Date: Mon, 16 Nov 2026 10:00:00 +0100\n\nWe confirm 12 December 2026 at 9:30. "
    "Please bring the papers by 11 December 2026. The last visit was on 3 May 2024.\n",
    "aunt.eml": "From: aunt@a.example\nTo: me@a.example\nSubject: Visit\n"
    "Date: Mon, 16 Nov 2026 10:00:00 +0100\n\nWe arrive on Friday 18 December by train.\n",
}  # fmt: skip


MORE = {
    "subscriptions.csv": "name,price,renews,notice\nWaldblick magazine,5.90,2027-01-15,1 month\n"
    "Kino club,12.00,2027-01-20,any time\n",
    "club.csv": "member,fee due,paid\nAnn Lee,2026-12-05,yes\nBen Roe,2026-12-06,\n",
    "todo.md": "- [ ] cancel the Waldblick magazine before 15 December\n"
    "- [ ] wrote to Ben on 9 September\n",
    "policy.txt": "Policy\n\nHafen Versicherung AG, Kai 1, 20457 Hamburg\n\nDate: 5 April 2022\n"
    "The contract begins on 1 January 2023 and is extended by a year each time if it is not\n"
    "ended one month before.\nPremium 71.40 euros a year, due on 1 January\n",
    "choir.eml": "From: c@a.example\nTo: me@a.example\nSubject: Concert\n"
    "Date: Mon, 16 Nov 2026 10:00:00 +0100\n\nThe carol concert is on 20 December 2026.\n",
    "choir.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261220T170000\n"
    "SUMMARY:Carol concert\nEND:VEVENT\nEND:VCALENDAR\n",
}  # fmt: skip


@pytest_asyncio.fixture
async def found(tmp_path):
    async with asked(tmp_path, FILES) as ask:
        yield ask


@asynccontextmanager
async def asked(tmp_path, files):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield lambda days: due(TurnState(Question("", TODAY), library, settings), days)


async def test_what_is_due_comes_in_order_with_its_source(found):
    told = [(d.day.isoformat(), d.kind, d.file) for d in await found(60)]
    assert told == [
        ("2026-11-18", "task", "todo.md"),
        ("2026-11-30", "cancel", "gym.txt"),
        ("2026-12-01", "pay", "painter.txt"),
        ("2026-12-11", "task", "garage.eml"),
        ("2026-12-12", "event", "family.ics"),
        ("2026-12-18", "event", "aunt.eml"),
    ]


async def test_a_day_to_cancel_says_what_it_was_computed_from(found):
    (cancel,) = [d for d in await found(60) if d.kind == "cancel"]
    assert cancel.how.day == date(2027, 2, 28)
    assert (cancel.how.count, cancel.how.unit) == (3, "months")
    assert "ends" in [d.kind for d in await found(120)]


async def test_a_day_without_year_or_fitting_weekday_is_not_sure(tmp_path):
    head = "From: a@a.example\nTo: b@a.example\nDate: Mon, 16 Nov 2026 10:00:00 +0100\nSubject: "
    mails = {
        "fits.eml": head + "Visit\n\nWe arrive on Friday 18 December by train.\n",
        "lacks.eml": head + "Train\n\nYour brother arrives on 19 December by train.\n",
    }
    async with asked(tmp_path, mails) as ask:
        told = {d.file: d.sure for d in await ask(60)}
    assert told == {"fits.eml": True, "lacks.eml": False}


async def test_a_line_opens_the_sentence_it_comes_from(found):
    (said,) = [d for d in await found(60) if d.file == "garage.eml"]
    assert said.quote == "Please bring the papers by 11 December 2026."
    assert said.day == date(2026, 12, 11)


@pytest.mark.parametrize("days", [1, 7])
async def test_what_lies_further_ahead_is_left_out(found, days):
    assert {d.kind for d in await found(days)} == {"task"}


async def test_lists_contracts_and_tasks_are_told_once(tmp_path):
    async with asked(tmp_path, MORE) as ask:
        told = [(d.day.isoformat(), d.kind, d.file, d.amount) for d in await ask(60)]
    assert told == [
        ("2026-11-30", "cancel", "policy.txt", None),
        ("2026-12-06", "pay", "club.csv", None),
        ("2026-12-15", "cancel", "subscriptions.csv", None),
        ("2026-12-20", "event", "choir.ics", None),
        ("2026-12-31", "renews", "policy.txt", None),
        ("2027-01-01", "pay", "policy.txt", 71.4),
        ("2027-01-15", "renews", "subscriptions.csv", None),
    ]


async def test_what_a_day_was_computed_from_is_json(tmp_path):
    async with asked(tmp_path, MORE) as ask:
        (cancel,) = [d for d in await ask(60) if (d.kind, d.file) == ("cancel", "policy.txt")]
    (item,) = due_list([cancel], TODAY, 60).model_dump(mode="json")["due"]
    assert item["how"] == {
        "of": "begins", "day": "2023-01-01", "count": 1, "unit": "months", "yearly": True,
    }  # fmt: skip


async def test_asked_while_other_questions_fill_the_catalog_it_is_whole(tmp_path):
    async with asked(tmp_path, FILES):
        pass
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    for _ in range(6):  # each a library that nobody has asked yet
        async with await Library.open(tmp_path / "files", settings) as library:
            state = TurnState(Question("", TODAY), library, settings)
            at_once = [due(state, 60), with_texts(state), due(state, 60)]
            at_once += [filled(state, {name}) for name in ("events", "tasks", "papers")]
            first, _, second, *_ = await asyncio.gather(*at_once)
            assert first == second == await due(state, 60)
