"""An answer that turns its source around is withdrawn."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, turn
from manole.agent.answer.contradictions import opposite_words
from manole.agent.answer.evidence import Evidence
from manole.library import Library


def source(*sentences):
    units = tuple((text, n, n) for n, text in enumerate(sentences, start=1))
    return [Evidence(1, "house.md", None, 1, 1, "house.md", " ".join(sentences), 1.0, units)]


HOUSE = source(
    "The terrace faces north and gets no sun in winter.",
    "The garden lies south of the house.",
    "Close the primary valve before the boiler is filled.",
    "Le robinet est à droite de la porte.",
    "Der Schlüssel hängt links neben der Tür.",
)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("The terrace faces south and gets no sun in winter.", ("south", "north")),
        ("Close the secondary valve before the boiler is filled.", ("secondary", "primary")),
        ("The primary valve is closed after the boiler is filled.", ("after", "before")),
        ("Le robinet est à gauche de la porte.", ("gauche", "droite")),
        ("Der Schlüssel hängt rechts neben der Tür.", ("rechts", "links")),
    ],
)
def test_a_word_turned_around_is_found(answer, found):
    assert opposite_words(answer, HOUSE) == found


@pytest.mark.parametrize(
    "answer",
    [
        "The terrace faces north.",
        "The garden lies south of the house.",
        "The terrace faces north, not south.",
        "Close the valve before filling the boiler, and open it after.",
        "Nothing is said of the roof.",
        "",
    ],
)
def test_what_the_source_says_is_left_alone(answer):
    assert opposite_words(answer, HOUSE) is None


@pytest.fixture
def told(session_settings, tmp_path):
    """The end of a turn over one file, of which a fake model says `reply`."""

    async def run(text, reply, question):
        folder = tmp_path / "house"
        folder.mkdir()
        (folder / "notes.md").write_text(f"# Notes\n\n{text}\n", "utf-8")
        settings = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
        async with await Library.open(folder, settings) as library:
            await library.sync()
            return (await turn(library, settings, Loaded(FakeModel(reply)), question))[-1]

    return run


@pytest.mark.usefixtures("a_model_answers")
async def test_an_answer_that_says_south_for_north_is_not_shown_as_fact(told):
    text = "The terrace of the house faces north and gets no sun in winter."
    reply = "The terrace of the house faces south."
    end = await told(text, reply, "Which way does the terrace of the house face?")
    assert not end.found
    assert (end.outcome, end.confidence, end.corrected) == ("nearest", "low", True)
    assert text in end.answer
    assert "south" not in end.answer


@pytest.mark.usefixtures("a_model_answers")
@pytest.mark.parametrize(("year", "found"), [("2022", False), ("2024", True)])
async def test_a_source_of_another_year_is_not_shown_as_fact(told, year, found):
    text = "On 7 December 2024 the choir took 742 euros at the door of the concert."
    reply = f"The choir took 742 euros in {year}."
    end = await told(text, reply, f"How much did the choir take at the concert in {year}?")
    assert end.found == found
    assert "742" in end.answer
