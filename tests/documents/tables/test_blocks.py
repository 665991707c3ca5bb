"""Tables that nobody drew: blocks of one shape in a text."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.documents.fields.lines import page_lines
from manole.documents.tables import Table, records_in
from manole.documents.tables.blocks import RECORDED

from .texts import cells

FIRMS = ("Lind & Sons", "Ek GmbH", "Åsa AB", "Moulin SARL", "Pane e Vino", "Zhong 中")


def read(text: str, format_: str = "markdown") -> list[Table]:
    return records_in(page_lines([(None, text)]), format_)


def one(text: str, format_: str = "markdown") -> Table:
    (table,) = read(text, format_)
    return table


def test_numbered_headings_with_their_pairs_are_a_table():
    parts = (
        f"## Application {n:03}: {firm}\n\n- **Applicant:** A{n}\n- Sum asked for: {n}00 EUR\n"
        for n, firm in enumerate(FIRMS, 1)
    )
    table = one("# Grants 2025\n\nSome words.\n\n" + "\n".join(parts))
    assert (table.name, table.title, table.page) == ("applications", "applications", None)
    assert table.columns == ("number", "title", "Applicant", "Sum asked for")
    assert cells(table)[0] == ("001", "Lind & Sons", "A1", "100 EUR")
    assert [row.line for row in table.rows] == [5, 10, 15, 20, 25, 30]
    assert table.rows[1].text.startswith("## Application 002: Ek GmbH - **Applicant:** A2")


def test_several_pairs_may_stand_on_a_line():
    text = "\n\n".join(
        f"## Loan {n}\n\nBank: Ulm. Sum: {n},000 EUR. Until: 2030." for n in range(5)
    )
    table = one(text)
    assert (table.name, table.columns) == ("loans", ("number", "Bank", "Sum", "Until"))
    assert cells(table)[2] == ("2", "Ulm", "2,000 EUR", "2030")


def test_two_kinds_of_blocks_are_two_tables():
    text = "".join(
        f"# {2020 + n}\n\n## Loan {n}: a\nBank: b\nSum: {n}\n\n"
        f"## Grant {n}: c\nFrom: d\nSum: {n}\n\n"
        for n in range(5)
    )
    assert [(table.name, len(table.rows)) for table in read(text)] == [("loans", 5), ("grants", 5)]


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("".join(f"{n}\n{'=' * 9}\n\nServes: 4\nTime: 9 min\n\n" for n in "ABCD"), "rst"),
        ("".join(f"* {n}\nServes: 4\nTime: 9 min\n" for n in "ABCD"), "org"),
        ("".join(f"== {n}\n\nServes: 4\nTime: 9 min\n\n" for n in "ABCD"), "asciidoc"),
        ("".join(f"**{n}**\n\nServes: 4\nTime: 9 min\n\n" for n in "ABCD"), "markdown"),
    ],
)
def test_headings_in_any_notation(text, format_):
    table = one(text, format_)
    assert table.columns == ("title", "Serves", "Time")
    assert cells(table) == [(n, "4", "9 min") for n in "ABCD"]


def test_days_as_headings_are_dates():
    text = "".join(
        f"## 2026-03-0{n}\n\nMood: good\nSleep: {n} h\n\nI walked.\n\n" for n in range(1, 6)
    )
    assert one(text).columns == ("date", "Mood", "Sleep")


@pytest.mark.parametrize("between", ["\n\n", "\n---\n", "\n\n***\n\n", "\n"])
def test_pairs_between_blank_lines_or_rules(between):
    table = one(between.join(f"Name: P{n}\nPhone: {n}\nCity: Ulm" for n in range(5)), "text")
    assert (table.name, table.columns) == (None, ("Name", "Phone", "City"))
    assert cells(table)[4] == ("P4", "4", "Ulm")


def test_a_first_line_may_head_the_pairs_below_it():
    table = one(
        "\n\n".join(f"{firm}\nPhone: {n}\nCity: Ulm" for n, firm in enumerate(FIRMS)), "text"
    )
    assert table.columns == ("title", "Phone", "City")
    assert cells(table)[5] == ("Zhong 中", "5", "Ulm")


def test_items_of_one_shape_are_rows():
    text = "# Runs\n\n" + "".join(f"- 2026-03-0{n} · {n + 9} km · 1:0{n}\n" for n in range(1, 7))
    table = one(text)
    assert table.columns == ("date", "km", "time")
    assert cells(table)[0] == ("2026-03-01", "10 km", "1:01")
    assert [row.line for row in table.rows] == list(range(3, 9))


def test_items_below_several_headings_tell_theirs():
    text = "".join(
        f"## {month}\n\n"
        + "".join(f"- {n}.{at}.2026, Rewe, {n},50 €\n" for n in range(1, 4))
        + "\n"
        for at, month in enumerate(("Januar", "Februar"), 1)
    )
    table = one(text)
    assert table.columns == ("date", "text", "amount", "section")
    assert cells(table)[-1] == ("3.2.2026", "Rewe", "3,50 €", "Februar")


def test_items_with_pairs_are_rows_too():
    assert one("\n".join(f"- name: A{n}, age: {n}" for n in range(5))).columns == ("name", "age")


def test_a_text_with_tabs_is_a_table():
    table = one("Date\tPayee\tAmount\n01-Jan\tABC\t120\n02-Jan\tMiller\t75\n03-Jan\tEk\t60", "text")
    assert table.columns == ("Date", "Payee", "Amount")
    assert cells(table)[1] == ("02-Jan", "Miller", "75")


PROSE = "# The lighthouse\n\n" + "".join(
    f"## Chapter {n}: Of {word}\n\nThe keeper looked at the {word}: it was late. He said: Go.\n\n"
    f"- {word}, salt and plums\n- rope\n- {word}\n\nThen he went: 3 steps, 4, and 5.\n\n"
    for n, word in enumerate(("fog", "sea", "rain", "ice", "wind", "snow", "sand"))
)
TALK = "\n\n".join(
    f"## Part {n}\n\nAnn: Are you there, {n}?\nBob: I have been here for an hour.\nAnn: Good!"
    for n in range(9)
)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        TALK,
        TALK.replace("## Part", "Part"),
        "",
        "---\ntitle: a\nstatus: b\n---\n\nWords.",
        "Dear Ann,\n\nDate: 3 May\nPlace: Ulm\n\nYours\nTom",
        "\n\n".join(f"## Step {n}\n\nDo this and that." for n in range(9)),
        "\n\n".join(f"Name: P{n}\nPhone: {n}" for n in range(3)),  # fewer than four
        "\n\n".join(f"A{n}: x\nB{n}: y" for n in range(9)),  # no key in common
        "```\n" + "\n\n".join(f"Name: P{n}\nPhone: {n}" for n in range(9)) + "\n```",
        "\n".join(f"- [ ] task {n}, due: 3, for: Ann" for n in range(9)),
        "| a | b |\n|---|---|\n" + "| 1, 2, 3 | x: y |\n" * 9,
        "\n".join(f"- https://a.example/{n}, see: there" for n in range(9)),
        "- one\n- two\n- three\n- four\n- five",
        "\n".join(f"{n} o'clock: tea" for n in range(9)),
    ],
)
def test_prose_has_no_table(text):
    assert read(text) == read(text, "text") == []


def test_names_that_are_words_of_sql_are_only_names():
    text = "\n\n".join(
        f'## \'; DROP TABLE files; -- {n}\nselect: {n}\nfrom: "x"\nrow_id: {n}' for n in range(5)
    )
    table = one(text)
    assert table.columns[-3:] == ("select", "from", "row_id")


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"## App {n}: x\nA: b\nC: d\n\n" for n in range(25_000)),
        "```\n```\n" + "".join(f"## App {n}: x\nA: b\nC: d\n\n" for n in range(25_000)),
        "A: b\nC: d\n\n" * 33_000,
        "- 2026-01-01 · 3 km · 1:10\n" * 100_000,
        ("word and another word. " * 20 + "\n") * 50_000,
        "---\n" * 100_000,
        "A: " + "b. C: d " * 200_000,
        "- " + ", " * 100_000,
        "**" * 100_000,
        " " * 200_000 + ":",
        "\n".join(f"{'#' * (1 + n % 6)} h{n} {n}" for n in range(100_000)),
    ],
)
def test_large_texts_are_read_in_seconds(text):
    start = time.process_time()
    read(text)
    assert time.process_time() - start < 20


@given(text=st.text(alphabet="#-: ab1.\n,·*|=\t`", max_size=300), seed=st.integers(0, 9))
def test_nothing_raises(text, seed):
    parts = text.split("\n")
    random.Random(seed).shuffle(parts)
    for format_ in RECORDED:
        for table in read("\n".join(parts * 4), format_):
            assert {len(row.cells) for row in table.rows} == {len(table.columns)}
