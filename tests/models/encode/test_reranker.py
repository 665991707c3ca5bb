"""Every way from a query and a passage to a score, against numpy, with tiny weights made here."""

from __future__ import annotations

import hashlib
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from manole.errors import ModelError, SettingsError
from manole.models.catalog.encoders import RERANKERS, RerankerSpec
from manole.models.catalog.table import CATALOG, ModelSpec, WeightFile
from manole.models.encode.onnx_encoder import BATCH_TOKENS
from manole.models.encode.reranker import Reranker, RerankerLoader, load_reranker
from manole.models.weights.cache import Weights
from manole.settings import IndexSettings, Settings
from models.encode.tiny_onnx import VOCABULARY, Encoder, write_tensors, write_vocabulary
from models.encode.tiny_reranker import CrossEncoder, Head

QUERY = "the red house"
TEXTS = ["the cat sits", "a red house on the hill and a dog runs", "mat", "of the dog on the mat"]
MODEL, ENCODER, HEAD = CrossEncoder.make(), Encoder.make(), Head.make()
ETTIN = replace(RERANKERS["ettin-reranker-17m"], max_tokens=32)


@pytest.fixture
def files(tmp_path):
    return MODEL.write(tmp_path) | write_vocabulary(tmp_path)


def pair(query: str, text: str) -> tuple[list[int], list[int]]:
    one, two = ([VOCABULARY.index(word) for word in side.split()] for side in (query, text))
    return [2, *one, 3, *two, 3], [0] * (len(one) + 2) + [1] * (len(two) + 1)


def expected(query: str, texts: list[str]) -> list[float]:
    return [MODEL.score(*pair(query, text)) for text in texts]


# Scores ------------------------------------------------------------------------------------------


def test_a_score_is_that_of_the_reference_beside_longer_passages_and_alone(files):
    reranker = Reranker("tiny", files, RerankerSpec(32))
    assert reranker.score(QUERY, TEXTS, 60) == pytest.approx(expected(QUERY, TEXTS), abs=1e-5)
    alone = Reranker("tiny", files, RerankerSpec(32))
    for text in TEXTS:
        assert alone.score(QUERY, [text], 60) == pytest.approx(expected(QUERY, [text]), abs=1e-5)
    assert reranker.score(QUERY, [], 60) == []


def test_a_head_of_three_files_is_that_of_the_reference(tmp_path):
    files = ENCODER.write(tmp_path) | write_vocabulary(tmp_path) | HEAD.write(tmp_path)
    reranker = Reranker("tiny", files, ETTIN)
    wanted = [HEAD.score(ENCODER.hidden(pair(QUERY, text)[0])[0]) for text in TEXTS]
    assert reranker.score(QUERY, TEXTS, 60) == pytest.approx(wanted, abs=1e-4)
    assert not reranker.sigmoid


def test_the_longer_of_the_two_is_cut_at_its_end(files):
    reranker = Reranker("tiny", files, RerankerSpec(10))
    long = "the dog runs on the hill and the cat sits on the mat"
    cut = "the dog runs on"  # ten tokens, of which three are marks
    assert reranker.score(QUERY, [long], 60) == pytest.approx(expected(QUERY, [cut]), abs=1e-5)
    assert reranker.score(long, [QUERY], 60) == pytest.approx(expected(cut, [QUERY]), abs=1e-5)


def test_many_passages_are_scored_in_batches_and_each_but_once(files):
    reranker = Reranker("tiny", files, RerankerSpec(512))
    texts = [" ".join(["dog"] * (7 * n % 90)) or "a" for n in range(30)]
    assert sum(map(len, texts)) / 4 > 3 * BATCH_TOKENS
    scores = reranker.score(QUERY, texts, 60)
    assert scores == pytest.approx(expected(QUERY, texts), abs=1e-4)
    reranker._encoder.network = None  # type: ignore[assignment]  # nothing is computed anew
    assert reranker.score(QUERY, texts, 60) == scores


