"""A model's reasoning is turned off where it can be, and never part of an answer."""

from __future__ import annotations

import pytest
import xllamacpp

from manole.errors import ModelError
from manole.models.chat.openai import OpenAIChat
from manole.models.chat.protocol import Completion, Delta, Message
from manole.models.chat.thinking import QUIET, Unthought, quiet_for
from manole.models.engine.llamaserver import LlamaServer
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings
from models.fake_endpoints import chunk, fake_endpoint, status, stream

ASK = [Message("user", "hello")]


def told(pieces):
    answer = Unthought()
    return "".join([*map(answer.take, pieces), answer.end()]), answer.thought


@pytest.mark.parametrize(
    ("text", "answer", "thought"),
    [
        ("Paris.", "Paris.", False),
        ("<think>Hm.</think>\n\nParis.", "Paris.", True),
        ("\n<think>\n\n</think>\n\nParis.", "Paris.", True),
        ("<think>one</think><think>two</think>Paris.", "Paris.", True),
        ("<think>never ends", "", True),
        ("<thing> is a tag.", "<thing> is a tag.", False),
        ("<th", "<th", False),
        ("Say <think>this</think>.", "Say <think>this</think>.", False),
        ("  indented", "  indented", False),
        ("", "", False),
    ],
)
def test_reasoning_at_the_beginning_is_left_out_however_it_is_cut(text, answer, thought):
    assert told([text]) == (answer, thought)
    assert told(list(text)) == (answer, thought)
    assert told([text[:9], text[9:]]) == (answer, thought)


def test_the_first_words_are_held_back_no_longer_than_they_must_be():
    answer = Unthought()
    assert answer.take("<") == ""
    assert answer.take("b>") == "<b>"
    assert answer.take("<think>") == "<think>"  # in the middle it is text


async def asked(url, **options):
    model = OpenAIChat("m", url, ModelSettings(timeout_s=30), attempts=1, **options)
    try:
        return [item async for item in model.stream(ASK, max_tokens=8)]
    finally:
        await model.close()


async def test_a_streamed_answer_shows_no_reasoning():
    said = [chunk(piece) for piece in ("<thi", "nk>Let me", " see.</th", "ink>\n\nIt is", " red.")]
    async with fake_endpoint(lambda n, r: stream(*said, chunk(finish="stop"))) as (url, seen):
        *pieces, end = await asked(url)
    assert pieces == [Delta("It is"), Delta(" red.")]
    assert isinstance(end, Completion)
    assert end.text == "It is red."
    assert seen[0].body["chat_template_kwargs"] == {"enable_thinking": False}


async def test_ollama_is_told_in_its_own_words():
    async with fake_endpoint(lambda n, r: stream(chunk("hi", finish="stop"))) as (url, seen):
        await asked(url, quiet=quiet_for("ollama"))
    assert seen[0].body["reasoning_effort"] == "none"
    assert "chat_template_kwargs" not in seen[0].body


@pytest.mark.parametrize("code", [400, 422])
async def test_a_server_that_refuses_the_field_is_asked_without_from_then_on(code):
    def strict(_, request):
        if "chat_template_kwargs" in request.body:
            return status(code, "Unrecognized request argument: chat_template_kwargs")
        return stream(chunk("hi", finish="stop"))

    async with fake_endpoint(strict) as (url, seen):
        model = OpenAIChat("m", url, ModelSettings(timeout_s=30), attempts=1)
        for _ in range(2):
            assert (await model.complete(ASK, max_tokens=8)).text == "hi"
        await model.close()
    assert ["chat_template_kwargs" in request.body for request in seen] == [True, False, False]


async def test_a_request_that_is_wrong_otherwise_stays_an_error_and_forgets_nothing():
    async with fake_endpoint(lambda n, r: status(400, "too long")) as (url, seen):
        model = OpenAIChat("m", url, ModelSettings(timeout_s=30), attempts=1)
        for _ in range(2):
            with pytest.raises(ModelError, match="too long"):
                await model.complete(ASK, max_tokens=8)
        await model.close()
    assert ["chat_template_kwargs" in request.body for request in seen] == [True, True]


@pytest.mark.parametrize(
    "said",
    [
        [chunk("<think>Well, well"), chunk(finish="length")],
        [chunk(reasoning_content="Well, well"), chunk(finish="length")],
    ],
)
async def test_a_model_that_only_reasoned_is_named_as_such(said):
    async with fake_endpoint(lambda n, r: stream(*said)) as (url, _):
        with pytest.raises(ModelError, match="m used up its answer to reason"):
            await asked(url)


THINKS = (  # as Qwen3's template ends
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n"
    "{% endif %}{% endif %}"
)


async def test_the_engines_own_template_is_told_not_to_let_the_model_think(session_settings):
    """The engine renders a template that knows the flag, and the request is answered."""
    path = Weights(session_settings.weights_dir).ensure("smollm2-135m-instruct")["model.gguf"]
    params = xllamacpp.CommonParams()
    params.model.path, params.chat_template = str(path), THINKS
    params.n_ctx, params.n_parallel, params.port, params.n_gpu_layers = 1024, 1, 0, 0
    params.cpuparams.n_threads, params.api_keys = 1, ["key"]
    params.hostnames, params.verbosity, params.warmup = ["127.0.0.1"], 0, False
    server = xllamacpp.Server(params)
    settings = ModelSettings(timeout_s=60)
    model = LlamaServer("small", server.listening_address, "key", settings)
    try:
        asked = {"messages": [{"role": "user", "content": "hi"}]}
        quiet = (await model._post("/apply-template", asked | QUIET))["prompt"]
        loud = {"chat_template_kwargs": {"enable_thinking": True}}
        aloud = (await model._post("/apply-template", asked | loud))["prompt"]
        done = await model.complete(ASK, max_tokens=4)
    finally:
        await model.close()
    assert quiet.endswith("assistant\n<think>\n\n</think>\n\n")
    assert "</think>" not in aloud
    assert "think>" not in done.text
