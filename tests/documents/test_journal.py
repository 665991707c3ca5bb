"""Entries of journals in every form that they are kept in, and whatever else may stand there."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.documents.fields.model import TextLine
from manole.documents.journal import (
    day_of_path,
    exported,
    heading_date,
    may_hold_entries,
    read_entries,
)

DAY = date(2023, 10, 7)


def lines_of(text: str) -> list[TextLine]:
    return [TextLine(line, None, n) for n, line in enumerate(text.split("\n"), 1)]


def read(text: str, path: str = "diary.md", format_: str = "md", **more):
    return read_entries(path, lines_of(text), format_, **more)


def told(entry) -> list[tuple[int, str]]:
    return [(line.line, line.text) for line in entry.lines]


# -- a file a day ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "2023-10-07.md",
        "2023_10_07.md",
        "2023.10.07.org",
        "20231007.txt",
        "2023-10-7.md",
        "journals/2023_10_07.md",
        "Daily/2023/2023-10-07-Sat.md",
        "2023/10/07.txt",
        "log/2023/10/07.md",
        "2023-10-07 Apple harvest.md",
        "October 7 2023.md",
        "October 7th, 2023.md",
        "Saturday, October 7, 2023.md",
        "7 October 2023.txt",
        "7. Oktober 2023.md",
        "7 octobre 2023.md",
        "7 de octubre de 2023.md",
        "7 ottobre 2023.md",
        "07-10-2023.md",
    ],
)
def test_the_day_of_a_path(path):
    assert day_of_path(path) == DAY


@pytest.mark.parametrize(
    "path",
    [
        "notes.md",
        "2023-13-07.md",
        "2023-02-30.md",
        "2023-10.md",
        "invoice-2023-10-07.md",
        "report_20231007.txt",
        "RB-2023-10-07.md",
        "2023/10/07/shopping.md",
        "2023-10-071.md",
        "notes from 7 October 2023.md",
        "",
        "/",
    ],
)
def test_a_path_without_a_day_of_its_own(path):
    assert day_of_path(path) is None


def test_a_file_of_one_day_is_one_entry():
    (entry,) = read("\nPicked the apples.\n\nForty kilos this year.\n\n", "2023-10-07.md")
    assert entry.date == DAY
    assert entry.title == "Picked the apples."
    assert told(entry) == [(2, "Picked the apples."), (3, ""), (4, "Forty kilos this year.")]
    assert (entry.file, entry.line, entry.line_end) == ("2023-10-07.md", 1, 4)
    assert entry.text == "Picked the apples.\n\nForty kilos this year."
    assert entry.when is None
    assert entry.heading is None


def test_a_heading_is_the_title_and_not_among_the_lines():
    (entry,) = read("# Apple harvest\n\nForty kilos.\n", "2023-10-07.md")
    assert entry.title == "Apple harvest"
    assert told(entry) == [(3, "Forty kilos.")]
    assert entry.heading == TextLine("Apple harvest", None, 1)


def test_a_heading_with_the_day_the_time_and_a_title():
    text = "# Saturday, 7 October 2023, 18:30 – Apple harvest\nForty kilos."
    (entry,) = read(text, "2023-10-07.md")
    assert entry.title == "Apple harvest"
    assert entry.when == datetime(2023, 10, 7, 18, 30)
    assert told(entry) == [(2, "Forty kilos.")]
    assert entry.heading == TextLine("Apple harvest", None, 1)


def test_a_first_line_with_a_hashtag_is_no_heading():
    (entry,) = read("#harvest in the garden today", "2023-10-07.md")
    assert told(entry) == [(1, "#harvest in the garden today")]
    assert entry.tags == ("harvest",)


def test_a_long_first_line_is_cut_for_the_title():
    (entry,) = read("pears and plums " * 20, "2023-10-07.md")
    assert entry.title.endswith("…")
    assert len(entry.title) <= 82


def test_an_empty_file_of_a_day_is_an_entry_without_lines():
    (entry,) = read("", "2023-10-07.md")
    assert (entry.title, entry.lines, entry.text, entry.line_end) == ("2023-10-07", (), "", 1)


# -- front matter and tags ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "front",
    [
        "tags: [garden, 'long walk']",
        'tags: garden, "long", walk',
        "Tags: #garden #long #walk",
        "tags:\n  - garden\n  - long\n  - walk\nmood: calm",
        "keywords: garden; long; walk",
    ],
)
def test_tags_of_the_front_matter(front):
    (entry,) = read(f"---\n{front}\n---\n\nPicked the apples.", "2023-10-07.md")
    assert entry.tags == ("garden", "long", "walk")
    assert [text for _, text in told(entry)] == ["Picked the apples."]
    assert told(entry)[0][0] == 4 + front.count("\n") + 1


def test_front_matter_that_never_ends_is_text():
    (entry,) = read("---\ntags: garden\nPicked the apples.", "2023-10-07.md")
    assert [text for _, text in told(entry)] == ["---", "tags: garden", "Picked the apples."]


@pytest.mark.parametrize("ruler", ["...", "---"])
def test_text_between_rulers_is_no_front_matter(ruler):
    (entry,) = read(f"---\nFirst scene\n{ruler}\nthen more", "2023-10-07.md")
    assert [text for _, text in told(entry)] == ["---", "First scene", ruler, "then more"]


def test_an_empty_front_matter_is_no_text():
    (entry,) = read("---\n---\nPicked the apples.", "2023-10-07.md")
    assert told(entry) == [(3, "Picked the apples.")]


def test_tags_in_the_text():
    text = "Cider with @Vlad at #home. Not a tag: a#b, &#8217;, #7, C# or x@example.org"
    (entry,) = read(text, "2023-10-07.md")
    assert entry.tags == ("Vlad", "home")


def test_a_page_of_logseq():
    text = "tags:: garden, cider\n- Picked the apples\n\t- forty kilos\n- [[Vlad]] pressed them"
    (entry,) = read(text, "journals/2023_10_07.md")
    assert entry.tags == ("garden", "cider")
    assert entry.title == "Picked the apples"
    assert (4, "- [[Vlad]] pressed them") in told(entry)


# -- date headings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "2023-10-07",
        "# 2023-10-07",
        "### 2023/10/07",
        "## Saturday, 7 October 2023",
        "October 7, 2023",
        "Sat Oct 7 2023",
        "**October 7, 2023**",
        "October 7th, 2023",
        "7. Oktober 2023",
        "Samstag, den 7. Oktober 2023",
        "Sa 7.10.2023",
        "Sonnabend, 7.10.23",
        "samedi 7 octobre 2023",
        "sábado, 7 de octubre de 2023",
        "sabato 7 ottobre 2023",
        "sábado, 7 de outubro de 2023",
        "zaterdag 7 oktober 2023",
        "2023年10月7日",
        "[[2023-10-07]]",
        "[2023-10-07]",
        "--- 2023-10-07 ---",
        "= 2023-10-07 =",
        "* 2023-10-07",
        "2023-10-07 Saturday",
        "7 October 2023 (Sat)",
        "* [2023-10-07 Sat]",
        "2023-10-07:",
    ],
)
def test_a_heading_that_is_a_date(line):
    assert heading_date(line) == (DAY, "", "")


@pytest.mark.parametrize("day", ["terça-feira, 10 de outubro de 2023", "dinsdag 10 oktober 2023"])
def test_weekdays_of_every_language_whose_months_are_read(day):
    assert heading_date(day) == (date(2023, 10, 10), "", "")


@pytest.mark.parametrize(
    ("line", "clock", "title"),
    [
        ("# 2023-10-07 Apple harvest", "", "Apple harvest"),
        ("# 2023-10-07: Apple harvest", "", "Apple harvest"),
        ("## 7 October 2023, 18:30 – Apple harvest", "18:30", "Apple harvest"),
        ("October 7, 2023 6:30 pm", "18:30", ""),
        ("2023-10-07 12:05 AM", "00:05", ""),
        ("2023-10-07 12:05 pm", "12:05", ""),
        ("2023-10-07T08:15:30", "08:15", ""),
        ("7. Oktober 2023 um 8.15 Uhr", "08:15", ""),
        ("2023-10-07 at 8:15", "08:15", ""),
        ("2023-10-07 08:99", "", ""),
        ("* [2023-10-07 Sat 18:30] Apple harvest", "18:30", "Apple harvest"),
        ("[2023-10-07 18:30] Pressed cider. Ten bottles.", "18:30", "Pressed cider. Ten bottles."),
        ("[2023-10-07 06:30:12 PM] Pressed cider.", "18:30", "Pressed cider."),
        ("[2023-10-07] Pressed cider.", "", "Pressed cider."),
    ],
)
def test_the_time_and_the_title_behind_a_date(line, clock, title):
    assert heading_date(line) == (DAY, clock, title)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# Harvest",
        "# 7 October",
        "7 October 2023 was a warm day.",
        "2023-10-07 Picked the apples.",
        "On 7 October 2023",
        "# The week of 7 October 2023",
        "Invoice 2023-10-07",
        "| 2023-10-07 | 40 kg |",
        "Version 2023.10.07.1",
        "# 2023-10-07 " + "a long sentence " * 8,
        "2023-02-30",
    ],
)
def test_a_line_that_is_no_date_heading(line):
    assert heading_date(line) is None


DIARY = """\
# My year in the garden
What I keep here.

