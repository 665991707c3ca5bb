"""What engines give as speech, made to paragraphs; what is no speech is left out."""

from __future__ import annotations

import math

import pytest

from manole.documents.spoken import Piece, pieces_in, speech, to_pages


def said(*texts, seconds=4.0, start=0.0):
    return [
        Piece(start + n * seconds, start + (n + 1) * seconds, text) for n, text in enumerate(texts)
    ]


def test_pieces_are_joined_to_sentences_and_these_to_paragraphs():
    pieces = said(*(["The boiler was", "serviced in March."] * 8))
    pages = to_pages(pieces, 64.0)
    assert [page.number for page in pages] == [1, 33]
    assert pages[0].text == "\n".join(["The boiler was serviced in March."] * 4)
    assert [(line.box.x0, line.box.x1) for line in pages[1].lines] == [
        (at / 64, (at + 8) / 64) for at in (32, 40, 48, 56)
    ]
    for page in pages:
        assert [page.text[line.start : line.end] for line in page.lines] == page.text.split("\n")


def test_a_pause_ends_a_sentence_and_a_longer_one_a_paragraph():
    pieces = [Piece(0, 2, "first"), Piece(5, 6, "second"), Piece(700, 703, "third")]
    pages = to_pages(pieces, 3761.0)
    assert [(page.number, page.text) for page in pages] == [(1, "first\nsecond"), (701, "third")]


def test_speech_without_full_stops_is_cut_all_the_same():
    pages = to_pages(said(*(f"word{n}" for n in range(100))), 400.0)
    spent = [pages[n + 1].number - page.number for n, page in enumerate(pages[:-1])]
    assert all(30 <= seconds <= 60 for seconds in spent)


def test_no_two_lines_are_at_one_place():
    pieces = [Piece(0, 9, "One."), Piece(3, 9, "Two."), Piece(6, 7, "Three.")]
    (page,) = to_pages(pieces, 10.0)
    assert [line.box.x1 for line in page.lines] == [0.3, 0.6, 0.7]


@pytest.mark.parametrize(
    "texts",
    [
        ["[BLANK_AUDIO]", "(music)", "♪♪", "*coughs*", "...", ""],
        ["Thank you."] * 4,
        ["Thank you.", "thank you", "Thank you!", "THANK YOU"],
        ["You.", "Bye."] * 4,
        ["no no no no no no no no no no no no no no"],
    ],
)
def test_what_engines_make_up_where_nobody_speaks_is_left_out(texts):
    assert speech(said(*texts)) == []
    around = said("It rains.", *texts, "It pours.")
    assert [piece.text for piece in speech(around)] == ["It rains.", "It pours."]


def test_what_people_say_more_than_once_stays():
    pieces = said("Yes.", "Yes.", "Yes.", "And then?", "No [laughs] never (ever).")
    assert speech(pieces) == pieces


@pytest.mark.parametrize(
    "segments",
    [None, 3, [[1, 2]], [["a", 2, "x"]], [[2, 1, "x"]], [[-1, 1, "x"]], [[0, math.inf, "x"]],
     [[math.nan, 1, "x"]]],
)  # fmt: skip
def test_what_is_no_list_of_segments_is_refused(segments):
    with pytest.raises(ValueError, match="segment"):
        pieces_in(segments)
