"""Sentences checked against the example household."""

from __future__ import annotations

import pytest

from common_fixtures import TODAY
from manole.agent.check import check, statements
from manole.errors import UsageError
from manole.index.search.scope import Scope

CONTRACT = "home/rental-contract.pdf"


async def told(library, text):
    (one,) = await check(library, text, TODAY)
    return one


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("Three months' notice must be given by the tenants, to a month's end.", CONTRACT),
        ("Nordhus Ferie received a deposit of 410 euros.", "holidays/holiday-house-booking.eml"),
        ("If the pressure is below 0.8 bar, the boiler stops with E10.",
         "home/boiler-thermaro-b24-manual.pdf"),
    ],
)  # fmt: skip
async def test_what_a_file_says_in_other_words_is_stated(household, text, file):
    one = await told(household, text)
    assert (one.verdict, one.file) == ("stated", file)
    assert one.quote and one.differs is None


@pytest.mark.parametrize(
    ("text", "said", "source"),
    [
        ("The notice period for the tenants is two months.", "2 months", "3 months"),
        ("You may cancel the booking free of charge until 15 May 2023.", "15 May 2023",
         "5 May 2023"),
        ("Bed linen is included.", "not denied", "denied"),
    ],
)  # fmt: skip
async def test_another_figure_day_or_denial_contradicts(household, text, said, source):
    one = await told(household, text)
    assert one.verdict == "contradicted"
    assert (one.differs.said, one.differs.source) == (said, source)


@pytest.mark.parametrize(
    "text",
    [
        "The tenants may keep two cats in the flat.",
        "Thermaro installed the boiler in 2019.",
        "Mara Linde's phone contract costs 25 euros a month.",
        "The premium of the household contents insurance is 148.20 euros a month.",
        "The notice period for the tenants is three months, and Gerda Hollerbach lives in Peru.",
        "The notice period for the landlord is six months after eight years.",
    ],
)
async def test_what_is_in_doubt_is_not_found(household, text):
    assert (await told(household, text)).verdict == "not found"


async def test_a_scope_leaves_out_other_files(household):
    text = "The notice period for the tenants is three months."
    (inside,) = await check(household, text, TODAY, Scope(("home",)))
    (outside,) = await check(household, text, TODAY, Scope(("recipes",)))
    assert (inside.verdict, outside.verdict) == ("stated", "not found")


def test_greetings_and_questions_state_nothing():
    text = "Dear all,\n\nThe rent is 5 euros. Is that true?\n\n- The flat is old."
    assert statements(text) == ["The rent is 5 euros.", "- The flat is old."]


@pytest.mark.parametrize(
    "text", ["x " * 30_000, f"The {'word ' * 300}ends.", "A flat is old. " * 201]
)
def test_a_text_that_cannot_be_checked_is_refused(text):
    with pytest.raises(UsageError):
        statements(text)
