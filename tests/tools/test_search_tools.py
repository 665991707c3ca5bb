"""`semantic_search`, `read_document` and `respond` over the household."""

from __future__ import annotations

import os
from datetime import date

import pytest
from pydantic import ValidationError

from manole.index.search.scope import Scope
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.text.question import Question
from manole.tools.base import Error, TurnState
from manole.tools.objects import shorten
from manole.tools.registry import Registry
from manole.tools.search import SEARCH_LIMIT, ReadInputs, SearchInputs
from manole.tools.visual import PAGES

DAY = date(2025, 1, 15)


def files_of(result):
    return {item.file for item in result.objects}


async def test_finds_the_passage_and_says_where_it_stands(run, on_disk):
    result = await run("semantic_search", query="how much flour do the pancakes need")
    best = result.objects[0]
    assert best.file == "recipes/pancakes.md"
    assert best.kind == "passage"
    lines = on_disk[best.file].read_text("utf-8").splitlines()
    assert "\n".join(lines[best.line - 1 : best.line_end]).strip() == best.text.strip()
    assert "recipes/pancakes.md, line" in result.message
    assert not result.answers  # what a search found is not yet an answer


async def test_passages_of_a_pdf_have_their_page(run):
    result = await run("semantic_search", query="boiler error code E04 no flame")
    manual = [p for p in result.objects if p.file == "home/boiler-thermaro-b24-manual.pdf"]
    assert manual
    assert all(p.page >= 1 for p in manual)
    assert "page" in result.message


async def test_a_follow_up_is_looked_for_where_the_answer_before_was_found(state, run):
    asked = "And how much is due by when?"
    file = "recipes/pancakes.md"
    state.history = (
        Message("user", "What does it make?"),
        Message("assistant", "Twelve.", files=(file,)),
    )
    assert file not in files_of(await run("semantic_search", query=asked, top_k=5))
    state.question = Question(asked, DAY, leans_on=(Question("What does it make?", DAY),))
    assert file in files_of(await run("semantic_search", query=asked, top_k=5))
    few = [await run("semantic_search", query=asked, top_k=most) for most in (1, 3)]
    assert [len(result.objects) for result in few] == [1, 3]


async def test_a_file_whose_name_is_not_utf8_is_read(tmp_path, session_settings):
    (tmp_path / os.fsdecode(b"m\xfcll.txt")).write_text("The unicorn is called Ada.")
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        state = TurnState(Question("?", DAY), library, session_settings)
        tool = Registry()["read_document"]
        (result,) = [o async for o in tool(state, ReadInputs(file=r"m\xfcll.txt"))]
    assert [(o.file, o.text) for o in result.objects] == [
        (r"m\xfcll.txt", "The unicorn is called Ada.")
    ]


async def test_a_model_reads_a_text_once_and_its_copies_are_named(tmp_path, session_settings):
    papers = tmp_path / "papers"
    for name in ("a.txt", "old/b.txt", "old/c.txt"):
        (papers / name).parent.mkdir(parents=True, exist_ok=True)
        (papers / name).write_text("The rent of the flat, contract RC-2022-117, is 950 euros.")
    (papers / "garage.txt").write_text("The rent of the garage is 80 euros.")
    settings = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open(papers, settings) as library:
        await library.sync()

        async def found(query, scope=None):
            state = TurnState(Question(query, DAY), library, settings, scope=Scope.parse(scope))
            tool = Registry()["semantic_search"]
            (result,) = [o async for o in tool(state, SearchInputs(query=query))]
            return {o.file: list(o.also) for o in result.objects}

        copies = ["old/b.txt", "old/c.txt"]
        assert await found("how much is the rent?") == {"a.txt": copies, "garage.txt": []}
        assert await found("what does contract RC-2022-117 say?") == {"a.txt": copies}
        assert await found("how much is the rent?", "old") == {"old/b.txt": ["old/c.txt"]}


async def test_top_k_limits_and_zero_is_the_usual_number(run):
    assert len((await run("semantic_search", query="rent", top_k=2)).objects) == 2
    assert 2 < len((await run("semantic_search", query="rent")).objects) <= SEARCH_LIMIT


