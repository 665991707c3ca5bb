"""Another embedder makes all vectors anew; meanwhile words find."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from manole.errors import IndexBusyError, ModelError
from manole.library import Library
from manole.settings import Settings

CAT = "a feline resting at home"


class FakeServer(BaseHTTPRequestHandler):
    """An endpoint that makes vectors of 8 numbers out of a hash: no model can be had so small."""

    texts: list[str]
    patience: list[int]  # requests that are answered until it fails

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.patience:
            self.patience[0] -= 1
            if self.patience[0] < 0:
                self.send_error(400)
                return
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
    handler = type("Handler", (FakeServer,), {"texts": [], "patience": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, f"openai:other@http://127.0.0.1:{server.server_port}/v1"
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


async def test_words_find_until_the_vectors_are_made_and_the_next_sync_goes_on(folder, endpoint):
    handler, name = endpoint
    async with await Library.open([folder], settings()) as library:
        await library.sync()
        assert (await library.look_up("sofa")).waiting == 0
    handler.patience[:] = [1]  # one request tells how long a vector is
    async with await Library.open([folder], settings(name)) as library:
        with pytest.raises(ModelError):
            await library.sync()
    handler.patience.clear()
    # Nobody names the embedder again: the index keeps it.
    async with await Library.open([folder], settings()) as library:
        looked = await library.look_up("sofa")
        assert [find.passage.path for find in looked.finds] == ["cat.txt"]
        assert (looked.finds[0].similarity, looked.waiting) == (None, 2)
        report = await library.sync()
        assert (report.changed, report.embedded) == (0, 2)
        store = await library.store()
        assert (store.embedder, await store.count()) == (name, (2, 2))
        assert (await library.look_up("sofa")).finds[0].similarity is not None


async def test_a_reader_that_opened_before_asks_the_new_embedder(folder, endpoint):
    handler, name = endpoint
    async with (
        await Library.open([folder], settings(name)) as library,
        await Library.open([folder], settings()) as reader,
    ):
        await reader.sync()
        assert (await best(reader))[0] == "cat.txt"
        (folder / "new.txt").write_text("Bread is baked on Sunday.")
        report = await library.sync()
        assert (report.added, report.embedded) == (1, 3)
        # One that had opened the index before asks the embedder that made the vectors now.
        handler.texts.clear()
        await best(reader)
        assert handler.texts[-1] == CAT


async def test_an_embedder_that_cannot_be_had_costs_no_vector(folder, endpoint):
    handler, name = endpoint
    async with await Library.open([folder], settings()) as library:
        await library.sync()
        before = await best(library)
    handler.patience[:] = [0]
    async with await Library.open([folder], settings(name)) as library:
        with pytest.raises(ModelError):
            await library.sync()
    async with await Library.open([folder], settings()) as library:
        assert (await library.sync()).embedded == 0
        assert await best(library) == before


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
