"""A spreadsheet is summed up by what its columns hold."""

import pytest

from agent.fake_models import FakeMissingModel
from agent.turns import turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_statement_is_summed_up_by_its_columns_without_a_model(household, session_settings):
    asked = "Summarise the bank transactions"
    end = (await turn(household, session_settings, FakeMissingModel(), asked))[-1]
    head, *columns = end.answer.split("\n")
    (source,) = (s for s in end.sources if s.cited)
    assert head == f"30 rows [{source.n}]"
    assert source.file == "finance/bank-transactions-2024-q3.csv"
    assert columns[0] == "- date: 1 July 2024 – 30 September 2024"
    assert columns[1].startswith("- counterparty: Markthalle Süd (4), ")
    assert columns[3] == "- amount_eur: -1455 – 2864.2, together 7842.39"
    assert end.model_calls == 0
