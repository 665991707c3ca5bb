"""Which of several servers is asked, when one rests, and how they are set."""

from __future__ import annotations

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
    return [place.url for place in endpoints.order()]


def test_the_one_with_the_fewest_requests_comes_first():
    endpoints = Endpoints([A, B, C], first=0)
    a, b, c = endpoints.places
    assert urls(endpoints) == [A, B, C]
    with endpoints.asking(a), endpoints.asking(b):
        assert urls(endpoints) == [C, A, B]
        with endpoints.asking(c), endpoints.asking(c):
            assert urls(endpoints) == [A, B, C]
    assert urls(endpoints) == [A, B, C]


def test_processes_begin_with_different_ones():
    assert {urls(Endpoints([A, B, C]))[0] for _ in range(200)} == {A, B, C}
    assert urls(Endpoints([A, B, C], first=1)) == [B, C, A]


def test_one_that_failed_rests_longer_each_time_and_comes_last():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    a = endpoints.places[0]
    for rest in (1, 2, 4, 8, 16, 32, 60, 60):
        endpoints.failed(a)
        clock.now += rest - 0.5
        assert urls(endpoints) == [B, A]
        clock.now += 0.5
        assert urls(endpoints) == [A, B]
    endpoints.worked(a)
    endpoints.failed(a)
    clock.now += 1
    assert urls(endpoints) == [A, B]


def test_one_request_tries_what_has_rested_and_the_others_do_not():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    a = endpoints.places[0]
    endpoints.failed(a)
    clock.now += 1
    with endpoints.asking(a):
        assert urls(endpoints) == [B, A]
        endpoints.worked(a)
        with endpoints.asking(endpoints.places[1]), endpoints.asking(endpoints.places[1]):
            assert urls(endpoints) == [A, B]


def test_where_all_rest_the_one_that_rests_least_comes_first():
    clock = Clock()
    endpoints = Endpoints([A, B], first=0, clock=clock)
    endpoints.failed(endpoints.places[0])
    endpoints.failed(endpoints.places[0])
    endpoints.failed(endpoints.places[1])
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
    monkeypatch.chdir(tmp_path)
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
