"""The documents' own example questions by default, with the real model (docs/seeds.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from manole.agent.events import EVENTS
from serve.running import Running, running

from .fake_endpoint import FakeEndpoint
from .home import INVOICES, JOURNAL
from .turns import Turn

pytestmark = pytest.mark.model
TOTALS = [total for *_, total in INVOICES.values()]


@pytest.fixture(scope="module")
def real(home, session_settings):
    """`manole serve` over the folder with the model that is shipped."""
    name = {"name": "qwen2.5-coder-1.5b-instruct"}
    model = session_settings.model.model_copy(update=name)
    with running(home, session_settings.model_copy(update={"model": model}), None) as server:
        yield server


@pytest.fixture
def asked(real: Running) -> Callable[..., Turn]:
    """`asked("...", *talk)` gives the turn of a question behind others, each answered before."""

    def run(*questions: str) -> Turn:
        history: list[dict[str, str]] = []
        for question in questions:
            body = {"query": question, "history": history, "today": "2024-12-15"}
            answer = real.client.post("/agentic_search", json=body, timeout=180)
            assert answer.status_code == 200, answer.text
            lines = answer.text.splitlines()
            turn = Turn([EVENTS.validate_json(line) for line in lines], FakeEndpoint(), lines)
            said = turn.end.answer
            history += [
                {"role": "user", "content": question}, {"role": "assistant", "content": said},
            ]  # fmt: skip
        return turn

    return run


def cited(turn: Turn) -> set[tuple[str, int | None]]:
    return {(source.file, source.page) for source in turn.end.sources if source.cited}


def test_how_many_pdfs_without_a_search(asked) -> None:
    """Row 30: “How many PDFs?” is one look at the files: no passage is shown."""
    turn = asked("How many PDFs?")
    assert turn.figure == 3
    assert not turn.of("evidence") and "semantic_search" not in turn.tools


def test_target_revenue(asked) -> None:
    """Row 31: “target revenue for engineering department?”."""
    turn = asked("target revenue for engineering department?")
    assert "180,000" in turn.end.answer
    assert {file for file, _ in cited(turn)} == {"budget_q1_2026.txt"}


def test_all_invoices_and_their_totals(asked) -> None:
    """Row 32: “list all invoices and their totals”."""
    turn = asked("list all invoices and their totals")
    assert all(total in turn.end.answer for total in TOTALS)
    assert {file for file, _ in cited(turn)} == {f"invoices/{name}" for name in INVOICES}


@pytest.mark.parametrize(
    "doubt",
    ["aren't there more than 2?", "arent there more than 2?", "are there not more than two?"],
)
def test_are_there_not_more(asked, doubt) -> None:
    """Row 33: “aren't there more than 2?” is resolved from the conversation."""
    turn = asked("which invoices do I have?", doubt)
    assert "4" in turn.end.answer
    assert {file for file, _ in cited(turn)} == {f"invoices/{name}" for name in INVOICES}


def test_what_about_that_invoice(asked) -> None:
    """Row 101: “What about that invoice?” is made whole before it is planned."""
    issuer, _, number, total = INVOICES["invoice_2024_02.txt"]
    for follow_up, told in [
        ("What is the total of that invoice?", [total]),
        ("What about that invoice?", [issuer, number, "20 February 2024", total]),
    ]:
        turn = asked("Which invoice is from the vet?", follow_up)
        assert [part for part in told if part not in turn.end.answer] == []
        assert {file for file, _ in cited(turn)} == {"invoices/invoice_2024_02.txt"}


def test_photos_of_the_beach(asked) -> None:
    """Row 127: “find photos of the beach” works: by their names, and no other photo."""
    assert {file for file, _ in cited(asked("find photos of the beach"))} == {"holidays/beach.jpg"}


def test_stressed_lately_and_last_year(asked) -> None:
    """Row 68: “What have I been stressed about lately vs last year?”."""
    turn = asked("What have I been stressed about lately vs last year?")
    assert turn.tools.count("date_range_search") == 2
    said = turn.end.answer
    assert "move" in said and ("audit" in said or "work" in said)
    assert {file for file, _ in cited(turn)} <= {f"journal/{day}.md" for day in JOURNAL}


def test_of_a_manual(asked) -> None:
    """Row 86: the operating voltage, and the page of a wiring diagram, of a manual."""
    turn = asked("What is the operating voltage of the pump P7?")
    assert "24 V" in turn.end.answer and ("manuals/pump-manual.pdf", 1) in cited(turn)
    assert ("manuals/pump-manual.pdf", 2) in cited(
        asked("Where is the wiring diagram of the pump?")
    )
