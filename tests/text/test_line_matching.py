"""Lines with a pattern: case, accents, phrases over a line's end, expressions."""

from __future__ import annotations

import pytest

from manole.text.line_matching import LinePattern


def found(pattern, *lines, joints=None, **how):
    """The marked words of each match, with its line."""
    joints = joints or [True] * (len(lines) - 1) + [False]
    matches = LinePattern(pattern, **how).matches(list(lines), joints)
    return [(m.at, *(m.text[a:b] for a, b in m.spans)) for m in matches]


@pytest.mark.parametrize(
    ("pattern", "line", "marked"),
    [
        ("kundigung", "Die KÜNDIGUNG gilt", "KÜNDIGUNG"),
        ("Strasse", "in der Straße 5", "Straße"),
        ("notice period", "the notice \u00a0 period is", "notice \u00a0 period"),
        ("don't", "we don’t know", "don’t"),
        ("a.c (x", "abc a.c (x)", "a.c (x"),
    ],
)
def test_words_are_found_however_they_are_written(pattern, line, marked):
    assert found(pattern, line) == [(0, marked)]
    assert found(pattern.upper(), line) == [(0, marked)]


def test_exact_words_are_as_written():
    assert found("Kundigung", "Kündigung kundigung", exact=True) == []
    assert found("Kündigung", "Kündigung, kündigung", exact=True) == [(0, "Kündigung")]


def test_whole_words_are_no_parts_of_others():
    assert found("rent", "rental, the rent, parent", whole=True) == [(0, "rent")]
    assert found("r.nt", "rental, the rent, parent", whole=True, regex=True) == [(0, "rent")]


def test_phrases_and_words_go_on_over_one_line_end():
    assert found("notice period", "the notice", "period is") == [(0, "notice\nperiod")]
    assert found("Versicherung", "die Versiche- ", "  rung zahlt") == [(0, "Versiche- \n  rung")]
    assert found("Versicherung", "die Versiche\u00ad", "rung") == [(0, "Versiche\u00ad\nrung")]
    assert found("notice period", "the notice", "period", joints=[False, False]) == []
    assert found("notice period", "notice", "", "period") == []


def test_an_expression_stays_in_its_line_unless_it_has_blanks():
    lines = ("paid 12.50 EUR", "to Ann")
    assert found(r"\d+\.\d\d", *lines, regex=True) == [(0, "12.50")]
    assert found(r"EUR\s+to", *lines, regex=True) == [(0, "EUR\nto")]
    assert found(r"paid.*Ann", *lines, regex=True) == []
    assert found(r"x*", "no such letter", regex=True) == []
    assert found(r"^ÜBER\S", "über's", regex=True) == [(0, "über'")]
    assert found(r"^ÜBER\S", "über's", regex=True, exact=True) == []
