"""Every way from tokens to a vector, against numpy, with tiny weights that are made here."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file

from manole.care.languages import after_sync
from manole.documents.split import Splitter
from manole.errors import ModelError
from manole.index.store.languages import FEW
from manole.library import Library
from manole.models.catalog.encoders import ENCODERS, MANY, MULTILINGUAL, USUAL, Dense, EncoderSpec
from manole.models.catalog.table import CATALOG, WeightFile
from manole.models.encode.embedder import OnnxEmbedder, load_embedder
from manole.models.encode.heads import read_tensors
from manole.models.encode.tokenizing import load_tokenizer, tokenizer_path
from manole.models.weights.cache import Weights
from manole.models.weights.files import sha256_of
from manole.settings import IndexSettings, Settings
from models.encode.tiny_onnx import (
    DATA,
    VOCABULARY,
    Encoder,
    write_tensors,
    write_tokenizer,
    write_vocabulary,
)

WIDTH = 12
TEXTS = ["the cat sits", "a red house on the hill and a dog runs", "mat", "the bill is of the dog"]
ENCODER = Encoder.make(WIDTH)
RANDOM = np.random.default_rng(7)
WEIGHT = RANDOM.normal(size=(20, WIDTH)).astype(np.float32)
BIAS = RANDOM.normal(size=20).astype(np.float32)
SECOND = RANDOM.normal(size=(16, 20)).astype(np.float32)


@pytest.fixture
def files(tmp_path):
    return ENCODER.write(tmp_path) | write_vocabulary(tmp_path)


def ids_of(text: str) -> list[int]:
    words = text.split()
    return [2, *(VOCABULARY.index(word) for word in words), 3]


def of_length_one(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def gelu(x: np.ndarray) -> np.ndarray:
    return np.array([v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x])


POOLED = {
    "mean": lambda text: ENCODER.hidden(ids_of(text)).mean(0),
    "cls": lambda text: ENCODER.hidden(ids_of(text))[0],
    "last": lambda text: ENCODER.hidden(ids_of(text))[-1],
    "none": lambda text: ENCODER.hidden(ids_of(text)).mean(0),  # which the model does itself
}


@pytest.mark.parametrize("pooling", POOLED)
def test_pooling_is_that_of_the_reference_beside_longer_texts_and_alone(files, pooling):
    output = "sentence_embedding" if pooling == "none" else "last_hidden_state"
    spec = EncoderSpec(WIDTH, 32, pooling, output=output)
    embedder = OnnxEmbedder("tiny", files, spec)
    together = embedder.embed(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert vector == pytest.approx(of_length_one(POOLED[pooling](text)), abs=1e-5)
        assert embedder.embed([text])[0] == pytest.approx(vector, abs=1e-6)


def test_without_a_name_the_first_output_is_taken(files):
    assert OnnxEmbedder("tiny", files, EncoderSpec(WIDTH, 32)).embed(TEXTS) == pytest.approx(
        OnnxEmbedder("tiny", files, EncoderSpec(WIDTH, 32, output="last_hidden_state")).embed(TEXTS)
    )


def test_queries_and_passages_have_prefixes_of_their_own(files):
    spec = EncoderSpec(WIDTH, 32, query_prefix="query : ", passage_prefix="passage : ")
    embedder = OnnxEmbedder("tiny", files, spec)
    mean = POOLED["mean"]
    assert embedder.embed_query("the cat") == pytest.approx(
        of_length_one(mean("query : the cat")), abs=1e-5
    )
    assert embedder.embed(["the cat"])[0] == pytest.approx(
        of_length_one(mean("passage : the cat")), abs=1e-5
    )
    only = OnnxEmbedder("tiny", files, replace(spec, passage_prefix=""))
    assert only.embed(["the cat"])[0] == pytest.approx(of_length_one(mean("the cat")), abs=1e-5)


def test_a_long_text_is_cut_at_its_end_and_its_prefix_stays(files):
    spec = EncoderSpec(WIDTH, 8, passage_prefix="passage : ")
    embedder = OnnxEmbedder("tiny", files, spec)
    assert embedder.max_tokens == 6  # of which passages are made
    cut = POOLED["mean"]("passage : the cat sits on")
    assert embedder.embed(["the cat sits on a mat and a dog runs"])[0] == pytest.approx(
        of_length_one(cut), abs=1e-5
    )


def test_the_first_numbers_are_kept_and_have_length_one(files):
    embedder = OnnxEmbedder("tiny", files, EncoderSpec(5, 32))
    for text, vector in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        assert vector == pytest.approx(of_length_one(POOLED["mean"](text)[:5]), abs=1e-5)
    assert embedder.embed([]).shape == (0, 5)


@pytest.mark.parametrize("kind", ["F32", "F16"])
@pytest.mark.parametrize(
    ("activation", "acts"), [("identity", lambda x: x), ("tanh", np.tanh), ("gelu", gelu)]
)
def test_dense_layers_are_those_of_the_reference(files, tmp_path, kind, activation, acts):
    tensors = {"linear.weight": WEIGHT, "linear.bias": BIAS}
    files["one.st"] = write_tensors(tmp_path / "one.st", tensors, kind)
    files["two.st"] = write_tensors(tmp_path / "two.st", {"linear.weight": SECOND}, kind)
    layers = (Dense("one.st", activation), Dense("two.st"))
    embedder = OnnxEmbedder("tiny", files, EncoderSpec(9, 32, dense=layers))
    rounded = [array.astype(np.float16 if kind == "F16" else np.float32) for array in
               (WEIGHT, BIAS, SECOND)]  # fmt: skip
    weight, bias, second = (array.astype(np.float64) for array in rounded)
    for text, vector in zip(TEXTS, embedder.embed(TEXTS), strict=True):
        full = second @ acts(weight @ POOLED["mean"](text) + bias)
        assert vector == pytest.approx(of_length_one(full[:9]), abs=1e-5)


def test_safetensors_are_read_as_their_own_library_reads_them(tmp_path):
    path = write_tensors(
        tmp_path / "a.safetensors", {"a": WEIGHT, "b": BIAS, "c": np.zeros((0, 3))}
    )
    for name, tensor in load_file(path).items():
        assert np.array_equal(read_tensors(path)[name], tensor)


def test_external_data_lies_beside_the_model(tmp_path):
    files = ENCODER.write(tmp_path, external=True) | write_vocabulary(tmp_path)
    spec = EncoderSpec(WIDTH, 32)
    vector = OnnxEmbedder("tiny", files, spec).embed(["the cat"])[0]
    assert vector == pytest.approx(of_length_one(POOLED["mean"]("the cat")), abs=1e-5)
    (tmp_path / DATA).unlink()
    with pytest.raises(ModelError, match=r"tiny cannot be loaded: .*weights\.onnx_data"):
        OnnxEmbedder("tiny", files, spec)


# Tokenizers --------------------------------------------------------------------------------------


def test_a_vocabulary_alone_cuts_as_its_tokenizer_json_does(tmp_path):
    whole, words = tmp_path / "whole", tmp_path / "words"
    whole.mkdir()
    words.mkdir()
    one = load_tokenizer(tokenizer_path(write_tokenizer(whole)))
    other = load_tokenizer(tokenizer_path(write_vocabulary(words)))
    for text in ("The Cats sit on: a MÀT", "", "unknown words"):
        assert one.encode(text).tokens == other.encode(text).tokens
    assert other.encode("The cats").tokens == ["[CLS]", "the", "cat", "##s", "[SEP]"]


def test_a_vocabulary_with_capitals_is_not_lowered(tmp_path):
    tokenizer = load_tokenizer(tokenizer_path(write_vocabulary(tmp_path, "Cat")))
    assert tokenizer.encode("Cat cat").tokens == ["[CLS]", "Cat", "cat", "[SEP]"]


def test_passages_can_be_measured_by_a_vocabulary(tmp_path):
    splitter = Splitter(write_vocabulary(tmp_path)["vocab.txt"], 32)
    assert splitter.count(["The cats", "red house on the hill"]) == [3, 5]


# Files that are not what they should be ----------------------------------------------------------


def _spec(**changes):
    return replace(EncoderSpec(WIDTH, 32), **changes)


WRONG = {
    "another output": (_spec(output="token_embeddings"), {}, "token_embeddings"),
    "fewer numbers": (_spec(dimensions=99), {}, "makes 12 numbers, not 99"),
    "a pooled output pooled again": (
        _spec(output="sentence_embedding"), {}, r"shape \(1, 12\), not \(1, 3, 'numbers'\)",
    ),
    "tokens where vectors were meant": (_spec(pooling="none"), {}, r"shape \(1, 3, 12\)"),
    "no safetensors": (_spec(dense=(Dense("head"),)), {"head": b"PK\3\4 zip"}, "head is no saf"),
    "an empty head": (_spec(dense=(Dense("head"),)), {"head": b""}, "it ends too early"),
    "a header that is none": (
        _spec(dense=(Dense("head"),)), {"head": b"\2" + b"\0" * 7 + b"[]"}, "head is no safet",
    ),
    "a head cut short": (
        _spec(dense=(Dense("head"),)), {"head": {"linear.weight": WEIGHT}, "cut": 40}, "too early",
    ),
    "no matrix": (_spec(dense=(Dense("head"),)), {"head": {"a": BIAS}}, "no matrix linear.weight"),
    "a bias of another layer": (
        _spec(dense=(Dense("head"),)),
        {"head": {"linear.weight": WEIGHT, "linear.bias": BIAS[:3]}}, "linear.bias does not fit",
    ),
    "a head of another model": (
        _spec(dense=(Dense("head"),)), {"head": {"linear.weight": SECOND}}, "cannot be loaded",
    ),
    "numbers of another type": (
        _spec(dense=(Dense("head"),)),
        {"head": {"linear.weight": WEIGHT}, "kind": "F64"}, "type F64, not F32 or F16",
    ),
    "a vocabulary without its marks": (_spec(), {"vocab.txt": b"the\ncat\n"}, "cannot be loaded"),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "put", "said"), WRONG.values(), ids=WRONG)
def test_files_that_do_not_fit_are_a_model_error_that_says_why(files, tmp_path, spec, put, said):
    for name in ("head", "vocab.txt"):
        if name in put:
            files[name] = tmp_path / name
            if isinstance(put[name], bytes):
                files[name].write_bytes(put[name])
            else:
                write_tensors(files[name], put[name], put.get("kind", "F32"))
            if "cut" in put:
                files[name].write_bytes(files[name].read_bytes()[: -put["cut"]])
    with pytest.raises(ModelError, match=said) as raised:
        OnnxEmbedder("tiny", files, spec)
    assert "manole models verify" in (raised.value.hint or "")


# The table ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENCODERS)
def test_a_row_has_every_file_that_its_encoder_needs(name):
    there = {file.name for file in CATALOG[name].files}
    assert {"model.onnx", *(layer.file for layer in ENCODERS[name].dense)} <= there
    assert there & {"tokenizer.json", "vocab.txt"}
    assert CATALOG[name].kind == "embedder"


def test_what_is_offered_for_other_languages_reads_them_and_can_be_verified():
    assert not ENCODERS[MULTILINGUAL].languages
    assert all(file.sha256 and file.size for file in CATALOG[MULTILINGUAL].files)


@pytest.mark.parametrize("name", ["mdbr-leaf-ir", "embeddinggemma-300m", MULTILINGUAL])
def test_a_row_is_run_with_all_of_its_parts(tmp_path, name):
    """Tiny files under the names of the row, of the shapes its card tells."""

    class Cache:
        def ensure(self, wanted, progress=None):
            assert wanted == name
            width = {"mdbr-leaf-ir": 384}.get(name, ENCODERS[name].dimensions)
            made = Encoder.make(width).write(tmp_path) | write_vocabulary(tmp_path)
            for layer in ENCODERS[name].dense:
                tensors = {
                    "linear.weight": RANDOM.normal(size=(768, width)),
                    "linear.bias": RANDOM.normal(size=768),
                }
                made[layer.file] = write_tensors(tmp_path / layer.file, tensors)
            return made

    embedder = load_embedder(Settings(index=IndexSettings(embedder=name)), Cache())
    vectors = embedder.embed(TEXTS)
    assert (embedder.name, vectors.shape) == (name, (4, ENCODERS[name].dimensions))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert embedder.embed_query("the cat").shape == (embedder.dimensions,)


@pytest.fixture
def at_hand(tmp_path, monkeypatch):
    """Tiny weights stand where those of the embedder for many languages would be."""
    usual = Weights(Settings.load().weights_dir).ensure(USUAL)["model.onnx"].parent
    for name in ("CACHE", "DATA"):
        monkeypatch.setenv(f"MANOLE_{name}_DIR", str(tmp_path / name))
    made = ENCODER.write(tmp_path) | write_vocabulary(tmp_path)
    rows = [WeightFile(key, path.stat().st_size, sha256_of(path), ()) for key, path in made.items()]
    monkeypatch.setitem(CATALOG, MULTILINGUAL, replace(CATALOG[MULTILINGUAL], files=tuple(rows)))
    monkeypatch.setitem(ENCODERS, MULTILINGUAL, EncoderSpec(WIDTH, 32, languages=MANY))
    weights = Weights(Settings.load().weights_dir)
    weights.ensure(USUAL, local=usual)
    weights.ensure(MULTILINGUAL, local=tmp_path)


async def test_a_new_library_in_other_languages_goes_over_to_the_embedder_for_them(
    tmp_path, at_hand
):
    folder = tmp_path / "briefe"
    folder.mkdir()
    for number in range(FEW):
        (folder / f"brief{number}.txt").write_text(
            f"Informamos que a senhora não pagou a renda número {number} e que não recebemos "
            "nenhuma resposta às nossas cartas até hoje."
        )
    async with await Library.open([folder], Settings.load()) as library:
        report = await library.sync()
        assert (report.added, report.embedded) == (FEW, 2 * FEW)  # the usual one answers first
        store = await library.store()
        assert (store.embedder, store.dimensions) == (MULTILINGUAL, WIDTH)
        assert await store.count() == (FEW, FEW)
        assert (await library.search("cat"))[0].similarity is not None
        assert not (await library.sync()).embedded  # and it stays so


async def test_an_old_library_keeps_its_embedder_until_another_one_is_named(tmp_path, at_hand):
    folder = tmp_path / "letters"
    folder.mkdir()
    for number in range(FEW):
        (folder / f"letter{number}.txt").write_text(
            f"The tenant of flat {number} shall pay the rent on the first of each month."
        )
    async with await Library.open([folder], Settings.load()) as library:
        await library.sync()
        for number in range(FEW):
            (folder / f"brief{number}.txt").write_text(
                f"Informamos que a senhora não pagou a renda número {number} e que não recebemos "
                "nenhuma resposta às nossas cartas até hoje."
            )
        report = await library.sync()
        said = await after_sync(library.roots, await library.store(), report, library.settings)
        assert said is not None and f"index.embedder={MULTILINGUAL}" in said
        assert (await library.store()).embedder == USUAL
