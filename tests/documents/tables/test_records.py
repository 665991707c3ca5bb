"""Records as rows: calendars, contacts, lists of JSON objects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .texts import cells, one, tables

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:1@x
DTSTART;TZID="Europe/Oslo":20270305T073000
SUMMARY:Choir\\, first
  evening
BEGIN:VALARM
DESCRIPTION:wake up
END:VALARM
LOCATION;LANGUAGE=en:Old hall
END:VEVENT
BEGIN:VTODO
DUE:20270401
SUMMARY:Taxes
END:VTODO
END:VCALENDAR
"""
BERGEN = '{"city": "Bergen", "rain": 239, "wet": true}'
ROME = '{"city": "Rome", "tags": ["a", 1]}'
CONTACTS = """BEGIN:VCARD
FN:Rosa Lind
N:Lind;Rosa;;;
item1.TEL;TYPE=HOME:+47 22 00 00
TEL;TYPE=CELL:+47 91 00 00
ADR:;;Mill Lane 2;Oslo;;0150;Norway
END:VCARD
BEGIN:VCARD
FN:Tom
EMAIL:tom@lind.example
END:VCARD
"""


def test_events_are_rows_with_days_that_can_be_compared():
    table = one(CALENDAR, "ics")
    assert table.columns == ("title", "starts", "location", "due")
    assert cells(table) == [
        ("Choir, first evening", "2027-03-05 07:30", "Old hall", ""),
        ("Taxes", "", "", "2027-04-01"),
    ]
    assert [row.line for row in table.rows] == [3, 13]
    assert "Old hall" in table.rows[0].text
    assert table.rows[0].text.startswith("Event: Choir")


def test_numbers_are_as_they_are_written():
    text = '[{"name": "club", "monthly": 31.00}, {"name": "library", "monthly": 2.50}]'
    assert cells(one(text, "json")) == [("club", "31.00"), ("library", "2.50")]


def test_contacts_are_rows_with_all_their_numbers():
    table = one(CONTACTS, "vcf")
    assert table.columns == ("name", "phone", "address", "email")
    assert cells(table) == [
        ("Rosa Lind", "+47 22 00 00, +47 91 00 00", "Mill Lane 2, Oslo, 0150, Norway", ""),
        ("Tom", "", "", "tom@lind.example"),
    ]


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        (f"[{BERGEN},\n {ROME}]", "json"),
        ('{"of": 2024, "cities": [\n' + f'{BERGEN},\n{ROME[:-1]}, "x": {{"y": 1}}}}]}}', "json"),
        (f"{BERGEN}\n{ROME}", "jsonl"),
    ],
)  # fmt: skip
def test_objects_of_a_list_are_rows(text, format_):
    table = one(text, format_)
    assert table.columns == ("city", "rain", "wet", "tags")
    assert cells(table) == [("Bergen", "239", "yes", ""), ("Rome", "", "", "a, 1")]
    first = next(n for n, line in enumerate(text.split("\n"), 1) if "Bergen" in line)
    assert [row.line for row in table.rows] == [first, first + 1]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"a": 1}', '[{"a": ', '["x", {"a": 1, "b": 2}', "[1, 2]", '[{"a": {}}]'],
)
def test_what_holds_no_records_is_no_table(text):
    assert tables(text, "json") == []


@pytest.mark.parametrize("format_", ["ics", "vcf", "json", "jsonl"])
@given(text=st.text(alphabet='BEGINDVT:;,\n {}[]"\\ab1', max_size=80))
def test_broken_files_give_what_they_hold(text, format_):
    for prefix in ("", "BEGIN:VEVENT\nSUMMARY:a\n", '[{"a": 1, "b": 2},'):
        assert len(tables(prefix + text, format_)) <= 1
