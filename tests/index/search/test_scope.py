"""What of a library is asked: places and a period, as text and as filters."""

from __future__ import annotations

from datetime import date

import pytest

from manole.errors import UsageError
from manole.index.search.scope import MOST, WHOLE, Scope

MARCH = (date(2024, 3, 1), date(2024, 3, 31))


@pytest.mark.parametrize(
    ("paths", "days", "scope"),
    [
        (None, (None, None), WHOLE),
        ("", (None, None), WHOLE),
        (".", (None, None), WHOLE),
        (["letters", "."], (None, None), WHOLE),
        (["/", "letters"], (None, None), WHOLE),
        (["2024-01-01..2024-02-01"], (None, None), Scope(("2024-01-01..2024-02-01",))),
        ("./letters/", (None, None), Scope(("letters",))),
        (["b.md", "a", "b.md"], (None, None), Scope(("b.md", "a"))),
        (["a"], MARCH, Scope(("a",), *MARCH)),
        ((), (MARCH[0], None), Scope(start=MARCH[0])),
        ((), (None, MARCH[1]), Scope(end=MARCH[1])),
    ],
)
def test_its_text_says_all_of_it(paths, days, scope):
    text = Scope.text(paths, *days)
    assert Scope.parse(text) == scope
    assert (text is None) == (scope == WHOLE) == (not scope)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n2024-02-30..", "no such days"),
        ("\n".join(f"f{i}" for i in range(MOST + 1)), "places"),
        ("..", "outside"),
        ("a\nb/../../c", "outside"),
    ],
)
def test_what_makes_no_sense_is_refused(text, words):
    with pytest.raises(UsageError, match=words):
        Scope.parse(text)


def test_days_in_the_wrong_order_are_refused():
    with pytest.raises(UsageError, match="before"):
        Scope.text((), MARCH[1], MARCH[0])


@pytest.mark.parametrize(
    ("scope", "path", "day", "holds"),
    [
        (WHOLE, "a/b.md", None, True),
        (Scope(("a",)), "a/b.md", None, True),
        (Scope(("a",)), "a", None, True),
        (Scope(("a",)), "ab/c.md", None, False),
        (Scope(("x", "a/b.md")), "a/b.md", None, True),
        (Scope((), *MARCH), "a", MARCH[1], True),
        (Scope((), *MARCH), "a", date(2024, 4, 1), False),
        (Scope(("a",), *MARCH), "b", MARCH[0], False),
    ],
)
def test_what_lies_in_it(scope, path, day, holds):
    assert scope.holds(path, day) is holds


def test_a_search_within_it_is_never_wider():
    scope = Scope(("a",), *MARCH)
    filters = scope.filters(start=date(2024, 1, 1), end=date(2024, 3, 9))
    assert (filters.within, filters.date_from, filters.date_to) == (
        ("a",),
        MARCH[0],
        date(2024, 3, 9),
    )
    assert scope.filters().date_to == MARCH[1]


def test_it_is_named_in_words():
    assert Scope(("a", "b"), *MARCH).words == "in a, b, from 2024-03-01 to 2024-03-31"
    assert Scope(start=MARCH[0]).words == "from 2024-03-01"


def test_only_a_single_place_is_one():
    assert Scope(("a.csv",)).one == "a.csv"
    assert Scope(("a.csv", "b.csv")).one is None
    assert Scope(("a.csv",), *MARCH).one is None
