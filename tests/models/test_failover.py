"""Several real servers behind one model: they break, come back, and are killed in the middle."""

from __future__ import annotations

import asyncio
import socket
import time

import numpy as np
import pytest

from manole.errors import ModelError
from manole.library import Library
from manole.models.chat.openai import OpenAIChat
from manole.models.chat.protocol import Delta, Message
from manole.models.encode.heads import unit
from manole.models.encode.openai_embedder import OpenAIEmbedder
from manole.models.endpoints import Endpoints
from manole.models.vision import VisionLoader
from manole.settings import IndexSettings, ModelSettings, Settings, VisionSettings
from models.fake_endpoints import chunk, fake_endpoint, ok, status, stream
from models.fake_model_server import FakeModelServer, vector

ASK = [Message("user", "hello")]
GOOD = stream(chunk("fine"), chunk(finish="stop"))


def free_url():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


@pytest.fixture
def serving():
    """`serving(name, ...)`: a model server that runs."""
    servers = []

    def one(name, **how):
        servers.append(FakeModelServer(name, **how).start())
        return servers[-1]

    yield one
    for server in servers:
        server.kill()


@pytest.fixture
async def chat():
    """`chat(urls)`: a client that prefers the first, and whose clock stands still."""
    made = []

    def one(*urls, timeout_s=60.0, attempts=1, clock=lambda: 0.0):
        client = OpenAIChat("m", urls, ModelSettings(timeout_s=timeout_s), attempts=attempts)
        client._endpoints = Endpoints(urls, first=0, clock=clock)
        made.append(client)
        return client

    yield one
    for client in made:
        await client.close()


async def read(answer):
    """What is left of a stream."""
    return [item async for item in answer]


# -- chat: before the first word ----------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        status(429, "slow down"), status(500), status(503, "loading"), ok(b"", promised=10),
        ok(chunk(role="assistant"), promised=-1), ok(b": ping\n\n", promised=99),
        stream(b'data: {"error": {"message": "engine died", "code": 500}}\n\n'),
        b"nonsense\r\n\r\n",
    ],
    ids=[
        "429", "500", "503", "no body", "cut after its head", "cut after a ping", "told", "no HTTP",
    ],
)  # fmt: skip
async def test_what_fails_before_the_first_word_is_tried_elsewhere(chat, broken):
    async with (
        fake_endpoint(lambda n, r: broken) as (bad, tried),
        fake_endpoint(lambda n, r: GOOD) as (good, asked),
    ):
        client = chat(bad, good)
        for _ in range(3):
            assert (await client.complete(ASK, max_tokens=5)).text == "fine"
        assert (len(tried), len(asked)) == (1, 3)  # it rests
        assert [place.running for place in client._endpoints.places] == [0, 0]


async def test_a_server_that_is_not_there_is_passed_over(chat):
    async with fake_endpoint(lambda n, r: GOOD) as (good, asked):
        client = chat(free_url(), good)
        assert (await client.complete(ASK, max_tokens=5)).text == "fine"
        assert len(asked) == 1


async def test_a_server_that_says_nothing_is_given_up(chat):
    release = asyncio.Event()

    async def silent(reader, writer):
        await release.wait()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, fake_endpoint(lambda n, r: GOOD) as (good, _):
        assert (await chat(url, good, timeout_s=0.5).complete(ASK, max_tokens=5)).text == "fine"
        release.set()


async def test_a_wrong_request_is_not_sent_to_the_next(chat):
    for wrong in (
        status(401, "wrong key"),
        stream(b'data: {"error": {"message": "wrong key", "code": 400}}\n\n'),
    ):
        async with (
            fake_endpoint(lambda n, r, wrong=wrong: wrong) as (bad, _),
            fake_endpoint(lambda n, r: GOOD) as (good, asked),
        ):
            with pytest.raises(ModelError, match="wrong key"):
                await chat(bad, good).complete(ASK, max_tokens=5)
            assert not asked


