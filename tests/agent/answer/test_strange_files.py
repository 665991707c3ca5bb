"""Files and questions that nobody had in mind: something true is shown, and nothing crashes."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, of, turn
from manole.agent.events import EvidenceEvent
from manole.library import Library


@pytest.fixture
def holding(session_settings, tmp_path):
    """Opens a library of one file."""

    async def opened(name, text):
        folder = tmp_path / "files"
        folder.mkdir()
        (folder / name).write_text(text, "utf-8")
        own = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
        library = await Library.open(folder, own)
        await library.sync()
        return library

    return opened


def marked(events):
    return [
        extract.text[start:end]
        for event in of(events, EvidenceEvent)
        for extract in event.extracts
        for start, end in extract.marks
    ]


@pytest.mark.server  # it takes time: megabytes are embedded
async def test_one_line_of_three_megabytes(holding, session_settings):
    line = "The drawer holds pens and paper for all. " * 40_000 + "The gate is opened at noon. "
    line += "The drawer holds pens and paper for all. " * 40_000
    async with await holding("line.txt", line) as library:
        model = Loaded(FakeModel("The gate is opened at noon."))
        events = await turn(library, session_settings, model, "when is the gate opened")
        assert any("noon" in words for words in marked(events))
        assert max(len(words) for words in marked(events)) < 1_000
        model = Loaded(FakeModel("Pens and paper."))
        end = (await turn(library, session_settings, model, "summarise line.txt"))[-1]
        assert "pens and paper" in end.answer
        assert len(end.answer) < 5_000


@pytest.mark.server  # it takes time: megabytes are embedded
async def test_a_table_of_ten_thousand_rows_as_the_only_hit(holding, session_settings):
    rows = "".join(f"| bolt {n} | shelf {n % 90} |\n" for n in range(10_000))
    table = f"# Store of bolts\n\n| part | place |\n| --- | --- |\n{rows}"
    async with await holding("store.md", table) as library:
        model = Loaded(FakeModel("They lie on shelves."))
        end = (await turn(library, session_settings, model, "what bolts does the store hold?"))[-1]
        assert "bolt" in end.answer
        assert len(end.answer) < 5_000


@pytest.mark.server  # it takes time: megabytes are embedded
async def test_a_list_of_five_thousand_items_says_how_many(holding, session_settings):
    items = "".join(f"- screw of size {n}\n" for n in range(5_000))
    text = f"# What the chest holds\n\nThe chest holds these screws:\n\n{items}"
    async with await holding("chest.md", text) as library:
        model = Loaded(FakeModel("Screws."))
        end = (await turn(library, session_settings, model, "which screws does the chest hold"))[-1]
        assert "(5000)" in end.answer
        assert "4,970 more" in end.answer


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        ("# דו״ח\n\nהשער נפתח בשעה 12 בצהריים.\n", "מתי נפתח השער", "בשעה 12"),
        ("# بوابة\n\nتفتح البوابة في الساعة 12 ظهرا.\n", "متى تفتح البوابة", "12"),
        (
            "# Gate 🚪\n\nThe gate 👩‍👩‍👧 opens 🕛 at noon. Cafe\u0301s follow.\n",
            "when does the gate open",
            "🕛",
        ),
        ("# Gate\n\nT\u0336h\u0336e gate opens at noon.\n", "when does the gate open", "noon"),
    ],
)
async def test_any_script_is_marked_where_it_stands(
    holding, session_settings, text, question, said
):
    async with await holding("gate.md", text) as library:
        model = Loaded(FakeModel("At 12."))
        events = await turn(library, session_settings, model, question)
        assert any(said in words for words in marked(events))
        assert events[-1].answer


async def test_a_question_of_four_thousand_characters(holding, session_settings):
    async with await holding("gate.md", "# Gate\n\nThe gate is opened at noon.\n") as library:
        model = Loaded(FakeModel("The gate is opened at noon."))
        question = ("when is the gate opened " * 200)[:3_990]
        events = await turn(library, session_settings, model, question)
        assert any("noon" in words for words in marked(events))
        assert events[-1].answer


async def test_a_language_that_no_file_is_in(holding, session_settings):
    async with await holding("gate.md", "# Gate\n\nThe gate is opened at noon.\n") as library:
        model = Loaded(FakeModel("Am Mittag."))
        events = await turn(library, session_settings, model, "Wann wird das Tor geöffnet?")
        assert any("noon" in words for words in marked(events))
