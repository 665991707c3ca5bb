"""Another embedder takes over, while the old vectors answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from manole.errors import IndexBusyError, ModelError
from manole.index.store.lance_exchange import NAME
from manole.library import Library
from manole.models.catalog.encoders import USUAL
from manole.settings import Settings

CAT = "a feline resting at home"


class FakeServer(BaseHTTPRequestHandler):
    """An endpoint that makes vectors of 8 numbers out of a hash: no model can be had so small."""

    texts: list[str]
    patience: list[int]  # requests that are answered until it fails
    held: threading.Event

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.patience:
            self.patience[0] -= 1
            if self.patience[0] < 0:
                self.send_error(400)
                return
        self.held.wait(30)
        self.texts.extend(said["input"])
        rows = [
            {"index": n, "embedding": list(hashlib.sha256(text.encode()).digest()[:8])}
            for n, text in enumerate(said["input"])
        ]
        answer = json.dumps({"data": rows, "usage": {"prompt_tokens": 1}}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint():
    held = threading.Event()
    held.set()
    handler = type("Handler", (FakeServer,), {"texts": [], "patience": [], "held": held})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, f"openai:other@http://127.0.0.1:{server.server_port}/v1"
    held.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MANOLE_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "cat.txt").write_text("The cat sleeps on the sofa.")
    (folder / "tax.txt").write_text("The tax return is due in July.")
    return folder


def settings(embedder: str = "auto") -> Settings:
    return Settings.load({"index.embedder": embedder})


async def best(library: Library) -> tuple[str, float | None]:
    found = await library.search(CAT)
    return found[0].passage.path, found[0].similarity


async def test_the_old_vectors_answer_until_the_new_ones_are_whole(folder, endpoint):
    handler, name = endpoint
    async with await Library.open([folder], settings()) as library:
        await library.sync()
        before = await best(library)
    assert before[0] == "cat.txt"
    handler.held.clear()
    (folder / "new.txt").write_text("Bread is baked on Sunday.")
    async with (
        await Library.open([folder], settings(name)) as library,
        await Library.open([folder], settings()) as reader,
    ):
        running = asyncio.create_task(library.sync())
        while len(await reader.files()) < 3 or (await (await reader.store()).count())[1] < 3:
            await asyncio.sleep(0.05)  # what is new was read by the old one
        assert not running.done()
        assert await best(reader) == before
        handler.held.set()
        report = await running
        assert (report.added, report.embedded) == (1, 4)
        # One that had opened the index before asks the embedder that made the vectors now.
        handler.texts.clear()
        await best(reader)
        assert handler.texts[-1] == CAT
        assert (await reader.store()).embedder == name
    # The index keeps its own, whatever was set for it once.
    async with await Library.open([folder], settings()) as library:
        assert (await library.sync()).embedded == 0
        assert (await library.store()).embedder == name


async def test_what_broke_off_goes_on_and_embeds_what_changed_since(folder, endpoint, monkeypatch):
    handler, name = endpoint
    monkeypatch.setattr("manole.index.sync.embedding.EXCHANGED", 1)
    async with await Library.open([folder], settings()) as library:
        await library.sync()
    handler.patience[:] = [2]  # one tells how long a vector is, one passage is embedded
    async with await Library.open([folder], settings(name)) as library:
        with pytest.raises(ModelError):
            await library.sync()
    done = handler.texts[-1]
    _, changed = ("cat.txt", "tax.txt") if "cat" in done else ("tax.txt", "cat.txt")
    (folder / changed).write_text("Something else is written here now.")
    handler.patience.clear()
    handler.texts.clear()
    # It goes on though nobody names the embedder again.
    async with await Library.open([folder], settings()) as library:
        await library.sync()
        store = await library.store()
        assert (store.embedder, await store.count()) == (name, (2, 2))
        assert NAME not in (await store.tables.connection.list_tables()).tables
    passages = [text for text in handler.texts if text != "dimensions"]
    assert not [text for text in passages if text == done]
    assert [text for text in passages if "Something else" in text]


async def test_a_person_who_thinks_again_loses_nothing(folder, endpoint, monkeypatch):
    handler, name = endpoint
    async with await Library.open([folder], settings()) as library:
        await library.sync()
        before = await best(library)
    handler.patience[:] = [1]
    async with await Library.open([folder], settings(name)) as library:
        with pytest.raises(ModelError):
            await library.sync()
    async with await Library.open([folder], settings(USUAL)) as library:
        assert (await library.sync()).embedded == 0
        assert await best(library) == before
        store = await library.store()
        assert NAME not in (await store.tables.connection.list_tables()).tables


async def test_vectors_taken_over_are_those_of_their_passages(folder, endpoint):
    _, name = endpoint
    async with await Library.open([folder], settings()) as library:
        await library.sync()
    async with await Library.open([folder], settings(name)) as library:
        await library.sync()
        store = await library.store()
        async for part in store.scan_contents():
            for text, vector in zip(part.texts, part.vectors, strict=True):
                made = np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], np.uint8)
                wanted = made / np.linalg.norm(made.astype(np.float32))
                assert vector == pytest.approx(wanted, abs=2e-3)


async def test_a_process_that_opened_the_index_before_does_not_turn_it_back(folder, endpoint):
    _, name = endpoint
    async with await Library.open([folder], settings()) as watching:
        await watching.sync()
        async with await Library.open([folder], settings(name)) as library:
            await library.sync()
        (folder / "new.txt").write_text("Bread is baked on Sunday.")
        await watching.sync(only=[folder / "new.txt"])
        store = await watching.store()
        assert (await store.made_with(), await store.count()) == (name, (3, 3))


async def test_a_writer_that_believes_in_the_old_embedder_is_refused(folder, endpoint):
    _, name = endpoint
    async with await Library.open([folder], settings()) as library:
        await library.sync()
        stale = await library.store()
        async with await Library.open([folder], settings(name)) as other:
            await other.sync()
        with pytest.raises(IndexBusyError):
            async with stale.writing(dimensions=stale.dimensions, embedder=stale.embedder):
                pass
        assert await stale.count() == (2, 2)
