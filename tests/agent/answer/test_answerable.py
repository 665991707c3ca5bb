"""Whether the evidence answers the question: the reader's finding, judged by code."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from agent.turns import Loaded, turn
from manole.agent.answer.confidence import POSSIBLE, is_clear
from manole.agent.answer.evidence import Evidence
from manole.library import Library


def extract(chance):
    return [
        Evidence(1, "contract.pdf", 1, 1, 2, "contract.pdf", "The rent is 980.", 0.6, chance=chance)
    ]


def test_evidence_that_speaks_for_itself_is_clear():
    assert is_clear(extract(0.9))
    assert not is_clear(extract(0.1))
    assert not is_clear(extract(None))
    assert not is_clear([])
    assert is_clear(extract(0.45), POSSIBLE)


@pytest.fixture
async def flat(tmp_path, session_settings):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "flat.md").write_text(
        "# Flat\n\nThe rent is 980 euros a month.\n\nThe tenants may keep one dog.\n", "utf-8"
    )
    own = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open([folder], own) as library:
        await library.sync()
        yield library, own


async def test_what_nothing_answers_is_declined_before_the_model_writes(flat):
    model = FakeModel("The gate opens at nine.")
    end = (await turn(*flat, Loaded(model), "What is the wifi password of the office?"))[-1]
    assert end.outcome in {"nothing", "nearest"}
    assert "nine" not in end.answer
    assert end.model_calls <= 1  # a guess how a document might word it


async def test_what_is_near_is_quoted_as_one_sentence(flat):
    end = (await turn(*flat, Loaded(FakeModel("")), "How high is the rent of the garage?"))[-1]
    assert "dog" not in end.answer
