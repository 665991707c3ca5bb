"""Events and tasks of calendars."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from manole.documents.components import readable
from manole.documents.notes.calendar import events_in, todos_in

from .texts import lines as lines_of


def lines(text: str):
    return lines_of(readable(text))


def event(*properties: str):
    text = "\n".join(("BEGIN:VCALENDAR", "BEGIN:VEVENT", *properties, "END:VEVENT"))
    (found,) = events_in(lines(text))
    return found


def todos(*properties: str):
    return todos_in(lines("\n".join(("BEGIN:VTODO", *properties, "END:VTODO"))))


def test_an_event_with_people_and_a_place():
    found = event(
        'DTSTART;TZID="Europe/Oslo":20270305T073000', "DTEND:20270305T083000",
        "SUMMARY:Choir\\, first", "LOCATION:Old hall", "DESCRIPTION:bring\\nscores",
        "RRULE:FREQ=WEEKLY",
        'ORGANIZER;CN="Lind, Rosa":mailto:rosa@a.example',
        "ATTENDEE;CN=Tom Ek;ROLE=X:MAILTO:tom@a.example", "ATTENDEE:mailto:kim@a.example",
    )  # fmt: skip
    assert (found.line, found.title, found.place) == (2, "Choir, first", "Old hall")
    assert (found.date, found.ends, found.start) == (date(2027, 3, 5), date(2027, 3, 5), "07:30")
    assert found.notes == "bring scores"
    assert found.people == "Lind, Rosa, Tom Ek, kim@a.example"


def test_whole_days_end_on_their_last_day():
    found = event("DTSTART;VALUE=DATE:20270701", "DTEND;VALUE=DATE:20270715")
    assert (found.date, found.ends, found.start) == (date(2027, 7, 1), date(2027, 7, 14), "")
    assert event("DTSTART;VALUE=DATE:20270801").ends == date(2027, 8, 1)
    assert event("DTSTART;VALUE=DATE:20270801", "DURATION:P2D").ends == date(2027, 8, 2)
    assert event("DTSTART:20270801T220000Z", "DURATION:PT4H").ends == date(2027, 8, 2)


def test_days_that_do_not_exist_are_none():
    found = event("DTSTART:20270231T220000", "DTEND:20279999", "DURATION:P99999W", "SUMMARY:Never")
    assert (found.title, found.date, found.ends, found.start) == ("Never", None, None, "")


def test_a_cancelled_event_is_none():
    text = "BEGIN:VEVENT\nDTSTART:20270301\nSTATUS:CANCELLED\nEND:VEVENT"
    assert events_in(lines(text)) == []


def test_tasks_are_open_until_they_are_completed():
    (taxes,) = todos("SUMMARY:Taxes", "DUE:20270401", "CATEGORIES:home,tax")
    assert (taxes.text, taxes.is_done, taxes.due) == ("Taxes", False, date(2027, 4, 1))
    assert (taxes.done, taxes.tags) == (None, ("home", "tax"))
    (paint,) = todos("SUMMARY:Paint", "STATUS:COMPLETED", "COMPLETED:20270301T101010Z")
    assert (paint.is_done, paint.done) == (True, date(2027, 3, 1))
    assert todos("SUMMARY:Gone", "STATUS:CANCELLED") == todos("DUE:20270401") == []


@given(text=st.text(alphabet='BEGIN:VTOD;="CSUMRY2027T0P1H\n \\,', max_size=120))
def test_nothing_raises(text):
    for thing in ("VEVENT", "VTODO"):
        body = lines(f"BEGIN:{thing}\nDTSTART:{text}\nDURATION:{text}\n{text}\nEND:{thing}")
        assert all(found.line for found in (*events_in(body), *todos_in(body)))
