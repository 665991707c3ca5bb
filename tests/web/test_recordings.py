"""A recording beside what cites it: it is played from the cited second, its words beside it."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from manole.library import Library
from manole.settings import Settings
from sounds import SENTENCES, fake_ears, tones, voices, write_recording

from .conftest import Open
from .looks import until, violations

pytest.importorskip("av", reason="the extra manole[voice]")

TALK = ((440, 3.0), (0, 57.0), (660, 3.0), (0, 7.0), (880, 3.0), (0, 2.0))


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory, page_settings: Settings) -> str:
    """The name of a library of a talk, a film and one that nobody heard."""
    folder: Path = tmp_path_factory.mktemp("recordings")
    write_recording(folder / "talk.mp3", tones(*TALK))
    write_recording(folder / "film.webm", tones((440, 3.0), (0, 3.0)))
    write_recording(folder / "quiet.wav", tones((0, 3.0)))

    async def index() -> str:
        with fake_ears() as ears:
            own = voices(page_settings, ears).model_copy(
                update={"cache_dir": tmp_path_factory.mktemp("cache")}
            )
            (own.cache_dir / "models").symlink_to(page_settings.cache_dir / "models")
            async with await Library.open(folder, own) as library:
                await library.sync()
                return library.name

    with ThreadPoolExecutor(1) as aside:  # the browser's driver keeps this thread's loop
        return aside.submit(lambda: asyncio.run(index())).result()


def second(page: Page) -> float:
    return page.locator("audio, video").evaluate("player => player.currentTime")


def test_a_recording_is_played_from_where_it_is_cited(visit: Open, recordings: str) -> None:
    page = visit("/search?q=apple+trees+planted+beside+the+shed", library=recordings)
    page.get_by_role("main").get_by_role("link").filter(has_text="Three apple trees").click()
    source = page.get_by_role("complementary", name="Source")
    player = source.locator("audio")
    expect(player).to_be_visible()
    until(page, lambda: second(page) > 58)
    assert second(page) == pytest.approx(60, abs=1)
    lines = source.get_by_role("region", name="What is said").get_by_role("listitem")
    expect(lines).to_have_count(3)
    expect(lines.nth(1)).to_contain_text(SENTENCES[660])
    expect(lines.nth(1)).to_have_attribute("aria-current", "time")
    assert violations(page) == []
    lines.nth(2).get_by_role("button", name=re.compile(r"Play from 1:\d\d")).click()
    expect(lines.nth(2)).to_have_attribute("aria-current", "time")
    until(page, lambda: second(page) > 71)  # it plays on
    assert player.evaluate("player => player.ended || !player.paused")


def test_a_film_is_shown_and_one_without_words_says_so(visit: Open, recordings: str) -> None:
    page = visit("/search?f=film.webm&p=2", "narrow", library=recordings)
    source = page.get_by_role("complementary", name="Source")
    expect(source.locator("video")).to_be_visible()
    until(page, lambda: second(page) > 0)
    assert second(page) == pytest.approx(1, abs=0.1)
    assert source.locator("video").evaluate("player => player.videoWidth") == 64
    page.goto(page.url.replace("film.webm", "quiet.wav"))
    expect(source.get_by_text("no speech in it; found by its name and date")).to_be_visible()
    expect(source.get_by_text("What is said in it was not read.")).to_be_visible()
    expect(source.locator("audio")).to_be_visible()
