"""What follows from a sentence by one step of arithmetic."""

from __future__ import annotations

from datetime import date

import pytest

from agent.fake_models import FakeMissingModel
from agent.turns import turn
from manole.agent.answer.reckoned import reckoned
from manole.agent.languages import words_of
from manole.library import Library
from manole.text.question import Question

TODAY = date(2024, 12, 31)
SEVEN = "**7 years** (22 July 2017 – 31 December 2024)"


def of(asked: str, sentence: str, language: str = "en") -> str:
    return reckoned(Question(asked, TODAY), sentence, words_of(language))


@pytest.mark.parametrize(
    ("asked", "sentence", "told"),
    [
        ("the yard per year", "Fee: 65 euro a month", "**780.00 EUR** (65.00 × 12)"),
        ("yearly rent", "The monthly rent is EUR 1,180.00", "**14,160.00 EUR** (1,180.00 × 12)"),
        ("and that a month?", "Premium: 120.00 EUR a year", "**10.00 EUR** (120.00 ÷ 12)"),
        ("combien par an", "12,50 € par mois", "**150.00 EUR** (12.50 × 12)"),
    ],
)  # fmt: skip
def test_an_amount_is_told_for_the_time_that_is_asked(asked, sentence, told):
    assert of(asked, sentence) == told


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("what's the yard per month", "Fee: 65 euro a month"),  # as it stands there
        ("how much per year", "Fee: 65 euro"),  # how often?
        ("how many kWh per year", "12 monthly payments of 110.00 EUR"),  # no money is asked for
        ("how much per year", "65 euro a month, or 700 euro a year"),
        ("how much per year", "paid monthly, see the list"),
        ("how much is it", "65 euro a month"),
        ("its cost in 2027", "from 2027 on 54.60 EUR monthly"),  # a month is not asked as a year
    ],
)
def test_an_amount_is_left_where_it_is_not_said_how_often(asked, sentence):
    assert of(asked, sentence) == ""


@pytest.mark.parametrize(
    ("asked", "sentence", "told"),
    [
        ("how old is Ida", "IDA (born 22 July 2017)", SEVEN),
        ("quel âge a Ida", "IDA (born 22 July 2017)", SEVEN),
        ("how long have we lived here", "The lease begins on 1 March 2022.",
         "**2 years** (1 March 2022 – 31 December 2024)"),
        ("how many days are we late", "It was due on 12 December 2024.",
         "**19 days** (12 December 2024 – 31 December 2024)"),
        ("how many weeks are left", "It runs until 28 February 2025.",
         "**8 weeks** (31 December 2024 – 28 February 2025)"),
        ("how long is it valid until then", "valid until 4 January 2025",
         "**4 days** (31 December 2024 – 4 January 2025)"),
    ],
)  # fmt: skip
def test_an_age_and_the_time_since_or_until_a_day_are_told(asked, sentence, told):
    assert of(asked, sentence) == told


def test_a_unit_is_named_in_the_language_of_the_question():
    assert of("hoeveel weken nog", "tot 28 februari 2025", "nl").startswith("**8 weken**")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("how old is Ida", "Ida's school begins on 2 September 2025."),  # not yet
        ("how many rooms have we left", "since 1 March 2022"),  # of other things
        ("how many days are left", "from 1 March 2025 to 4 March 2025"),  # of which?
        ("how long is the notice", "three months, from 1 March 2022"),
        ("how many quarters are left", "until 1 March 2026"),
    ],
)
def test_no_time_is_told_where_none_is_asked_or_no_one_day_is_said(asked, sentence):
    assert of(asked, sentence) == ""


PEOPLE = """\
# The household

Ida's birthday party was on 22 July 2024, with eight children at the city farm.

IDA (born 22 July 2017). Allergies: hazelnuts.

EMIL (born 8 August 2013). Allergies: birch pollen.

Pippa's rabies vaccination is valid until 13 March 2025, says the vet.
"""


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how old is Ida", "**7 years** (22 July 2017 – 15 January 2025)"),
        ("wie alt ist Emil", "**11 Jahre** (8. August 2013 – 15. Januar 2025)"),
        ("how many days is Pippa's rabies vaccination still valid, until when",
         "**57 days** (15 January 2025 – 13 March 2025)"),
    ],
)  # fmt: skip
async def test_what_is_asked_is_reckoned_from_the_sentence_from_which_it_follows(
    asked, told, session_settings, tmp_path
):
    (tmp_path / "files").mkdir()
    (tmp_path / "files/people.md").write_text(PEOPLE, "utf-8")
    own = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open(tmp_path / "files", own) as library:
        await library.sync()
        end = (await turn(library, own, FakeMissingModel(), asked))[-1]
        assert end.answer.startswith(told) and end.found and end.model_calls == 0
        nobody = (await turn(library, own, FakeMissingModel(), "how old is Henrike"))[-1]
        assert "years" not in nobody.answer
