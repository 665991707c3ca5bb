"""Addresses name one place each, and nothing else is an address."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl

from manole.errors import UsageError
from manole_mcp.uris import Place, cited, parse

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1)
PATHS = st.lists(NAMES.filter(lambda n: n not in {".", ".."}), min_size=1, max_size=4).map("/".join)
NUMBERS = st.none() | st.integers(1, 10**6)


@given(st.builds(Place, PATHS, NUMBERS, NUMBERS, st.integers(0, 10**6)))
def test_an_address_is_read_back_as_it_was_written(place):
    assert parse(place.uri) == place


@given(st.builds(Place, PATHS, NUMBERS, NUMBERS))
def test_an_address_survives_the_protocols_own_type(place):
    assert parse(str(AnyUrl(place.uri))) == place


def test_names_are_percent_encoded():
    place = Place("a b/ä#1?.txt", page=2)
    assert place.uri == "manole://library/a%20b/%C3%A4%231%3F.txt?page=2"


def test_a_citation_leads_to_the_page_or_else_to_the_line():
    assert cited("a.pdf", 3, 14).uri == "manole://library/a.pdf?page=3"
    assert cited("a.md", None, 14).uri == "manole://library/a.md?line=14"
    assert cited("a.md", None, 14).words == "a.md, line 14"


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd", "manole://other/a.txt", "manole://library/", "manole://library",
        "manole:///a.txt", "manole://library/a.txt?page=0", "manole://library/a.txt?page=x",
        "manole://library/a.txt?line=-1", "manole://library/a.txt?offset=99999999999999",
        "manole://library/%ff.txt", "manole://user@library/a.txt", "http://[", "",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_its_name(uri):
    with pytest.raises(UsageError, match="not an address") as caught:
        parse(uri)
    assert caught.value.hint
