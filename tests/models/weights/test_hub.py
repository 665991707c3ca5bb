"""Fetching from a hub, against one of our own on loopback that answers like the real one."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import psutil
import pytest

from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import HubSource
from manole.models.weights.cache import Weights
from manole.models.weights.files import Progress
from manole.models.weights.hub import fetch_from_hub, hub_problem, is_ruled_out, part_in
from manole.models.weights.sources import can_be_verified
from manole.serve.fetches import Fetches
from models.tiny_wheels import catalog, model, sha
from models.weights.fake_hub import FakeHub, fake_hub

pytestmark = pytest.mark.server

SOURCE = HubSource("someone/tiny", "tiny.gguf")
CONTENT = os.urandom(1 << 20)
SIZE = len(CONTENT)
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """No proxy, and no hub but ours."""
    for name in list(os.environ):
        if "proxy" in name.lower() or name.startswith("HF_"):
            monkeypatch.delenv(name)


@pytest.fixture
def hub(monkeypatch):
    with fake_hub(CONTENT) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        yield hub


def fetched(folder, size=SIZE, on_bytes=lambda done, total: None, source=SOURCE) -> bytes:
    return fetch_from_hub(source, folder, on_bytes, size).read_bytes()


def left(folder) -> int:
    part = part_in(folder)
    return part.stat().st_size if part else 0


def stopped_half_way(hub: FakeHub, folder) -> None:
    """Leave half of the file in `folder`, as the hub falls silent and somebody has enough."""

    def stop(done, _total):
        if done >= SIZE // 2:
            raise KeyboardInterrupt

    hub.hold = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        fetched(folder, on_bytes=stop)
    assert not hub.hold.is_set()  # the hub still waits
    assert left(folder) == SIZE // 2
    hub.hold.set()
    hub.hold = None
    hub.seen.clear()


# What comes


def test_a_redirect_is_followed_and_the_token_stays_with_the_hub(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    told = []
    assert fetched(tmp_path, on_bytes=lambda *bytes_: told.append(bytes_)) == CONTENT
    asked = [(method, host, headers.get("authorization")) for method, host, headers in hub.seen]
    assert asked == [
        ("HEAD", "127.0.0.1", "Bearer hf_secret"),
        ("GET", "127.0.0.1", "Bearer hf_secret"),
        ("GET", "localhost", None),
    ]
    assert {total for _, total in told} == {SIZE}


def test_a_file_that_the_hub_gives_itself_and_no_size_is_known_of(hub, tmp_path):
    hub.direct = True
    told = []
    assert fetched(tmp_path, 0, lambda *bytes_: told.append(bytes_)) == CONTENT
    assert told[-1] == (SIZE, SIZE)


def test_a_token_that_another_program_left_behind_is_not_sent(hub, tmp_path, monkeypatch):
    (tmp_path / "token").write_text("hf_of_another")
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "token"))
    assert fetched(tmp_path / "work") == CONTENT
    assert not [headers for *_, headers in hub.seen if "authorization" in headers]


# Going on


def test_a_connection_that_is_cut_is_gone_on_from_by_itself(hub, tmp_path):
    hub.cuts = [512 << 10]
    assert fetched(tmp_path) == CONTENT
    assert hub.sent == SIZE


def test_the_next_fetch_goes_on_where_a_stopped_one_was(hub, tmp_path):
    stopped_half_way(hub, tmp_path)
    assert fetched(tmp_path) == CONTENT
    assert hub.ranges() == [f"bytes={SIZE // 2}-"]


def test_a_whole_file_that_was_left_is_not_fetched_again(hub, tmp_path):
    fetched(tmp_path)
    hub.sent = 0
    assert fetched(tmp_path) == CONTENT
    assert hub.sent == 0


def test_a_file_that_was_exchanged_meanwhile_begins_anew(hub, tmp_path):
    stopped_half_way(hub, tmp_path)
    hub.content = os.urandom(SIZE)
    assert fetched(tmp_path) == hub.content
    assert hub.ranges() == []
    assert len(list(tmp_path.iterdir())) == 1


def test_where_ranges_are_not_given_it_begins_anew(hub, tmp_path):
    stopped_half_way(hub, tmp_path)
    hub.ranges_work = False
    assert fetched(tmp_path) == CONTENT


def test_a_busy_hub_is_asked_again(hub, tmp_path):
    hub.refusals = [(429, {"Retry-After": "0"})]
    assert fetched(tmp_path) == CONTENT


def test_a_download_ends_with_whoever_began_it(hub, tmp_path):
    hub.hold = threading.Event()
    program = f"""