def test_several_threads_get_the_scores_of_their_own_query(files):
    reranker = Reranker("tiny", files, RerankerSpec(32))
    queries = ["the cat", "a dog runs", "red hill", "mat"] * 5
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda query: reranker.score(query, TEXTS, 60), queries))
    for query, scores in zip(queries, found, strict=True):
        assert scores == pytest.approx(expected(query, TEXTS), abs=1e-5)


def test_broken_text_is_scored_as_well(files):
    reranker = Reranker("tiny", files, RerankerSpec(32))
    assert len(reranker.score("the \ud800 cat", ["a \udfff dog", ""], 60)) == 2


def test_when_time_is_out_the_first_passages_have_scores(files, monkeypatch):
    monkeypatch.setattr("manole.models.encode.onnx_encoder.allowed_cores", lambda: 1)
    reranker = Reranker("tiny", files, RerankerSpec(512))
    assert reranker.score(QUERY, TEXTS, -1) == []
    now = iter(range(100))  # a second passes with each batch
    monkeypatch.setattr("manole.models.encode.reranker.time.monotonic", lambda: next(now))
    texts = [" ".join(["dog"] * n) for n in (150, 151, 152, 153)]
    some = reranker.score(QUERY, texts, 2.5)
    assert some == pytest.approx(expected(QUERY, texts[:2]), abs=1e-4)


# Files that are not what they should be ----------------------------------------------------------

