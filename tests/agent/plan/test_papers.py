"""Questions about papers that are paid or open, and about whom they come from and go to."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from manole.agent.languages import ENGLISH
from manole.agent.plan.linking import Linker
from manole.agent.plan.open_catalog import FUNCTIONS
from manole.agent.plan.query import parse
from manole.agent.plan.query_catalog import found
from manole.agent.plan.repair import check
from manole.agent.plan.verbalize import say
from manole.catalog.catalog import Catalog
from manole.documents.fields import Field, Fields, Money

from .catalogs import TODAY, asking, file
from .parsed import of, parsed

SENT, GOT = "Ann Roe", "Frau Ann Roe"
PAPERS = {  # issuer, recipient, due, status, total
    "sent/1.pdf": (SENT, "Lycée Sainte-Irmine", date(2024, 5, 1), "open", 100),
    "sent/2.pdf": (SENT, "Hotel Elm", date(2025, 5, 1), "open", 50),
    "sent/3.pdf": (SENT, "Lycée Sainte-Irmine", date(2024, 5, 1), "paid", 30),
    "got/4.pdf": ("Elm GmbH", GOT, date(2024, 5, 1), None, 7),
    "got/painter.pdf": ("Lutz", GOT, date(2024, 5, 1), "open", 5),
}


def paper(issuer, recipient, due, status, total):
    def read(value, line):
        return Field(value, str(value), 1, line, 0.9)

    return Fields(
        kind="invoice",
        issuer=read(issuer, 1),
        recipient=read(recipient, 2),
        date=read(date(2024, 4, 1), 3),
        due_date=read(due, 4),
        total=read(Money(Decimal(total), "EUR"), 5),
        status=status and read(status, 6),
    )


@pytest.fixture(scope="module")
def library():
    files = {path: file(path) for path in PAPERS}
    made = Catalog(list(files.values()), FUNCTIONS)
    made.fill_files()
    made.fill_folders()
    made.fill_papers((files[path], paper(*read)) for path, read in PAPERS.items())
    return made


def answer(library, question):
    plan = Linker(of(question), library, TODAY).plan()
    checked = check(parse(plan.sql()), library, asking(question.question), typed=True)
    return say(checked, found(library, checked), ENGLISH)


def names(library, question):
    return [row.file for row in answer(library, question).objects]


def rows(question):
    return parsed("papers", "rows", question)


def test_open_papers_are_listed_with_the_number_of_those_that_say_nothing(library):
    told = answer(library, rows("[status:unpaid] [type:invoices]"))
    files = {row.file for row in told.objects}
    assert files == {"got/painter.pdf", "sent/1.pdf", "sent/2.pdf"}
    assert told.text.startswith("3 invoices, together 155.00 EUR:")
    assert told.text.endswith("Of 1 more nothing says whether it is paid.")


def test_the_clause_that_says_so_is_what_is_cited(library):
    told = answer(library, rows("[status:paid] [type:invoices]"))
    assert [(row.quote, row.line) for row in told.objects] == [("paid", 6)]


def test_of_paid_papers_it_is_said_how_many_are_open(library):
    told = answer(library, parsed("papers", "count", "how many [type:invoices] are [status:paid]"))
    assert told.text.endswith("3 more are open. Of 1 more nothing says whether it is paid.")


def test_sums_of_open_papers_leave_out_those_that_say_nothing(library):
    asked = parsed("papers", "sum", "what is still [status:owed]", column="total")
    assert answer(library, asked).text.startswith("155.00 EUR in all, from 3 invoices.")


def test_overdue_is_open_with_a_day_that_is_past(library):
    assert set(names(library, rows("[status:overdue] [type:invoices]"))) == {
        "sent/1.pdf", "got/painter.pdf",
    }  # fmt: skip


@pytest.mark.parametrize(
    "question",
    ["[type:factures] [status:encore] [status:à payer]", "[type:fatture] non [-status:pagate]"],
)
def test_several_words_for_a_status_are_one(library, question):
    assert len(names(library, rows(question))) == 3


@pytest.mark.parametrize(
    ("op", "question"),
    [("exists", "did I pay the [party:painter]"), ("rows", "is [party:Lutz] [status:paid]")],
)
def test_whether_something_was_paid_is_told_by_the_paper(library, op, question):
    asked = parsed("papers", op, question, column="status")
    told = answer(library, asked)
    assert told.text.startswith("Status open, Lutz")
    assert told.objects[0].line == 6


def test_a_word_that_is_not_surely_a_status_may_be_one(library):
    asked = replace(rows("which [type:invoices] need paying"), unread=("paying",))
    assert len(names(library, asked)) == 3


@pytest.mark.parametrize("tag", ["recipient", "party"])
def test_whom_papers_go_to_is_a_recipient(library, tag):
    asked = parsed("papers", "sum", f"billed to [{tag}:liceo Sainte-Irmine]", column="total")
    assert answer(library, asked).text == "130.00 EUR in all, from 2 invoices."


@pytest.mark.parametrize(
    ("question", "folder", "count"),
    [("[own:my] [type:invoices]", "sent/", 3), ("[type:invoices] I [got:got]", "got/", 2),
     ("[type:invoices] not [-own:mine]", "got/", 2)],
)  # fmt: skip
def test_what_the_owner_sent_and_got(library, question, folder, count):
    files = names(library, rows(question))
    assert len(files) == count
    assert all(name.startswith(folder) for name in files)


def test_what_is_open_today_is_open(library):
    asked = rows("which [type:invoices] are [status:overdue] [period:today]")
    assert set(names(library, asked)) == {"got/painter.pdf", "sent/1.pdf"}


def test_what_is_denied_in_two_words_is_denied_as_one(library):
    asked = parsed("papers", "sum", "[type:invoices] not the [-topic:painter] [-type:bills]",
                   column="total")  # fmt: skip
    (both,) = (c for c in Linker(of(asked), library, TODAY).plan().conditions if len(c) > 1)
    assert {(test.test, test.denied) for test in both} == {("is", True), ("mentions", True)}
