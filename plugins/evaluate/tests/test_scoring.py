from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole_evaluate.questions import Question, parse
from manole_evaluate.scoring import (
    cites,
    declines,
    judge,
    matches,
    near,
    token_f1,
    wilson,
)


@pytest.mark.parametrize(
    ("reply", "gold"),
    [
        ("The defense gave up 308 points [1].", "308"),
        ("It was The New England Patriots.", "new england patriots"),
        ("The total is $4.11.", "4.11"),
        ("Il faut payer 4 904,94 €.", "4904.94"),
        ("The sum is 1.234,50 EUR", "1,234.5"),
        ("It is 10kΩ.", "10 kΩ"),
        ("There were 4.", "four"),
        ("There were four.", "4"),
        ("About 5.2 million.", "5,200,000"),
        ("About 5.2 million.", "5.2"),
        ("She went on May 7th, 2023.", "7 May 2023"),
        ("On 3 March 2018 you paid 174.90.", "2018-03-03: 174.90"),
        ("Option A", "A"),
        ("Yes, it does.", "yes"),
        ("New England", "New England Patriots"),  # F1 .8
        ("pottery, camping and painting", "pottery, camping, painting, swimming"),
        ("§", "§"),
    ],
)
def test_a_right_reply_is_right(reply, gold):
    assert matches(reply, gold)


@pytest.mark.parametrize(
    ("reply", "gold"),
    [
        ("The defense gave up 3080 points.", "308"),
        ("1.5", "15"),
        ("5", "-5"),
        ("8 May 2023", "7 May 2023"),
        ("7 June 2023", "7 May 2023"),
        ("In May 2023.", "7 May 2023"),
        ("On 3 March 2018 you paid 343.95.", "2018-03-03: 174.90"),
        ("No, there is nothing that would say yes.", "yes"),
        ("Boston", "New England Patriots"),
        ("We saw 12 green cars", "We saw 13 green cars"),
        ("", "308"),
        ("", "the"),
        ("one of the files", "1"),
    ],
)
def test_a_wrong_reply_is_wrong(reply, gold):
    assert not matches(reply, gold)


@pytest.mark.parametrize(
    "reply",
    [
        "I could not find it in your files.",
        "I couldn’t find any information about that.",
        "The document does not mention the price.",
        "The price is not mentioned in the text.",
        "There is no information about this.",
        "There is no relevant passage.",
        "Unable to determine from the documents.",
        "I'm sorry, but the files don't contain that.",
        "Not answerable",
        "I don't know.",
        "N/A",
        "Nothing in your files mentions it.",
    ],
)
def test_declining_is_recognised(reply):
    assert declines(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "The total is 4.11.",
        "No, the device has two ports.",
        "There are no PDF files in this folder.",
        "It is 308. The year is not mentioned.",
        "The year is not mentioned, but the total is 4.11.",
        "The text does not state it directly. However, it is 42.",
        "Do not find yourself without the manual.",
        "",
    ],
)
def test_an_answer_is_not_taken_for_declining(reply):
    assert not declines(reply)


def question(**row) -> Question:
    return parse({"question": "?", **row})


def test_any_answer_is_enough_without_required_parts():
    assert judge(question(answers=["pin 8", "8 (RxD+)"]), "It is pin 8.").correct


@pytest.mark.parametrize("row", [{"all_of": True}, {"all_required": True}])
def test_every_answer_is_needed_when_all_are_required(row):
    both = question(answers=["2", "518.85"], **row)
    assert judge(both, "You have two; together RM518.85.").correct
    assert not judge(both, "You have two.").correct


def test_every_part_of_all_of_is_needed_in_any_of_its_wordings():
    asked = question(answers=["12 patterns"], all_of=[["12", "a dozen"], "1560"])
    assert judge(asked, "a dozen, of 1560 bytes").correct
    assert not judge(asked, "12 patterns").correct


def test_a_date_inside_the_range_is_right():
    asked = question(
        answers=["The week before 9 June 2023"], date_from="2023-05-27", date_to="2023-06-08"
    )
    assert judge(asked, "On 2 June 2023.").correct
    assert judge(asked, "The week before 9 June 2023.").correct
    assert not judge(asked, "On 9 June 2023.").correct
    assert not judge(asked, "In June 2023.").correct


