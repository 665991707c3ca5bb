"""Tasks as people write them, and what only looks like one."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.documents.notes.tasks import tasks_in

from .texts import lines


def one(text: str, format_: str = "markdown", path: str = "a.md"):
    (task,) = tasks_in(lines(text), format_, path)
    return task


@pytest.mark.parametrize(
    ("line", "text", "due"),
    [
        ("- [ ] order gravel 📅 2026-11-19", "order gravel", date(2026, 11, 19)),
        ("* [ ] order gravel due: 2026-11-19", "order gravel", date(2026, 11, 19)),
        ("+ [ ] order gravel (due 19 Nov 2026)", "order gravel", date(2026, 11, 19)),
        ("1. [ ] order gravel @due(2026-11-19)", "order gravel", date(2026, 11, 19)),
        ("2) [ ] order gravel [due:: 2026-11-19]", "order gravel", date(2026, 11, 19)),
        ("    - [ ] order gravel by 19 Nov 2026.", "order gravel.", date(2026, 11, 19)),
        ("> - [ ] order gravel", "order gravel", None),
        ("- [] order gravel", "order gravel", None),
        ("- [/] order gravel 🔁 every week 📅 2026-11-19 ⏫", "order gravel", date(2026, 11, 19)),
        ("☐ order gravel", "order gravel", None),
        ("- [ ] Steuer abgeben bis 19.11.2026", "Steuer abgeben", date(2026, 11, 19)),
        ("- [ ] payer l'impôt (échéance : 19 novembre 2026)", "payer l'impôt", date(2026, 11, 19)),
        ("- [ ] 税金を払う 📅 2026-11-19", "税金を払う", date(2026, 11, 19)),
        ("- [ ] pagar la luz, vence: 19 de noviembre de 2026", "pagar la luz", date(2026, 11, 19)),
        ("- [ ] ask [[Ann Lee|Ann]] about [the roof](http://r.example/a)", "ask Ann about the roof",
         None),
        ("- [ ] see page 3 by Tom", "see page 3 by Tom", None),
        ("- [ ] read 1984 from 2026-01-01 on", "read 1984 from 2026-01-01 on", None),
    ],
)  # fmt: skip
def test_an_open_task(line, text, due):
    task = one(line)
    assert not task.is_done
    assert task.done is None
    assert (task.text, task.due) == (text, due)


@pytest.mark.parametrize("line", ["- [x] paint ✅ 2026-11-20", "* [X] paint @done(2026-11-20)"])
def test_a_done_task_has_its_day(line):
    task = one(line)
    assert (task.text, task.is_done, task.done) == ("paint", True, date(2026, 11, 20))


def test_the_tags_of_a_task_leave_its_text():
    task = one("- [ ] pay rent #12 for #homes #home #money/fixed 📅 2026-11-30")
    assert (task.text, task.tags) == ("pay rent #12 for", ("homes", "home", "money/fixed"))


@pytest.mark.parametrize("day", ["2026-02-31", "31 Feb 2026", "2026-13-01", "0000-00-00", "soon"])
def test_a_day_that_is_none_stays_in_the_text(day):
    task = one(f"- [ ] pay due: {day}")
    assert (task.due, task.text) == (None, f"pay due: {day}")


@pytest.mark.parametrize(
    "text",
    [
        "```\n- [ ] in code\n```",
        "~~~md\n- [x] in code\n~~~",
        "Some words\n\n    - [ ] indented code\n",
        "<!--\n- [ ] in a comment\n-->",
        "- [ ]",
        "- [-] given up",
        "- [](http://a.example)",
        "- [x](http://a.example) is a link",
        "- [a] is a list item",
        "arr[x] = 1",
        "",
    ],
)
def test_what_is_no_task(text):
    assert tasks_in(lines(text), "markdown") == []


def test_nested_tasks_are_tasks_with_their_lines():
    text = "# Roof\n\n- [ ] tiles\n\n    - [x] measure\n\n        - [ ] twice\n\t- [ ] order"
    found = tasks_in(lines(text), "markdown")
    assert [(task.line, task.text) for task in found] == [
        (3, "tiles"), (5, "measure"), (7, "twice"), (8, "order"),
    ]  # fmt: skip


def test_the_lines_of_a_todo_file():
    text = (
        "x 2026-11-20 2026-11-01 call Mum +family @phone\n"
        "(A) 2026-11-01 pay rent +home due:2026-11-30 pri:A\n"
        "\nLater:\n# notes\n- water the +garden well\nsee http://a.example/b due:2026-02-31\n"
    )
    found = tasks_in(lines(text), "text", "lists/TODO.txt")
    told = [(task.line, task.text, task.is_done, task.due, task.done) for task in found]
    assert told == [
        (1, "call Mum", True, None, date(2026, 11, 20)),
        (2, "pay rent", False, date(2026, 11, 30), None),
        (6, "water the garden well", False, None, None),
        (7, "see http://a.example/b due:2026-02-31", False, None, None),
    ]
    assert [task.tags for task in found] == [("family", "phone"), ("home",), ("garden",), ()]
    assert tasks_in(lines(text), "text", "notes.txt") == []


def test_headings_of_org_are_tasks():
    text = (
        "* Garden\n** TODO [#A] order gravel :home:urgent:\n   DEADLINE: <2026-11-19 Thu>\n"
        "- [ ] ring Tom\n** DONE measure\n   CLOSED: [2026-02-31 Mon] DEADLINE: <2026-11-02 Mon>\n"
        "#+begin_src\n* TODO no\n#+end_src\n* TODO"
    )
    first, second, third = tasks_in(lines(text), "org")
    assert (first.line, first.text, first.tags) == (2, "order gravel", ("home", "urgent"))
    assert (first.due, second.text) == (date(2026, 11, 19), "ring Tom")
    assert (third.is_done, third.done, third.due) == (True, None, date(2026, 11, 2))


def test_a_hundred_thousand_tasks_are_read_in_seconds():
    text = "\n".join(f"{'  ' * (n % 4)}- [ ] task {n} 📅 2026-11-21" for n in range(100_000))
    start = time.process_time()
    assert len(tasks_in(lines(text), "markdown")) == 100_000
    assert time.process_time() - start < 30


@pytest.mark.parametrize("part", ["due ", "[[a", "[", "🔁", "a:", "`", "#", "(due: ", "bis 1."])
def test_a_task_without_an_end_is_read_at_once(part):
    start = time.process_time()
    tasks_in(lines(f"- [ ] x {part * 100_000}"), "markdown")
    assert time.process_time() - start < 5


@given(text=st.text(alphabet="- [x]#due:📅2026()`~\n\t1.+@ab", max_size=200))
def test_nothing_raises(text):
    for format_, path in (("markdown", "a.md"), ("text", "todo.txt"), ("org", "a.org")):
        assert all(task.text for task in tasks_in(lines(text), format_, path))


def test_a_task_over_several_lines_is_one_and_the_line_above_its_list_is_a_tag():
    money = "money\n [ ] pay the plumber, it is\n     below 300\n [x] tax"
    text = f"To do\n\n{money}\n\n## Car\n- [ ] tyres"
    found = tasks_in(lines(text), "markdown")
    assert [task.text for task in found] == ["pay the plumber, it is below 300", "tax", "tyres"]
    assert [task.tags for task in found] == [("money",), ("money",), ("Car",)]
    assert [task.line for task in found] == [4, 6, 9]
