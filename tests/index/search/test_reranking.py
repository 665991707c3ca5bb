"""The best passages in the order of a reranker: a real library, tiny weights that are made here."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "models"))
from manole.errors import ModelError, SettingsError
from manole.index.search.duplicates import Find
from manole.index.search.hybrid import Hit
from manole.index.search.reranking import BEST, best_first, blended, reordered
from manole.index.store.records import PassageRecord
from manole.joined import JoinedLibrary
from manole.library import Library
from manole.models.catalog.encoders import RERANKERS, RerankerSpec
from manole.models.catalog.table import CATALOG, ModelSpec, WeightFile
from manole.models.encode.reranker import SECONDS, RerankerLoader
from manole.settings import IndexSettings, Settings, WatchSettings
from models.encode.tiny_onnx import write_vocabulary
from models.encode.tiny_reranker import CrossEncoder


def hit(name: str, score: float, text: str = "") -> Hit:
    text = text or f"Passage {name}."
    passage = PassageRecord(name, name, "/r", name, 0, None, 1, 1, 0, len(text), text)
    return Hit(passage, score, similarity=score, bm25=score)


HITS = [hit(f"{at:02d}", 0.9 - at / 100) for at in range(20)]
FINDS = [Find(h.passage, h.score) for h in HITS]


def names(finds):
    return [find.passage.id for find in finds]


# The blend ---------------------------------------------------------------------------------------


def test_scores_that_say_nothing_change_no_place():
    for many in range(BEST + 1):
        assert blended([3.0] * many, kept=False) == list(range(many))


def test_scores_that_agree_change_no_place():
    assert blended([-float(at) for at in range(BEST)], kept=False) == list(range(BEST))


@pytest.mark.parametrize("at", range(1, BEST))
def test_the_first_place_can_be_passed_from_the_next_four_alone(at):
    scores = [5.0 if place == at else -5.0 for place in range(BEST)]
    order = blended(scores, kept=False)
    assert (order[0] == at) == (at < 5)
    assert order.index(at) < at
    assert blended(scores, kept=True)[0] == 0


def test_scores_of_another_scale_give_the_same_order():
    scores = [0.1, 0.7, 0.3, 0.9, 0.2, 0.8]
    order = blended(scores, kept=False)
    assert order != list(range(6))
    assert blended([1000 * score - 400 for score in scores], kept=False) == order


def test_places_change_and_the_row_of_scores_stays():
    found = reordered(FINDS, [0.0] * 3 + [9.0] + [0.0] * 8, sigmoid=True)
    assert names(found)[:5] == ["03", "00", "01", "02", "04"]
    assert [find.score for find in found] == [find.score for find in FINDS]
    assert [find.relevance for find in found[:2]] == pytest.approx([0.99988, 0.5], abs=1e-5)
    assert names(found)[BEST:] == names(FINDS)[BEST:]
    assert {find.relevance for find in found[BEST:]} == {None}


def test_scores_without_a_sigmoid_are_no_relevance():
    found = reordered(FINDS, [1.0, 2.0], sigmoid=False)
    assert names(found)[:3] == ["01", "00", "02"]
    assert {find.relevance for find in found} == {None}
    assert reordered(FINDS, [1e6, -1e6], sigmoid=True)[1].relevance < 1e-99  # and no overflow
    assert reordered([], [], sigmoid=True) == []


def test_what_both_rankings_have_first_stays_first():
    sure = [Find(HITS[0].passage, 1.0), *FINDS[1:]]
    assert names(reordered(sure, [-9.0, 9.0, 1.0], sigmoid=True))[:3] == ["00", "01", "02"]
    assert names(reordered(FINDS, [-9.0, 9.0, 1.0], sigmoid=True))[:3] == ["01", "02", "00"]


# A search ----------------------------------------------------------------------------------------


class FakeReranker:
    """Likes passages by their ids; keeps what it was given."""

    name, sigmoid = "fake", True

    def __init__(self, scores: dict[str, float], fails: bool = False) -> None:
        self.scores, self.fails = scores, fails
        self.seen: list[tuple[str, list[str], float]] = []

    def score(self, query, passages, seconds):
        self.seen.append((query, list(passages), seconds))
        if self.fails:
            raise ModelError("It gave no number.")
        return [self.scores.get(text.split()[-1].rstrip("."), 0.0) for text in passages]


def loader_of(reranker) -> RerankerLoader:
    loader = RerankerLoader(Settings(index=IndexSettings(reranker="fake")))
    loader._asked, loader._model = "fake", reranker
    return loader


async def search_of(count: int) -> list[Hit]:
    return HITS[:count]


async def test_twelve_are_read_however_few_are_wanted():
    reranker = FakeReranker({"04": 8.0})
    found = await best_first(search_of, "  which\none ", 2, loader_of(reranker))
    assert names(found) == ["04", "00"]
    ((query, texts, seconds),) = reranker.seen
    assert (query, len(texts), seconds) == ("which one", BEST, SECONDS)
    many = await best_first(search_of, "which one", 20, loader_of(reranker))
    assert names(many) == ["04", *(n for n in names(FINDS) if n != "04")]


async def test_title_and_headings_are_read_with_a_passage():
    reranker = FakeReranker({})
    passage = PassageRecord(
        "a", "a", "/r", "a.md", 0, None, 1, 1, 0, 3, "Ten days.", title="Leave",
        headings=("Leave", "Sick days"),
    )  # fmt: skip

    async def search(count):
        return [Hit(passage, 0.5)]

    await best_first(search, "how many days", 5, loader_of(reranker))
    assert reranker.seen[0][1] == ["Leave\nSick days\nTen days."]


async def test_a_single_word_is_not_reranked():
    reranker = FakeReranker({"04": 8.0})
    assert names(await best_first(search_of, " boiler ", 3, loader_of(reranker))) == [
        "00", "01", "02"
    ]  # fmt: skip
    assert not reranker.seen


async def test_one_that_fails_is_told_once_and_left_out(caplog):
    reranker = FakeReranker({}, fails=True)
    loader = loader_of(reranker)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert names(await best_first(search_of, "which one", 2, loader)) == ["00", "01"]
    assert [record.message for record in caplog.records] == [
        "It gave no number. Searches go on without it."
    ]
    assert len(reranker.seen) == 1


# A library ---------------------------------------------------------------------------------------

QUERY = "the red house on a hill"


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """With a reranker at hand that likes dogs; the embedder is the cache's own."""
    known = Settings.load().cache_dir / "models"
    cache = tmp_path / "cache" / "models"
    cache.parent.mkdir(0o700)
    cache.mkdir()
    (cache / "manole-e5-small").symlink_to(known / "manole-e5-small")
    folder = cache / "dogs"
    folder.mkdir()
    files = CrossEncoder.fond_of("dog").write(folder) | write_vocabulary(folder)
    rows = tuple(
        WeightFile(name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest(), ())
        for name, path in files.items()
    )
    monkeypatch.setitem(CATALOG, "dogs", ModelSpec("dogs", "reranker", rows, "MIT", "tiny"))
    monkeypatch.setitem(RERANKERS, "dogs", RerankerSpec(64))
    return Settings(
        data_dir=tmp_path / "data",
        cache_dir=tmp_path / "cache",
        index=IndexSettings(reranker="dogs"),
        watch=WatchSettings(enabled=False),
    )


