"""Which words of a text may be names."""

from __future__ import annotations

import pytest

from manole.text.names import capitalised, names


def found(text, **how):
    return [name[0] for name in names(text, **how)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lunch with Dr. Vogt and Łucja Żak.", ["Dr. Vogt", "Łucja Żak"]),
        ("Met Tom. Called Anna Miller.", ["Tom", "Anna Miller"]),
        ("1. Add salt, says Tom.", ["Tom"]),
        ("Fällig am 5. Mai bei Frau Lind.", ["Frau Lind"]),
        ("Emma  Tom", ["Tom"]),
        ("a partner of Tesla", ["Tesla"]),
        ("", []),
    ],
)
def test_a_name_has_a_capital_where_nothing_asks_for_one(text, expected):
    assert found(text) == expected


def test_a_name_is_whole_where_that_is_asked_for():
    assert found("Anna Miller is at the University of Bremen", whole=True) == [
        "Anna Miller",
        "University of Bremen",
    ]
    assert capitalised("at the University of Bremen") == ["University", "Bremen"]
