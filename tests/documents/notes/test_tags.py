"""Tags and properties, and what only looks like them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.documents.notes.tags import hashtags, properties_in, tags_in

from .texts import lines

FRONT = """---
title: "Knee: the plan"
tags: [health, Sport]
status: open  # for now
select: 3
empty:
people:
  - Ann
  - "Tom Ek"
nested:
  deeper: no
url: http://a.example/#part
---

# Heading
Text with #health/knee and #SPORT.
"""


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#health", ["health"]),
        ("for #health, (#sport) and #über-mut.", ["health", "sport", "über-mut"]),
        ("#健康 #2026/plan #facade", ["健康", "2026/plan", "facade"]),
        ("# Heading", []),
        ("## Heading #tag", ["tag"]),
        ("colours #fff #FAFAFA #1a2b3c #12345678", []),
        ("issue #123, C#, a#b, &#x27; and `#code`", []),
        ("[to](#part), [[#Part]], http://a.example/#part", []),
    ],
)
def test_the_tags_of_a_line(text, tags):
    assert hashtags(text) == tags


def test_the_tags_of_a_note_are_each_told_once():
    assert tags_in(lines(FRONT), "markdown") == ["health", "Sport", "health/knee"]


@pytest.mark.parametrize(
    "text",
    [
        "```\n#no\n```",
        "a\n\n    #no",
        "<!-- x\n#no\n-->",
        "---\ncolour: '#no'\n---\n",
        "#+TITLE: x",
    ],
)
def test_no_tag_is_in_code_or_a_front_matter(text):
    assert tags_in(lines(text), "markdown") == []


@pytest.mark.parametrize("written", ["tags: a, b", "tags: a b", "tags: [a, 'b']", "Tag: '#a #b'"])
def test_tags_of_a_front_matter_in_any_form(written):
    assert tags_in(lines(f"---\n{written}\n---\n"), "markdown") == ["a", "b"]
    assert tags_in(lines("---\ntags:\n  - a\n  - b\n---\n"), "markdown") == ["a", "b"]


def test_tags_of_org_stand_behind_headings():
    assert tags_in(lines("#+filetags: :home:\n* Roof :urgent:home:\nat 10:30: x"), "org") == [
        "home", "urgent",
    ]  # fmt: skip


def test_properties_are_keys_and_values():
    assert properties_in(lines(FRONT)) == [
        ("title", "Knee: the plan"), ("tags", "health"), ("tags", "Sport"), ("status", "open"),
        ("select", "3"), ("people", "Ann"), ("people", "Tom Ek"),
        ("url", "http://a.example/#part"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "---", "---\n---", "a: b", "# A\na: b", "---\nwords\n---"])
def test_without_a_front_matter_there_are_none(text):
    assert properties_in(lines(text)) == []


def test_long_lines_are_read_at_once():
    start = time.process_time()
    for part in ("`", "#", "#1", "a#b ", "` #a ", "::", "http://"):
        tags_in(lines(part * 100_000), "markdown")
    assert time.process_time() - start < 5


@given(text=st.text(alphabet="---:#[],'\"ab \n`", max_size=200))
def test_nothing_raises(text):
    assert all(tags_in(lines(f"---\n{text}"), "markdown"))
    assert all(value for _, value in properties_in(lines(f"---\n{text}")))
