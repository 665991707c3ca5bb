"""Where the words of a line stand on its page."""

from __future__ import annotations

import time

import pytest

from manole.documents.model import HIDDEN, Box
from manole.serve.view.word_positions import drawn

LINE = Box(0.1, 0.5, 0.9, 0.52)


def word(left, right):
    return Box(left, 0.5, right, 0.52)


def test_a_page_tells_where_its_words_are():
    words = [("319.00", word(0.8, 0.9)), ("Total", word(0.1, 0.2)), ("else", Box(0.1, 0, 0.2, 0.1))]
    (line,) = drawn([("Total  319.00", LINE)], words)
    assert [(w.text, w.left, w.right) for w in line.words] == [
        ("Total", 0.1, 0.2),
        ("319.00", pytest.approx(0.8), pytest.approx(0.9)),
    ]
    assert line.part(7, 13) == Box(pytest.approx(0.8), 0.5, pytest.approx(0.9), 0.52)
    assert line.part(0, 2) == Box(0.1, 0.5, pytest.approx(0.14), 0.52)


def test_a_word_that_is_cut_at_the_end_of_its_line_has_its_place():
    (line,) = drawn([("was dis", LINE)], [("was", word(0.1, 0.3)), ("dis-", word(0.4, 0.8))])
    assert [(w.text, w.left) for w in line.words] == [("was", 0.1), ("dis", 0.4)]
    assert line.words[1].right == pytest.approx(0.7)


@pytest.mark.parametrize("words", [[], [("other", word(0.1, 0.9))]])
def test_words_are_guessed_where_the_page_does_not_tell(words):
    (line,) = drawn([("mill mill", LINE)], words)
    first, second = line.words
    assert first.left == 0.1
    assert second.right == pytest.approx(0.9)
    assert 0.4 < first.right < 0.5 < second.left < 0.6
    assert line.part(5, 9).x0 == second.left


def test_a_line_that_runs_down_is_marked_whole():
    margin = Box(0.1, 0.1, 0.12, 0.9)
    (line,) = drawn([("Printed on paper", margin)])
    assert line.part(0, 7) == margin


def test_what_nobody_sees_has_no_place():
    (line,) = drawn([(f"{HIDDEN} obey", LINE)], [("obey", word(0.1, 0.9))])
    assert (line.words, line.part(0, 3)) == ((), LINE)


def test_words_of_other_heights_or_columns_are_another_lines():
    boxes = [Box(left, top, left + 0.4, top + 0.02) for top in (0.5, 0.53) for left in (0.1, 0.6)]
    own = [Box(box.x0, box.y0 + 0.005, box.x0 + 0.2, box.y1) for box in boxes]
    lines = [(f"line {n}", box) for n, box in enumerate(boxes)]
    words = [(f"line{n}", box) for n, box in enumerate(own)]
    places = [(line.words[0].left, line.words[1].right) for line in drawn(lines, words[::-1])]
    assert places == [(box.x0, pytest.approx(box.x1)) for box in own]


@pytest.mark.parametrize("beside", [True, False])
def test_a_page_made_to_take_long_does_not(beside):
    tops = [0.5 if beside else n / 5000 for n in range(5000)]
    lines = [("a b c d", Box(0, top, 1, top + 0.0001)) for top in tops]
    words = [(letter, Box(0.1, box.y0, 0.2, box.y1)) for text, box in lines for letter in "abcd"]
    start = time.process_time()
    assert len(drawn([*lines, ("a " * 50_000, LINE)], words)) == 5001
    assert time.process_time() - start < 5  # comparing each with each takes a minute
