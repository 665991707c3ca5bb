"""Fetching from a hub, against one of our own on loopback that answers like the real one."""

import asyncio
import os
import threading
from dataclasses import replace

import httpx
import pytest

from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import HubSource
from manole.models.weights import hub as hubs
from manole.models.weights import transfer
from manole.models.weights.cache import Weights
from manole.models.weights.files import Progress
from manole.models.weights.hub import endpoint, fetch_from_hub, hub_bytes, hub_problem, is_ruled_out
from manole.models.weights.sources import can_be_verified
from manole.models.weights.transfer import Patience, may_follow
from manole.serve.fetches import Fetches
from models.tiny_wheels import catalog, model, sha
from models.weights.fake_hub import FakeHub, fake_hub

pytestmark = pytest.mark.server

SOURCE = HubSource("someone/tiny", "tiny.gguf")
CONTENT = os.urandom(1_000_000)
SIZE = len(CONTENT)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """No proxy, no hub but ours, and nothing remembered of another one."""
    for name in list(os.environ):
        if "proxy" in name.lower() or name.startswith("HF_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(hubs, "_asked", False)
    monkeypatch.setattr(hubs, "_unreachable", None)


@pytest.fixture
def hub(monkeypatch):
    with fake_hub(CONTENT) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


class Pauses(list):
    """The pauses that were asked for; none is made."""

    @property
    def patience(self) -> Patience:
        return Patience(tries=4, first=1.0, longest=60.0, silence=5.0, sleep=self.append)


def fetched(folder, size=SIZE, pauses=None, on_bytes=None, source=SOURCE) -> bytes:
    patience = (Pauses() if pauses is None else pauses).patience
    return fetch_from_hub(source, folder, on_bytes, size, patience).read_bytes()


def cut_short(hub: FakeHub, folder, count: int) -> None:
    """Leave `count` bytes in `folder`, and what is known of them."""
    hub.cuts = [count]
    with pytest.raises(WeightsError, match="broke off"):
        fetch_from_hub(SOURCE, folder, None, SIZE, Patience(tries=1))
    assert hub_bytes(folder) == count
    hub.seen.clear()
    hub.sent = 0


# What comes


def test_a_redirect_is_followed_and_the_token_stays_with_the_hub(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    told = []
    assert fetched(tmp_path, on_bytes=lambda *bytes_: told.append(bytes_)) == CONTENT
    hosts = [(host, headers.get("authorization")) for host, headers in hub.seen]
    assert hosts == [("127.0.0.1", "Bearer hf_secret"), ("localhost", None)]
    assert {total for _, total in told} == {SIZE}


def test_a_file_that_the_hub_gives_itself(hub, tmp_path):
    hub.direct = True
    assert fetched(tmp_path, size=0) == CONTENT


def test_names_are_quoted_and_a_mirror_may_lie_below_a_path(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/hub/")
    source = HubSource("a/b", "onnx/model q4.gguf", "refs/pr/1")
    url = hubs._address(endpoint(), source)
    assert str(url) == ("https://mirror.example/hub/a/b/resolve/refs%2Fpr%2F1/onnx/model%20q4.gguf")


# Going on


def test_a_connection_that_is_cut_is_gone_on_from_by_itself(hub, tmp_path):
    hub.cuts = [400_000, 300_000]
    pauses = Pauses()
    assert fetched(tmp_path, pauses=pauses) == CONTENT
    assert len(hub.ranges()) == len(pauses) == 2
    assert hub.sent == SIZE


def test_the_next_fetch_goes_on_where_the_last_one_stopped(hub, tmp_path):
    cut_short(hub, tmp_path, 600_000)
    assert fetched(tmp_path) == CONTENT
    assert hub.ranges() == ["bytes=600000-"]
    assert hub.seen[-1][1]["if-range"] == hub.tag
    assert hub.sent == 400_000


def test_what_was_left_of_another_file_is_not_gone_on_from(hub, tmp_path):
    cut_short(hub, tmp_path, 600_000)
    record = tmp_path / "part.json"
    record.write_text(record.read_text().replace("tiny.gguf", "other.gguf"))
    assert fetched(tmp_path) == CONTENT
    assert hub.sent == SIZE


def test_a_whole_file_that_was_left_is_not_fetched_again(hub, tmp_path):
    fetched(tmp_path)
    hub.sent = 0
    assert fetched(tmp_path) == CONTENT
    assert hub.sent == 0


@pytest.mark.parametrize(("linked", "store_tag"), [(True, True), (False, True), (True, False)])
def test_a_file_that_changed_between_two_ranges_begins_anew(hub, tmp_path, linked, store_tag):
    hub.linked, hub.store_tag = linked, store_tag
    cut_short(hub, tmp_path, 600_000)
    hub.content = os.urandom(SIZE)
    assert fetched(tmp_path) == hub.content


def test_without_a_tag_nothing_is_gone_on_from(hub, tmp_path):
    hub.linked = hub.store_tag = False
    cut_short(hub, tmp_path, 600_000)
    assert fetched(tmp_path) == CONTENT
    assert hub.ranges() == []


def test_another_range_than_was_asked_for_is_not_appended(hub, tmp_path):
    cut_short(hub, tmp_path, 600_000)
    hub.headers = {"Content-Range": f"bytes 5-{SIZE - 1}/{SIZE}"}
    assert fetched(tmp_path) == CONTENT


# Waiting


def test_retry_after_is_heeded(hub, tmp_path):
    hub.refusals = [(429, {"Retry-After": "7"})]
    pauses = Pauses()
    assert fetched(tmp_path, pauses=pauses) == CONTENT
    assert pauses == [7.0]


def test_without_it_the_pauses_grow_and_there_is_an_end(hub, tmp_path):
    hub.refusals = [(503, {})] * 9
    pauses = Pauses()
    with pytest.raises(WeightsError, match="answered 503") as caught:
        fetched(tmp_path, pauses=pauses)
    assert pauses == [1.0, 2.0, 4.0]
    assert "later" in (caught.value.hint or "")


def test_as_long_as_it_gets_on_it_is_tried_again(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "ENOUGH", 50_000)
    hub.cuts = [100_000] * 9
    assert fetched(tmp_path) == CONTENT


def test_beginning_anew_again_and_again_has_an_end(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "ENOUGH", 50_000)
    hub.linked = hub.store_tag = False
    hub.cuts = [600_000] * 20
    with pytest.raises(WeightsError, match="broke off"):
        fetched(tmp_path)
    assert len(hub.cuts) > 10


@pytest.mark.parametrize("after", ["3600", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_hub_that_wants_to_be_left_alone_for_long_is_told_of(hub, tmp_path, after):
    hub.refusals = [(429, {"Retry-After": after})]
    pauses = Pauses()
    with pytest.raises(WeightsError, match="come back in"):
        fetched(tmp_path, pauses=pauses)
    assert pauses == []


def test_an_address_of_the_store_that_expired_is_asked_for_again(hub, tmp_path):
    hub.refusals = [(302, {"Location": f"{hub.endpoint.replace('127.0.0.1', 'localhost')}/store"})]
    hub.refusals += [(403, {})]
    assert fetched(tmp_path) == CONTENT


def test_a_fetch_ends_at_once_where_its_progress_raises_and_the_hub_is_silent(hub, tmp_path):
    hub.hold = threading.Event()

    def stop(done, _total):
        if done >= SIZE // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetched(tmp_path, on_bytes=stop)
    assert not hub.hold.is_set()
    assert hub_bytes(tmp_path) == SIZE // 2
    hub.hold.set()
    hub.hold = None
    hub.seen.clear()
    assert fetched(tmp_path) == CONTENT
    assert hub.ranges() == [f"bytes={SIZE // 2}-"]


# What is refused


@pytest.mark.parametrize("size", [SIZE - 1, 10])
def test_more_bytes_than_were_published_are_not_read(hub, tmp_path, size):
    with pytest.raises(HashMismatchError, match=r"tiny\.gguf of someone/tiny is larger"):
        fetched(tmp_path, size=size)
    assert hub_bytes(tmp_path) == 0


def test_nor_where_the_hub_does_not_say_how_many_there_are(hub, tmp_path):
    hub.headers = {"Content-Length": ""}
    with pytest.raises(HashMismatchError, match="is larger"):
        fetched(tmp_path, size=300_000)
    assert hub_bytes(tmp_path) <= 300_000


def test_fewer_bytes_than_were_published_are_not_read(hub, tmp_path):
    with pytest.raises(HashMismatchError, match="1,000,000 bytes"):
        fetched(tmp_path, size=SIZE + 1)


def test_a_disk_too_small_for_what_the_hub_announces_is_said_before_it_is_read(hub, tmp_path):
    hub.headers = {"Content-Length": str(10**18)}
    with pytest.raises(WeightsError, match="free disk"):
        fetched(tmp_path, size=0)
    assert hub_bytes(tmp_path) == 0


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/octet-stream"])
def test_a_web_page_is_no_file_and_leaves_what_was_there(hub, tmp_path, kind):
    cut_short(hub, tmp_path, 600_000)
    hub.content = b"\n<!DOCTYPE html><title>Sign in</title>" + CONTENT
    hub.headers = {"Content-Type": kind}
    with pytest.raises(WeightsError, match="web page") as caught:
        fetched(tmp_path, size=0)
    assert "HF_ENDPOINT" in (caught.value.hint or "")
    assert hub_bytes(tmp_path) == 600_000


def test_a_packed_answer_is_refused(hub, tmp_path):
    hub.headers = {"Content-Encoding": "gzip"}
    with pytest.raises(WeightsError, match="packed"):
        fetched(tmp_path)


def test_a_redirect_to_plain_http_elsewhere_is_not_followed(hub, tmp_path):
    hub.location = "http://192.0.2.1/store"
    with pytest.raises(WeightsError, match=r"http://192\.0\.2\.1, which is not HTTPS"):
        fetched(tmp_path)


def test_redirects_without_end_are_given_up(hub, tmp_path):
    hub.location = "/someone/tiny/resolve/main/tiny.gguf"
    with pytest.raises(WeightsError, match="without end"):
        fetched(tmp_path)


@pytest.mark.parametrize(
    ("home", "target", "allowed"),
    [
        ("https://hub.example", "https://store.example/a", True),
        ("https://hub.example", "http://hub.example/a", False),
        ("https://hub.example", "http://127.0.0.1/a", False),
        ("http://127.0.0.1:1", "http://localhost:2/a", True),
        ("http://127.0.0.1:1", "http://store.example/a", False),
        ("http://mirror.lan", "http://mirror.lan:8080/a", True),
        ("http://mirror.lan", "http://127.0.0.1/a", False),
        ("http://127.0.0.1", "file:///etc/passwd", False),
    ],
)
def test_where_a_redirect_may_lead(home, target, allowed):
    assert may_follow(httpx.URL(home), httpx.URL(target)) is allowed


@pytest.mark.parametrize(
    ("status", "code", "token", "said", "advice"),
    [
        (401, "RepoNotFound", "", "no such repository, or a closed one", "set HF_TOKEN"),
        (401, "", "hf_old", "does not accept HF_TOKEN", "anew"),
        (403, "GatedRepo", "hf_fine", "accept its licence", "page of someone/tiny"),
        (403, "", "hf_fine", "does not allow it", "no right"),
        (404, "EntryNotFound", "", "no such file", "renamed"),
        (404, "RevisionNotFound", "", "no such revision", "renamed"),
        (418, "", "", "answered 418", ""),
    ],
)
def test_a_refusal_says_what_to_do(hub, tmp_path, monkeypatch, status, code, token, said, advice):
    monkeypatch.setenv("HF_TOKEN", token)
    hub.refusals = [(status, {"X-Error-Code": code})]
    pauses = Pauses()
    with pytest.raises(WeightsError, match=said) as caught:
        fetched(tmp_path, pauses=pauses)
    assert advice in (caught.value.hint or "")
    assert pauses == []


# Whether there is one


def test_offline_nobody_is_asked(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert is_ruled_out()
    with pytest.raises(WeightsError, match="HF_HUB_OFFLINE"):
        fetched(tmp_path)
    assert hub.seen == []


def test_whether_it_can_be_reached_is_remembered(hub, monkeypatch):
    assert hub_problem() is None
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert hub_problem() is None
    monkeypatch.setattr(hubs, "_asked", False)
    assert hub_problem() == "the model hub cannot be reached from here"
    assert is_ruled_out()


@pytest.mark.parametrize(
    "address", ["hub.example", "ftp://hub.example", "https://", "https://a.b/?c=d"]
)
def test_what_is_no_address_is_said(address, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(WeightsError, match="HF_ENDPOINT is no address"):
        fetched(tmp_path)


def test_plain_http_is_for_this_machine_or_whoever_says_so_and_never_with_a_token(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://mirror.lan")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with pytest.raises(WeightsError, match="plain HTTP") as caught:
        endpoint()
    assert "HF_ENDPOINT_PLAIN_HTTP=1" in (caught.value.hint or "")
    monkeypatch.setenv("HF_ENDPOINT_PLAIN_HTTP", "1")
    assert endpoint() == httpx.URL("http://mirror.lan")
    assert hubs._token(endpoint()) == ""
    assert hubs._token(httpx.URL("https://mirror.lan")) == "hf_secret"


@pytest.mark.parametrize("token", ["two words", "mit Ümlaut", "a\nb"])
def test_what_is_no_token_is_said_and_not_shown(hub, tmp_path, monkeypatch, token):
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(WeightsError, match="HF_TOKEN is no token") as caught:
        fetched(tmp_path)
    assert token not in str(caught.value)


def test_a_proxy_that_cannot_be_used_is_said(hub, tmp_path, monkeypatch):
    assert hub_problem() is None
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:9")
    with pytest.raises(WeightsError, match="cannot be asked") as caught:
        fetched(tmp_path)
    assert "ALL_PROXY" in (caught.value.hint or "")


# A model that is known by its hash alone


@pytest.fixture
def pinned(hub, tmp_path) -> Weights:
    spec = model(size=0, sha256=sha(CONTENT), sources=(SOURCE,))
    return Weights(tmp_path / "cache", catalog=catalog(replace(spec, pinned_by="someone else")))


def test_the_first_fetch_verifies_it(hub, pinned):
    (before,) = pinned.status()
    assert (before.pinned_by, before.verified, before.at_hand) == ("someone else", False, False)
    assert can_be_verified(before.spec)
    told: list[Progress] = []
    files = pinned.ensure("tiny", told.append)
    assert files["model.gguf"].read_bytes() == CONTENT
    downloads = [(p.done_bytes, p.total_bytes) for p in told if p.stage == "download"]
    assert downloads[-1] == (SIZE, SIZE)
    assert pinned.path("tiny") == files
    (after,) = pinned.status()
    assert (after.pinned_by, after.verified, after.at_hand) == ("", True, True)
    files["model.gguf"].write_bytes(b"another")
    assert pinned.status()[0].pinned_by == "someone else"
    assert pinned.whole("tiny") is None


def test_the_first_fetch_refuses_another_one(hub, pinned):
    hub.content = os.urandom(SIZE)
    with pytest.raises(HashMismatchError, match=sha(CONTENT)):
        pinned.ensure("tiny")
    (status,) = pinned.status()
    assert (status.verified, status.at_hand, status.partial_bytes) == (False, False, 0)


def test_what_a_stopped_fetch_left_is_told(hub, pinned):
    hub.hold = threading.Event()

    def stop(progress):
        if progress.done_bytes == SIZE // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pinned.ensure("tiny", stop)
    assert pinned.status()[0].partial_bytes == SIZE // 2


async def test_a_fetch_of_the_page_is_stopped_while_the_hub_is_silent(hub, pinned):
    hub.hold = threading.Event()
    fetches = Fetches(pinned)
    fetches.start("tiny")
    while (state := fetches.fetching("tiny")) and state.done_bytes < SIZE // 2:
        await asyncio.sleep(0.02)
    assert state and state.total_bytes == SIZE
    await fetches.close()
    assert not hub.hold.is_set()  # the hub still waits
    assert fetches.fetching("tiny") is None
    assert pinned.status()[0].partial_bytes == SIZE // 2


def test_a_file_that_you_bring_may_bear_the_hubs_name(pinned, tmp_path):
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    assert pinned.ensure("tiny", local=tmp_path)["model.gguf"].read_bytes() == CONTENT
    assert pinned.status()[0].verified
