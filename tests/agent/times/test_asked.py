"""Which questions are about times, and what they ask."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.agent.times.asked import TimeQuestion, understand_times

from .notes import TODAY, asked


@pytest.mark.parametrize(
    ("question", "kind", "words"),
    [
        ("How many times did I have pasta for lunch?", "count", "pasta lunch"),
        ("How many times have I been to Ghent?", "count", "ghent"),
        ("How many time(s) did I go swimming?", "count", "swimming"),
        ("How often did we visit Sanda?", "count", "visit sanda"),
        ("how often do I go running", "count", "running"),
        ("In total, how often was I ill?", "count", "ill"),
        ("How many books did I read in 2024?", "count", "books read"),
        ("How many guests have we invited?", "count", "guests invited"),
        ("How many concerts were there in 2023?", "count", "concerts"),
        ("How many dates did I go on?", "count", "dates"),
        ("How many pet care entries are there?", "count", "pet care"),
        ("When was the first time I baked bread?", "first", "baked bread"),
        ("When did I first go to Ghent?", "first", "ghent"),
        ("When was the last time I saw Sanda?", "last", "saw sanda"),
        ("When did I last see Sanda?", "last", "sanda"),
        ("When was my most recent haircut?", "last", "haircut"),
        ("What was the last time that I flew?", "last", "flew"),
        ("On which days did I swim?", "days", "swim"),
        ("What dates did I see the dentist?", "days", "dentist"),
        ("List the dates when I went to the dentist.", "days", "dentist"),
        ("List all days I ran", "days", "ran"),
        ("List all the days I ran.", "days", "ran"),
        ("How many times did I ride and on which days?", "count", "ride"),
        ("When did I go to Ghent?", "when", "ghent"),
        ("When was the concert?", "when", "concert"),
        ("When will we fly to Oslo?", "when", "fly oslo"),
        ("When is Sanda's birthday?", "when", "sanda birthday"),
        ("Which week did I move?", "when", "move"),
        ("In what month did we paint the kitchen?", "when", "paint kitchen"),
        ("When did I win the first prize?", "when", "win first prize"),
        ("Who did I meet in Ghent?", "who", "meet ghent"),
        ("With whom did I have lunch on 3 May 2024?", "who", "lunch"),
        ("Who was with me at the concert?", "who", "concert"),
        ("Who was I with when I rode on 3 May 2024?", "who", "rode"),
        ("How long did I ride on 3 May 2024?", "long", "ride"),
        ("What did I eat on 5 May 2024?", "what", "eat"),
        ("Where did we have lunch yesterday?", "what", "lunch"),
        ("How many minutes did I read?", "sum", "read"),
        ("How many total km did I ride?", "sum", "ride"),
        ("How many hours have I slept?", "sum", "slept"),
        ("How many euros were spent on coffee?", "sum", "coffee"),
        ("Who did I have lunch with most?", "most", "lunch"),
        ("Who did I meet in May? List everyone.", "who", "meet"),
        ("List everyone I met in Ghent", "who", "met ghent"),
        ("List all the people I met", "who", "met"),
        ("How many days between my exam and the party?", "between", "exam"),
    ],
)
def test_what_is_asked_and_of_which_words(question, kind, words):
    found = asked(question)
    assert (found.kind, found.words) == (kind, tuple(words.split()))


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "When?",
        "How many?",
        "how many times did I go?",
        "How many invoices are there?",
        "How many PDF files are there?",
        "How many files do I have?",
        "How many rooms are there in the flat?",
        "How many people live there?",
        "How many people did I meet?",
        "How many weeks did I spend in Lisbon?",
        "How many months have I lived here?",
        "How many pages does the contract have?",
        "How many minutes do I have to boil eggs?",
        "How many pages are there?",
        "How much is the rent?",
        "How much does the insurance cost?",
        "How much did I spend on groceries?",
        "How long is the notice period?",
        "How long did the flight take?",
        "How often should I water the ficus?",
        "How often is the rent due?",
        "How many times a year must the boiler be serviced?",
        "How many times can I renew the contract?",
        "What is the rent?",
        "What was the total of the last invoice?",
        "What did I do yesterday?",
        "What did I eat in May 2024?",
        "Where did I eat?",
        "What time is it?",
        "What are the most important points of the contract?",
        "Which is my newest invoice?",
        "Which file is the largest?",
        "Which invoices are most expensive?",
        "Which file was changed last week?",
        "Who is the landlord?",
        "Who wrote the letter of 3 May 2024?",
        "Where was I in May?",
        "Where is the floor plan?",
        "When can I cancel?",
        "When should I water the ficus?",
        "When to plant beans",
        "Whenever did that happen?",
        "List the invoices of 2024",
        "List all files of March 2024",
        "Name the people who signed the contract",
        "When did I move house and who helped me?",
        "When did I move house? Who helped me?",
        "How many km did I ride in 2024 and how many in 2023?",
        "How often did I ride and with whom?",
        "Summarise my week",
        "Tell me about the first day at work",
        "Do I have a warranty?",
        "Why did I leave early?",
        "How do I reset the router?",
        "Show everything between May and June 2024",
    ],
)
def test_a_question_that_asks_something_else(question):
    assert understand_times(question, TODAY) is None


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("How often did I swim in December 2021?", date(2021, 12, 1), date(2021, 12, 31)),
        ("How often did I swim last year?", date(2024, 1, 1), date(2024, 12, 31)),
        ("How often did I swim between May and July 2023?", date(2023, 5, 1), date(2023, 7, 31)),
        ("How often did I swim since 3 June 2024?", date(2024, 6, 3), None),
        ("How many times in May 2024 did I swim?", date(2024, 5, 1), date(2024, 5, 31)),
        ("On which days in 2024 did I swim?", date(2024, 1, 1), date(2024, 12, 31)),
    ],
)
def test_a_period_is_no_word_of_the_event(question, start, end):
    found = asked(question)
    assert found.words == ("swim",)
    assert found.period is not None
    # "since 3 June" begins on the next day or the same one: what counts is that it is open.
    assert found.period.end == end
    assert found.period.start is not None
    assert abs((found.period.start - start).days) <= 1


@pytest.mark.parametrize(
    ("question", "unit", "words"),
    [
        ("How many minutes did I read in May 2024?", "minutes", ("read",)),
        ("How many hours did I sleep?", "minutes", ("sleep",)),
        ("How many km have I run?", "km", ("run",)),
        ("How many kilometers did I run?", "km", ("run",)),
        ("How many miles did we walk?", "miles", ("walk",)),
        ("How many pages did I write?", "pages", ("write",)),
        ("How many steps did I walk?", "steps", ("walk",)),
        ("How many euros did I spend on coffee?", "EUR", ("coffee",)),
        ("How many dollars did I spend on coffee?", "USD", ("coffee",)),
        ("How many glasses of water did I drink?", "cups", ("water", "drink")),
    ],
)
def test_what_is_added_up(question, unit, words):
    found = asked(question)
    assert (found.kind, found.unit, found.words) == ("sum", unit, words)


@pytest.mark.parametrize(
    ("question", "by", "words", "weighed"),
    [
        ("What did I eat most?", "eat", (), False),
        ("What did I eat most for breakfast?", "eat", ("breakfast",), False),
        ("Which sport did I do most often?", "do", (), False),
        ("Which book did I read the most?", "read", (), False),
        ("Who did I meet most often?", "name", ("meet",), False),
        ("Who did I spend the most time with?", "name", (), True),
        ("With whom did I talk most?", "name", ("talk",), False),
        ("In which month did I swim most?", "month", ("swim",), False),
        ("In what year did I travel the most?", "year", ("travel",), False),
    ],
)
def test_what_is_compared(question, by, words, weighed):
    found = asked(question)
    assert (found.kind, found.by, found.words, found.weighed) == ("most", by, words, weighed)


def test_two_events_and_the_days_between_them():
    found = asked("How many days were there between my exam and the party in Ghent?")
    assert (found.kind, found.words, found.second) == ("between", ("exam",), ("party", "ghent"))
    assert found.of_second().words == ("party", "ghent")


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("When did I go to Rio?", "go"),
        ("When did I last visit Rio?", "visit"),
        ("When have we finally sold the car?", "sold"),
        ("When was the concert?", ""),
    ],
)
def test_what_i_did(question, verb):
    assert asked(question).verb == verb


@given(st.text(max_size=80))
def test_any_text_may_be_asked(text):
    for start in ("", "How many times did I ", "When did ", "Who did I most "):
        found = understand_times(start + text, TODAY)
        assert found is None or isinstance(found, TimeQuestion)
        if found is not None and found.kind not in {"most", "between"}:
            assert found.words


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("Who did I meet in May?", True),
        ("Who did I meet in May? List everyone.", False),
        ("List all the people I met", False),
        ("Who did I meet most?", False),
        ("How long did I ride yesterday?", True),
        ("How many minutes did I ride?", False),
    ],
)
def test_whether_one_event_is_meant(question, one):
    assert asked(question).one is one