## 7 October 2023
Picked the apples.
Forty kilos.

## 8 October 2023, 9:00 – Cider
Vlad brought the press.

```
# 2023-10-09
```
"""


def test_one_file_with_a_heading_a_day():
    first, second = read(DIARY)
    assert (first.date, first.title, first.line, first.line_end) == (
        DAY,
        "Picked the apples.",
        4,
        6,
    )
    assert told(first) == [(5, "Picked the apples."), (6, "Forty kilos.")]
    assert first.heading is None
    assert (second.title, second.when) == ("Cider", datetime(2023, 10, 8, 9, 0))
    assert second.heading == TextLine("Cider", None, 8)
    assert told(second)[-1] == (13, "```")  # what stands in a fence is no heading


def test_one_dated_heading_makes_no_journal():
    text = "# Minutes\n\n## 7 October 2023\nThe roof will be mended."
    assert read(text) == []
    (entry,) = read(text, declared=True)
    assert (entry.date, entry.text) == (DAY, "The roof will be mended.")


def test_a_dated_document_is_an_entry_only_where_journals_are_declared():
    assert read("Dear Vlad, thank you.", "letter.txt", "txt", own_date=DAY) == []
    (entry,) = read("Dear Vlad, thank you.", "letter.txt", "txt", own_date=DAY, declared=True)
    assert (entry.date, entry.title) == (DAY, "Dear Vlad, thank you.")
    assert read("Dear Vlad, thank you.", "letter.txt", "txt", declared=True) == []


@pytest.mark.parametrize("format_", ["pdf", "docx", "xlsx", "image", ""])
def test_other_formats_are_no_journal(format_):
    assert read(DIARY, "2023-10-07.pdf", format_, own_date=DAY, declared=True) == []
    assert not may_hold_entries("2023-10-07.pdf", format_)


@pytest.mark.parametrize("format_", ["markdown", "md", "text", "txt", "org", "html"])
def test_every_kind_of_text_may_be_a_journal(format_):
    assert may_hold_entries("a", format_)
    assert len(read(DIARY, "diary", format_)) == 2


# -- jrnl --------------------------------------------------------------------------------------

JRNL = """\
[2023-10-07 18:30] Pressed cider with Vlad. Ten bottles.
The juice is cloudy. @garden

