"""The keyword router: which tool the words of a question choose, and with what."""

from __future__ import annotations

import pytest

from manole_strategies.router import keyword_step, name_hint

PATHS = ("home/boiler-manual.pdf", "invoices/invoice-2023-07.pdf", "home/rental-contract.pdf")


@pytest.mark.parametrize(
    ("question", "tool", "inputs"),
    [
        ("How much space do my files take?", "disk_usage", {}),
        ("What is the disk usage?", "disk_usage", {}),
        ("Which are the biggest files?", "list_files", {"extension": "", "sort_by": "size"}),
        ("the largest pictures", "list_files", {"extension": "picture", "sort_by": "size"}),
        ("Which are the biggest folders?", "folder_stats", {}),
        ("Show the folder structure", "directory_tree", {"max_depth": 2}),
        ("Show me the tree", "directory_tree", {"max_depth": 2}),
        ("how many PDF files?", "count_files", {"extension": "pdf"}),
        ("how many .pdf files", "count_files", {"extension": ".pdf"}),
        ("how many .docx files", "count_files", {"extension": ".docx"}),
        ("and how many images?", "count_files", {"extension": "images"}),
        ("how many invoices?", "count_files", {"extension": "", "name": "invoices"}),
        ("which file types are there?", "directory_tree", {"max_depth": 2}),
        ("show files", "list_files", {"extension": ""}),
        ("what files are new?", "list_files", {"extension": ""}),
        ("When was the boiler manual modified?", "file_metadata", {"name_hint": "boiler manual"}),
        ("file size of home/boiler-manual.pdf", "file_metadata",
         {"name_hint": "home/boiler-manual.pdf"}),
        ("What is the notice period?", "semantic_search", {"query": "What is the notice period?"}),
    ],
)  # fmt: skip
def test_words_choose(question, tool, inputs):
    step = keyword_step(question, paths=PATHS)
    assert (step.tool, step.inputs, step.by) == (tool, inputs, "fallback")


@pytest.mark.parametrize(
    "question", ["What is my account number?", "Who lives in this street?", "Was it recreated?"]
)
def test_a_keyword_within_another_word_is_none(question):
    assert keyword_step(question).tool == "semantic_search"


@pytest.mark.parametrize(
    ("question", "intent", "tool"),
    [
        ("What is the number of PDFs?", "count", "count_files"),
        ("Is the contract old?", "metadata", "file_metadata"),
        ("Give me all invoices", "list", "grep_files"),
        ("Give me all invoices and their totals", "list", "semantic_search"),
        ("What differs between the contracts?", "compare", "semantic_search"),
        ("Sum the contract up", "summarize", "semantic_search"),
        ("Who is the landlord?", "factual", "semantic_search"),
    ],
)
def test_where_no_word_chooses_the_intent_does(question, intent, tool):
    assert keyword_step(question, intent, PATHS).tool == tool


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("When was the boiler manual last modified?", "boiler manual"),
        ("What is the file size of “my notes”?", "my notes"),
        ("when was report_2024.docx created", "report_2024.docx"),
        ("When was it modified?", "When was it modified?"),
        ("What's the size of Anna's letter?", "anna letter"),
    ],
)
def test_a_name_is_taken_out_of_a_question(question, hint):
    assert name_hint(question, PATHS) == hint
