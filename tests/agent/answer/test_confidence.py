"""One probability from all that speaks for an answer."""

from __future__ import annotations

import pytest

from agent.fake_models import FakeModel
from agent.passages import passage
from agent.turns import Loaded, turn
from manole.agent.answer.confidence import level, probability, relevance, stated
from manole.agent.answer.evidence import Evidence
from manole.library import Library
from manole.text.question import Question

USUAL = {"read": 0.6, "stated": 0.7}
LEVELS = ("low", "medium", "high")


def test_it_is_a_probability():
    assert 0 < probability(USUAL) < 1


@pytest.mark.parametrize("signal", USUAL)
def test_what_speaks_for_an_answer_does_not_make_it_less_likely(signal):
    more = USUAL | {signal: USUAL[signal] + 0.3}
    assert probability(more) > probability(USUAL)


def test_levels_rise_with_the_probability():
    found = [LEVELS.index(level(chance / 100)) for chance in range(101)]
    assert found == sorted(found)
    assert level(0.0) == "low"


def test_stated_is_the_share_that_stands_in_one_sentence():
    units = (("The deposit is 3,540 euros.", 1, 1), ("It is paid back in June.", 2, 2))
    evidence = [Evidence(1, "a.md", None, 1, 2, "a.md", "", 1.0, units)]
    question = Question("How high is the deposit?")
    assert stated("The deposit is 3,540 euros.", question, evidence) == 1.0
    assert stated("Blue elephants.", question, evidence) == 0.0
    assert stated("", question, evidence) == 1.0


def test_relevance_is_that_of_the_best_passage_if_all_were_read():
    assert relevance([passage(relevance=0.2), passage(relevance=0.7)]) == 0.7
    assert relevance([passage(relevance=0.7), passage()]) is None
    assert relevance([]) is None


class FakeReranker:
    """Gives each passage the same score."""

    name, sigmoid = "fake", True

    def __init__(self, score):
        self._score = score

    def score(self, query, passages, seconds):
        return [self._score] * len(passages)


@pytest.mark.parametrize(
    ("score", "wanted", "signal"),
    [(None, "medium", None), (-3.0, "low", 0.0474), (9.0, "medium", 0.9999)],
)
async def test_a_reranker_only_lowers_it(tmp_path, session_settings, score, wanted, signal):
    files = tmp_path / "files"
    files.mkdir()
    (files / "club.md").write_text(
        "# Club\n\nThe pump of the club is switched on every year on 1 April.\n", "utf-8"
    )
    own = session_settings.model_copy(update={"data_dir": tmp_path / "data"})
    async with await Library.open(files, own) as library:
        await library.sync()
        if score is not None:
            loader = library._engines.reranker
            loader._asked, loader._model = own.index.reranker, FakeReranker(score)
        model = FakeModel("The pump of the club is switched on every year on 1 April.")
        asked = "When is the pump of the club switched on?"
        end = (await turn(library, own, Loaded(model), asked))[-1]
    assert "April" in end.answer
    assert end.confidence == wanted
    assert end.signals.get("relevance") == signal
