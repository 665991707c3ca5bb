"""What mentions come to, computed over a small journal."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.agent.times.compute import Finding, compute, objects_of, quantity, when
from manole.agent.times.mentions import Mention, known_keys, mentions

from .notes import answer, asked, entry, journal

WEDNESDAY = "2024-02-21"


def mention(text: str, day: str = WEDNESDAY) -> Mention:
    made = entry(text, day)
    return Mention(made, made.lines[0])


# -- how often, first, last, which days ---------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many times did I have soup for lunch?", "3"),
        ("How many times did I have soup in April 2024?", "2"),
        ("How often did I have lunch with Dorin in 2024?", "3"),
        ("How often did I ride this year?", "1"),
        ("When was the first time I had soup for lunch?", "2024-04-02"),
        ("When did I first ride against the wind?", "2024-05-04"),
        ("When was the last time I had soup?", "2024-06-01"),
        ("When did I last ride in 2024?", "2024-05-04"),
        ("On which days did I have soup for lunch in April 2024?", "2024-04-02, 2024-04-09"),
        ("When did I call Sanda?", "2024-05-04"),
        ("When was the dentist appointment?", "2024-06-01"),
        ("How many km did I ride?", "40.5"),
        ("How many km did I ride in 2024?", "20"),
        ("How many minutes did I spend reading?", "130"),
        ("How many minutes did I read in May 2024?", "30"),
        ("Who did I have lunch with most?", "Dorin"),
        ("In which month did I ride most?", "April 2024 and January 2025 and May 2024"),
        ("What did I eat most?", None),
        ("How many days between the dentist appointment and my call to Sanda?", "28"),
        ("How many times did I play chess?", None),
        ("With whom did I have lunch on 1 June 2024?", "Sanda, Dorin"),
        ("Who did I have noodles with?", "Dorin"),
        ("Who did I have soup with for lunch?", None),  # on several days
        ("Who did I have a pizza with on 1 June 2024?", None),
        ("Who was with me at the dentist on 1 June 2024?", None),
        ("How long did I read on 4 May 2024?", "30 minutes"),
        ("How long did I read?", None),
        ("How long did I ride on 4 May 2024?", None),
        ("What did I have for lunch on 9 April 2024?", "Had soup for lunch alone."),
        ("What did I eat for dinner on 21 May 2024?", "Had soup for dinner."),
        ("What did I eat on 21 May 2024?", None),  # "had" alone says nothing of eating
        ("Where did I ride on 9 April 2024?", "Rode 12 km on the canal path."),
        ("What did I play on 9 April 2024?", None),
    ],
)
def test_the_value(question, value):
    made = answer(question)
    assert (made and made.value) == value


def test_every_mention_bears_the_finding_out_in_order_of_time():
    made = answer("How many times did I have soup for lunch?")
    assert [m.entry.date.isoformat() for m in made.mentions] == [
        "2024-04-02", "2024-04-09", "2024-06-01",
    ]  # fmt: skip
    assert made.days == tuple(m.entry.date for m in made.mentions)


def test_first_and_last_are_one_mention():
    assert len(answer("When did I last have soup?").mentions) == 1
    assert len(answer("When was the first time I had soup?").mentions) == 1


def test_a_first_time_told_later_is_on_its_own_day():
    notes = journal({"2024-05-03": "Swam in the lake.", "2024-05-02": "Yesterday I swam, cold!"})
    assert answer("When was the first time I swam?", notes).value == "2024-05-01"
    assert answer("When was the last time I swam?", notes).value == "2024-05-03"


def test_without_mentions_there_is_no_finding():
    assert compute(asked("When did I ride?"), []) is None
    assert answer("When did I have noodles in 2021?") is None


def test_prose_is_not_counted():
    long = "We rode along the canal and talked of the old days, of the mill and its wheel. " * 4
    notes = journal({"2024-05-03": long, "2024-05-02": "Rode to the mill."})
    assert answer("How often did I ride to the mill?", notes) is None
    assert answer("How often did I ride to the mill?", notes[1:]).value == "1"


# -- when --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Took the train to Ghent.", "2024-02-21", "2024-02-21"),
        ("Took the train to Ghent yesterday.", "2024-02-20", "2024-02-20"),
        ("The day before yesterday we hiked.", "2024-02-19", "2024-02-19"),
        ("Gestern war ich schwimmen.", "2024-02-20", "2024-02-20"),
        ("Last night it stormed.", "2024-02-20", "2024-02-20"),
        ("Today we swam.", "2024-02-21", "2024-02-21"),
        ("Tomorrow is the exam.", "2024-02-22", "2024-02-22"),
        ("Two days ago I bought a lamp.", "2024-02-19", "2024-02-19"),
        ("We met last Friday.", "2024-02-16", "2024-02-16"),
        ("Met him this past Sunday.", "2024-02-18", "2024-02-18"),
        ("On Monday I saw the doctor.", "2024-02-19", "2024-02-19"),
        ("Last week I met Sanda.", "2024-02-12", "2024-02-18"),
        ("Next week we fly to Oslo.", "2024-02-26", "2024-03-03"),
        ("I broke my arm last month.", "2024-01-01", "2024-01-31"),
        ("In 2019 I lived in Ghent.", "2019-01-01", "2019-12-31"),
        ("Recently I read a lot.", "2024-02-21", "2024-02-21"),
        ("I may go to Ghent.", "2024-02-21", "2024-02-21"),
        ("Read for two weeks without a break.", "2024-02-21", "2024-02-21"),
        ("Since March I ride.", "2024-02-21", "2024-02-21"),
        ("Read about the year 1066 again.", "2024-02-21", "2024-02-21"),
    ],
)
def test_words_count_from_the_day_of_the_entry(text, first, last):
    period = when(mention(text))
    assert (str(period.start), str(period.end)) == (first, last)


def test_the_sentence_that_speaks_of_it_says_when():
    line = mention("Last week it rained. Yesterday I rode to the mill. In June we move.")
    assert when(line, frozenset({"mill"})).text == "yesterday"
    assert when(line, frozenset({"rain"})).text == "last week"


def test_the_sentence_beside_it_says_when():
    line = mention("Something odd happened last Friday. I went to the mill.")
    assert when(line, frozenset({"mill"})).start == date(2024, 2, 16)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("Visited Sanda.", "2024-02-21"),
        ("Yesterday I visited Sanda.", "2024-02-20"),
        ("Last week I visited Sanda.", "2024-02-12 to 2024-02-18"),
        ("I visited Sanda last month.", "January 2024"),
        ("Visited Sanda and read The Year 1984 to her.", "2024-02-21"),
    ],
)
def test_when_did_it_happen(line, value):
    made = answer("When did I visit Sanda?", [entry(line, WEDNESDAY)])
    assert made.value == value
    assert len(made.mentions) == 1


def test_of_several_notes_every_day_is_told():
    notes = journal({"2024-02-01": "Visited Sanda.", "2024-02-21": "Yesterday I visited Sanda."})
    assert answer("When did I visit Sanda?", notes).value == "2024-02-01, 2024-02-20"


def test_in_a_talk_the_one_who_is_asked_about_tells():
    talk = journal(
        {
            "2024-02-02": "Dorin: Did you see that Sanda moves house?",
            "2024-02-21": "Sanda: I moved to the new house last Friday. What a week!",
        }
    )
    assert answer("When did Sanda move house?", talk).value == "2024-02-16"


# -- sums --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("Read for 40 minutes", "minutes", 40),
        ("Read 1 h 30 min", "minutes", 90),
        ("slept 7.5 hours", "minutes", 450),
        ("schlief 7,5 Stunden", "minutes", 450),
        ("a 90-minute walk", "minutes", 90),
        ("20 minutes of news, 25 minutes of bread", "minutes", 45),
        ("half an hour", "minutes", 30),
        ("an hour on the phone", "minutes", 60),
        ("two hours of sleep", "minutes", 120),
        ("5km", "km", 5),
        ("rode 21.097 km", "km", 21.097),
        ("walked 10,000 steps", "steps", 10_000),
        ("1,200 steps and 300 steps", "steps", 1500),
        ("1,234,567 steps", "steps", 1_234_567),
        ("paid €4.20", "EUR", 4.2),
        ("paid 12,50 EUR", "EUR", 12.5),
        ("paid 1.500 Euro", "EUR", 1500),
        ("paid 1.234,50 EUR", "EUR", 1234.5),
        ("paid 1,234.50 euros", "EUR", 1234.5),
        ("$5 for bread and 3 dollars for milk", "USD", 8),
        ("paid 5 dollars", "EUR", None),
        ("read all day", "minutes", None),
        ("the minutes of the meeting", "minutes", None),
        ("room 12, hours later", "minutes", None),
        ("", "km", None),
    ],
)
def test_how_much_a_line_speaks_of(text, unit, amount):
    assert quantity(text, unit) == (None if amount is None else pytest.approx(amount))


def test_a_sum_is_borne_out_by_the_lines_that_name_an_amount():
    notes = journal(
        {"2024-02-01": "Rode 5 km.", "2024-02-02": "Rode to work.", "2024-02-03": "Rode 7 km."}
    )
    made = answer("How many km did I ride?", notes)
    assert made.value == "12"
    assert [m.text for m in made.mentions] == ["Rode 5 km.", "Rode 7 km."]


def test_no_amount_is_no_sum():
    assert answer("How many pages did I read?") is None


@given(st.text(max_size=60), st.sampled_from(["minutes", "km", "EUR", "steps"]))
def test_any_text_has_an_amount_or_none(text, unit):
    amount = quantity(text, unit)
    assert amount is None or amount >= 0


# -- most, who, between -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "text", "objects"),
    [
        ("eat", "Ate pasta with Dorin.", ["pasta"]),
        ("eat", "I ate rice, beans and some bread today", ["rice", "beans", "bread"]),
        ("eat", "Dorin eats an apple", ["apple"]),
        ("do", "I did yoga on 8 June", ["yoga"]),
        ("read", "Reading the Iliad in bed", ["Iliad"]),
        ("read", "Read for 40 minutes before bed.", []),
        ("play", "Slept well.", []),
    ],
)
def test_what_follows_a_verb(verb, text, objects):
    assert objects_of(verb, text) == objects


def test_what_was_done_most():
    notes = journal(
        {
            "2024-02-01": "Ate pasta with Dorin.",
            "2024-02-02": "Ate rice.",
            "2024-02-03": "I ate pasta and bread.",
        }
    )
    made = answer("What did I eat most?", notes)
    assert made.value == "pasta"
    assert made.shares == (("pasta", 2.0), ("bread", 1.0), ("rice", 1.0))
    assert [m.entry.date.day for m in made.mentions] == [1, 3]


def test_what_comes_out_even_is_all_told_and_all_borne_out():
    notes = journal({"2024-02-01": "Ate pasta.", "2024-02-02": "Ate rice."})
    made = answer("What did I eat most?", notes)
    assert made.value == "pasta and rice"
    assert {m.text for m in made.mentions} == {"Ate pasta.", "Ate rice."}


def test_the_most_time_is_weighed_by_minutes():
    notes = journal(
        {
            "2024-02-01": "Talked with Dorin for 10 minutes.",
            "2024-02-02": "Talked with Dorin for 20 minutes.",
            "2024-02-03": "Talked with Sanda for 2 hours.",
        }
    )
    assert answer("Who did I talk with most often?", notes).value == "Dorin"
    made = answer("Who did I spend most time talking with?", notes)
    assert (made.value, made.shares[0]) == ("Sanda", ("Sanda", 120.0))


def test_the_month_and_the_year_of_most():
    notes = journal({f"2024-0{month}-0{day}": "Swam." for month, day in ((3, 1), (5, 2), (5, 4))})
    notes += journal({"2023-05-01": "Swam."})
    assert answer("In which month did I swim most?", notes).value == "May 2024"
    assert answer("In which month of 2024 did I swim most?", notes).value == "May"
    assert answer("In which year did I swim most?", notes).value == "2024"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Met Dorin and Sanda on Monday.", "Dorin, Sanda"),
        ("- Met Dorin", "Dorin"),
        ("* [ ] Met Dorin", "Dorin"),
        ("09:30 – Met Dorin", "Dorin"),
        ("1. Met Dorin, Sanda and Mihai Pop", "Dorin, Sanda, Mihai Pop"),
        ("Met Dr Ursu at the Museum.", "Dr Ursu"),
        ("Met Dorin and Dorin's mother", "Dorin"),
        ("Met Élodie again", "Élodie"),
    ],
)
def test_who_was_there(line, names):
    assert answer("List everyone I met", [entry(line)]).value == names


def test_nobody_is_no_answer():
    assert answer("List everyone I met", [entry("Met the neighbours.")]) is None


def test_the_one_met_most_often_comes_first():
    notes = journal(
        {"2024-02-01": "Met Dorin.", "2024-02-02": "Met Sanda.", "2024-02-03": "Met Sanda."}
    )
    made = answer("List everyone I met", notes)
    assert made.value == "Sanda, Dorin"
    assert made.shares == (("Sanda", 2.0), ("Dorin", 1.0))
    assert len(made.mentions) == 3


@pytest.mark.parametrize(
    "question",
    [
        "How many days between the exam and the party?",
        "How many days were there between the party and the exam?",
    ],
)
def test_the_days_between_two_events(question):
    notes = journal({"2024-02-25": "The exam, at last.", "2024-03-02": "Yesterday was the party."})
    made = answer(question, notes)
    assert isinstance(made, Finding)
    assert made.value == "5"
    assert set(made.days) == {date(2024, 2, 25), date(2024, 3, 1)}


def test_one_event_alone_has_no_days_between():
    notes = journal({"2024-02-25": "The exam, at last."})
    assert answer("How many days between the exam and the party?", notes) is None


def test_a_country_behind_a_place_is_no_person():
    days = {
        "2024-03-01": "Ate noodles with Dorin in London, England.",
        "2024-03-02": "Met Sanda.",
        "2024-03-03": "Read.",
    }
    asked_ = asked("Who did I eat noodles with?")
    entries = journal(days)
    found = compute(asked_, mentions(asked_, entries, known_keys(entries)))
    assert found is not None and found.value == "Dorin"
