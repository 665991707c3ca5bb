"""Quotations are found in a text that is written a little differently."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.index.view.quotes import Letters, Quotation

TEXT = """The lease of the Mühlgasse flat was signed on 4 February 2022 — by both parties.
Notice must be given in writ-
ing, at least “three months” before the end of a month. The deposit is
3,540.00 euros. Notice must be given to the ﬁrst owner. Die Haustür-
schlüssel sind rückgabepflichtig."""


def whole(quote, text=TEXT, near=0):
    return [text[start:end] for start, end in Quotation(quote).whole(Letters(text), near)]


def part(quote, text=TEXT):
    return [text[start:end] for start, end in Quotation(quote).part(Letters(text))]


@pytest.mark.parametrize(
    ("quote", "found"),
    [("signed on 4 February 2022", "signed on 4 February 2022"),
     ("SIGNED   on\n4 february 2022", "signed on 4 February 2022"),
     ("February 2022 - by both", "February 2022 — by both"),
     ("given in writing, at", "given in writ-\ning, at"),
     ("given in writ- ing, at", "given in writ-\ning, at"),
     ('"three months" before', "“three months” before"),
     ("“three months” before the end of a month.", "“three months” before the end of a month."),
     ("Muhlgasse flat", "Mühlgasse flat"), ("Mu\u0308hlgasse flat", "Mühlgasse flat"),
     ("to the first owner", "to the ﬁrst owner"),
     ("Die Haustürschlüssel sind", "Die Haustür-\nschlüssel sind"),
     ("3,540.00 euros", "3,540.00 euros"), ("flat", "flat")],
)  # fmt: skip
def test_what_is_written_differently_is_found(quote, found):
    assert whole(quote) == [found]


def test_a_short_quotation_is_no_part_of_a_word():
    assert whole("rent", "the current rent") == ["rent"]
    assert whole("rent", "the current one") == []
    assert whole("the current rents are", "the current rents aren't so") == [
        "the current rents are"
    ]


def test_the_first_place_from_the_line_on_is_meant():
    assert Quotation("Notice must be given").whole(Letters(TEXT))[0][0] == TEXT.index("Notice")
    later = TEXT.index("3,540")
    found = Quotation("Notice must be given").whole(Letters(TEXT), later)
    assert found[0][0] == TEXT.rindex("Notice")
    assert Quotation("Notice must be given").whole(Letters(TEXT), len(TEXT)) == found


def test_the_pieces_of_a_quotation_with_gaps_are_marked_each():
    quote = "The lease of the Mühlgasse … The deposit is 3,540.00 euros."
    assert whole(quote) == ["The lease of the Mühlgasse", "The deposit is\n3,540.00 euros"]
    assert whole("The lease of the Mühlgasse … and nothing like this at all") == []


def test_the_longest_part_is_marked_in_whole_words():
    quote = "Both say that the deposit is 3,540.00 eurocents and no more than that"
    assert part(quote) == ["The deposit is\n3,540.00"]
    assert part("something else altogether, which stands nowhere") == []
    assert part("x" * 3000 + " the deposit is") == []  # so little of it may be chance


def test_a_script_without_blanks_is_found_too():
    text = "契約は二〇二二年三月一日に始まり、通知期間は三か月とする。敷金は三千五百ユーロである。"
    assert whole("通知期間は三か月とする", text) == ["通知期間は三か月とする"]
    assert part("敷金は三千五百ユーロであると書いてある", text) == ["敷金は三千五百ユーロである"]


@pytest.mark.parametrize("quote", ["", " \n", "—“”", "…", "...", "\x00\u200b", "___"])
def test_a_quotation_without_letters_is_none(quote):
    assert not Quotation(quote)
    assert whole(quote) == part(quote) == []


@pytest.mark.parametrize(
    ("quote", "text"),
    [("a" * 100_000, "a" * 60_000), ("a" * 50_000 + "b", "a" * 60_000),
     ("ab" * 50_000, "a b" * 20_000),
     ("a " * 50_000, "a " * 30_000), ("\ufdfa" * 100_000, "\ufdfa " * 30_000),
     ("abcdefghijkl…" * 8000, "abcdefghijkl " * 5000), ("(" * 100_000, "(" * 60_000),
     ("a", "a " * 30_000), ("abab" * 900 + "c", "ab" * 30_000)],
)  # fmt: skip
def test_a_hostile_quotation_takes_no_longer(quote, text):
    began = time.process_time()
    letters = Letters(text)
    found = Quotation(quote)
    found.whole(letters)
    found.part(letters)
    assert time.process_time() - began < 5


@given(st.text(max_size=80), st.text(max_size=200), st.integers(0, 300))
def test_marks_lie_in_the_text(quote, text, near):
    letters = Letters(text)
    asked = Quotation(quote)
    for start, end in asked.whole(letters, near) + asked.part(letters):
        assert 0 <= start < end <= len(text)


words = st.lists(st.text("abcdefghijklmnop", min_size=1, max_size=9), min_size=3, max_size=12)


@given(words, words, words, st.sampled_from([" ", "\n", "  ", "\u00a0", " - ", "-\n"]))
def test_what_stands_there_is_found_however_it_is_set(before, quoted, after, blank):
    quote = " ".join(quoted)
    text = " ".join([*before, blank.join(quoted), *after])
    ((start, end),) = Quotation(quote.upper()).whole(Letters(text))
    assert Letters(text[start:end]).text == Letters(quote).text
