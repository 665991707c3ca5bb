import io
import json
import os
import shutil
import sys

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything imports the hub's client

import numpy as np
import pytest
from PIL import Image
from safetensors.torch import load_file, save_file
from toy_colqwen import write_adapter, write_model

from manole.errors import ModelError
from manole_colqwen import embedder as colqwen
from manole_colqwen.embedder import ColQwenEmbedder


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def adapter(base, tmp_path_factory):
    return write_adapter(tmp_path_factory.mktemp("adapter"), base)


@pytest.fixture(scope="module")
def embedder(base):
    return ColQwenEmbedder.load(base)


def picture(seed, width=196, height=140):
    """A JPEG of coloured squares."""
    rng = np.random.default_rng(seed)
    squares = rng.integers(0, 256, (height // 28, width // 28, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(squares).resize((width, height), Image.Resampling.NEAREST).save(file, "JPEG")
    return file.getvalue()


PICTURES = [picture(0), picture(1), picture(2, 112, 308)]


def maxsim(asked, weights, page):
    return float(weights @ (asked @ page.T).max(axis=1))


def changed(folder, to, *, file="model.safetensors", without=(), names=None, **more):
    """A copy of a folder with weights left out, renamed or added."""
    shutil.copytree(folder, to)
    weights = load_file(to / file)
    kept = {(names or str)(key): value for key, value in weights.items() if key not in without}
    assert len(kept) == len(weights) - len(without)
    save_file(kept | more, to / file, {"format": "pt"})
    return to


def test_pages_have_many_unit_vectors_and_no_padding(embedder):
    assert embedder.sees and embedder.dimensions == 128
    assert embedder.name.startswith("colqwen2.5:")
    pages = embedder.embed(range(3), PICTURES)
    patches = [7 * 5, 7 * 5, 4 * 11]
    around = len(pages[0]) - patches[0]  # the prompt's own tokens
    assert [len(page) - around for page in pages] == patches
    for page in pages:
        assert page.dtype == np.float32 and page.shape[1] == 128
        np.testing.assert_allclose(np.linalg.norm(page, axis=1), 1, atol=1e-5)
    assert embedder.embed([], []) == []


def test_pictures_differ_and_the_same_is_the_same(embedder):
    first, second, again = embedder.embed(range(3), [PICTURES[0], PICTURES[1], PICTURES[0]])
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - second).max() > 0.1
    pages = embedder.embed(range(3), PICTURES)
    for i, asked in enumerate(pages):
        weights = np.full(len(asked), 1 / len(asked), np.float32)
        scores = [maxsim(asked, weights, page) for page in pages]
        assert np.argmax(scores) == i and scores[i] == pytest.approx(1, abs=1e-4)


def test_a_batch_of_two_sizes_gives_what_each_alone_gives(embedder, monkeypatch):
    alone = embedder.embed(range(3), PICTURES)
    monkeypatch.setattr(colqwen, "BATCH", 3)
    for one, other in zip(alone, embedder.embed(range(3), PICTURES), strict=True):
        np.testing.assert_allclose(one, other, atol=2e-4)


def test_questions(embedder):
    asked, weights = embedder.embed_query("Where is the valve?")
    assert asked.shape == (len(weights), 128) and asked.dtype == weights.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(asked, axis=1), 1, atol=1e-5)
    assert weights.sum() == pytest.approx(1, abs=1e-6) and len(set(weights.tolist())) == 1
    other, _ = embedder.embed_query("Where is the pump?")
    assert asked.shape != other.shape or np.abs(asked - other).max() > 0.1
    embedder.embed(range(1), PICTURES[:1])
    again, _ = embedder.embed_query("Where is the valve?")  # no trace of the page before it
    np.testing.assert_array_equal(asked, again)


def test_they_are_what_colpali_engine_computes(base, embedder):
    import torch
    from colpali_engine.models import ColQwen2_5

    model = ColQwen2_5.from_pretrained(base).eval()
    image = Image.open(io.BytesIO(PICTURES[0]))
    with torch.inference_mode():
        official = model(**embedder._processor.process_images([image]))[0].numpy()
    np.testing.assert_allclose(embedder.embed([0], PICTURES[:1])[0], official, atol=1e-5)


@pytest.mark.parametrize("pool", [2, 3])
def test_pooling(base, embedder, pool):
    pooling = ColQwenEmbedder.load(base, pool=pool)
    assert pooling.name != embedder.name
    whole, pooled = embedder.embed([0], PICTURES[:1])[0], pooling.embed([0], PICTURES[:1])[0]
    assert len(pooled) == pytest.approx(len(whole) / pool, abs=2)
    np.testing.assert_allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-5)
    asked = "Where is the valve?"
    np.testing.assert_array_equal(pooling.embed_query(asked)[0], embedder.embed_query(asked)[0])


