"""`manole about`: on screens of any width, for programs, and where nothing is."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize("columns", [40, 80])
def test_the_lines_fit_the_screen_and_name_their_places(manole, indexed, columns):
    done = manole("about", "Thermaro", indexed, COLUMNS=str(columns))
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= columns
    flat = " ".join(done.stdout.split())
    assert "290.96 EUR in all" in flat
    assert "[journal/2024-12-08.md, line 9]" in flat


def test_programs_get_json_with_bounded_sections(manole, indexed):
    found = json.loads(manole("about", "Emil", indexed, "--json", "--limit", "1").stdout)
    assert found["name"] == "Emil"
    assert all(len(section["items"]) == 1 for section in found["sections"])
    assert sum(section["count"] for section in found["sections"]) == found["places"]


def test_german_screens_read_german(manole, indexed):
    out = manole("about", "Pippa", indexed, MANOLE_LANGUAGE="de").stdout
    assert "Tagebuch (2)" in out
    assert "Zeile 8" in out


def test_a_name_that_is_nowhere_fails_with_the_nearest(manole, indexed):
    done = manole("about", "Hollerbech", indexed)
    assert done.returncode == 1
    assert "Nothing in these files names “Hollerbech”." in done.stderr
    assert "Gerda Hollerbach" in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((" ",), "The name is empty."), (("Emil", "--limit", "0"), "--limit")],
)
def test_wrong_usage_is_told(manole, indexed, arguments, said):
    done = manole("about", arguments[0], indexed, *arguments[1:])
    assert done.returncode == 2
    assert said in done.stderr
