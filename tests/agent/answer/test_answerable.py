"""Whether the evidence answers the question: the model's leaning, judged by code."""

import math

from manole.agent.answer.confidence import answerable_odds, is_clear, unbiased
from manole.agent.answer.evidence import Evidence
from manole.models.chat.chunks import log_odds
from manole.text.question import Question

TEXT = "The landlord is Ruth Adler. The rent is 980 euros a month, due on the third working day."


def extract(text=TEXT, chance=0.9):
    return [Evidence(1, "contract.pdf", 1, 1, 2, "contract.pdf", text, 0.6, chance=chance)]


def test_log_odds_add_up_the_spellings_of_yes_and_no():
    first = [("Yes", math.log(0.5)), (" yes", math.log(0.1)), ("no", math.log(0.2)), ("It", -9.0)]
    assert math.isclose(log_odds(first), math.log(0.6 / 0.2), rel_tol=1e-4)


def test_without_yes_or_no_among_the_likeliest_words_nothing_is_told():
    assert log_odds([("Maybe", -0.1)]) is None
    assert log_odds([]) is None


def test_a_model_without_a_known_leaning_is_taken_at_its_word():
    assert unbiased(0.1, "unheard-of") > 0 > unbiased(-0.1, "unheard-of")


async def test_the_real_model_tells_what_the_extract_says_from_what_it_does_not(chat_model):
    told, untold = "Who is it that the flat belongs to?", "When was the boiler last serviced?"
    yes, cost = await answerable_odds(Question(told), extract(), chat_model)
    assert cost.usage.completion_tokens == 1
    no, again = await answerable_odds(Question(untold), extract(), chat_model)
    assert again.usage.cached_tokens > 0
    assert unbiased(yes, chat_model.name) > 0
    assert unbiased(no, chat_model.name) < 0


def test_evidence_that_speaks_for_itself_is_plain():
    assert is_clear(extract())
    assert not is_clear(extract(chance=0.1))
    assert not is_clear([])
