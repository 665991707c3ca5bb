"""`manole due` on a terminal of any width, into a pipe, in German."""

from __future__ import annotations

import io
from datetime import date

import pytest
from rich.console import Console

from manole.agent.due import Due, How
from manole.cli.due import _print
from manole.sentences import speaking

TODAY = date(2024, 12, 5)
LONG = "Please send the signed form back to us, with a copy of the passport, by that day. " * 3
FILE = "letters/of the town/2024-11-22 a long name of a letter about a form.pdf"
FOUND = [
    Due(date(2024, 12, 2), "task", "call the roofer", "todo.md", line=5),
    Due(
        date(2024, 12, 12), "pay", "Thermaro", "boiler.pdf", page=1, amount=1290.5, currency="EUR"
    ),
    Due(date(2024, 12, 20), "said", LONG, FILE, page=2, time="09:30"),
    Due(
        date(2025, 3, 31), "cancel", "Kiesel Direkt", "policy.pdf", page=1,
        how=How("begins", date(2022, 5, 1), 1, "months", yearly=True),
    ),
    Due(date(2025, 1, 15), "said", "We come on 15 January\x1b[2J", "aunt.eml", line=3, sure=False),
]  # fmt: skip


def shown(width: int | None, found: list[Due] = FOUND) -> str:
    file = io.StringIO()
    terminal = width is not None
    console = Console(file=file, width=width, force_terminal=terminal, color_system=None)
    _print(console, found, TODAY, 200)
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_lines_fit_the_terminal_but_for_names_of_files(width):
    lines = shown(width).splitlines()
    assert f"{FILE}, page 2" in {line.strip() for line in lines}
    assert all(len(line) <= width for line in lines if FILE not in line)
    assert any(line.endswith("…") for line in lines)
    whole = " ".join(" ".join(lines).split())
    assert "to pay: 1,290.50 EUR, Thermaro" in whole
    assert "began on 1 May 2022; 1 month before a year of it ends" in whole
    assert "\x1b[2J" not in whole


def test_lists_come_in_order_with_their_heads():
    heads = [line for line in shown(100).splitlines() if line and not line.startswith(" ")]
    assert heads == [
        "Past, and not known to be done", "In the next 30 days", "Until 23 June 2025",
        "Not sure",
    ]  # fmt: skip


def test_into_a_pipe_each_thing_is_one_whole_line():
    lines = shown(None).splitlines()
    (line,) = [line for line in lines if FILE in line]
    assert line.endswith(f"[{FILE}, page 2]")
    assert " ".join(LONG.split()) in line


def test_german_has_its_own_words_days_and_amounts():
    with speaking("de"):
        told = shown(120)
    assert "Do 12. Dezember 2024" in told
    assert "zu zahlen: 1.290,50 EUR, Thermaro" in told
    assert "Beginn am 1. Mai 2022; 1 Monat vor Ende eines Vertragsjahres" in told
    assert "Vorbei, und nicht als erledigt bekannt" in told


def test_nothing_is_said_to_be_nothing(capsys):
    assert shown(80, []) == ""
    assert "Nothing is due in the next 200 days" in capsys.readouterr().out