async def test_when_all_are_away_each_is_named_with_what_it_said(chat):
    async with fake_endpoint(lambda n, r: status(503, "loading the model")) as (loading, seen):
        gone = free_url()
        client = chat(gone, loading, attempts=2)
        with pytest.raises(ModelError) as caught:
            await client.complete(ASK, max_tokens=5)
        assert gone in caught.value.message
        assert f"{loading}: HTTP 503: loading the model" in caught.value.message
        assert "connection" in caught.value.message.lower()
        assert len(seen) == 2  # both were tried once more, though they rested


async def test_a_server_that_comes_back_is_used_again(chat, serving):
    one, two = serving("one"), serving("two")
    client = chat(one.url, two.url, clock=time.monotonic)
    one.kill()
    assert (await client.complete(ASK, max_tokens=5)).text.startswith("two")
    one.start()
    place = client._endpoints.places[0]
    async with asyncio.timeout(60):
        while not (await client.complete(ASK, max_tokens=5)).text.startswith("one"):
            await asyncio.sleep(0.05)
    assert place.failures == 0


# -- chat: after the first word -----------------------------------------------------------------


async def test_an_answer_is_never_put_together_from_two_models(chat):
    broken = ok(chunk("The rent") + chunk(" is"), promised=1000)
    async with (
        fake_endpoint(lambda n, r: broken) as (bad, _),
        fake_endpoint(lambda n, r: GOOD) as (good, asked),
    ):
        pieces, client = [], chat(bad, good, attempts=3)
        with pytest.raises(ModelError, match=f"{bad} broke off"):
            async for item in client.stream(ASK, max_tokens=5):
                pieces.append(item)
        assert pieces == [Delta("The rent"), Delta(" is")]
        assert not asked
        assert (await client.complete(ASK, max_tokens=5)).text == "fine"


async def test_a_server_that_is_killed_costs_the_answers_it_was_giving_and_no_more(chat, serving):
    one, two = serving("one", words=400, pause=0.01), serving("two", words=3)
    client = chat(one.url, two.url)
    first = client.stream(ASK, max_tokens=5)
    assert (await anext(first)).text == "one0 "
    one.kill()
    with pytest.raises(ModelError, match="broke off"):
        async for _ in first:
            pass
    answers = await asyncio.gather(*(client.complete(ASK, max_tokens=5) for _ in range(20)))
    assert {answer.text for answer in answers} == {"two0 two1 two2 "}


async def test_questions_at_once_are_spread(chat, serving):
    one, two = serving("one", words=20, pause=0.1), serving("two", words=20, pause=0.1)
    client = chat(one.url, two.url)
    answers = await asyncio.gather(*(client.complete(ASK, max_tokens=5) for _ in range(8)))
    assert sorted(answer.text[:3] for answer in answers) == ["one"] * 4 + ["two"] * 4
    assert (one.asked()["chat"], two.asked()["chat"]) == (4, 4)


async def test_many_answers_lost_with_one_server_are_one_failure(chat, serving):
    one, two = serving("one", words=400, pause=0.01), serving("two", words=3)
    client = chat(one.url, two.url)
    lost = [client.stream(ASK, max_tokens=5) for _ in range(6)]
    begun = [(await anext(answer)).text for answer in lost]
    assert begun.count("one0 ") >= 3
    one.kill()
    ends = await asyncio.gather(*map(read, lost), return_exceptions=True)
    assert sum(isinstance(end, ModelError) for end in ends) == begun.count("one0 ")
    assert client._endpoints.places[0].failures == 1


async def test_as_many_calls_as_there_are_reach_the_server(chat):
    release, seen = asyncio.Event(), []

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        seen.append(writer)
        if len(seen) == 150:
            release.set()
        await release.wait()  # no answer before the last question is here
        writer.write(GOOD)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=200)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        client = chat(url)
        answers = await asyncio.gather(*(client.complete(ASK, max_tokens=5) for _ in range(150)))
    assert {answer.text for answer in answers} == {"fine"}