[2023-10-08 09:10] Swept the yard.
"""


def test_the_text_of_jrnl():
    first, second = read(JRNL, "journal.txt", "txt")
    assert first.title == "Pressed cider with Vlad."
    assert first.when == datetime(2023, 10, 7, 18, 30)
    assert first.tags == ("garden",)
    assert told(first) == [
        (1, "Pressed cider with Vlad. Ten bottles."),
        (2, "The juice is cloudy. @garden"),
    ]
    assert (second.line, second.title, second.text) == (4, "Swept the yard.", "Swept the yard.")


def export(*entries) -> str:
    return json.dumps({"metadata": {"version": "1.0"}, "entries": entries}, indent=2)


def test_the_json_of_jrnl():
    text = export(
        {"title": "Pressed cider.", "body": "Ten bottles.", "date": "2023-10-07", "time": "18:30",
         "tags": ["@garden"], "starred": False},
        {"title": "Swept the yard.", "body": "", "date": "2023-10-08", "time": "09:10", "tags": []},
    )  # fmt: skip
    source = text.split("\n")
    first, second = exported("journal.json", text)
    assert (first.title, first.when) == ("Pressed cider.", datetime(2023, 10, 7, 18, 30))
    assert first.tags == ("garden",)
    assert "Ten bottles." in source[first.lines[0].line - 1]
    assert first.heading is not None
    assert "Pressed cider." in source[first.heading.line - 1]
    assert (second.date, second.lines) == (date(2023, 10, 8), ())
    assert second.heading is not None
    assert "Swept the yard." in source[second.heading.line - 1]


# -- Day One -----------------------------------------------------------------------------------


def test_the_json_of_day_one():
    text = export(
        {"creationDate": "2023-10-07T21:30:00Z", "tags": ["garden"],
         "text": "# Cider night\n\nWe pressed \\(by hand\\) until late\\.",
         "timeZone": "Europe/Bucharest", "uuid": "0A1B"},
        {"uuid": "0A1C", "timeZone": "Europe\\/Bucharest", "creationDate": "2023-10-08T07:10:00Z",
         "text": "Swept the yard. #chores"},
    )  # fmt: skip
    source = text.split("\n")
    first, second = read_entries("Journal.json", lines_of(text), "json")
    assert first.date == date(2023, 10, 8)  # past midnight where it was written
    assert first.when == datetime(2023, 10, 8, 0, 30, tzinfo=timezone(timedelta(hours=3)))
    assert (first.title, first.text) == ("Cider night", "We pressed (by hand) until late.")
    assert first.tags == ("garden",)
    for entry, written in ((first, "until late"), (second, "Swept the yard")):
        assert written in source[entry.line - 1]
        assert entry.lines[0].line == entry.line
    assert second.title == "Swept the yard. #chores"
    assert second.tags == ("chores",)
    assert second.heading is None


def test_a_text_of_day_one_may_begin_with_a_hashtag():
    text = export({"uuid": "1", "creationDate": "2023-10-07T08:00:00Z", "text": "#cider with Vlad"})
    (entry,) = exported("Journal.json", text)
    assert (entry.text, entry.tags) == ("#cider with Vlad", ("cider",))


def test_an_export_on_one_line():
    item = {"title": "Coffee.", "body": "At Vlad's.", "date": "2023-10-07", "time": "10:00"}
    entries = exported("journal.json", json.dumps({"entries": [item, item, item]}))
    assert [e.line for e in entries] == [1, 1, 1]
    assert len({e.id for e in entries}) == 3


def test_the_same_words_twice_are_found_at_two_places():
    item = {"title": "Coffee.", "body": "At Vlad's.", "date": "2023-10-07", "time": "10:00"}
    one, other = exported("journal.json", export(item, item))
    assert one.line < other.line
    assert one.id != other.id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "7",
        "null",
        '{"entries": 7}',
        '{"entries": [7, null, [], "x", {}]}',
        '{"entries": [{"text": "undated"}]}',
        '{"entries": [{"date": "yesterday", "text": "x"}]}',
        '{"entries": [{"date": 20231007, "text": "x"}]}',
        '{"invoice": {"number": "2023-10-07"}}',
        "{" * 50,
        "[" * 100_000,
    ],
)
def test_json_that_is_no_export(text):
    assert exported("x.json", text) == []


@pytest.mark.parametrize(
    "more",
    [
        {"tags": 5},
        {"tags": "garden"},
        {"tags": None},
        {"tags": [1, None, {}]},
        {"title": 3, "body": 4},
        {"text": None},
        {"text": ["a"]},
        {"timeZone": 7},
        {"timeZone": ""},
        {"timeZone": "Europe"},
        {"timeZone": "../../etc/hosts"},
        {"timeZone": "x" * 5000},
        {"timeZone": "Nowhere/Else"},
        {"uuid": {}},
    ],
)
def test_an_export_with_odd_values_is_still_read(more):
    text = export({"creationDate": "2023-10-07T08:00:00Z", "text": "Cider."} | more)
    (entry,) = exported("x.json", text)
    assert entry.date == DAY
    assert entry.title
    assert entry.tags == ()


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_the_first_and_the_last_day_of_all(stamp, zone):
    (entry,) = exported("x.json", export({"creationDate": stamp, "timeZone": zone, "text": "x"}))
    assert entry.date.year in {1, 9999}


# -- tables ------------------------------------------------------------------------------------


def test_rows_with_a_date_and_a_text():
    text = (
        "Date,Entry,Tags\n"
        "2023-10-07,Picked the apples,garden\n"
        '2023-10-08,"Pressed cider, with Vlad","garden, cider"\n'
    )
    first, second = read(text, "log.csv", "csv")
    assert [(e.date, e.title, e.line) for e in (first, second)] == [
        (DAY, "Picked the apples", 2),
        (date(2023, 10, 8), "Pressed cider, with Vlad", 3),
    ]
    assert second.tags == ("garden", "cider")
    assert second.text == "Pressed cider, with Vlad"


def test_rows_with_titles_in_german():
    text = (
        "Datum;Titel;Notiz\n"
        "07.10.2023;Garten;Äpfel gepflückt\n"
        "08.10.2023;;Most gepresst\n"
        "08.10.2023;;Most gepresst\n"
    )
    first, second, third = read(text, "tagebuch.csv", "csv")
    assert (first.title, first.text) == ("Garten", "Äpfel gepflückt")
    assert first.heading == TextLine("Garten", None, 2)
    assert second.title == third.title == "Most gepresst"
    assert second.id != third.id
    assert second.heading is None


def test_a_table_of_amounts_is_no_journal_unless_it_is_declared():
    text = "date,amount\n2023-10-07,12.50\n2023-10-08,3.20\n"
    assert read(text, "bank.csv", "csv") == []
    first, _ = read(text, "bank.csv", "csv", declared=True)
    assert first.text == "amount: 12.50"


def test_a_row_without_a_date_is_left_out():
    rows = [f"2023-10-{day:02},note {day}" for day in range(1, 10)]
    text = "\n".join(["date,note", *rows, "later,no date here"])
    assert [e.text for e in read(text, "log.csv", "csv")] == [f"note {n}" for n in range(1, 10)]


def test_a_column_that_is_hardly_ever_a_date_is_none():
    text = "what,note\n2023-10-07,a\nplum,b\npear,c\n"
    assert read(text, "log.csv", "csv") == []


# -- ids ---------------------------------------------------------------------------------------


def test_an_id_depends_on_the_day_and_the_title_alone():
    (one,) = read("# Cider\nTen bottles.", "2023-10-07.md")
    (moved,) = read("# Cider\nEleven bottles.", "old/2023-10-07.md")
    (other,) = read("# Cider\nTen bottles.", "2023-10-08.md")
    assert one.id == moved.id
    assert one.id != other.id


# -- whatever stands there ---------------------------------------------------------------------

DAYS = st.dates(date(1990, 1, 1), date(2060, 12, 31))
HEADINGS = st.builds(
    lambda day, form: day.strftime(form),
    DAYS,
    st.sampled_from(
        ["# %Y-%m-%d", "## %d %B %Y", "%A, %B %d, %Y", "[%Y-%m-%d 09:30] Rain. Read all day.",
         "- %Y-%m-%d Cider", "* [%Y-%m-%d %a] Yard", "%d.%m.%Y", "[[%Y-%m-%d]]"]
    ),
)  # fmt: skip
WORDS = st.sampled_from(
    ["Pressed cider.", "Forty kilos", "", "  ", "---", "```", "tags: a, b", "# Yard", "#rain @Vlad",
     "| a | b |", "date,entry", "٢٠٢٣-١٠-٠٧ ٠٩:٩٩", "2023-10-07 99:99", "[2023-10-07] ", "\ud800"]
)  # fmt: skip
TEXTS = st.lists(HEADINGS | WORDS | st.text(max_size=40), max_size=12).map("\n".join)
PATHS = st.sampled_from(["2023-10-07.md", "2023-10-07 – x.md", "diary.md", "a/b", ""])
FORMATS = st.sampled_from(["md", "txt", "org", "csv", "tsv", "json"])


@given(TEXTS, PATHS, FORMATS, st.none() | DAYS, st.booleans())
def test_reading_never_raises_and_every_line_stands_in_the_file(text, path, format_, day, declared):
    source = text.split("\n")
    entries = read_entries(path, lines_of(text), format_, own_date=day, declared=declared)
    for entry in entries:
        assert entry.file == path
        assert 1 <= entry.line <= entry.line_end <= len(source)
        if format_ in {"csv", "tsv", "json"}:
            continue
        for line in (*entry.lines, *([entry.heading] if entry.heading else [])):
            assert line.text in source[line.line - 1]
    assert not [e for e, n in Counter(e.id for e in entries).items() if n > 1]


@given(st.lists(HEADINGS, min_size=2, max_size=8))
def test_every_heading_makes_an_entry(headings):
    entries = read("\n".join(f"{heading}\nA word." for heading in headings))
    assert [e.line for e in entries] == [1 + 2 * n for n in range(len(headings))]


@given(st.text(max_size=120))
def test_any_line_may_be_looked_at_for_a_date(line):
    found = heading_date(line)
    assert found is None or isinstance(found[0], date)
    assert day_of_path(line) is None or isinstance(day_of_path(line), date)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12)
    | st.sampled_from(["2023-10-07", "2023-10-07T08:00:00Z", "09:99", "Europe/Paris", "Europe"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["entries", "date", "time", "creationDate", "timeZone", "text", "title",
                         "body", "tags", "uuid"]),
        inner, max_size=6,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 1]))
def test_any_json_may_be_an_export(items, indent):
    text = json.dumps({"entries": items}, indent=indent)
    entries = exported("x.json", text)
    assert len({e.id for e in entries}) == len(entries)
    assert all(1 <= e.line <= text.count("\n") + 1 for e in entries)
