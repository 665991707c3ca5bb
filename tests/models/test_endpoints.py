"""Which of several servers is asked, when one rests, and how they are set."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from manole.errors import SettingsError
from manole.models.endpoints import Endpoints, addresses, embedder_name, key_for
from manole.settings import IndexSettings, ModelSettings, Settings

A, B, C = "http://a/v1", "http://b/v1", "http://c/v1"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def urls(endpoints):
    """The servers in the order in which a request would try them now."""
    tried = []
    while (place := endpoints._next(tried)) is not None:
        tried.append(place.url)
    return tried


def fail(endpoints, *others):
    """A request to the server that is none of the others, which could not serve."""
    with endpoints.asking(others) as attempt:
        endpoints.failed(attempt)


def test_the_one_with_the_fewest_requests_comes_first():
    endpoints = Endpoints([A, B, C], first=0)
    assert urls(endpoints) == [A, B, C]
    with endpoints.asking() as first, endpoints.asking() as second:
        assert (first.place.url, second.place.url) == (A, B)
        assert urls(endpoints) == [C, A, B]
        with endpoints.asking(), endpoints.asking([A, B]):
            assert urls(endpoints) == [A, B, C]
    assert urls(endpoints) == [A, B, C]


def test_a_request_that_failed_goes_where_the_fewest_are_by_then():
    endpoints = Endpoints([A, B, C], first=0, clock=Clock())
    with endpoints.asking() as lost, endpoints.asking([C]):
        endpoints.failed(lost)
        with endpoints.asking([A]) as other:
            assert other.place.url == C
        with endpoints.asking([A, B, C]) as none:
            assert none is None


def test_processes_begin_with_different_ones():
    assert {urls(Endpoints([A, B, C]))[0] for _ in range(200)} == {A, B, C}
    assert urls(Endpoints([A, B, C], first=1)) == [B, C, A]


def test_one_that_failed_rests_longer_each_time_and_comes_last():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    for rest in (1, 2, 4, 8, 16, 32, 60, 60):
        fail(endpoints, B)
        clock.now += rest - 0.5
        assert urls(endpoints) == [B, A]
        clock.now += 0.5
        assert urls(endpoints) == [A, B]
    with endpoints.asking([B]) as attempt:
        endpoints.worked(attempt)
    fail(endpoints, B)
    clock.now += 1
    assert urls(endpoints) == [A, B]


def test_requests_that_a_server_lost_together_are_one_failure():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    with ExitStack() as under_way:
        lost = [under_way.enter_context(endpoints.asking([B])) for _ in range(8)]
        for attempt in lost:
            endpoints.failed(attempt)
    clock.now += 1
    assert urls(endpoints) == [A, B]  # it rested a second, not two minutes
    fail(endpoints, B)
    clock.now += 1
    assert urls(endpoints) == [B, A]


def test_one_request_tries_what_has_rested_and_the_others_do_not():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    fail(endpoints, B)
    clock.now += 1
    with endpoints.asking() as attempt:
        assert attempt.place.url == A
        assert urls(endpoints) == [B, A]
        endpoints.worked(attempt)
        with endpoints.asking([A]), endpoints.asking([A]):
            assert urls(endpoints) == [A, B]


def test_where_all_rest_the_one_that_rests_least_comes_first():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    fail(endpoints, B)
    fail(endpoints, B)
    fail(endpoints, A)
    assert urls(endpoints) == [B, A]


def test_addresses_in_a_setting():
    assert addresses(f" {A}/ , {B},{A}", "x") == (A, B)
    for wrong in ("ftp://a", f"{A},b", "http://"):
        with pytest.raises(SettingsError, match=r"model\.base_url"):
            addresses(wrong, "model.base_url")
    with pytest.raises(SettingsError, match="empty"):
        addresses(" , ", "model.base_url")


@pytest.mark.parametrize("text", [f'base_url = "{A}, {B}"', f'base_url = ["{A}", "{B}"]'])
def test_a_file_may_list_them(tmp_path, monkeypatch, text):
    (tmp_path / "manole.toml").write_text(f"[model]\n{text}\n[vision]\n{text}\n")
    monkeypatch.setenv("MANOLE_CONFIG", str(tmp_path / "manole.toml"))
    settings = Settings.load()
    for value in (settings.model.base_url, settings.vision.base_url):
        assert addresses(value, "x") == (A, B)
    monkeypatch.setenv("MANOLE_MODEL__BASE_URL", f"{C},{A}")
    assert addresses(Settings.load().model.base_url, "x") == (C, A)


@pytest.mark.parametrize(
    ("embedder", "known"),
    [
        ("all-minilm-l6-v2", "all-minilm-l6-v2"),
        (f"openai:m@{B}/", f"openai:m@{B}"),
        (f"openai:m@{B}, {C}", f"openai:m@{B}"),
        ("openai:m", f"openai:m@{A}"),
    ],
)
def test_an_index_remembers_the_first(embedder, known):
    settings = Settings(
        index=IndexSettings(embedder=embedder), model=ModelSettings(base_url=f"{A},{B}")
    )
    assert embedder_name(settings) == known


def test_the_chat_models_key_is_for_its_own_hosts():
    settings = Settings(model=ModelSettings(base_url=f"{A}, {B}", api_key="secret"))
    keys = [key_for(url, settings) for url in (A, B, C, "http://b:81/v1", "http://b/other")]
    assert keys == ["secret", "secret", None, None, "secret"]
