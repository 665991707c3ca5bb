"""The keyword router, over the household's own file list."""

from __future__ import annotations

from datetime import date

import pytest
import pytest_asyncio

from manole.agent.understanding.route import route
from manole.documents.model import Status
from manole.index.store import FileRecord

TODAY = date(2025, 1, 15)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def files(household):
    return await household.files()


def only(question, files):
    routes = route(question, files, TODAY)
    assert len(routes) == 1
    return routes[0]


# The patterns of seeds 000 and 004: question, tool, and the inputs that matter.
SEEDS = [
    ("how much space do my files take?", "disk_usage", {}),
    ("disk usage", "disk_usage", {}),
    ("biggest files", "list_files", {"sort_by": "size", "order": "descending"}),
    ("what are the largest files?", "list_files", {"sort_by": "size", "order": "descending"}),
    ("folder structure", "directory_tree", {}),
    ("show me the tree", "directory_tree", {}),
    ("directory structure", "directory_tree", {}),
    ("which folders are there?", "directory_tree", {}),
    ("how many .pdf files", "count_files", {"extension": ".pdf"}),
    ("how many PDF files?", "count_files", {"extension": ".pdf"}),
    ("how many PDFs?", "count_files", {"extension": ".pdf"}),
    ("how many files do I have?", "count_files", {}),
    ("count the files", "count_files", {}),
    ("count all images", "count_files", {"extension": "images"}),
    ("what file types are there?", "count_files", {}),
    ("list files", "list_files", {}),
    ("recent files", "list_files", {"sort_by": "date", "order": "descending"}),
    ("what files are there?", "list_files", {}),
    ("show files", "list_files", {}),
    ("list pdf files", "list_files", {"extension": ".pdf"}),
    ("file size of the rental contract", "file_metadata", {}),
    ("when was the rental contract modified?", "file_metadata", {}),
    ("when was todo.txt created?", "file_metadata", {"name_hint": "todo.txt"}),
    ("who is our landlord?", "semantic_search", {}),
    ("what is the target revenue for the engineering department?", "semantic_search", {}),
]


@pytest.mark.parametrize(("question", "tool", "inputs"), SEEDS)
def test_the_seeds_patterns(files, question, tool, inputs):
    found = only(question, files)
    assert found.tool == tool
    assert found.sure
    assert found.inputs | inputs == found.inputs


@pytest.mark.parametrize(
    ("question", "tool", "inputs"),
    [
        ("how many files from 2023?", "count_files", {"time_filter": "2023"}),
        ("how many files are in the recipes folder?", "count_files", {"folder": "recipes"}),
        ("how many invoices do I have?", "count_files", {}),
        ("how many text files are there?", "count_files", {"extension": "text files"}),
        ("the five newest files", "list_files", {"limit": 5, "sort_by": "date"}),
        ("newest file", "list_files", {"limit": 1, "order": "descending"}),
        ("what is my oldest pdf?", "list_files", {"order": "ascending", "extension": ".pdf"}),
        ("smallest file", "list_files", {"sort_by": "size", "order": "ascending", "limit": 1}),
        ("which files did I change in December 2024?", "list_files",
         {"time_filter": "in december 2024"}),
        ("list my emails", "list_files", {"extension": "e-mails"}),
        ("which folder has the most files?", "folder_stats", {"sort_by": "count"}),
        ("which folder is the largest?", "folder_stats", {"sort_by": "size"}),
        ("how big is the boiler manual?", "file_metadata", {}),
        ("how large is the file about the balcony?", "file_metadata", {}),
        ("how big is the photo of the balcony?", "file_metadata", {}),
        ("how big is pippa-on-the-balcony.jpg?", "file_metadata", {}),
        ("how big is todo?", "file_metadata", {}),
        ("what is the size of the rental contract from Mrs Hollerbach?", "file_metadata", {}),
        ("when did I last change the vet record?", "file_metadata", {}),
        ("where is my CV?", "grep_files", {}),
        ("is there a file about insurance?", "grep_files", {}),
        ("do I have any presentations?", "list_files", {"extension": "presentations"}),
        ("summarize the lentil soup recipe", "read_document", {"file": "recipes/lentil-soup.md"}),
        ("what is contacts.vcf about?", "read_document", {"file": "contacts.vcf"}),
        ("Wie viele PDF-Dateien gibt es?", "count_files", {"extension": ".pdf"}),
        ("Welche Datei ist die größte?", "list_files", {"sort_by": "size"}),
        ("Zeig mir die fünf neuesten Dateien", "list_files", {"limit": 5}),
        ("folder structure, 3 levels deep", "directory_tree", {"max_depth": 3}),
        ("show the tree with 9999 levels", "directory_tree", {"max_depth": 20}),
    ],
)  # fmt: skip
def test_questions_about_files_need_no_model(files, question, tool, inputs):
    found = only(question, files)
    assert found.tool == tool
    assert found.sure
    shared = {key: found.inputs.get(key) for key in inputs}
    if "time_filter" in inputs:  # how it is cut out of the sentence does not matter
        assert shared["time_filter"] in inputs["time_filter"]
    else:
        assert shared == inputs