async def test_who_stops_reading_gives_the_place_back(chat, serving):
    one, two = serving("one", words=1000, pause=0.05), serving("two")
    client = chat(one.url, two.url)
    answer = client.stream(ASK, max_tokens=5)
    await anext(answer)
    assert [place.running for place in client._endpoints.places] == [1, 0]
    await answer.aclose()
    assert [place.running for place in client._endpoints.places] == [0, 0]


async def test_pictures_are_seen_by_the_next_server(tmp_path, serving):
    one, two = serving("one"), serving("two")
    one.kill()
    vision = VisionSettings(name="openai:eyes", base_url=f"{one.url}, {two.url}")
    loader = VisionLoader(Settings(cache_dir=tmp_path, vision=vision))
    sight = await (await loader.get()).caption(b"\xff\xd8\xff a picture")
    assert sight.text.startswith("two0 two1")
    await loader.close()


# -- embeddings ---------------------------------------------------------------------------------


def expected(texts):
    return unit(np.stack([vector(text) for text in texts]))


def test_a_server_killed_in_the_middle_of_a_sync_loses_no_vector(serving):
    one, two = serving("one", pause=0.02), serving("two", pause=0.02)
    embedder = OpenAIEmbedder("m", [one.url, two.url])
    texts = [f"passage {number}" for number in range(1500)]
    calls = [texts[at : at + 100] for at in range(0, len(texts), 100)]
    found = []
    for number, call in enumerate(calls):
        if number == 5:
            assert one.asked()["embeddings"] > 1  # both are at work
            assert two.asked()["embeddings"] > 1
            one.kill()
        found.append(embedder.embed(call))
    assert np.allclose(np.concatenate(found), expected(texts), atol=1e-6)
    assert embedder.tokens_inside == len(texts)
    embedder.close()


def test_when_every_embedding_server_is_away_each_is_named(serving):
    one, two = serving("one"), serving("two")
    embedder = OpenAIEmbedder("m", [one.url, two.url])
    one.kill()
    two.kill()
    with pytest.raises(ModelError, match="None of the embedding endpoints") as caught:
        embedder.embed_query("lost")
    assert one.url in caught.value.message
    assert two.url in caught.value.message
    embedder.close()


def test_another_model_under_the_same_name_is_refused(serving):
    one, two = serving("one"), serving("two", seed="another model")
    embedder = OpenAIEmbedder("m", [one.url, two.url])
    with pytest.raises(ModelError, match="another model under the name m"):
        for first in range(2):
            embedder._endpoints = Endpoints([one.url, two.url], first=first)
            embedder.embed_query("a")
    embedder.close()


async def test_an_index_outlives_the_server_it_was_made_with(tmp_path, serving):
    one, two = serving("one"), serving("two")
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "rent.txt").write_text("The rent is 900 euros a month.")

    def settings(embedder):
        return Settings(
            data_dir=tmp_path / "data",
            cache_dir=Settings.load().cache_dir,
            index=IndexSettings(embedder=embedder),
        )

    async with await Library.open(folder, settings(f"openai:m@{one.url}")) as library:
        assert (await library.sync()).embedded == 1
    made = two.asked()["embeddings"]
    one.kill()
    both = settings(f"openai:m@{one.url}, {two.url}")
    async with await Library.open(folder, both) as library:
        assert [hit.passage.path for hit in await library.search("how much is the rent")] == [
            "rent.txt"
        ]
        assert two.asked()["embeddings"] > made
        (folder / "gas.txt").write_text("Gas costs 80 euros.")
        report = await library.sync()
        assert (report.added, report.embedded) == (1, 1)  # the vectors of the first are kept
        await library.sync(only=[folder / "gas.txt"])