def write(folder: Path, prefix: str = "") -> None:
    folder.mkdir()
    for name, text in {
        "a": "The red house on a hill.",
        "b": "Houses of the hill.",
        "c": "The house runs.",
        "d": "A dog, a dog, a dog of the red house: dog.",
        "e": "The cat sits on a mat.",
        "f": "A cat and a mat.",
    }.items():
        (folder / f"{prefix}{name}.txt").write_text(text)


def without(settings: Settings) -> Settings:
    return settings.model_copy(update={"index": IndexSettings()})


async def paths(library: Library, query: str = QUERY, limit: int = 6) -> list[str]:
    return [find.passage.path for find in await library.search(query, limit)]


async def test_a_library_s_search_is_reranked(tmp_path, settings):
    write(tmp_path / "files")
    async with await Library.open(tmp_path / "files", settings) as library:
        await library.sync()
        found = await library.search(QUERY, 6)
        first, *rest = [find.passage.path for find in found]
        library.adopt(without(settings))
        plain = await paths(library)
        library.adopt(settings)
        assert await paths(library) == [first, *rest]
    assert first == plain[0] == "a.txt"  # first by its words and by its meaning
    assert rest.index("d.txt") < plain[1:].index("d.txt")
    likely = {find.passage.path: find.relevance for find in found}
    assert likely["d.txt"] > 0.9
    assert all(value < 0.5 for path, value in likely.items() if path != "d.txt")


async def test_libraries_are_reranked_together(tmp_path, settings):
    write(tmp_path / "one", "1")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "g.txt").write_text("A dog and a dog on the hill of a dog, dog, dog.")
    libraries = [
        await Library.open(tmp_path / name, settings) for name in ("one", "two")
    ]  # fmt: skip
    for library in libraries:
        await library.sync()
    joined = JoinedLibrary(libraries, settings, owned=True)
    try:
        together = await joined.search(QUERY, 8)
        libraries[0].adopt(without(settings))  # whose models the whole uses
        plain = await paths(joined, limit=8)
    finally:
        await joined.close()
    reranked = [find.passage.path for find in together]
    assert sorted(reranked) == sorted(plain)
    assert reranked.index("two/g.txt") < plain.index("two/g.txt")
    assert {find.relevance is None for find in together} == {False}


async def test_without_weights_a_search_goes_on_and_says_so_once(tmp_path, settings, caplog):
    write(tmp_path / "files")
    wanted = IndexSettings(reranker="mxbai-rerank-xsmall-v1")
    bare = settings.model_copy(update={"index": wanted})
    async with await Library.open(tmp_path / "files", bare) as library:
        await library.sync()
        with caplog.at_level(logging.WARNING):
            found = await asyncio.gather(*(paths(library) for _ in range(3)))
        library.adopt(without(settings))
        plain = await paths(library)
    assert found == [plain] * 3
    assert sum("mxbai-rerank-xsmall-v1 is not at hand" in r.message for r in caplog.records) == 1


async def test_no_time_leaves_the_order_as_it_is(tmp_path, settings, monkeypatch):
    write(tmp_path / "files")
    async with await Library.open(tmp_path / "files", settings) as library:
        await library.sync()
        reranked = await paths(library)
        monkeypatch.setattr("manole.index.search.reranking.SECONDS", -1.0)
        assert await paths(library) == reranked  # known from before
        late = await library.search(f"{QUERY} again", 6)
    assert {find.relevance for find in late} == {None}


async def test_a_wrong_name_is_an_error_that_lists_the_right_ones(tmp_path, settings):
    write(tmp_path / "files")
    wrong = settings.model_copy(update={"index": IndexSettings(reranker="nothing")})
    async with await Library.open(tmp_path / "files", settings) as library:
        await library.sync()
    async with await Library.open(tmp_path / "files", wrong) as library:
        with pytest.raises(SettingsError, match=r"index\.reranker = nothing is not known"):
            await library.search(QUERY)