def test_half_precision(base, embedder):
    import torch

    half = ColQwenEmbedder.load(base, half=True)
    assert {parameter.dtype for parameter in half._model.parameters()} == {torch.bfloat16}
    for one, other in zip(
        half.embed(range(3), PICTURES), embedder.embed(range(3), PICTURES), strict=True
    ):
        assert one.dtype == np.float32 and one.shape == other.shape
        np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)
        assert (one * other).sum(axis=1).mean() > 0.95


@pytest.mark.parametrize("whole", [False, True], ids=["lora", "whole projection"])
def test_an_adapter_gives_other_vectors_than_its_base(base, embedder, tmp_path, whole):
    import torch
    from colpali_engine.models import ColQwen2_5
    from peft import PeftModel

    folder = write_adapter(tmp_path / "adapter", base, whole=whole)
    adapted = ColQwenEmbedder.load(folder)
    assert adapted.dimensions == 128 and adapted.name != embedder.name
    ours = adapted.embed([0], PICTURES[:1])[0]
    assert np.abs(ours - embedder.embed([0], PICTURES[:1])[0]).max() > 0.1
    official = PeftModel.from_pretrained(ColQwen2_5.from_pretrained(base), str(folder)).eval()
    image = Image.open(io.BytesIO(PICTURES[0]))
    with torch.inference_mode():
        theirs = official.base_model.model(**embedder._processor.process_images([image]))[0]
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-4)


def test_the_name_says_what_the_vectors_depend_on(base, adapter, tmp_path, embedder):
    moved = shutil.copytree(base, tmp_path / "moved")
    assert ColQwenEmbedder.load(moved).name == embedder.name
    assert ColQwenEmbedder.load(write_model(tmp_path / "other", seed=5)).name != embedder.name
    first = ColQwenEmbedder.load(adapter).name
    second = shutil.copytree(adapter, tmp_path / "adapter")
    settings = json.loads((second / "adapter_config.json").read_text())
    (second / "adapter_config.json").write_text(
        json.dumps(settings | {"base_model_name_or_path": "moved"})  # beside the adapter
    )
    shutil.copytree(moved, second / "moved")
    assert ColQwenEmbedder.load(second).name == first


def test_names_of_older_releases_are_understood(base, adapter, embedder, tmp_path):
    def old(key):
        return key.replace("language_model.", "model.")

    folder = changed(base, tmp_path / "base", names=old)
    assert any(key.startswith("model.layers.0.") for key in load_file(folder / "model.safetensors"))
    page = ColQwenEmbedder.load(folder).embed([0], PICTURES[:1])[0]
    np.testing.assert_array_equal(page, embedder.embed([0], PICTURES[:1])[0])
    file = "adapter_model.safetensors"
    renamed = changed(adapter, tmp_path / "adapter", file=file, names=old)
    assert any(".model.model.layers.0." in key for key in load_file(renamed / file))
    np.testing.assert_array_equal(
        ColQwenEmbedder.load(renamed).embed([0], PICTURES[:1])[0],
        ColQwenEmbedder.load(adapter).embed([0], PICTURES[:1])[0],
    )


def test_names_on_the_hub_that_are_in_its_cache(base, adapter, tmp_path, monkeypatch):
    def cached(name, folder):
        place = tmp_path / f"models--{name.replace('/', '--')}"
        shutil.copytree(folder, place / "snapshots" / ("0" * 40))
        (place / "refs").mkdir()
        (place / "refs" / "main").write_text("0" * 40)
        return place / "snapshots" / ("0" * 40)

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    cached("manole-tests/base", base)
    folder = cached("manole-tests/adapter", adapter)
    settings = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(
        json.dumps(settings | {"base_model_name_or_path": "manole-tests/base"})
    )
    by_name = ColQwenEmbedder.load("manole-tests/adapter")
    assert by_name.name == ColQwenEmbedder.load(adapter).name


def test_a_model_in_several_files(base, embedder, tmp_path):
    folder = shutil.copytree(base, tmp_path / "shards")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = {key: f"part-{i % 2}.safetensors" for i, key in enumerate(weights)}
    for name in set(names.values()):
        part = {key: value for key, value in weights.items() if names[key] == name}
        save_file(part, folder / name, {"format": "pt"})
    index = {"metadata": {}, "weight_map": names}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    page = ColQwenEmbedder.load(folder).embed([0], PICTURES[:1])[0]
    np.testing.assert_array_equal(page, embedder.embed([0], PICTURES[:1])[0])
    (folder / "part-1.safetensors").unlink()
    with pytest.raises(ModelError, match=r"no part-1\.safetensors"):
        ColQwenEmbedder.load(folder)


def test_a_missing_projection_is_refused_by_name(base, tmp_path):
    lacking = ("custom_text_proj.weight", "custom_text_proj.bias")
    folder = changed(base, tmp_path / "base", without=lacking)
    with pytest.raises(ModelError, match=r"custom_text_proj\.weight"):
        ColQwenEmbedder.load(folder)
    with pytest.raises(ModelError, match=r"custom_text_proj\.weight"):  # LoRA needs it, too
        ColQwenEmbedder.load(write_adapter(tmp_path / "adapter", folder))
    whole = write_adapter(tmp_path / "whole", folder, whole=True)  # brings its own
    assert ColQwenEmbedder.load(whole).dimensions == 128


