"""Calendars and contacts as people read them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manole.documents.components import readable

CALENDAR = """BEGIN:VCALENDAR
X-WR-CALNAME:Family
BEGIN:VEVENT
UID:1@x
DTSTAMP:20270101T000000Z
DTSTART;VALUE=DATE:20270617
DTEND;VALUE=DATE:20270622
SUMMARY:Class trip\\, to
  the hills
RRULE:FREQ=YEARLY;COUNT=2
ORGANIZER;CN=Ann:mailto:ann@a.example
BEGIN:VALARM
DESCRIPTION:wake up
END:VALARM
END:VEVENT
BEGIN:VTODO
SUMMARY:Pack
"""


def test_each_component_begins_where_it_begins_in_the_file():
    text = readable(CALENDAR)
    assert text.split("\n")[1:8] == [
        "Calendar: Family", "Event: Class trip, to the hills", "Starts: 2027-06-17",
        "Ends: 2027-06-21", "Repeats: yearly 2", "People: Ann", "",
    ]  # fmt: skip
    assert text.split("\n")[15] == "Task: Pack"  # it is cut off
    assert text.count("\n") == CALENDAR.count("\n")
    assert "wake" not in text


def test_contacts_have_their_name_first():
    card = "BEGIN:VCARD\nTEL:+47 1\nTEL:+47 2\nFN:Rosa\nNOTE:Landlady\\, kind\nEND:VCARD"
    assert readable(card).strip() == "Contact: Rosa\nPhone: +47 1, +47 2\nNotes: Landlady, kind"


def test_other_text_stays():
    assert readable("Dear Rosa,\nBEGIN:VCALENDAR") == "Dear Rosa,\nBEGIN:VCALENDAR"


@given(text=st.text(alphabet='BEGINDVT:VCARD;="CSUMRY2027T0P1H\n \\,', max_size=120))
def test_nothing_raises_and_no_line_moves(text):
    whole = f"BEGIN:VEVENT\nDTSTART:{text}\nDURATION:{text}\n{text}\nEND:VEVENT"
    assert readable(whole).count("\n") == whole.count("\n")