from pathlib import Path
from manole.models.catalog.table import HubSource
from manole.models.weights.hub import fetch_from_hub
fetch_from_hub({SOURCE!r}, Path({str(tmp_path)!r}), lambda done, total: None)
"""
    with subprocess.Popen([sys.executable, "-c", program]) as parent:
        until = time.monotonic() + 30
        while left(tmp_path) < SIZE // 2 and time.monotonic() < until:
            time.sleep(0.05)
        children = psutil.Process(parent.pid).children()
        parent.kill()
    assert children
    assert psutil.wait_procs(children, timeout=10)[1] == []


# What is refused


@pytest.mark.parametrize("size", [SIZE - 1, SIZE + 1])
def test_another_size_than_was_published_is_not_read(hub, tmp_path, size):
    with pytest.raises(HashMismatchError, match="1,048,576 bytes"):
        fetched(tmp_path, size)
    assert (hub.sent, left(tmp_path)) == (0, 0)


def test_a_disk_too_small_for_what_the_hub_announces_is_said_before_it_is_read(hub, tmp_path):
    hub.announced = 10**18
    with pytest.raises(WeightsError, match="free disk"):
        fetched(tmp_path, 0)
    assert (hub.sent, left(tmp_path)) == (0, 0)


def test_a_network_that_wants_a_sign_in_is_said_and_leaves_what_was_there(hub, tmp_path):
    stopped_half_way(hub, tmp_path)
    hub.signs_in = b"<!DOCTYPE html><title>Sign in</title>"
    with pytest.raises(WeightsError, match="something else in place of the file") as caught:
        fetched(tmp_path)
    assert "sign-in" in (caught.value.hint or "")
    assert left(tmp_path) == SIZE // 2


def test_what_is_not_as_long_as_announced_is_thrown_away(hub, tmp_path):
    hub.announced = SIZE + 5
    with pytest.raises(WeightsError, match="something else in place of the file"):
        fetched(tmp_path, 0)
    assert left(tmp_path) == 0


@pytest.mark.parametrize(
    ("status", "code", "advice"),
    [
        (401, "RepoNotFound", "set HF_TOKEN"),
        (403, "GatedRepo", "licence"),
        (404, "EntryNotFound", "renamed"),
        (404, "RevisionNotFound", "renamed"),
        (418, "", "later"),
    ],
)
def test_a_refusal_says_what_to_do(hub, tmp_path, status, code, advice):
    hub.refusals = [(status, {"X-Error-Code": code})]
    with pytest.raises(WeightsError, match=f"answered {status}") as caught:
        fetched(tmp_path)
    assert advice in (caught.value.hint or "")


def test_a_store_that_cannot_be_reached_is_said(hub, tmp_path, monkeypatch):
    hub.location = f"{NOWHERE}/store"
    with pytest.raises(WeightsError, match="connection") as caught:
        fetched(tmp_path)
    assert "kept" in (caught.value.hint or "")


# Whether there is one


def test_offline_nobody_is_asked(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert is_ruled_out()
    with pytest.raises(WeightsError, match="HF_HUB_OFFLINE"):
        fetched(tmp_path)
    assert hub.seen == []


def test_whether_it_can_be_reached_is_asked_once(monkeypatch):
    with fake_hub(CONTENT) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        assert not is_ruled_out()
        assert hub_problem() is None
    assert hub_problem() is None
    monkeypatch.setenv("HF_ENDPOINT", NOWHERE)
    assert hub_problem() == "the model hub cannot be reached from here"
    assert is_ruled_out()


@pytest.mark.parametrize("address", ["hub.example", "ftp://hub.example", "https://"])
def test_what_is_no_address_cannot_be_reached(address, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(WeightsError, match="cannot be reached"):
        fetched(tmp_path)


@pytest.mark.parametrize("token", ["two words", "mit Ümlaut", "a\nb"])
def test_what_is_no_token_is_said_and_not_shown(hub, tmp_path, monkeypatch, token):
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(WeightsError, match="HF_TOKEN is no token") as caught:
        fetched(tmp_path)
    assert token not in str(caught.value)


def test_over_plain_http_a_token_goes_to_this_machine_alone(monkeypatch):
    from manole.models.weights.from_hub import _token

    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert _token("http://mirror.lan") is False
    assert _token("http://127.0.0.1:80") == _token("https://mirror.lan") == "hf_secret"


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
