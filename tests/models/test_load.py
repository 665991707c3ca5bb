"""From the setting `model.name` to a model that answers."""

from __future__ import annotations

import asyncio

import pytest

from manole.errors import ModelError, ModelUnavailableError, SettingsError, UsageError
from manole.models.catalog.table import CATALOG
from manole.models.chat.openai import OpenAIChat
from manole.models.chat.protocol import Message
from manole.models.endpoints import OLLAMA_URL, OPENAI_URL
from manole.models.engine.llamacpp import LlamaCpp
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings
from models.fake_endpoints import chunk, fake_endpoint, stream

SMALL = "smollm2-135m-instruct"


@pytest.fixture
def loader(session_settings, tmp_path):
    """`loader(name=..., empty=...)`: a loader with these settings, or one without any weights."""

    def make(*, empty=False, **chosen):
        settings = session_settings.model_copy(update={"model": ModelSettings(**chosen)})
        return ChatLoader(settings, Weights(tmp_path if empty else settings.weights_dir))

    return make


async def test_a_named_model_is_loaded_once_however_many_ask(loader):
    one = loader(name=SMALL, context=1024)
    assert not one.loaded
    models = await asyncio.gather(*(one.get() for _ in range(3)))
    assert all(model is models[0] for model in models)
    assert isinstance(models[0], LlamaCpp)
    assert models[0].name == SMALL
    assert one.loaded
    assert one.reason
    await one.close()
    assert not one.loaded
    await one.close()


async def test_a_file_of_ones_own(loader, session_settings):
    path = Weights(session_settings.weights_dir).ensure(SMALL)["model.gguf"]
    one = loader(name=str(path), context=1024)
    model = await one.get()
    assert (await model.complete([Message("user", "hi")], max_tokens=2)).text
    await one.close()


@pytest.mark.parametrize(
    ("name", "url"), [("ollama:gpt-oss:120b", OLLAMA_URL), ("openai:gpt-oss:120b", OPENAI_URL)]
)
async def test_an_endpoint_has_a_usual_address(loader, name, url):
    one = loader(name=name)
    model = await one.get()
    assert type(model) is OpenAIChat
    assert model.name == "gpt-oss:120b"
    assert url in one.reason
    await one.close()


async def test_an_endpoint_at_an_address_of_ones_own(loader):
    async with fake_endpoint(lambda n, r: stream(chunk("hi", finish="stop"))) as (url, seen):
        one = loader(name="openai:mine", base_url=url, api_key="k")
        assert (await (await one.get()).complete([Message("user", "x")], max_tokens=2)).text == "hi"
        await one.close()
    assert seen[0].body["model"] == "mine"
    assert seen[0].headers["authorization"] == "Bearer k"


async def test_an_address_that_is_none_is_a_setting_to_correct(loader):
    with pytest.raises(SettingsError, match=r"model\.base_url = ftp://x"):
        await loader(name="openai:x", base_url="ftp://x").get()


@pytest.mark.parametrize("name", ["no-such-model", "gone.gguf", "all-minilm-l6-v2"])
async def test_a_name_that_is_no_chat_model_is_refused(loader, name):
    with pytest.raises(UsageError, match=name):
        await loader(name=name).get()


async def test_nothing_is_fetched_where_that_is_not_wanted(loader):
    one = loader(name=SMALL, empty=True, download=False)
    with pytest.raises(ModelUnavailableError, match=SMALL) as caught:
        await one.get()
    assert f"manole models fetch {SMALL}" in caught.value.hint


async def test_wrong_bytes_of_the_right_size_are_not_used_where_none_may_be_fetched(
    loader, tmp_path
):
    (file,) = CATALOG[SMALL].files
    (tmp_path / SMALL).mkdir()
    with (tmp_path / SMALL / file.name).open("wb") as hole:
        hole.truncate(file.size)
    with pytest.raises(ModelUnavailableError, match=SMALL):
        await loader(name=SMALL, empty=True, download=False).get()
    assert [path.name for path in (tmp_path / SMALL).iterdir()] == [file.name]


async def test_a_failed_load_can_be_tried_again(loader, tmp_path):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + b"junk" * 100)
    one = loader(name=str(bad))
    for _ in range(2):
        with pytest.raises(ModelError, match=r"could not load"):
            await one.get()
    assert not one.loaded
