"""Vision models: the real engine on tiny models written here, and what must not stop anyone."""

from __future__ import annotations

import asyncio
import io
import shutil
from dataclasses import replace
from functools import partial

import pytest
from PIL import Image, ImageDraw

from manole.errors import ModelError, SettingsError, UsageError
from manole.models import vision
from manole.models.catalog.table import CATALOG
from manole.models.chat.protocol import Completion, Message, Usage
from manole.models.engine.llamacpp import LlamaCpp
from manole.models.vision import NO_SENSE, Sight, VisionLoader, VisionModel, vision_at_hand
from manole.models.weights.cache import Weights
from manole.settings import Settings
from models.tiny_gguf import write_moondream, write_qwen3vl


def jpeg(colour, shape="ellipse") -> bytes:
    image = Image.new("RGB", (96, 96), "white")
    getattr(ImageDraw.Draw(image), shape)((16, 16, 80, 80), colour)
    out = io.BytesIO()
    image.save(out, "jpeg", quality=95)
    return out.getvalue()


RED, BLUE = jpeg("red"), jpeg("blue", "rectangle")


def settings(**vision) -> Settings:
    made = Settings.load()
    return made.model_copy(update={"vision": made.vision.model_copy(update=vision)})


@pytest.fixture(params=[write_moondream, write_qwen3vl])
def pair(request, tmp_path):
    return request.param(tmp_path)


async def test_two_pictures_two_answers_one_picture_one_answer(pair):
    model = await LlamaCpp.load("tiny", pair[0], settings().model, projector=pair[1])
    try:
        said = [
            (await model.complete([Message("user", "What is it?", (picture,))], max_tokens=12)).text
            for picture in (RED, BLUE, RED)
        ]
    finally:
        await model.close()
    assert said[0] != said[1]
    assert said[0] == said[2]


async def test_the_model_of_the_settings_looks(pair):
    loader = VisionLoader(settings(name=str(pair[0])))
    vision = await loader.get()
    assert await loader.get() is vision
    first, second = await asyncio.gather(vision.caption(RED), vision.caption(RED))
    assert first == second
    for picture in (RED, BLUE):
        sight = await vision.caption(picture)
        assert bool(sight.text) != bool(sight.reason)  # it says something, or that it is rubbish
    sight = await vision.ask(b"\xff\xd8\xff but no picture", "What is it?")
    assert sight.text == ""
    assert "failed" in sight.reason
    assert (await vision.ask(b"<svg/>", "What?")).reason == "what was to be seen is no JPEG picture"
    await loader.close()


async def test_a_projector_that_is_none_is_told(pair):
    pair[1].write_bytes(b"GGUF and nothing else")
    loader = VisionLoader(settings(name=str(pair[0])))
    assert await loader.get() is None
    assert pair[0].name in loader.reason
    assert pair[1].name in loader.reason


async def test_weights_without_a_projector_or_with_two_are_refused(pair):
    shutil.copy(pair[1], pair[1].with_name("another-mmproj.gguf"))
    for _ in "two", "none":
        with pytest.raises(SettingsError, match="cannot see without its projector"):
            await VisionLoader(settings(name=str(pair[0]))).get()
        for projector in pair[0].parent.glob("*mmproj*"):
            projector.unlink()


def test_without_weights_at_hand_there_is_none(tmp_path):
    weights = Weights(tmp_path)
    assert vision_at_hand(settings(), weights) is None
    assert vision_at_hand(settings(name="off"), weights) is None
    assert vision_at_hand(settings(name="moondream2"), weights) == "moondream2"
    assert vision_at_hand(settings(name="openai:qwen-vl"), weights) == "openai:qwen-vl"
    for wrong in ("qwen2.5-coder-1.5b-instruct", "moondream3", "openai:"):
        with pytest.raises(UsageError, match="no vision model"):
            vision_at_hand(settings(name=wrong), weights)


async def test_weights_that_nobody_named_are_mended_on_request_only(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    spec = CATALOG["moondream2"]
    small = replace(spec, files=tuple(replace(file, size=9) for file in spec.files))
    monkeypatch.setattr(vision, "Weights", partial(Weights, catalog=CATALOG | {spec.name: small}))
    folder = tmp_path / "models" / spec.name
    folder.mkdir(parents=True)
    for file in spec.files:
        (folder / file.name).write_bytes(b"nonsense!")  # of the right size
    loader = VisionLoader(settings().model_copy(update={"cache_dir": tmp_path}))
    assert await loader.get() is None
    assert "manole models fetch moondream2" in loader.reason
    assert len(list(folder.iterdir())) == len(spec.files)


class FakeChat:
    """Says what it is told to; a stand-in for models that misbehave."""

    name = "fake"

    def __init__(self, text="", error=None, wait=0.0, finish="stop"):
        self.text, self.error, self.wait, self.finish = text, error, wait, finish

    async def complete(self, messages, **_):
        await asyncio.sleep(self.wait)
        if self.error:
            raise self.error
        return Completion(self.text, Usage(), self.finish)


@pytest.mark.parametrize(
    ("chat", "sight"),
    [
        (FakeChat("A dog\nin the snow."), Sight("A dog in the snow.")),
        (FakeChat("A dog. It is br", finish="length"), Sight("A dog.")),
        (FakeChat("A dog in the sn", finish="length"), Sight("A dog in the sn …")),
        (FakeChat(""), Sight(reason=NO_SENSE)),
        (FakeChat("#### ??? 0101 ###"), Sight(reason=NO_SENSE)),
        (FakeChat("the the dog the " * 9), Sight(reason=NO_SENSE)),
        (FakeChat(error=ModelError("No.")), Sight(reason="the vision model failed: No.")),
        (FakeChat("late", wait=5), Sight(reason="the vision model took longer than 0.05 s")),
    ],
)  # fmt: skip
async def test_rubbish_failure_and_silence_are_values(chat, sight):
    assert await VisionModel(chat, timeout_s=0.05).ask(RED, "What?") == sight


class FakeEyes(FakeChat):
    """Tells when it began to look at each picture, and when it ended."""

    def __init__(self):
        self.seen = []

    async def complete(self, messages, *, max_tokens, **_):
        self.seen.append(f"begin {messages[0].content}")
        await asyncio.sleep(0)
        self.seen.append(f"end {messages[0].content}")
        return Completion("A red circle.", Usage())


@pytest.mark.parametrize("alone", [True, False])
async def test_one_picture_waits_for_another_where_the_model_is_on_this_machine(alone):
    eyes = FakeEyes()
    vision = VisionModel(eyes, alone=alone)
    await asyncio.gather(vision.ask(RED, "1"), vision.ask(RED, "2"))
    orders = {True: ["begin 1", "end 1", "begin 2", "end 2"],
              False: ["begin 1", "begin 2", "end 1", "end 2"]}  # fmt: skip
    assert eyes.seen == orders[alone]
