"""`visual_search` and `visual_interpretation` over PDFs written here. Vision is a fake."""

from __future__ import annotations

from datetime import date

import pytest
from reportlab.pdfgen.canvas import Canvas

from manole.library import Library
from manole.models.vision import Sight
from manole.text.question import Question
from manole.tools.base import Error, Progress, Result, TurnState
from manole.tools.objects import FoundPage
from manole.tools.registry import Registry
from manole.tools.visual import PAGES, VisualInterpretation, has_pages

LINES = {
    "pump.pdf": [
        ["Installation of the pump", "Bolt the base to the floor."],
        ["Figure 3: hydraulic circuit", "relief valve", "inlet filter", "24 V solenoid"],
    ],
    "oven.pdf": [["Baking bread", "Heat the oven to 230 degrees."]],
}


@pytest.fixture
async def library(tmp_path, session_settings):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, pages in LINES.items():
        canvas = Canvas(str(folder / name), pagesize=(400, 500))
        for lines in pages:
            for n, line in enumerate(lines):
                canvas.drawString(40, 440 - 60 * n, line)
            canvas.showPage()
        canvas.save()
    own = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open(folder, own) as library:
        await library.sync()
        yield library


@pytest.fixture
async def state(library, session_settings):
    asked = "Which voltage has the solenoid in the figure?"
    state = TurnState(Question(asked, date(2026, 1, 15)), library, session_settings)
    state.collection_names = (PAGES,) if await has_pages(state) else ()
    return state


@pytest.fixture
def run(state):
    registry = Registry()

    async def call(name, /, **arguments):
        tool = registry[name]
        outcomes = [o async for o in tool(state, tool.inputs(**arguments))]
        for outcome in outcomes:
            if isinstance(outcome, Result):
                state.environment.add(tool.name, outcome)
        return outcomes

    return call


def names(state):
    return {tool.name for tool in Registry().available(state)}


async def test_pages_first_then_they_can_be_looked_at(state, run):
    assert "visual_search" in names(state)
    assert "visual_interpretation" not in names(state)
    (found,) = await run("visual_search", query=state.question.text)
    assert found.payload_type == "pages"
    best = found.objects[0]
    assert (best.kind, best.file, best.page) == ("page", "pump.pdf", 2)
    assert "24 V solenoid" in {line.text for line in best.lines}
    assert all(0 <= side <= 1 for line in best.lines for side in line.box.sides)
    assert "pump.pdf, page 2" in found.message
    assert "visual_interpretation" in names(state)


async def test_without_a_vision_model_the_words_of_the_page_are_evidence(state, run):
    await run("visual_search", query=state.question.text)
    (read,) = await run("visual_interpretation")
    assert {o.kind for o in read.objects} == {"passage"}
    assert "24 V solenoid" in read.objects[0].text
    assert (read.objects[0].file, read.objects[0].page) == ("pump.pdf", 2)
    assert len({(o.file, o.page) for o in read.objects}) == 2


class FakeVision:
    name = "fake-sight"

    def __init__(self, *sights):
        self.sights = list(sights)
        self.asked = []

    async def ask(self, picture, question):
        self.asked.append((picture[:3], question))
        return self.sights.pop(0)


async def test_a_vision_model_is_asked_the_question_about_two_pages(state, run, monkeypatch):
    vision = FakeVision(Sight("A circuit with a 24 V solenoid."), Sight(reason="it took too long"))

    async def at_hand(self):
        return vision

    monkeypatch.setattr(Library, "vision", at_hand)
    await run("visual_search", query=state.question.text)
    *said, read = await run("visual_interpretation")
    assert vision.asked == [(b"\xff\xd8\xff", state.question.text)] * 2
    seen = [o for o in read.objects if o.seen_by]
    assert [(o.text, o.seen_by) for o in seen] == [
        ("A circuit with a 24 V solenoid.", "fake-sight")
    ]
    assert len(read.objects) > 2  # the words of both pages are there too
    assert any("it took too long" in s.message for s in said if isinstance(s, Progress))


async def test_nothing_found_says_what_to_try(state, run):
    (nothing,) = await run("visual_search", query="valve", files=("none.pdf",))
    assert isinstance(nothing, Error)
    assert "semantic_search" in nothing.suggestion
    (nothing,) = await run("visual_interpretation")
    assert isinstance(nothing, Error)


async def test_pages_without_words_suggest_the_search_that_found_them(state):
    class Look(VisualInterpretation):
        searched_by = "look_for_pages"

    page = FoundPage(id="page:x:1", file="x.pdf", page=1, score=1.0, lines=(), passages=())
    state.environment.add(Look.searched_by, Result([page], name="visual_pages"))
    (nothing,) = [o async for o in Look()(state, Look.inputs())]
    assert nothing == Error("The pages found have no words.", suggestion="Try look_for_pages.")


async def test_where_there_are_no_pages_there_are_no_visual_tools(tmp_path, session_settings):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("Nothing but words.")
    own = session_settings.model_copy(update={"data_dir": tmp_path / "data2"})
    async with await Library.open(folder, own) as library:
        await library.sync()
        state = TurnState(Question("?", date(2026, 1, 15)), library, own)
        assert not await has_pages(state)
        assert "visual_search" not in names(state)


def test_the_seeds_names_mean_the_same_tools():
    registry = Registry()
    assert registry["fast_vector_search"].name == "semantic_search"
    assert registry["colqwen_visual_search"].name == "visual_search"
    assert registry["text_response"].name == "respond"
    assert registry.parse("colqwen_visual_search", {"query": "a", "top_k": 900}).top_k == 5
