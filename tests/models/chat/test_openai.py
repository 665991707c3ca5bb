"""The client of OpenAI-compatible endpoints: a real llama.cpp server, and endpoints in trouble."""

from __future__ import annotations

import json
import socket

import pytest

from manole.errors import ModelError
from manole.models.chat.openai import OpenAIChat
from manole.models.chat.protocol import Completion, Delta, Message, ToolCall
from manole.models.chat.rates import Reach
from manole.settings import ModelSettings
from models.fake_endpoints import chunk, fake_endpoint, ok, status, stream

HELLO = [Message("system", "You are brief."), Message("user", "Name a colour.")]
ASK = [Message("user", "hello")]


def client(url, **options):
    settings = options.pop("settings", ModelSettings(timeout_s=60))
    return OpenAIChat("a-model", url, settings, **options)


@pytest.fixture
async def real(small_model):
    """A client of the real llama.cpp server that the small model runs."""
    at = small_model.endpoint
    chat = OpenAIChat("any", at.url, ModelSettings(timeout_s=120), api_key=at.key)
    yield chat
    await chat.close()


def test_an_endpoint_shows_its_address_and_hides_its_key():
    at = client("http://127.0.0.1:1/v1/", api_key="secret-word").endpoint
    assert (at.url, at.key) == ("http://127.0.0.1:1/v1", "secret-word")
    assert "secret-word" not in repr(at)
    assert client("http://127.0.0.1:1/v1").endpoint.key is None


# -- a real server over HTTP -------------------------------------------------------------------


async def test_streams_pieces_and_ends_with_the_whole(real):
    items = [item async for item in real.stream(HELLO, max_tokens=12)]
    *pieces, end = items
    assert all(isinstance(piece, Delta) for piece in pieces)
    assert isinstance(end, Completion)
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces) == end.text
    assert end.text.strip()


async def test_usage_is_the_engines(real):
    usage = (await real.complete(HELLO, max_tokens=5)).usage
    assert usage.prompt_tokens > 10
    assert 0 < usage.completion_tokens <= 5
    assert 0 < usage.first_token_s <= usage.total_s


async def test_an_answer_cut_by_its_limit_says_so(real):
    done = await real.complete([Message("user", "Count from 1 to 1000.")], max_tokens=4)
    assert done.finish == "length"
    assert done.usage.completion_tokens == 4


async def test_a_stop_text_ends_the_answer(real):
    schema = {"type": "string", "const": "one two three"}
    done = await real.complete(HELLO, max_tokens=20, schema=schema, stop=["two"])
    assert "two" not in done.text
    assert done.finish == "stop"


