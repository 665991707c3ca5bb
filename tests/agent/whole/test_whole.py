"""What is asked of all of a file or folder is answered from all of it."""

from __future__ import annotations

import re
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from agent.fake_models import FakeMissingModel
from agent.turns import tools, turn
from manole.library import Library

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROSE = "The valve keeps the pressure of the water at two bar in every season of the year."
CHAPTERS = ("Safety", "Daily use", "Frost")
PARTS = [f"Part {n}" for n in range(1, 13)]


def survey(path: Path) -> None:
    """Two pages of text, one with a contents; the third is a picture."""
    canvas = Canvas(str(path))
    canvas.setTitle("Survey of the house")
    pages = (
        ["Contents", "Damp walls ........ 2", "Asbestos roof ........ 2"],
        ["The cellar was under water in the great floo-", "ding of 1953, as neighbours say.",
         "The walls are dry today."],
    )  # fmt: skip
    for page in pages:
        for n, line in enumerate(page):
            canvas.drawString(60, 760 - 16 * n, line)
        canvas.showPage()
    canvas.rect(60, 60, 300, 300, fill=1)
    canvas.showPage()
    canvas.save()


def manual(path: Path, *, bookmarks: bool) -> None:
    """A chapter a page, a running head on each; headings are bookmarks, or set larger."""
    canvas = Canvas(str(path))
    sizes = (10, 16) if not bookmarks else (10, 10)
    for page, name in enumerate(("Contents", *CHAPTERS)):
        if bookmarks:
            canvas.bookmarkPage(name)
            canvas.addOutlineEntry(name, name, 0)
        lines = [f"{one} ...... {n + 2}" for n, one in enumerate(CHAPTERS)] if not page else []
        lines = lines or [f"{name} matters to everybody who lives with this pump.", PROSE]
        canvas.setFont("Helvetica", 18 if not bookmarks else 10)
        canvas.drawString(60, 800, "Pump P7 handbook")
        canvas.setFont("Helvetica", sizes[1])
        canvas.drawString(60, 760, name)
        canvas.setFont("Helvetica", sizes[0])
        for n, line in enumerate(lines):
            canvas.drawString(60, 720 - 14 * n, line)
        canvas.showPage()
    canvas.save()


def rules(path: Path) -> None:
    document = docx.Document()
    for name in CHAPTERS:
        document.add_heading(name, 1)
        document.add_paragraph(f"{name} is looked after by the caretaker on every single day.")
    document.save(str(path))


@pytest.fixture(scope="module")
async def library(tmp_path_factory, session_settings):
    folder = tmp_path_factory.mktemp("whole")
    for name in ("house", "guides", "letters/a", "letters/b", "insurance"):
        (folder / name).mkdir(parents=True)
    survey(folder / "house/survey.pdf")
    manual(folder / "guides/pump outline.pdf", bookmarks=True)
    manual(folder / "guides/boiler sizes.pdf", bookmarks=False)
    rules(folder / "guides/house rules.docx")
    Path(folder, "guides/long garden.md").write_text(
        "# Garden\n\n[Part 1](#part-1)\n\n"
        + "".join(f"## Part {n}\n\n{PROSE} It is part {n} of it.\n\n" for n in range(1, 16))
        + "```\n## no heading\n```\n"
    )
    Path(folder, "guides/plain letter.txt").write_text("Dear Paul,\n\n" + f"{PROSE}\n\n" * 3)
    Path(folder, "house/one line.txt").write_text("lorem ipsum " * 250_000 + "quicksilver")
    for n in range(40):
        Path(folder, f"letters/{'ab'[n % 2]}/note {n:02}.txt").write_text(f"Note number {n}.")
    Path(folder, "insurance/**bold** [1].md").write_text("The *frame* of [1] stands here {name}.")
    Path(folder, "insurance/invoice.txt").write_text(
        "Stadtwerke Freiburg\n\nInvoice\n\nInvoice number: 4411\nDate: 3 March 2024\n\n"
        "Total: 120.00 EUR\n"
    )
    unseen = session_settings.index.model_copy(update={"ocr": False})
    settings = session_settings.model_copy(update={"index": unseen})
    async with await Library.open(folder, settings) as opened:
        await opened.sync()
        yield opened


@pytest.fixture
def ask(library, session_settings):
    async def run(question, scope=None):
        events = await turn(library, session_settings, FakeMissingModel(), question, scope=scope)
        marks = [int(n) for n in re.findall(r"\[(\d+)\]$", events[-1].answer, re.MULTILINE)]
        assert set(marks) <= {source.n for source in events[-1].sources}
        return tools(events), events[-1]

    return run


@pytest.mark.parametrize(
    "question",
    [
        "Does the survey mention the flood of 1953?",
        "Where does the survey speak of the flood of 1953?",
        "Erwähnt survey.pdf den flood 1953?",
        "Est-ce que survey.pdf mentionne flood 1953 ?",
    ],
)
async def test_what_a_file_mentions_is_found_in_any_form_and_over_the_ends_of_lines(ask, question):
    used, end = await ask(question)
    assert used == ["mentions"]
    assert re.match(r"(Yes, 1 place|Ja, 1 Stelle|Oui, 1 endroit):", end.answer)
    (source,) = end.sources
    assert (source.file, source.page, source.line) == ("house/survey.pdf", 2, 1)
    assert end.confidence == "high"


