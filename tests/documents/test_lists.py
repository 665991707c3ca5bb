"""Lists as a text holds them: bullets, numbers, tables, headings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.documents.lists import lists_of


def told(text):
    return {one.heading or one.intro: [item.text for item in one.items] for one in lists_of(text)}


@pytest.mark.parametrize("bullet", ["- ", "* ", "+ ", "• ", "– ", "1. ", "1) "])
def test_items_are_told_without_marker_and_markup(bullet):
    text = f"# Keys\n\nYou were given:\n\n{bullet}two **front door** keys\n{bullet}one [fob](a.md)"
    (one,) = lists_of(text)
    assert (one.heading, one.intro) == ("Keys", "You were given:")
    assert [item.text for item in one.items] == ["two front door keys", "one fob"]
    assert [item.line for item in one.items] == [4, 5]


def test_an_item_goes_over_several_lines_and_what_is_nested_is_a_list_of_its_own():
    text = "Pack:\n\n- a rain coat,\n  a warm one\n  - in a bag\n  - on top\n- boots"
    assert told(text) == {"Pack:": ["a rain coat, a warm one", "boots"],
                          "a rain coat, a warm one": ["in a bag", "on top"]}  # fmt: skip
    outer = next(one for one in lists_of(text) if one.intro == "Pack:")
    assert [(i.line, i.line_end) for i in outer.items] == [(2, 3), (6, 6)]


def test_rows_of_a_table_are_items_led_to_by_its_head():
    text = "| day | hours |\n|---|---|\n| Monday | 8 |\n| Friday | 4 |\n"
    assert told(text) == {"day | hours": ["Monday | 8", "Friday | 4"]}


def test_headings_below_a_heading_are_a_list():
    text = "# Eggs\n## Ways\nMany.\n### Boiled\nIn water.\n### Fried\nIn butter.\n## Costs\nFew.\n"
    assert told(text) == {"Ways": ["Boiled", "Fried"], "Eggs": ["Ways", "Costs"]}


@pytest.mark.parametrize("text", ["", "\n\n", "Nothing is listed.", "- one alone", "# Only\n"])
def test_what_has_no_two_items_is_no_list(text):
    assert lists_of(text) == []


def test_a_list_of_thousands_is_read_whole():
    (one,) = lists_of("\n".join(f"- item {n}" for n in range(5_000)))
    assert len(one.items) == 5_000
    assert one.items[-1].line == 4_999


@given(st.text(alphabet="-*#|1. ab\n\t•é", max_size=300))
def test_any_text_gives_items_within_its_lines(text):
    lines = text.count("\n") + 1
    for one in lists_of(text):
        assert len(one.items) >= 2
        assert all(0 <= item.line <= item.line_end <= lines for item in one.items)