THREE = CrossEncoder.make(labels=3)
WRONG = {
    "a classifier of three": (THREE.write, {}, RerankerSpec(32), r"shape \(1, 3\) for 1 pairs"),
    "an encoder without its head": (
        ENCODER.write, {}, RerankerSpec(32), r"shape \(1, 5, 12\) for 1 pairs, not one for each",
    ),
    "a head for a model that has one": (MODEL.write, {}, ETTIN, r"shape \(1, 1\), not \(1, 5, 'n"),
    "a norm of two lengths": (
        ENCODER.write, {"norm.safetensors": {"norm.weight": HEAD.weight, "norm.bias": HEAD.last}},
        ETTIN, "norm.safetensors has no norm.weight and norm.bias of one length",
    ),
    "another file for the norm": (
        ENCODER.write, {"norm.safetensors": {"linear.weight": HEAD.dense}}, ETTIN, "has no norm.w",
    ),
    "a head of another width": (
        ENCODER.write, {"score.safetensors": {"linear.weight": HEAD.dense[:, :5]}}, ETTIN, "be lo",
    ),
    "a last layer with several outputs": (
        ENCODER.write, {"score.safetensors": {"linear.weight": HEAD.dense}}, ETTIN, r"\(1, 12\)",
    ),
    "a head cut short": (ENCODER.write, {"dense.safetensors": b"\xff\0\0"}, ETTIN, "too early"),
    "a model cut short": (ENCODER.write, {"model.onnx": b"\x08\x08"}, ETTIN, "cannot be loaded"),
    "no tokenizer": (MODEL.write, {"vocab.txt": b"the\ncat\n"}, RerankerSpec(32), "cannot be load"),
    "numbers that are none": (
        ENCODER.write,
        {"score.safetensors": {"linear.weight": HEAD.last * np.float32("nan")}}, ETTIN, "no number",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("write", "put", "spec", "said"), WRONG.values(), ids=WRONG)
def test_files_that_do_not_fit_are_a_model_error_that_says_why(tmp_path, write, put, spec, said):
    files = write(tmp_path) | write_vocabulary(tmp_path) | HEAD.write(tmp_path)
    for name, data in put.items():
        if isinstance(data, bytes):
            files[name].write_bytes(data)
        else:
            write_tensors(files[name], data)
    with pytest.raises(ModelError, match=said) as raised:
        Reranker("tiny", files, spec)
    assert raised.value.message.startswith("The reranker tiny cannot be loaded: ")
    assert "manole models verify" in (raised.value.hint or "")


def test_a_score_that_is_no_number_is_a_model_error_later_too(tmp_path):
    table = MODEL.table.copy()
    table[VOCABULARY.index("dog")] = np.nan
    files = replace(MODEL, table=table).write(tmp_path) | write_vocabulary(tmp_path)
    reranker = Reranker("tiny", files, RerankerSpec(32))
    assert len(reranker.score(QUERY, ["the cat"], 60)) == 1
    with pytest.raises(ModelError, match="tiny gave a score that is no number"):
        reranker.score(QUERY, ["the cat", "the dog"], 60)


# By the settings ---------------------------------------------------------------------------------


@pytest.fixture
def at_hand(monkeypatch, tmp_path):
    """Makes files under a name of the catalog; gives settings that name it."""

    def put(made):
        folder = tmp_path / "models" / "tiny"
        folder.mkdir(parents=True)
        files = made.write(folder) | write_vocabulary(folder)
        rows = tuple(
            WeightFile(name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest(), ())
            for name, path in files.items()
        )
        monkeypatch.setitem(CATALOG, "tiny", ModelSpec("tiny", "reranker", rows, "MIT", "tiny"))
        monkeypatch.setitem(RERANKERS, "tiny", RerankerSpec(32))
        return Settings(cache_dir=tmp_path, index=IndexSettings(reranker="tiny"))

    return put


async def test_the_reranker_of_the_settings_is_loaded_once(at_hand):
    loader = RerankerLoader(at_hand(MODEL))
    reranker = await loader.get()
    assert reranker is not None
    assert reranker.score(QUERY, TEXTS, 60) == pytest.approx(expected(QUERY, TEXTS), abs=1e-5)
    assert await loader.get() is reranker
    loader.adopt(Settings())
    assert await loader.get() is None


async def test_without_its_files_there_is_none_and_that_is_said_once(tmp_path, caplog):
    wanted = IndexSettings(reranker="ettin-reranker-17m")
    loader = RerankerLoader(Settings(cache_dir=tmp_path, index=wanted))
    with caplog.at_level(logging.WARNING):
        assert await loader.get() is None
        assert await loader.get() is None
    assert [record.getMessage() for record in caplog.records] == [
        "The reranker ettin-reranker-17m is not at hand, so searches go on without it. "
        "`manole models fetch ettin-reranker-17m` gets it."
    ]
    assert not any(tmp_path.rglob("*.onnx"))


async def test_one_that_is_fetched_later_is_used_from_then_on(at_hand, tmp_path):
    settings = at_hand(MODEL)
    model = tmp_path / "models" / "tiny" / "model.onnx"
    away = model.rename(tmp_path / "away")
    loader = RerankerLoader(settings)
    assert await loader.get() is None
    away.rename(model)
    reranker = await loader.get()
    assert reranker is not None
    assert await loader.get() is reranker


async def test_files_that_cannot_be_loaded_are_said_once(at_hand, caplog):
    loader = RerankerLoader(at_hand(THREE))
    with caplog.at_level(logging.WARNING):
        assert await loader.get() is None
        assert await loader.get() is None
    (record,) = caplog.records
    assert "The reranker tiny cannot be loaded: It gives numbers of the shape" in record.message
    assert record.message.endswith("Searches go on without it.")


def test_a_wrong_name_lists_the_right_ones(tmp_path):
    with pytest.raises(SettingsError, match=r"index\.reranker = bge is not known") as raised:
        load_reranker("bge", Weights(tmp_path))
    assert "ettin-reranker-17m" in (raised.value.hint or "")


@pytest.mark.parametrize("name", RERANKERS)
def test_a_row_has_every_file_that_its_reranker_needs_each_with_a_hash(name):
    there = {file.name for file in CATALOG[name].files}
    assert there == {
        "model.onnx", "tokenizer.json", *(layer.file for layer in RERANKERS[name].head)
    }  # fmt: skip
    assert CATALOG[name].kind == "reranker"
    assert CATALOG[name].pinned_by
    assert all(file.size and file.sha256 and len(file.sha256) == 64 for file in CATALOG[name].files)


def test_the_default_is_no_reranker():
    assert Settings().index.reranker == "off"
