"""What a turn looks like on a terminal, and that no document steers it."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from manole.agent.events import (
    Choice,
    ChoicesEvent,
    Complete,
    Decision,
    ErrorEvent,
    EvidenceEvent,
    Extract,
    ResultEvent,
    Source,
    StatusEvent,
    Token,
)
from manole.cli.hits import table_of
from manole.cli.render import Screen, clean, one_line, place

ESCAPES = "\x1b]8;;http://evil\x07click\x1b[2J\x9b31m‮\r\x08"


def screen(*, terminal=False, links=False, **options):
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=terminal, force_interactive=terminal)
    return Screen(console, lambda f: Path("/home/me") / f, links=links, **options), out


def show(*events, **options):
    shown, out = screen(**options)
    for event in events:
        shown.show(event)
    return out.getvalue()


def test_clean_keeps_text_and_drops_what_steers():
    assert clean("a\tb\nc é 🎉 日本") == "a\tb\nc é 🎉 日本"
    assert not set(clean(ESCAPES)) & set("\x1b\x07\x9b‮\r\x08")


def test_one_line_is_one_line_of_its_length():
    assert one_line(" a\n\nb\tc ", 50) == "a b c"
    cut = one_line("x" * 100, 20)
    assert len(cut) == 20
    assert cut.endswith("…")


@pytest.mark.parametrize(
    ("page", "line", "said"),
    [(2, 7, ", page 2"), (None, 7, ", line 7"), (None, None, ""), (0, None, ", page 0")],
)
def test_place(page, line, said):
    assert place("a.pdf", page, line) == said


def test_a_place_in_a_recording_is_a_moment():
    assert place("talks/meeting.mp3", 762, 1) == ", 12:41"


END = Complete(
    answer="Three months. [1]",
    sources=[
        Source(n=1, file="home/contract.pdf", page=1, line=20, quote="The notice period …"),
        Source(n=2, file="other.md", line=3, quote="x", cited=False),
    ],
    timings={"total": 4.2},
    model_calls=1,
)


TURN = (
    Decision(step=1, tool="semantic_search", inputs={"query": "notice"}, reasoning="asks"),
    ResultEvent(
        step=1, tool="semantic_search", name="passages", payload_type="passages",
        objects=[{}, {}], message="2 passages in 1 file:\n- more",
    ),
    EvidenceEvent(
        extracts=[Extract(n=1, file="home/contract.pdf", page=1, line=20, line_end=20, text="x")],
        seconds=0.5,
    ),
    StatusEvent(message="Reading 2 extracts."),
    Token(content="Three"),
    Token(content=" months. [1]"),
    END,
)  # fmt: skip


def test_an_answer_comes_first_its_sources_below_it_in_a_line_each():
    assert show(*TURN).splitlines() == [
        "", "Three months. [1]", "", "  [1] home/contract.pdf, page 1", "",
        "high confidence · 4.2 s",
    ]  # fmt: skip


def test_steps_and_places_stand_on_a_terminal_until_there_is_an_answer():
    text = show(*TURN, terminal=True)
    before, behind = text.split("Three", 1)
    assert "Looking in the files." in before
    assert "[1]" in re.sub(r"\x1b\[[\d;]*m", "", before)
    assert "\x1b[2K" in before  # what stood there is taken away
    assert "Reading" not in behind


def test_how_a_question_was_understood_stands_above_what_was_computed():
    plan = Decision(step=1, tool="query", reasoning="read as: files; counted")
    text = show(plan, *figure("2 files.", []))
    assert text.startswith("Read as: files; counted\n\n2 files.\n")


def test_bold_words_have_no_signs():
    assert "\n410 euros, a\n" in show(Complete(answer="**410 euros**, a"))


def test_a_turn_from_step_to_source():
    text = show(*TURN, sources=True)
    assert '1 semantic_search(query="notice")  model: asks' in text
    assert "2 passages in 1 file" in text
    assert "- more" not in text
    assert text.count("Three months. [1]") == 1
    assert "[1] home/contract.pdf, page 1" in text
    assert "other.md" not in text  # not cited
    assert "high confidence · 1 model call ·" in text
    assert "4.2 s" in text


def test_a_withdrawn_answer_is_said_to_be_withdrawn():
    text = show(Token(content="It is"), END)
    assert "withdrawn" in text
    assert "Three months. [1]" in text
    assert "withdrawn" not in show(END)


def test_a_turn_that_was_stopped_does_not_touch_the_next():
    shown, out = screen()
    shown.show(Token(content="It is"))
    shown.stop()
    shown.show(Token(content=END.answer))
    shown.show(END)
    assert "withdrawn" not in out.getvalue()
    assert "It is\n" in out.getvalue()


def test_errors_and_suggestions():
    error = ErrorEvent(message="Nothing found.", suggestion="Try other words.")
    assert "Nothing found." in show(error)
    assert "Try other words." in show(error, debug=True)


def test_what_was_not_found_is_said():
    text = show(Complete(answer="I could not find that.", found=False, confidence="low"))
    assert "not found · low confidence · 0.0 s" in text


def test_many_sources_are_cut():
    sources = [Source(n=i, file=f"{i}.txt") for i in range(1, 21)]
    text = show(Complete(answer="x", sources=sources))
    assert "1.txt" in text
    assert "… and 12 more" in text


YEARS = "2,000.00 EUR in all, from 4 bills:\n2022    500.00 EUR\n2023  1,500.00 EUR\n1 has none."
GROUPS = [
    {"name": "2022", "value": 500.0, "said": "500.00 EUR"},
    {"name": "2023", "value": 1500.0, "said": "1,500.00 EUR"},
]


def figure(text, objects, **metadata):
    """A turn whose answer is what a query gave."""
    sources = [Source(n=n, file=o["file"], quote="x") for n, o in enumerate(objects, start=1)]
    return (
        ResultEvent(step=1, tool="query", name="rows", payload_type="rows", objects=objects,
                    metadata=metadata, message=text),
        Token(content=text),
        Complete(answer=text, sources=sources),
    )  # fmt: skip


def test_of_the_files_behind_a_figure_a_few_are_named():
    files = [{"file": f"{n}.txt"} for n in range(1, 21)]
    text = show(*figure("You have 120 text files.", files, folded="120 text files", behind=120))
    assert "\nYou have 120 text files.\n  [1] 1.txt\n  [2] 2.txt\n  [3] 3.txt\n" in text
    assert "4.txt" not in text
    assert "… and 117 more" in text
    assert "Sources" not in text


def test_the_one_file_of_an_answer_is_named_once():
    text = show(*figure("2.00 EUR, Ada: a/b.pdf [1]", [{"file": "a/b.pdf"}]))
    assert "\n2.00 EUR, Ada [1]\n" in text
    assert "\n  [1] a/b.pdf\n" in text


def test_groups_have_bars_on_a_terminal():
    text = show(*figure(YEARS, [], groups=GROUPS), terminal=True)
    answer = text[text.index("2,000.00 EUR in all, from 4 bills:\n") :]
    head, first, second, note, *_ = re.sub(r"\x1b\[[\d;]*m", "", answer).splitlines()
    assert (head, note) == (YEARS.splitlines()[0], "1 has none.")
    assert first == "2022    500.00 EUR  " + "█" * 13 + "▍"
    assert second == "2023  1,500.00 EUR  " + "█" * 40


def test_groups_in_a_file_are_lines_without_bars():
    text = show(*figure(YEARS, [], groups=GROUPS))
    assert f"\n{YEARS}\n" in text
    assert "█" not in text


def test_citations_are_links_where_wanted():
    text = show(END, links=True, terminal=True)
    assert "file:///home/me/home/contract.pdf#page=1" in text
    assert "file://" not in show(END, terminal=True)


def test_nothing_from_a_document_steers_the_terminal():
    bad = f"[bold red]x[/]{ESCAPES}"
    text = show(
        Decision(step=1, tool="grep_files", inputs={"pattern": bad}, reasoning="asks"),
        ResultEvent(step=1, tool="t", name="n", payload_type="p", objects=[], message=bad),
        ErrorEvent(message=bad, suggestion=bad),
        StatusEvent(message=bad),
        Token(content=bad),
        Complete(answer=bad, sources=[Source(n=1, file=bad + "\n.txt", quote=bad)]),
        debug=True,
    )
    assert not set(text) & set("\x1b\x07\x9b‮\r\x08")
    assert "[bold red]x[/]" in text  # shown as written, not as colour


def test_reasons_of_a_decision_are_clean_too():
    assert "\x1b" not in show(Decision(step=1, tool="t", reasoning=ESCAPES), sources=True)


def test_results_of_a_search():
    lines = [
        line.plain
        for line in table_of(
            [
                {
                    "file": f"a\n{ESCAPES}.pdf", "page": 3, "line": 1, "score": 0.123,
                    "text": "x\ny", "also": [f"b{ESCAPES}.pdf"],
                }
            ]
        )
    ]  # fmt: skip
    assert lines[0].startswith(" 1  a ")
    assert "page 3" in lines[0]
    assert "0.12" in lines[0]
    assert lines[1] == "    x y"
    assert lines[2].startswith("    also in b")
    assert "\x1b" not in "".join(lines)


def test_where_several_files_may_be_meant_it_says_how_to_choose():
    asked = ChoicesEvent(
        message="Which one do you mean?", choices=[Choice(n=1, file="a.md", quote="It came to 4.")]
    )
    assert "--in" in show(asked, END)
    assert "--in" not in show(END)


def test_an_answer_counts_its_places_from_one_in_its_own_order():
    at = {1: "a.txt", 2: "b.txt", 4: "b.txt", 5: "c.txt"}
    extracts = [Extract(n=n, file=file, line=1, line_end=1, text="x") for n, file in at.items()]
    told = "Five lamps [4] in the hall [5], lit at dusk [2]."
    cited = [Source(n=n, file=at[n], line=1) for n in (2, 4, 5)]
    shown = show(
        EvidenceEvent(extracts=extracts, seconds=0.1),
        Token(content=told),
        Complete(answer=told, sources=cited),
    )
    assert "Five lamps [1] in the hall [2], lit at dusk [1]." in shown
    places = [line.strip() for line in shown.splitlines() if line.startswith("  [")]
    assert places == ["[1] b.txt, line 1", "[2] c.txt, line 1"]


def test_a_table_of_an_answer_is_one_on_a_terminal_and_markdown_in_a_file():
    told = "Two differ.\n\n| a | b |\n| --- | --- |\n| **1** [1] | 2 |\n| 3 |\nThe end."
    plain = re.sub(r"\x1b\[[\d;]*m", "", show(Complete(answer=told), terminal=True))
    lines = [line.split() for line in plain.splitlines()]
    assert lines[1:6] == [["Two", "differ."], [], ["a", "b"], ["1", "[1]", "2"], ["3"]]
    assert "The end." in plain
    assert "| a | b |" in show(Complete(answer=told))


def test_what_code_cites_behind_passages_is_numbered_from_one():
    extracts = [
        Extract(n=n, file=f"{n}.md", page=None, line=1, line_end=1, headings=[], text="x", marks=[])
        for n in (1, 2, 3)
    ]
    source = Source(n=4, file="bill.pdf", page=1, line=1, quote="12 EUR")
    shown = show(
        EvidenceEvent(extracts=extracts, seconds=0.1),
        Token(content="12 EUR [4], not [2023]"),
        Complete(answer="12 EUR [4], not [2023]", sources=[source], timings={"total": 0.1}),
    )
    assert "12 EUR [1], not [2023]" in shown
    assert "[1] bill.pdf, page 1" in shown