def test_every_weight_that_is_missing_is_refused_by_name(base, tmp_path):
    names = list(load_file(base / "model.safetensors"))
    assert len(names) > 50
    for i, name in enumerate(names):
        folder = changed(base, tmp_path / str(i), without=(name,))
        with pytest.raises(ModelError) as raised:
            ColQwenEmbedder.load(folder)
        assert name in raised.value.message
        shutil.rmtree(folder)


def test_every_weight_missing_from_an_adapter_is_refused_by_name(adapter, tmp_path):
    file = "adapter_model.safetensors"
    names = list(load_file(adapter / file))
    assert len(names) == 2 * (2 * 7 + 1)
    for i, name in enumerate(names):
        folder = changed(adapter, tmp_path / str(i), file=file, without=(name,))
        with pytest.raises(ModelError) as raised:
            ColQwenEmbedder.load(folder)
        assert name.removeprefix("base_model.model.") in raised.value.message


def test_unknown_and_misshapen_weights_are_refused_by_name(base, adapter, tmp_path):
    import torch

    folder = changed(base, tmp_path / "more", stranger=torch.zeros(2))
    with pytest.raises(ModelError, match="stranger"):
        ColQwenEmbedder.load(folder)
    size = {"custom_text_proj.weight": torch.zeros(64, 32)}
    with pytest.raises(ModelError, match=r"size.*custom_text_proj\.weight"):
        ColQwenEmbedder.load(changed(base, tmp_path / "size", **size))
    head = {"lm_head.weight": torch.zeros(4, 32)}  # left over from the model for chat
    assert ColQwenEmbedder.load(changed(base, tmp_path / "head", **head)).dimensions == 128
    file = "adapter_model.safetensors"
    key = "base_model.model.visual.blocks.0.mlp.up_proj.lora_A.weight"
    folder = changed(adapter, tmp_path / "adapter", file=file, **{key: torch.zeros(4, 32)})
    with pytest.raises(ModelError, match=r"visual\.blocks\.0"):
        ColQwenEmbedder.load(folder)


def test_folders_that_lack_files_are_refused(base, adapter, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"no config\.json"):
        ColQwenEmbedder.load(tmp_path / "empty")
    with pytest.raises(ModelError, match="no folder"):
        ColQwenEmbedder.load(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="hub"):
        ColQwenEmbedder.load("manole-tests/no-such-model")  # and offline
    for name in ("model.safetensors", "preprocessor_config.json", "tokenizer.json"):
        folder = shutil.copytree(base, tmp_path / name)
        (folder / name).unlink()
        with pytest.raises(ModelError, match=name):
            ColQwenEmbedder.load(folder)
    folder = shutil.copytree(base, tmp_path / "cut")
    (folder / "model.safetensors").write_bytes((base / "model.safetensors").read_bytes()[:9000])
    with pytest.raises(ModelError, match="cannot be loaded"):
        ColQwenEmbedder.load(folder)
    folder = shutil.copytree(adapter, tmp_path / "adapter")
    (folder / "adapter_model.safetensors").unlink()
    with pytest.raises(ModelError, match="adapter_model"):
        ColQwenEmbedder.load(folder)


def test_an_adapter_with_no_base_is_refused(adapter, tmp_path):
    folder = shutil.copytree(adapter, tmp_path / "adapter")
    settings = json.loads((folder / "adapter_config.json").read_text())
    for missing in (str(tmp_path / "gone" / "base"), "manole-tests/no-such-base"):
        (folder / "adapter_config.json").write_text(
            json.dumps(settings | {"base_model_name_or_path": missing})
        )
        with pytest.raises(ModelError, match=missing):
            ColQwenEmbedder.load(folder)


def test_another_architecture_is_refused(base, tmp_path):
    folder = shutil.copytree(base, tmp_path / "bert")
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ModelError, match="bert"):
        ColQwenEmbedder.load(folder)


def test_without_the_extra_it_says_what_to_install(base, monkeypatch):
    monkeypatch.setitem(sys.modules, "colpali_engine", None)
    monkeypatch.setitem(sys.modules, "colpali_engine.models", None)
    with pytest.raises(ModelError) as raised:
        ColQwenEmbedder.load(base)
    assert raised.value.hint == 'Install the extra: pip install "manole[colqwen]"'


def test_what_is_no_picture(base, embedder):
    with pytest.raises(ModelError, match="picture"):
        embedder.embed([0], [b"\xff\xd8\xff no picture"])
    with pytest.raises(ValueError, match="2 pages"):
        embedder.embed([0, 1], PICTURES[:1])
    with pytest.raises(ModelError, match="scaled"):
        embedder.embed([0], [picture(0, 28 * 250, 28)])
    with pytest.raises(ModelError, match="pool"):
        ColQwenEmbedder.load(base, pool=0)