async def test_filters_hold(run):
    assert files_of(await run("semantic_search", query="rent", extension=".eml")) <= {
        "home/landlord-email-rent-2023.eml",
        "holidays/holiday-house-booking.eml",
        "finance/tax-assessment-2023.eml",
        "insurance/water-damage-claim-2022.eml",
    }
    only = "home/rental-contract.pdf"
    assert files_of(await run("semantic_search", query="rent", files=(only,))) == {only}
    dated = await run(
        "semantic_search", query="Sunday", date_from=date(2024, 9, 1), date_to=date(2024, 9, 1)
    )
    assert all(item.date == date(2024, 9, 1) for item in dated.objects)
    assert "journal/2024-09-01.md" in files_of(dated)


async def test_nothing_outside_the_scope_is_found(run, state):
    state.scope = Scope(("recipes",))
    assert all(
        f.startswith("recipes/") for f in files_of(await run("semantic_search", query="rent"))
    )


async def test_nothing_found_is_an_error_with_a_suggestion(run, state):
    state.scope = Scope(("nowhere",))
    outcome = await run("semantic_search", query="rent")
    assert isinstance(outcome, Error)
    assert "rent" in outcome.message
    assert "grep_files" in outcome.suggestion


async def test_a_search_of_pages_is_suggested_only_where_there_are_pages(run, state):
    state.scope = Scope(("nowhere",))
    state.collection_names = ()
    assert (await run("semantic_search", query="rent")).suggestion == "Try grep_files."
    state.collection_names = (PAGES,)
    assert "visual_search" in (await run("semantic_search", query="rent")).suggestion


@pytest.mark.parametrize(
    "bad", [{"query": " "}, {"query": "x", "top_k": 201}, {"query": "x" * 4001}]
)
def test_search_inputs_are_bounded(bad):
    with pytest.raises(ValidationError):
        SearchInputs(**bad)


async def test_reads_a_file_from_its_beginning(run, on_disk):
    result = await run("read_document", file="lentil soup")
    assert files_of(result) == {"recipes/lentil-soup.md"}
    lines = [item.line for item in result.objects]
    assert lines == sorted(lines)
    assert result.message.startswith("recipes/lentil-soup.md: ")


@pytest.mark.parametrize(("pages", "expected"), [("2", {2}), ("2-3", {2, 3}), (" 2 - 1 ", {1, 2})])
async def test_reads_pages(run, pages, expected):
    result = await run("read_document", file="boiler-thermaro-b24-manual.pdf", pages=pages)
    assert {item.page for item in result.objects} == expected


async def test_pages_that_are_not_there_are_an_error(run):
    outcome = await run("read_document", file="boiler-thermaro-b24-manual.pdf", pages="99")
    assert isinstance(outcome, Error)
    assert "99" in outcome.message


@pytest.mark.parametrize("pages", ["one", "1,2", "-1", "1-2-3"])
def test_pages_are_one_number_or_a_range(pages):
    with pytest.raises(ValidationError):
        ReadInputs(file="x", pages=pages)


async def test_a_file_that_is_not_there_is_an_error(run):
    outcome = await run("read_document", file="unicorn.pdf")
    assert isinstance(outcome, Error)
    assert outcome.suggestion


@pytest.mark.parametrize("path", ["/etc/passwd", "../../etc/passwd"])
async def test_no_path_leads_outside(run, path):
    assert isinstance(await run("read_document", file=path), Error)


async def test_the_words_of_a_picture_are_read(run):
    result = await run("read_document", file="floor-plan.png")
    assert "Balcony" in result.message


async def test_of_a_photo_without_words_its_name_and_date_are_read(run):
    result = await run("read_document", file="beach-blokhus.jpg")
    assert "Photo: beach blokhus. Taken on" in result.message


async def test_respond_carries_the_answer(run):
    result = await run("respond", answer="42")
    assert result.message == "42"


def test_shorten_cuts_at_a_word_and_flattens():
    assert shorten("a\n b\t c") == "a b c"
    cut = shorten("word " * 100, 23)
    assert cut == "word word word word …"
