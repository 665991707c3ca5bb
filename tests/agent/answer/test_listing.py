"""What is asked for in the plural is told whole, from the list that holds it."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, of, turn
from manole.agent.events import EvidenceEvent
from manole.library import Library

CLUB = """# Rowing club

The club was founded in 1987 and has its house on the east bank.

## Before you take a boat out

Every rower, whatever the weather, has to

- sign the log book
- put on a life jacket
- switch on the bow light
{more}
## Fees

A year costs 240 euros.
"""


@pytest.fixture
def club(session_settings, tmp_path):
    async def opened(more=""):
        folder = tmp_path / "club"
        folder.mkdir()
        (folder / "rules.md").write_text(CLUB.format(more=more), "utf-8")
        (folder / "shopping.md").write_text("# Shopping\n\n- milk\n- bread\n- apples\n", "utf-8")
        library = await Library.open(
            folder, session_settings.model_copy(update={"data_dir": tmp_path / "data"})
        )
        await library.sync()
        return library

    return opened


QUESTION = "What does everybody have to do before taking a boat out?"


async def test_a_list_is_told_whole_in_the_files_own_words(club, session_settings):
    async with await club() as library:
        model = Loaded(FakeModel("Sign the log book."))
        events = await turn(library, session_settings, model, QUESTION)
    end = events[-1]
    head, *items = end.answer.split("\n")
    assert head == "Before you take a boat out (3):"
    n = end.sources[0].n
    assert items == [f"- sign the log book [{n}]", f"- put on a life jacket [{n}]",
                     f"- switch on the bow light [{n}]"]  # fmt: skip
    assert [(s.file, s.line, s.line_end) for s in end.sources] == [("rules.md", 9, 11)]
    assert end.confidence != "high"
    shown = {extract.n for event in of(events, EvidenceEvent) for extract in event.extracts}
    assert n in shown


async def test_a_list_over_many_passages_is_told_with_each_ones_number(club, session_settings):
    more = "".join(f"- check screw {n} of the boat before taking it out\n" for n in range(1, 60))
    async with await club(more) as library:
        model = Loaded(FakeModel("Sign the log book."))
        events = await turn(library, session_settings, model, QUESTION)
    end = events[-1]
    assert end.answer.startswith("Before you take a boat out (62):")
    assert end.answer.endswith("… and 32 more, from there on.")
    assert len(end.sources) > 1
    extracts = [extract for event in of(events, EvidenceEvent) for extract in event.extracts]
    by_number = {extract.n: extract for extract in extracts}
    for source in end.sources:
        first = source.quote.split("\n")[0]
        assert first in by_number[source.n].text


async def test_where_no_list_fits_the_model_answers(club, session_settings):
    async with await club() as library:
        model = Loaded(FakeModel("The club was founded in 1987."))
        question = "When was the rowing club founded and where is its house?"
        events = await turn(library, session_settings, model, question)
    assert "1987" in events[-1].answer
    assert "- " not in events[-1].answer
