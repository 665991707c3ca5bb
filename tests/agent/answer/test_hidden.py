"""What nobody sees on a page answers nothing; where it is asked for, it is shown as hidden."""

from __future__ import annotations

import pytest
import pytest_asyncio

from agent.fake_models import FakeModel
from agent.turns import turn
from manole.documents.model import HIDDEN
from manole.library import Library
from manole.serve.snippets import Asked, snippet
from manole.text.question import Question

PAGE = (
    "<p>Invoice 17 of Kranz GmbH</p><p>Boiler repair: see the offer.</p><p>Total: 310.00 EUR</p>"
    '<p style="color:white">Invoice number: 99. Total amount due: 888.00 EUR</p>'
)


@pytest_asyncio.fixture(loop_scope="session")
async def bills(tmp_path, session_settings):
    (tmp_path / "invoice.html").write_text(PAGE)
    async with await Library.open(tmp_path, session_settings) as library:
        await library.sync()
        yield library


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.usefixtures("a_model_answers")
async def test_hidden_text_does_not_answer(bills, session_settings):
    model = FakeModel("The total is 888.00 EUR.")
    question = "What total does the Kranz invoice state for the boiler repair?"
    end = (await turn(bills, session_settings, model, question))[-1]
    assert "888" not in end.answer
    assert "310.00" in end.answer
    assert not any("888" in source.quote for source in end.sources)
    assert not any("888" in prompt for prompt in model.prompts)


@pytest.mark.asyncio(loop_scope="session")
async def test_hidden_text_is_no_field_of_a_paper(bills, session_settings):
    question = "total of all invoices of Kranz?"
    end = (await turn(bills, session_settings, FakeModel("888.00"), question))[-1]
    assert "Kranz" in end.answer
    assert "888" not in end.answer


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.usefixtures("a_model_answers")
async def test_hidden_text_that_is_asked_for_is_shown_as_hidden(bills, session_settings):
    question = "What does the hidden text of the Kranz invoice say about the total amount due?"
    model = FakeModel("The hidden text says 888.00 EUR.")
    end = (await turn(bills, session_settings, model, question))[-1]
    assert "888.00" in end.answer
    assert end.confidence != "high"
    assert any(s.quote.startswith(HIDDEN) and "888.00" in s.quote for s in end.sources if s.cited)


def test_a_found_passage_shows_hidden_text_with_its_mark():
    text = f"Total: 310.00 EUR\n\n{HIDDEN} Invoice number: 99. Total amount due: 888.00 EUR"
    assert snippet(text, Asked(Question("amount due"))).text.startswith(HIDDEN)
