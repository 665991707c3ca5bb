"""Two sources that give two figures: both are shown."""

from contextlib import asynccontextmanager

import pytest

from agent.fake_models import FakeModel
from agent.turns import of, streamed, turn
from manole.agent.answer.contradictions import conflict, figures
from manole.agent.answer.evidence import Evidence
from manole.agent.events import ChoicesEvent, EvidenceEvent
from manole.library import Library
from manole.text.question import Question

CONTRACT = "The rent is 980 euros a month."
LETTER = "From 1 May 2023 the rent will be EUR 1,025.00."
ASKED, ANSWER = "How much is the rent?", "The rent is 980 euros a month. [1]"


def extract(n, file, text):
    return Evidence(n, file, None, 1, 1, file, text, 0.5, ((text, 1, 1),))


def against(text, question=ASKED, answer=ANSWER, file="letter.eml"):
    """What contradicts the answer, where a second file says `text`."""
    evidence = [extract(1, "contract.pdf", CONTRACT), extract(2, file, text)]
    return conflict(Question(question), answer, [1], evidence)


def test_another_figure_of_the_same_kind_in_another_file_is_quoted():
    found = against(LETTER)
    assert found is not None
    assert found.sentence() == f"But letter.eml says: “{LETTER}” [2]"


@pytest.mark.parametrize(
    "text",
    [
        "The rent has been 980.00 EUR since 2022.",  # the same figure
        "The rent is due within 3 days.",  # another kind
        "The garage costs 60 euros.",  # speaks of something else
        "We pay by standing order.",
    ],
)
def test_what_does_not_contradict_is_not_shown(text):
    assert against(text) is None


def test_one_file_does_not_contradict_itself():
    assert against(LETTER, file="contract.pdf") is None


def test_an_answer_with_both_figures_needs_no_note():
    assert against(LETTER, answer="It was 980 euros and is 1,025 euros. [1]") is None


def test_another_year_is_no_contradiction():
    question = "How much was the rent in 2022?"
    assert against("In 2023 the rent was 1,025 euros.", question) is None
    assert against("In 2022 the rent was 1,025 euros.", question) is not None


def test_figures_have_kinds():
    text = "3 months, € 5.00 or 7 CHF, 12 % on 2024-05-03 at 8:30"
    assert [(kind, figure.readings[0]) for kind, figure in figures(text)] == [
        ("month", "3"),
        ("money", "5"),
        ("money", "7"),
        ("percent", "12"),
        ("date", "2024-05-03"),
        ("clock", "8:30"),
    ]


def test_the_same_day_in_another_notation_is_no_contradiction():
    evidence = [
        extract(1, "letter.md", "The meeting is on 5 May 2024."),
        extract(2, "brief.md", "The meeting is on 05.05.2024."),
        extract(3, "note.md", "The meeting is on 06.05.2024."),
    ]
    asked, answer = "When is the meeting?", "The meeting is on May 5, 2024. [1]"
    assert conflict(Question(asked), answer, [1], evidence[:2]) is None
    assert conflict(Question(asked), answer, [1], evidence).file == "note.md"


@asynccontextmanager
async def papers(tmp_path, settings, **texts):
    """A library of Markdown files."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield library


@pytest.mark.usefixtures("a_model_answers")
async def test_the_answer_shows_both_sources_and_is_not_certain(tmp_path, session_settings):
    contract = f"# Rental contract\n\n{CONTRACT}\n"
    letter = f"# Letter of the landlord\n\n{LETTER}\n"
    async with papers(tmp_path, session_settings, contract=contract, letter=letter) as library:
        model = FakeModel("The rent is 980 euros a month.")
        events = await turn(library, session_settings, model, ASKED)
    end = events[-1]
    assert f"But letter.md says: “{LETTER}”" in end.answer
    assert streamed(events) == end.answer
    assert {source.file for source in end.sources if source.cited} == {"contract.md", "letter.md"}
    assert end.confidence != "high"


LEASE = "The tenants pay a deposit of 3,540.00 euros, that is three times the monthly rent."
BOOKING = "Please send the deposit of 410 euros by bank transfer."


@pytest.mark.parametrize(("said", "outcome"), [("410", "choices"), ("3,540", "answered")])
@pytest.mark.usefixtures("a_model_answers")
async def test_what_ranking_and_model_read_differently_is_asked_back(
    tmp_path, session_settings, said, outcome
):
    lease = f"# Rental contract\n\n## Deposit\n\n{LEASE}\n"
    booking = f"# Holiday house in Blokhus\n\n{BOOKING}\n"
    async with papers(tmp_path, session_settings, lease=lease, booking=booking) as library:
        model = FakeModel(f"The deposit is {said} euros.")
        events = await turn(library, session_settings, model, "How high is the deposit?")
    assert of(events, EvidenceEvent)[0].extracts[0].file == "lease.md"  # the likelier
    assert events[-1].outcome == outcome
    choices = [choice.file for asked in of(events, ChoicesEvent) for choice in asked.choices]
    assert choices == (["lease.md", "booking.md"] if outcome == "choices" else [])
    if choices:
        assert events[-1].confidence == "low"
        assert LEASE in events[-1].answer
        assert BOOKING in events[-1].answer
