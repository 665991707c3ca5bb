"""Passages: small enough, exact slices, with what is needed to understand them."""

from __future__ import annotations

import json

import pytest
from tokenizers import Tokenizer

from manole.documents.model import Box, Document, Line, Page
from manole.documents.split import Splitter


def document(text: str, format_: str = "text", **page) -> Document:
    return Document(format_, (Page(text, **page),))


SENTENCE = "The miller of Sinaia counts his sacks, and the river takes what it is owed. "
PROSE = "\n\n".join(SENTENCE * n for n in (3, 20, 7, 31, 2, 12))


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        (PROSE, "text"),
        (PROSE * 40, "text"),
        (PROSE.replace("\n", " ") * 10, "text"),
        (json.dumps([{"id": i, "v": [i, i * i]} for i in range(3000)]), "json"),
        ("x" * 30_000, "text"),
        ("漢字かな交じり文。" * 2000, "text"),
        ("# A\n\n" + PROSE + "\n\n## B\n\n```\ncode\n```\n" + PROSE * 12, "markdown"),
        ("a,b\n" + "1,2\n" * 9000, "csv"),
        ("🍲\u0301 é\t\n" * 4000, "text"),
    ],
    ids=["prose", "long", "one line", "json", "one word", "japanese", "markdown", "csv", "emoji"],
)
def test_passages_fit_the_embedder_and_cover_the_text(splitter, tokenizer_json, text, format_):
    tokenizer = Tokenizer.from_file(str(tokenizer_json))
    tokenizer.no_truncation()
    passages = splitter.split(document(text, format_))
    at = 0
    for passage in passages:
        assert passage.text == text[passage.start : passage.end]
        assert text[at : passage.start].strip() == ""
        assert len(tokenizer.encode(passage.text).ids) <= 256
        assert len(passage.text) <= 4000
        assert passage.line_start == text.count("\n", 0, passage.start) + 1
        assert passage.line_end == text.count("\n", 0, passage.end - 1) + 1
        at = passage.end
    assert text[at:].strip() == ""


def test_passage_size_is_a_setting(tokenizer_json):
    small = Splitter(tokenizer_json, 64).split(document(PROSE))
    large = Splitter(tokenizer_json, 256).split(document(PROSE))
    assert len(small) > 2 * len(large)


def test_cuts_fall_between_sentences(splitter):
    for passage in splitter.split(document(SENTENCE * 60)):
        assert passage.text.startswith("The miller")
        assert passage.text.endswith("owed.")


def test_a_passage_knows_the_headings_above_it(splitter):
    text = f"# Contract\n\nIntro.\n\n## Term\n\n{SENTENCE * 30}\n\n## Fees\n\n{SENTENCE * 30}\n"
    passages = splitter.split(document(text, "markdown"))
    chains = {passage.headings for passage in passages if passage.text.startswith("The miller")}
    assert chains == {("Contract", "Term"), ("Contract", "Fees")}


def test_a_hash_in_code_is_no_heading(splitter):
    text = f"# Setup\n\n```sh\n# not a heading\nls\n```\n\n{SENTENCE * 40}"
    assert {p.headings for p in splitter.split(document(text, "markdown"))} == {("Setup",)}


def test_a_hash_in_plain_text_is_no_heading(splitter):
    assert splitter.split(document("# 5 apples\n\nand more"))[0].headings == ()


def test_passages_from_within_a_table_carry_its_header(splitter):
    rows = "\n".join(f"| item {i} | {i} EUR |" for i in range(200))
    text = (
        f"# Prices\n\n| Thing | Price |\n| --- | --- |\n{rows}\n\nAfter the table. {SENTENCE * 30}"
    )
    passages = splitter.split(document(text, "markdown"))
    inside = [p for p in passages if p.text.startswith("| item")]
    assert len(inside) > 3
    assert {p.headings for p in inside} == {("Prices", "Thing | Price")}
    assert passages[0].headings == ("Prices",)
    assert passages[-1].headings == ("Prices",)


def test_csv_passages_carry_the_first_row(splitter):
    text = "name,amount\n" + "\n".join(f"person {i},{i}" for i in range(400))
    passages = splitter.split(document(text, "csv"))
    assert passages[0].headings == ()
    assert {p.headings for p in passages[1:]} == {("name,amount",)}


def test_a_sheets_name_stands_above_its_rows(splitter):
    text = "| Item | Cost |\n| --- | --- |\n| Rent | 900 |"
    (passage,) = splitter.split(document(text, "xlsx", number=1, label="Budget 2024"))
    assert passage.page == 1
    assert passage.headings == ("Budget 2024",)


def test_boxes_join_the_lines_of_one_column(splitter):
    lines = (
        Line(0, 5, Box(0.1, 0.10, 0.4, 0.12)),
        Line(6, 11, Box(0.1, 0.13, 0.4, 0.15)),
        Line(12, 17, Box(0.6, 0.10, 0.9, 0.12)),
    )
    (passage,) = splitter.split(document("alpha\nbravo\ncharl", "pdf", number=3, lines=lines))
    assert passage.boxes == (Box(0.1, 0.10, 0.4, 0.15), Box(0.6, 0.10, 0.9, 0.12))


def test_boxes_are_those_of_the_passages_own_lines(splitter):
    pieces = [SENTENCE.strip()] * 60
    starts = [i * (len(SENTENCE.strip()) + 1) for i in range(60)]
    lines = tuple(
        Line(start, start + len(piece), Box(0.1, i / 60, 0.9, (i + 0.9) / 60))
        for i, (start, piece) in enumerate(zip(starts, pieces, strict=True))
    )
    passages = splitter.split(document("\n".join(pieces), "pdf", number=1, lines=lines))
    assert len(passages) > 1
    for passage in passages:
        (box,) = passage.boxes
        assert box.y0 == pytest.approx((passage.line_start - 1) / 60)
        assert box.y1 == pytest.approx((passage.line_end - 0.1) / 60)


def test_empty_pages_give_nothing(splitter):
    assert splitter.split(Document("pdf", (Page(" \n", 1), Page("", 2)))) == []