async def test_a_schema_constrains_the_answer(real):
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["mauve", "ochre"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    done = await real.complete(HELLO, max_tokens=30, schema=schema)
    assert json.loads(done.text)["colour"] in {"mauve", "ochre"}


async def test_a_wrong_key_is_refused_at_once(small_model):
    chat = client(small_model.endpoint.url, api_key="wrong")
    with pytest.raises(ModelError, match="401") as caught:
        await chat.complete(HELLO, max_tokens=5)
    assert "key" in caught.value.hint
    await chat.close()


async def test_a_schema_that_is_none_is_refused_by_the_server(real):
    with pytest.raises(ModelError, match="HTTP 4"):
        await real.complete(HELLO, max_tokens=5, schema={"type": "no such type"})


# -- endpoints in trouble ----------------------------------------------------------------------


async def test_nothing_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    chat = client(url, attempts=2)
    with pytest.raises(ModelError, match="does not answer") as caught:
        await chat.complete(ASK, max_tokens=5)
    assert url in caught.value.message
    assert "running" in caught.value.hint
    await chat.close()


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_a_busy_endpoint_is_asked_again(code):
    def reply(number, request):
        return status(code, "busy") if number < 3 else stream(chunk("hi"), chunk(finish="stop"))

    async with fake_endpoint(reply) as (url, seen):
        chat = client(url)
        assert (await chat.complete(ASK, max_tokens=5)).text == "hi"
        assert len(seen) == 3
        await chat.close()


async def test_an_endpoint_that_stays_busy_is_given_up():
    async with fake_endpoint(lambda number, request: status(503, "overloaded")) as (url, seen):
        chat = client(url, attempts=2)
        with pytest.raises(ModelError, match="503: overloaded"):
            await chat.complete(ASK, max_tokens=5)
        assert len(seen) == 2
        await chat.close()


@pytest.mark.parametrize("code", [400, 404, 422])
async def test_a_refused_request_is_not_repeated(code):
    async with fake_endpoint(lambda number, request: status(code, "no such model")) as (url, seen):
        chat = client(url)
        with pytest.raises(ModelError, match=f"HTTP {code}.*no such model"):
            await chat.complete(ASK, max_tokens=5)
        assert len(seen) == 1
        await chat.close()


@pytest.mark.parametrize("promised", [1000, -1], ids=["length announced", "open end"])
async def test_a_stream_that_breaks_off_is_an_error_and_not_repeated(promised):
    broken = ok(chunk("The rent") + chunk(" is"), promised=promised)
    async with fake_endpoint(lambda number, request: broken) as (url, seen):
        chat = client(url)
        pieces = []
        with pytest.raises(ModelError, match="broke off"):
            async for item in chat.stream(ASK, max_tokens=5):
                pieces.append(item)
        assert pieces == [Delta("The rent"), Delta(" is")]
        assert len(seen) == 1
        await chat.close()


async def test_a_server_may_leave_out_the_end_mark():
    body = ok(chunk("fine", finish="stop"), promised=-1)
    async with fake_endpoint(lambda number, request: body) as (url, _):
        chat = client(url)
        assert (await chat.complete(ASK, max_tokens=5)).text == "fine"
        await chat.close()


async def test_an_error_inside_the_stream_is_an_error():
    body = stream(chunk("so far"), b'data: {"error": {"message": "out of memory"}}\n\n')
    async with fake_endpoint(lambda number, request: body) as (url, _):
        chat = client(url)
        with pytest.raises(ModelError, match="out of memory"):
            await chat.complete(ASK, max_tokens=5)
        await chat.close()


async def test_lines_that_are_no_events_are_skipped():
    body = stream(
        b": ping\n\n", b"event: x\n\n", b"data: {broken\n\n", b"data: [1]\n\n", b"data: {}\n\n",
        chunk("fine"), chunk(finish="stop"),
    )  # fmt: skip
    async with fake_endpoint(lambda number, request: body) as (url, _):
        chat = client(url)
        assert (await chat.complete(ASK, max_tokens=5)).text == "fine"
        await chat.close()


async def test_tool_calls_come_in_pieces():
    def call(index, name=None, arguments=""):
        return {"index": index, "function": {"name": name, "arguments": arguments}}

    body = stream(
        chunk(tool_calls=[call(0, "count_files", '{"exten')]),
        chunk(tool_calls=[call(0, None, 'sion": "pdf"}')]),
        chunk(tool_calls=[call(1, "disk_usage", "")]),
        chunk(finish="tool_calls"),
    )
    tools = [{"type": "function", "function": {"name": "count_files", "parameters": {}}}]
    async with fake_endpoint(lambda number, request: body) as (url, seen):
        chat = client(url)
        done = await chat.complete(ASK, max_tokens=5, tools=tools)
        assert done.tool_calls == (
            ToolCall("count_files", {"extension": "pdf"}),
            ToolCall("disk_usage", {}),
        )
        assert seen[0].body["tools"] == tools
        await chat.close()


async def test_the_request_is_what_the_protocol_says():
    body = stream(
        chunk("x", finish="stop"),
        b'data: {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 1, '
        b'"prompt_tokens_details": {"cached_tokens": 15}}}\n\n',
    )
    settings = ModelSettings(api_key="from-settings")
    async with fake_endpoint(lambda number, request: body) as (url, seen):
        chat = client(url + "/", settings=settings)
        done = await chat.complete(HELLO, max_tokens=7, stop=["\n"])
        await chat.close()
    (request,) = seen
    assert request.line.startswith("POST /v1/chat/completions ")
    assert request.headers["authorization"] == "Bearer from-settings"
    assert request.body["model"] == "a-model"
    assert request.body["messages"] == [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "Name a colour."},
    ]
    assert request.body["max_tokens"] == 7
    assert (request.body["temperature"], request.body["top_p"]) == (0.1, 0.1)
    assert request.body["stop"] == ["\n"]
    assert "tools" not in request.body
    assert "response_format" not in request.body
    assert (done.usage.prompt_tokens, done.usage.cached_tokens) == (20, 15)


async def test_without_a_key_none_is_sent():
    async with fake_endpoint(lambda n, r: stream(chunk("x", finish="stop"))) as (url, seen):
        chat = client(url)
        await chat.complete(ASK, max_tokens=5)
        await chat.close()
    assert "authorization" not in seen[0].headers


async def test_a_silent_endpoint_times_out():
    async with fake_endpoint(lambda number, request: ok(b"", promised=10)) as (url, _):
        chat = client(url, attempts=1, settings=ModelSettings(timeout_s=0.2))
        with pytest.raises(ModelError):
            await chat.complete(ASK, max_tokens=5)
        await chat.close()


async def test_tokens_are_estimated():
    chat = client("http://127.0.0.1:9/v1")
    assert await chat.count_tokens("") == 0
    assert 150 < await chat.count_tokens("word " * 200) < 400
    await chat.close()


async def test_a_real_server_tells_how_much_its_model_reads(real):
    before = await real.reach()
    assert before.context >= 1024
    assert 100_000_000 < before.weights < 200_000_000
    assert before.read == 0
    story = Message("user", "The tower was built by a mason from the next town. " * 12)
    await real.complete([story], max_tokens=24)
    after = await real.reach()
    assert after.read > 0
    assert (after.context, after.weights) == (before.context, before.weights)


async def test_a_server_that_tells_nothing_of_its_models_is_used_all_the_same():
    async with fake_endpoint(lambda n, r: status(404)) as (url, seen):
        chat = client(url)
        assert await chat.reach() == await chat.reach() == Reach()
        await chat.close()
    assert len(seen) == 1
