"""A sentence of which both readings are sure is the answer, and no model is asked."""

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def asked(household, session_settings):
    async def run(question, reply="Something else."):
        return (await turn(household, session_settings, Loaded(FakeModel(reply)), question))[-1]

    return run


@pytest.mark.parametrize(
    ("question", "sentence", "file"),
    [
        (
            "are bicycles insured against theft",
            "Bicycles are insured against theft up to 2,500 euros for each bicycle, day and night, "
            "if they were locked to a fixed object.",
            "insurance/household-insurance-policy.pdf",
        ),
        (
            "What does error E07 of the boiler mean?",
            "E07 · Fan does not reach its speed · Ring a specialist.",
            "home/boiler-thermaro-b24-manual.pdf",
        ),
        (
            "when are the quiet hours",
            "Quiet hours are from 22:00 to 7:00 every day and from 13:00 to 15:00 on Sundays.",
            "home/rental-contract.pdf",
        ),
    ],
)
async def test_the_files_own_words_are_the_answer(asked, question, sentence, file):
    end = await asked(question)
    (source,) = (s for s in end.sources if s.cited)
    assert end.answer == f"{sentence} [{source.n}]"
    assert source.file == file
    assert end.model_calls == 0


async def test_a_figure_that_stands_nowhere_near_is_not_passed_over(asked):
    told = await asked("Is a stolen bike covered?")
    assert (told.model_calls, told.outcome) == (0, "answered")
    assert (await asked("Is a stolen bike of 1987 covered?")).outcome == "nearest"


async def test_another_language_is_quoted_as_it_stands(asked):
    end = await asked("Ist ein gestohlenes Fahrrad versichert?", "Bis zu 2.500 Euro.")
    assert "“Bicycles are insured against theft up to 2,500 euros" in end.answer


async def test_an_entry_of_a_diary_is_quoted_with_its_day(asked):
    end = await asked("What happened to Ida's second front tooth?")
    assert end.answer.startswith("8 December 2024: ")
    assert "Ida has lost her second front tooth." in end.answer


async def test_what_may_answer_is_quoted_and_no_model_makes_something_of_it(asked):
    end = await asked("why was the plinth in the kitchen not paid")
    assert "plinth belongs to the fitted kitchen and so to your landlady" in end.answer
    assert end.answer.startswith("“")
    assert end.answer.endswith("]")
    assert end.model_calls == 0


async def test_a_sentence_is_not_believed_where_something_may_be_computed(asked, monkeypatch):
    question = "when are the quiet hours"
    assert (await asked(question)).confidence == "medium"
    monkeypatch.setattr(
        "manole.agent.loop.kind_of", lambda asked, least=1.0: "lookup" if least < 0.5 else None
    )
    assert (await asked(question)).confidence == "low"


async def test_two_amounts_of_two_files_are_both_told(asked):
    end = await asked("How high is the deposit?")
    assert end.outcome == "choices"
    assert "3,540.00 euros" in end.answer
    assert "410 euros" in end.answer


@pytest.mark.parametrize(
    "question",
    [
        "What do I do if I smell gas?",
        "it smells of gas in the kitchen, what do i do",
        "it smells of gas, what do i do",
    ],
)
async def test_one_item_of_a_list_brings_the_whole_list(asked, question):
    end = await asked(question)
    items = "put out flames", "Open windows", "Close the gas tap", "Leave the house"
    assert all(item in end.answer for item in items)
    assert end.model_calls == 0


async def test_the_birthday_of_one_is_not_that_of_another(asked):
    end = await asked("when is emil's birthday")
    assert end.outcome == "nearest"
    assert "8 August 2013" in end.answer
    assert "30 May" not in end.answer


async def test_what_is_named_is_no_other_of_its_kind(asked):
    end = await asked("until when can we cancel the liability insurance")
    cited = {source.file for source in end.sources if source.cited}
    assert cited == {"insurance/liability-insurance-policy.pdf"}


async def test_sentences_of_two_files_that_differ_are_both_told(asked):
    end = await asked("How much is the premium a year?")
    assert end.outcome == "choices"
    assert {source.file for source in end.sources if source.cited} == {
        "insurance/household-insurance-policy.pdf",
        "insurance/liability-insurance-policy.pdf",
    }
    assert "148.20" in end.answer
    assert "71.40" in end.answer


async def test_the_total_of_one_paper_that_only_mentions_it_is_no_answer(asked):
    end = await asked("What does the insurance cost per year?", "It costs 148.20 euros.")
    assert "836.20" not in end.answer  # the dentist's, who writes of an insurance


async def test_the_total_of_a_paper_whose_name_has_what_is_asked_is_the_answer(asked):
    end = await asked("What did we spend on electricity in 2024?")
    assert "1,297.47" in end.answer
    assert end.model_calls == 0
