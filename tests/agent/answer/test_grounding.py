"""Grounding: no figure that the evidence lacks is shown, and code sets the citations."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.grounding import (
    StreamGate,
    best_support,
    declines,
    overlap,
    unsupported_names,
)
from manole.text.figures import numbers
from manole.text.question import Question


def extract(n, text, label="file.txt", score=0.5):
    return Evidence(n, "file.txt", None, 1, 1, label, text, score)


RENT = extract(1, "The monthly rent is 1,234.50 EUR, due on 3 March 2024.")
BOILER = extract(2, "The boiler was installed by Thermaro in 2019 and holds 12.5 litres.")
EVIDENCE = (RENT, BOILER)


# -- numbers -----------------------------------------------------------------------------------


def test_numbers_of_a_text_with_the_parts_of_dates():
    assert {"2024", "3", "5"} <= numbers("on 2024-03-05")
    assert {"2024", "3", "5"} <= numbers("am 05.03.2024.")
    assert numbers("1,234.50 EUR for 3, 12.5 l") == {"1234.5", "3", "12.5"}
    assert numbers("none here") == set()


# -- the gate ----------------------------------------------------------------------------------


def through(text, cuts=(), evidence=EVIDENCE, question="?"):
    """What a gate shows of `text` that comes in pieces, and the gate."""
    gate = StreamGate(evidence, Question(question))
    shown, start = "", 0
    for cut in [*sorted(cuts), len(text)]:
        shown += gate.feed(text[start:cut])
        start = max(start, cut)
    return shown + gate.flush(), gate


def test_figures_of_the_evidence_pass_however_written():
    shown, gate = through("The rent is 1.234,50 EUR. It is due on 2024-03-03.")
    assert gate.blocked is None
    assert "1.234,50" in shown
    assert "2024-03-03" in shown


def test_figures_of_the_question_pass():
    shown, gate = through("Yes, 77 it is.", question="Is it 77?")
    assert gate.blocked is None
    assert "77" in shown


@pytest.mark.parametrize("figure", ["1,300", "1234.51", "2020", "99%", "€5", "(47)", "12.6", "4th"])
def test_a_figure_that_the_evidence_lacks_is_never_shown(figure):
    shown, gate = through(f"The rent is {figure} EUR a month.")
    assert gate.blocked == figure.strip("%€()th")
    assert figure not in shown
    assert figure not in gate.text
    assert shown.startswith("The rent is")
    assert "month" not in shown


def test_after_a_block_nothing_more_comes():
    gate = StreamGate(EVIDENCE, Question("?"))
    gate.feed("It is 999 and so ")
    assert gate.blocked == "999"
    assert gate.feed("more words here ") == ""
    assert gate.flush() == ""


def test_a_figure_in_two_pieces_is_seen_whole():
    shown, gate = through("The rent is 1,234.51 EUR", cuts=[12, 14, 17, 19])
    assert gate.blocked == "1,234.51"
    assert "1,2" not in shown


LISTS = [
    "1. The rent is 1,234.50 EUR.\n2. Thermaro installed the boiler.\n3. Both are old.",
    "There are two:\n\n1) the rent\n2) the boiler",
    "Two:\n  **1.** the rent\n  **2.** the boiler",
    "The house:\n1. the rent\n\nThe heating:\n1. the boiler",
]


@pytest.mark.parametrize("answer", LISTS)
@pytest.mark.parametrize("step", [1, 3, 1000])
def test_the_counters_of_a_list_are_no_figures(answer, step):
    shown, gate = through(answer, cuts=range(0, len(answer), step))
    assert gate.blocked is None
    assert re.sub(r" \[\d\]", "", shown) == answer


@pytest.mark.parametrize(
    ("answer", "held"),
    [
        ("The rent is 1. It is due.", "1"),  # inside a line
        ("The rent is due on:\n1.\nThe boiler", "1"),  # nothing is counted
        ("1.", "1"),
        ("The rent:\n1.", "1"),
        ("4. The rent is due.", "4"),  # no list begins so
        ("1. the rent\n4. the boiler", "4"),  # nor goes on so
        ("1. the rent\n2. 999 EUR", "999"),
        ("1.5 EUR\n", "1.5"),
        ("The rent:\n1 EUR", "1"),
        ("1. 1. the rent", "1"),
    ],
)
def test_a_figure_that_looks_like_a_counter_is_held(answer, held):
    shown, gate = through(answer)
    assert gate.blocked == held
    assert not re.search(rf"(?<!\d){re.escape(held)}$", shown)


def test_each_sentence_cites_the_extract_that_bears_it():
    shown, gate = through("The rent is 1,234.50 EUR. Thermaro installed the boiler.")
    assert shown == "The rent is 1,234.50 EUR. [1] Thermaro installed the boiler. [2]"
    assert gate.cited == [1, 2]


def test_an_unfinished_sentence_is_cited_too():
    shown, _ = through("1,234.50 EUR")
    assert shown == "1,234.50 EUR [1]"


def test_the_models_own_markers_are_replaced():
    shown, _ = through("Thermaro installed the boiler [7]. The rent is 1,234.50 EUR [3, 9].")
    assert re.findall(r"\[\d+\]", shown) == ["[2]", "[1]"]


def test_abbreviations_end_no_sentence():
    shown, _ = through("It was Mr. A. Thermaro of e.g. the boiler firm.")
    assert shown.count("[") == 1


def test_without_evidence_nothing_is_cited():
    shown, gate = through("No figures here.", evidence=())
    assert shown == "No figures here."
    assert gate.cited == []


WORDS = st.sampled_from(
    ["The", "rent", "is", "1,234.50", "EUR.", "boiler", "2019", "[1]", "[2,", "3]", "999", "12.5",
     "Mr.", "–", "\n", "  ", "é", "[", "]", "[1].", "“2019”", ".", "1.", "2."]
)  # fmt: skip


@example("The [2, 3]", [4])
@example("999 [1]. The", [4])
@example("[1]. [1]. The", [5])
@given(st.lists(WORDS, max_size=25).map(" ".join), st.lists(st.integers(0, 200), max_size=12))
def test_the_pieces_of_a_stream_do_not_matter(text, cuts):
    whole, one = through(text)
    pieces, other = through(text, [min(c, len(text)) for c in cuts])
    assert pieces == whole
    assert other.blocked == one.blocked
    assert other.cited == one.cited
    assert other.text == one.text == whole


@given(st.text(max_size=200), st.lists(st.integers(0, 200), max_size=6))
def test_no_figure_slips_through(text, cuts):
    shown, gate = through(text, [min(c, len(text)) for c in cuts])
    said = re.sub(r" \[\d+\]", "", shown) if gate.cited else shown
    said = re.sub(r"(?m)^\s*[*_]{0,3}\d{1,2}[.)](?=[*_]{0,3}\s)", "", said)  # a list's counters
    known = numbers("?") | set().union(*(numbers(e.text) | numbers(e.label) for e in EVIDENCE))
    assert numbers(said) <= known


def test_the_cells_of_a_csv_file_are_no_one_number():
    text = "2024-06-30,1 EMH 555 0098,55017,Emil"
    for file, blocked in (("readings.csv", None), ("readings.md", "55017")):
        read = Evidence(1, file, None, 9, 9, file, text, 0.5)
        gate = StreamGate([read], Question("The reading?"))
        gate.feed("It was 55017 kWh.")
        gate.flush()
        assert gate.blocked == blocked


# -- the rest ----------------------------------------------------------------------------------


def test_support_is_sought_by_figures_first():
    assert best_support("In 2019.", EVIDENCE, Question("")) is BOILER
    assert best_support("1234.50", EVIDENCE, Question("")) is RENT
    assert best_support("The boiler", EVIDENCE, Question("")) is BOILER
    assert best_support("anything", (), Question("")) is None


@pytest.mark.parametrize(
    "answer",
    ["Not found.", "not found", "", "  ", "I could not find it.", "The extracts do not say.",
     "No information about that.", "Not mentioned in the extracts.", "There is no mention of it.",
     "Nicht gefunden.", "N/A", "Unknown."],
)  # fmt: skip
def test_these_decline(answer):
    assert declines(answer)


@pytest.mark.parametrize(
    "answer",
    ["The rent is 1,234.50 EUR.", "No.", "Nothing was paid.", "Notice is three months.",
     "The key was not found by Mara."],
)  # fmt: skip
def test_these_answer(answer):
    assert not declines(answer)


def test_overlap_is_the_share_of_known_words():
    texts = [RENT.text]
    assert overlap("The monthly rent is due.", texts) == 1.0
    assert overlap("Zebras gallop quickly.", texts) == 0.0
    assert overlap("monthly zebras", texts) == 0.5
    assert overlap("rent [1]", texts) == 1.0
    assert overlap("7. rent\n 8) due", texts) == 1.0
    assert overlap("", texts) == 1.0


def test_names_from_nowhere_are_told():
    texts = [e.text for e in EVIDENCE]
    assert unsupported_names("It was installed by Thermaro.", texts) == []
    assert unsupported_names("It was installed by Vaillant in Berlin.", texts) == [
        "Vaillant", "Berlin",
    ]  # fmt: skip
    assert unsupported_names("Installed in March.", texts) == []