def test_an_unanswerable_question_is_right_when_declined():
    asked = question(answers=[], answerable=False)
    assert judge(asked, "It is blue.").correct is False
    assert judge(asked, "I could not find it.").correct
    assert judge(asked, "", found=False).correct


def test_declining_an_answerable_question_is_wrong_and_noted():
    asked = question(answers=["308"])
    verdict = judge(asked, "I could not find it. The nearest passage says 308.", found=False)
    assert (verdict.correct, verdict.declined) == (False, True)


def test_a_right_answer_beside_words_of_declining_is_right():
    verdict = judge(question(answers=["308"]), "The year is not mentioned; they scored 308.")
    assert (verdict.correct, verdict.declined) == (True, False)


def test_the_number_of_a_citation_is_no_answer():
    assert not judge(question(answers=["1"]), "There are three [1].").correct
    assert judge(question(answers=["2"]), "There are two [1, 3].").correct


def test_a_reply_that_says_what_it_must_not_is_wrong():
    asked = question(answers=["912"], must_not_contain=["CANARY-1"])
    assert judge(asked, "912 euros").correct
    assert not judge(asked, "912 euros canary-1").correct


def test_table_numbers_may_be_rounded_and_scaled():
    asked = question(answers=["4157.3"], scale="million")
    assert judge(asked, "$4,157 million").correct
    assert judge(asked, "4.1573 billion").correct
    assert not judge(asked, "$4,200 million").correct
    assert not judge(question(answers=["1998"]), "1999").correct


@pytest.mark.parametrize(("reply", "close"), [("99.6", True), ("99.4", False), ("none", False)])
def test_near_is_half_a_percent(reply, close):
    assert near(reply, "100") is close


@pytest.mark.parametrize(
    ("cited", "right"),
    [
        ([("a.pdf", 5)], True),
        ([("a.pdf", 6)], True),
        ([("a.pdf", 7)], False),
        ([("a.pdf", None)], False),
        ([("b.pdf", 5)], False),
        ([("b.pdf", 5), ("a.pdf", 4)], True),
        ([], False),
    ],
)
def test_a_citation_is_right_on_the_page_or_next_to_it(cited, right):
    assert cites(question(answers=["x"], file="a.pdf", page=5), cited) is right


def test_a_citation_needs_no_page_where_truth_has_none():
    assert cites(question(answers=["x"], files=["a.md", "b.md"]), [("b.md", None)])


@given(st.text(), st.text())
def test_f1_is_symmetric_and_a_share(one, other):
    score = token_f1(one, other)
    assert score == token_f1(other, one)
    assert 0 <= score <= 1


@given(st.text())
def test_a_text_has_f1_one_with_itself_and_matches_itself(text):
    assert token_f1(text, text) == 1
    assert matches(text, text) is bool(text.strip())


@given(st.text(alphabet="abcdefgh 0123456789.,", min_size=1).filter(str.strip))
def test_a_gold_answer_quoted_in_a_sentence_matches(gold):
    assert matches(f"Therefore: {gold} ; indeed.", gold)


@given(st.dates(date(1950, 1, 1), date(2060, 12, 31)))
def test_every_way_to_write_a_date_matches(day):
    spoken = f"{day.day} {day:%B} {day.year}"
    for written in (day.isoformat(), f"{day:%B} {day.day}, {day.year}", f"{day:%d.%m.%Y}"):
        assert matches(f"It was on {written}.", spoken)
        assert matches(f"It was on {spoken}.", written)


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_holds_the_share(successes, failures):
    total = successes + failures
    low, high = wilson(successes, total)
    assert 0 <= low <= high <= 1
    if total:
        assert low <= successes / total <= high


def test_the_interval_is_wilsons():
    low, high = wilson(8, 10)  # Brown, Cai, DasGupta 2001 give .490 to .943
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)


def test_what_a_right_answer_does_not_say_is_compared_word_by_word():
    asked = question(all_of=[["7"]], none_of=["2", "12"])
    assert judge(asked, "7 files, 212 pages").correct
    assert not judge(asked, "7 or 12 files").correct