async def test_a_denial_says_how_much_was_read_and_what_was_not(ask):
    used, end = await ask("Does the survey mention radon?")
    assert used == ["mentions"]
    assert end.answer.startswith("No: none of the 5 lines of survey.pdf has “radon”.")
    assert "Not read, or not all of it: house/survey.pdf (pages 3)." in end.answer
    assert end.confidence == "medium"


async def test_where_no_file_is_called_so_it_is_told_where_that_is_said(ask):
    used, end = await ask("where do we have the document on asbestos roofs")
    assert used[-1] == "mentions"
    assert [(source.file, source.page) for source in end.sources if source.cited] == [
        ("house/survey.pdf", 1)
    ]


async def test_of_several_words_those_that_do_stand_there_are_told(ask):
    _, end = await ask("Does the survey mention the cellar of 1871?")
    assert "No: none of" in end.answer
    assert "“cellar”: 1 place" in end.answer
    assert "“1871”" not in end.answer.split("\n", 1)[1]


async def test_a_table_of_contents_is_a_place_but_the_last(ask):
    _, end = await ask("Does the survey mention walls?")
    quotes = [source.quote for source in end.sources]
    assert quotes == ["The walls are dry today.", "Damp walls ........ 2"]


async def test_a_line_of_three_megabytes_is_read_to_its_end(ask):
    _, end = await ask('Does "one line.txt" mention quicksilver?')
    assert end.answer.startswith("Yes, 1 place:")
    assert end.answer.rstrip("” [1]").endswith("quicksilver")
    assert len(end.answer) < 500


async def test_without_a_file_the_whole_library_is_looked_through(ask):
    _, end = await ask("Is asbestos mentioned anywhere?")
    assert end.answer.startswith("Yes, 1 place:\n**house/survey.pdf**")
    _, end = await ask("Is there anything about plutonium?")
    assert re.match(r"No: none of the [\d,]+ lines of 49 files has “plutonium”\.", end.answer)


@pytest.mark.parametrize(
    ("file", "question", "names"),
    [
        ("guides/pump outline.pdf", "what are the chapters of pump outline.pdf?", CHAPTERS),
        ("guides/boiler sizes.pdf", "Summarise boiler sizes.pdf by chapter", CHAPTERS),
        ("guides/house rules.docx", "fasse house rules.docx kapitelweise zusammen", CHAPTERS),
        ("guides/long garden.md", "Résume long garden.md par chapitre", PARTS),
    ],
)  # fmt: skip
async def test_a_file_is_told_by_its_own_headings(ask, file, question, names):
    used, end = await ask(question)
    assert used == ["chapters"]
    found = re.findall(r"^- \*\*(.+?)\*\*: .{20,} \[\d+\]$", end.answer, re.MULTILINE)
    assert found == list(names)
    assert {source.file for source in end.sources} == {file}
    if file.endswith(".pdf"):
        assert {source.page for source in end.sources} == {2, 3, 4}
    assert ("… et 3 autres" in end.answer) == file.endswith(".md")


async def test_a_file_without_headings_is_told_as_a_whole(ask):
    _, end = await ask("what are the chapters of plain letter.txt?")
    head, first, *_ = end.answer.split("\n")
    assert head == "plain letter.txt has no headings. What it says as a whole:"
    assert first == f"- {PROSE} [1]"


@pytest.mark.parametrize(
    "question",
    ["What is in the folder insurance?", "give me an overview of the insurance folder",
     "Überblick über den Ordner insurance"],
)  # fmt: skip
async def test_a_folder_is_told_file_by_file(ask, question):
    used, end = await ask(question)
    assert used == ["overview"]
    _, paper, strange = end.answer.split("\n")
    assert paper.startswith("- invoice.txt: ")
    assert "Stadtwerke Freiburg, 120" in paper
    assert strange == "- **bold** (1).md: The *frame* of (1) stands here (name). [2]"
    assert [s.file for s in end.sources] == ["insurance/invoice.txt", "insurance/**bold** [1].md"]


async def test_of_many_files_some_of_each_folder_are_named_and_the_rest_is_counted(ask):
    _, end = await ask("give me an overview of the letters folder")
    lines = end.answer.split("\n")
    assert lines[0] == "40 files:"
    assert [line for line in lines if line.startswith("**")] == ["**a** (20)", "**b** (20)"]
    assert sum(line.startswith("- note") for line in lines) == 30
    assert lines[-1] == "… and 10 more"


@pytest.mark.parametrize(
    "question",
    [
        "How many files are in the folder letters?",
        "Which file in the folder letters is the largest?",
        "List the files in the folder insurance",
        "What does the survey say about the walls?",
        "When was the flood mentioned?",
        "What does chapter 2 of long garden.md say?",
    ],
)
async def test_other_questions_go_their_own_way(ask, question):
    used, _ = await ask(question)
    assert not {"mentions", "chapters", "overview"} & set(used)