@pytest.mark.parametrize(
    "question",
    [
        "How many lentils do I need for the lentil soup?",
        "How many kilometres is the cycle tour to Løkken and back?",
        "How many points did the team score?",
        "how many people sang in the church?",
        "How much tax do we get back for 2023?",
        "what is the total of the plumber's invoice?",
        "When was Mara born?",
        "who created the garden?",
        "How big is the balcony?",
        "How large is the border of the garden?",
        "What is the size of the balcony?",
        "Wie groß ist der Balkon?",
        "When was the boiler changed?",
        "When was the rental company created?",
        "what is the largest city in Denmark?",
        "what is the oldest university?",
        "When did I plant the plum tree?",
    ],
)
def test_questions_about_contents_are_searched(files, question):
    found = only(question, files)
    assert found.tool == "semantic_search"
    assert found.inputs["query"]


@pytest.mark.parametrize(
    "question",
    [
        "how many PDF files mention the landlord?",
        "how many documents talk about unicorns?",
        "which files contain the word allergy?",
        "list the files that were signed by Mrs Hollerbach",
    ],
)
def test_file_words_with_unexplained_ones_are_left_to_the_model(files, question):
    assert not only(question, files).sure


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("how manny files are there", "how many files are there"),
        ("how many fiels do i have", "how many files do i have"),
        ("how manny markdown fiels are their?", "how many markdown files are there?"),
        ("lsit files", "list files"),
        ("newset file", "newest file"),
        ("HOW MANY FILES", "how many files"),
    ],
)
def test_swapped_and_doubled_letters_are_mended(files, question, same):
    found, expected = only(question, files), only(same, files)
    assert (found.tool, found.inputs) == (expected.tool, expected.inputs)
    assert found.sure


def test_in_german_the_end_of_a_word_names_the_paper():
    path = "wohnung/Mietvertrag_Hollerbach_2021.pdf"
    paper = FileRecord("1", "/files", path, 1000, 0, "", Status.INDEXED)
    assert only("Wie groß ist der Mietvertrag?", [paper]).tool == "file_metadata"
    assert only("Wie groß ist die Wohnung?", [paper]).tool == "semantic_search"


def test_other_words_are_not_bent_into_file_words(files):
    assert only("how many miles did we walk?", files).tool == "semantic_search"


def test_clauses_become_routes_of_their_own(files):
    routes = route("How many PDFs are there and which file is the largest?", files, TODAY)
    assert [r.tool for r in routes] == ["count_files", "list_files"]
    assert "PDFs" in routes[0].clause


def test_a_clause_may_refer_to_the_one_before(files):
    routes = route("Which is my newest invoice and what is its total?", files, TODAY)
    assert [r.tool for r in routes] == ["list_files", "semantic_search"]
    assert [r.refers_back for r in routes] == [False, True]


@pytest.mark.parametrize(
    ("question", "inputs"),
    [
        ("How many invoices do I have, and which of them is the newest?",
         {"name": "invoices", "sort_by": "document_date", "limit": 1}),
        ("How many PDF files are there, and which one is the smallest?",
         {"extension": ".pdf", "sort_by": "size", "order": "ascending", "limit": 1}),
    ],
)  # fmt: skip
def test_the_first_of_those_that_were_counted(files, question, inputs):
    counted, best = route(question, files, TODAY)
    assert (counted.tool, best.tool, best.inputs) == ("count_files", "list_files", inputs)


def test_several_questions_in_one(files):
    routes = route("How many files are there? Where is the floor plan?", files, TODAY)
    assert [r.tool for r in routes] == ["count_files", "grep_files"]


def test_clauses_about_contents_are_one_search(files):
    question = "Who is our landlord and what is the rent?"
    found = only(question, files)
    assert found.tool == "semantic_search"
    assert found.inputs["query"] == question


@pytest.mark.parametrize(
    "question", ["?", "and", "and then", "...", "a", "日本語", "? ? ?", "-" * 5000]
)
def test_there_is_always_a_route(files, question):
    assert route(question, files, TODAY)


def test_without_files_there_is_a_route_too():
    assert route("how many invoices do I have?", [], TODAY)
