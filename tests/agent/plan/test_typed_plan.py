"""From a parsed question to rows: values are found in the catalog, and the query is code's."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from sqlglot import exp

from manole.agent.plan.diary_notes import fill_entries
from manole.agent.plan.linking import Linker
from manole.agent.plan.marks import with_topics
from manole.agent.plan.query import PlanError, parse
from manole.agent.plan.repair import check
from manole.agent.plan.typed import TypedPlan
from manole.agent.plan.values import named
from manole.catalog.catalog import Catalog
from manole.documents.fields.model import TextLine
from manole.documents.journal import Entry
from manole.text.amounts import currency_of

from .catalogs import TODAY, asking, catalog
from .parsed import of, parsed


@pytest.fixture(scope="module")
def library():
    return catalog()


def rows(library, *chain):
    plan = Linker(of(*chain), library, TODAY).plan()
    checked = check(parse(plan.sql()), library, asking(chain[-1].question), typed=True)
    return library.run(checked.sql)[1]


def paths(library, *chain):
    return [row[0] for row in rows(library, *chain)]


def test_a_kind_is_counted(library):
    assert rows(library, parsed("files", "count", "how many [kind:PDFs] do I have")) == [(4,)]


def test_an_alternative_widens_and_a_denial_excludes(library):
    asked = parsed("files", "rows", "[kind:PDFs] or [|kind:photos], not in [-folder:Papers]")
    assert set(paths(library, asked)) == {
        "Arbeit/plan.pdf", "Arbeit/Entwürfe/plan alt.pdf", "Photos/lake.jpg",
        "Photos/copy of lake.jpg",
    }  # fmt: skip


def test_the_largest_come_first_and_no_more_than_asked(library):
    asked = parsed("files", "rows", "two largest files", column="size", order="desc", limit="2")
    assert rows(library, asked) == [
        ("Arbeit/plan.pdf", 2_500_000),
        ("Photos/copy of lake.jpg", 300_000),
    ]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("[over:over] [number:1 MB]", {"Arbeit/plan.pdf"}),
        ("[between:between] [number:60] and [number:90 kB]",
         {"Papers/shop.jpg", "Papers/airline.pdf", "Arbeit/Entwürfe/plan alt.pdf"}),
    ],
)  # fmt: skip
def test_sizes_are_compared_in_their_unit(library, question, found):
    assert set(paths(library, parsed("files", "rows", question, column="size"))) == found


def test_an_age_is_a_day_before_which_nothing_changed(library):
    asked = parsed("files", "rows", "not touched for [age:a year]", column="modified")
    assert set(paths(library, asked)) == {"Arbeit/Entwürfe/plan alt.pdf", "Papers/airline.pdf"}


def test_totals_are_added_by_year_and_currency(library):
    asked = parsed("papers", "sum", "spent per year", column="total", group="year")
    assert rows(library, asked) == [
        ("2023", 310.0, "EUR"),
        ("2024", 120.5, "EUR"),
        ("2024", 19.9, "MYR"),
    ]


def test_what_all_rows_have_alike_is_not_told_of_each(library):
    wanted = parsed("tasks", "rows", "what is [status:open]")
    assert "status FROM" not in Linker(of(wanted), library, TODAY).plan().sql()
    assert (
        "SELECT text, status"
        in Linker(of(parsed("tasks", "rows", "all")), library, TODAY).plan().sql()
    )


def test_what_is_due_in_a_calendar_is_on_that_day(library):
    asked = parsed("events", "rows", "what is due [period:in May 2024]", column="due")
    assert "during(date, 'in May 2024')" in Linker(of(asked), library, TODAY).plan().sql()


def test_an_issuer_is_found_by_a_part_of_its_name(library):
    asked = parsed("papers", "sum", "what did [party:Air Fjord] cost", column="total")
    assert rows(library, asked) == [(310.0, "EUR")]


@pytest.mark.parametrize(
    ("said", "name", "found"),
    [("mara", "Dr. Amara Osei", False), ("osei", "Dr. Amara Osei", True), ("elm", "Helm AG", False),
     ("versicherung", "Kfz-Haftpflichtversicherung Nord", True)],
)  # fmt: skip
def test_a_short_name_is_not_found_within_a_word(said, name, found):
    assert named(said, [name]) == [name][: int(found)]


def test_days_of_a_diary_are_counted_once(library):
    asked = parsed("entries", "count", "how often did I go [topic:swimming] in [period:March]")
    assert rows(library, asked) == [(2,)]


def test_the_last_time_is_a_day(library):
    asked = parsed("entries", "last", "last time with [party:Ana]", column="date")
    assert rows(library, asked) == [("2024-08-02",)]


def test_a_follow_up_keeps_what_it_does_not_replace(library):
    first = parsed("papers", "rows", "[type:invoices] of [period:2023]")
    then = parsed("papers", "rows", "and of [period:2024]?", leans="yes")
    only = parsed("papers", "count", "how many without [-party:Air Fjord]?", leans="yes")
    assert paths(library, first, then) == ["Papers/dentist.pdf"]
    assert rows(library, first, then, only) == [(1,)]


def test_a_question_of_its_own_takes_nothing_over(library):
    first = parsed("files", "count", "how many [kind:PDFs]")
    then = parsed("files", "count", "how many files")
    assert rows(library, first, then) == [(10,)]


def test_a_month_behind_a_year_is_of_that_year(library):
    first = parsed("papers", "rows", "papers of [period:2023]")
    then = parsed("papers", "rows", "and in [period:May]?", leans="yes")
    assert paths(library, first, then) == ["Papers/airline.pdf"]


def test_a_name_that_nothing_has_is_nowhere(library):
    with pytest.raises(PlanError, match="Zanzibar"):
        rows(library, parsed("files", "rows", "files in [folder:Zanzibar]"))


@pytest.mark.parametrize(
    "asked",
    [
        parsed("papers", "diff", "how much more", column="total"),
        parsed("entries", "sum", "how much in all"),  # of what?
        parsed("files", "rows", "[over:over] [number:plenty]", column="size"),
        parsed("files", "rows", "[over:over] [number:12]"),  # of what?
        parsed("papers", "rows", "the [status:signed] ones"),
        parsed("papers", "rows", "[type:contracts] still [status:open]"),
        parsed("files", "rows", "as many", limit="more"),
        parsed("files", "count", "by firm", group="issuer"),
        parsed("files", "rows", "older than [age:5000 years]", column="modified"),
    ],
)
def test_what_no_plan_can_say_is_left_to_a_model(library, asked):
    with pytest.raises(PlanError):
        rows(library, asked)


def test_a_value_is_text_and_never_sql(library):
    asked = parsed("files", "rows", "[kind:PDFs] with [topic:x') OR 1=1 --]")
    assert paths(library, asked) == []


def test_files_are_counted_by_their_folder_at_the_top(library):
    asked = parsed("files", "count", "per main folder, not in [-folder:Papers]", group="top")
    assert dict(rows(library, asked)) == {"Arbeit": 3, "Photos": 2, "Diary": 1, "Post": 1}


def test_amounts_are_added_by_quarter(library):
    asked = parsed("papers", "count", "papers per quarter", group="quarter")
    assert rows(library, asked) == [("2023-Q2", 1), ("2024-Q4", 2)]


def test_a_file_with_nothing_in_it_is_empty(library):
    asked = parsed("files", "rows", "[empty:empty] files")
    assert paths(library, asked) == []
    assert "0" in Linker(of(asked), library, TODAY).plan().sql()


def test_copies_waste_what_one_of_them_would_not_need(library):
    asked = parsed("files", "sum", "space of [copies:duplicates]", column="size")
    size = library.run("SELECT max(size) FROM files WHERE copies > 1")[1][0][0]
    assert rows(library, asked) == [(size,)]


def test_two_firms_are_the_sides_of_a_difference(library):
    asked = parsed(
        "papers",
        "diff",
        "how much more did [party:Air Fjord] cost than [party:Zahn]",
        column="total",
    )
    assert rows(library, asked) == [(189.5, "EUR")]


def test_what_a_name_must_have_is_looked_for_in_names(library):
    asked = parsed("files", "rows", "files with [topic:plan] in their name", column="name")
    assert set(paths(library, asked)) == {"Arbeit/plan.pdf", "Arbeit/Entwürfe/plan alt.pdf"}


@pytest.mark.parametrize("name", ["Grant", "use", "year", "top"])
def test_a_column_of_a_table_may_be_called_anything(name):
    shown = (name, "amount")
    listed = TypedPlan("budget", "rows", shown=shown).sql()
    grouped = TypedPlan("budget", "sum", "amount", group=name, shown=shown).sql()
    for sql in (listed, grouped):
        columns = {column.name for column in parse(sql).tree.find_all(exp.Column)}
        assert name in columns


def test_a_kind_may_be_a_part_of_a_compound(library):
    assert rows(library, parsed("files", "count", "wie viele [kind:PDF-Dateien]")) == [(4,)]


def test_a_folder_is_meant_by_its_name_alone(library):
    asked = parsed("files", "count", "[kind:pdf] count [topic:papers]")
    assert rows(library, asked) == [(2,)]


def test_what_files_there_are_is_a_list(library):
    asked = parsed("files", "distinct", "what documents do you have")
    assert len(paths(library, asked)) == len(library.values("files", "path"))


def test_a_tag_is_found_by_its_name():
    tagged = catalog()
    tagged.fill_notes({"tags": [("Diary/2024.md", "health")]})
    asked = parsed("files", "rows", "notes about [topic:Health]")
    assert paths(tagged, asked) == ["Diary/2024.md"]


def test_a_currency_is_no_folder(library):
    asked = parsed("papers", "rows", "those in [folder:euro]", column="total")
    assert set(paths(library, asked)) == {"Papers/airline.pdf", "Papers/dentist.pdf"}


def test_in_total_names_nothing(library):
    asked = parsed("entries", "count", "how often [topic:swimming] in [topic:total]")
    alone = parsed("entries", "count", "how often [topic:swimming]")
    assert rows(library, asked) == rows(library, alone) != [(0,)]


def test_what_a_day_does_not_mention_no_note_of_it_does():
    made = Catalog([], {})
    text = ["I swam a mile.", "We had soup."], ["We walked."], ["I ran."], ["Swimming again."]
    fill_entries(made, [
        Entry(str(n), date(2024, 3, n), "", f"{n}.md", 1,
              tuple(TextLine(line, None, at) for at, line in enumerate(lines, 1)))
        for n, lines in enumerate(text, 1)
    ])  # fmt: skip
    asked = parsed("entries", "count", "days without [-topic:swimming] or [-|topic:running]")
    assert rows(made, asked) == [(1,)]


def test_each_saturday_is_a_day_of_the_week(library):
    asked = parsed("entries", "count", "how many Saturdays did I swim on")
    unread = with_topics(of(replace(asked, unread=("Saturdays",))))
    assert unread is not None
    sql = Linker(unread, library, TODAY).plan().sql()
    assert "weekday = 'Saturday'" in sql


@pytest.mark.parametrize("said", ["euros", "Rupien", "roupies"])
def test_a_currency_has_a_name(said):
    assert currency_of(said) == {"euros": "EUR"}.get(said, "INR")


def test_words_in_a_list_are_alternatives():
    asked = parsed("papers", "sum", "what do they cost together (rent, gas/light and water)")
    whole = with_topics(of(replace(asked, unread=("rent", "gas", "light", "water"))))
    assert whole is not None
    assert [mark.either for mark in whole.marks] == [False, True, True, False]
