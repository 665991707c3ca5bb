"""A home on a disk that keeps no modes, such as a stick: everything there looks open to everybody.

Who wrote a file cannot be told there; weights are hashed and used all the same.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manole.agent.events import Complete
from manole.agent.loop import Agent
from manole.library import Library
from manole.models.load import ChatLoader
from manole.models.vision import vision_at_hand
from manole.models.weights.cache import Weights
from manole.settings import ModelSettings, Settings

SMALL = "smollm2-135m-instruct"
EMBEDDER = "manole-e5-small"


@pytest.fixture
def fake_disk(monkeypatch):
    """This process sees mode 0777 wherever it looks, and no change of one has an effect."""

    def fake_look(name):
        really = getattr(os, name)

        def look(*arguments, **more):
            _, (fields, extra) = really(*arguments, **more).__reduce__()
            return os.stat_result((fields[0] | 0o777, *fields[1:]), extra)

        return look

    for name in ("stat", "lstat", "fstat"):
        monkeypatch.setattr(os, name, fake_look(name))
    for name in ("chmod", "fchmod"):
        monkeypatch.setattr(os, name, lambda *_, **__: None)


@pytest.fixture
def stick(tmp_path, session_settings) -> Settings:
    """Settings of a home with two models, which nobody fetched there, and no network."""
    weights = Weights(session_settings.weights_dir)
    for name in (SMALL, EMBEDDER):
        put(tmp_path / "cache" / "models" / name, weights.ensure(name))
    model = ModelSettings(name=SMALL, download=False, context=1024)
    return Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", model=model)


def put(folder: Path, files: dict[str, Path]) -> None:
    folder.mkdir(parents=True)
    for name, file in files.items():
        (folder / name).symlink_to(file.resolve())


@pytest.mark.usefixtures("a_model_answers")
async def test_models_that_are_there_find_and_answer(stick, fake_disk, tmp_path):
    weights = Weights(stick.weights_dir)
    at_hand = {status.spec.name for status in weights.status() if status.at_hand}
    assert at_hand == {SMALL, EMBEDDER}
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "boiler.txt").write_text("The warranty of the boiler ends in 2031.")
    loader = ChatLoader(stick, weights)
    try:
        async with await Library.open(tmp_path / "files", stick) as library:
            await library.sync()
            (hit,) = await library.search("how long is the heating under guarantee")
            assert hit.passage.path == "boiler.txt"
            agent = Agent(library, loader, stick)
            *_, end = [
                event async for event in agent.ask("Why does the heating hum?", scope="boiler.txt")
            ]
        assert isinstance(end, Complete)
        assert end.model_calls
        assert loader.loaded
    finally:
        await loader.close()


def test_a_vision_model_that_is_there_is_chosen(stick, fake_disk):
    weights = Weights(stick.weights_dir)
    assert vision_at_hand(stick, weights) is None
    files = weights.spec("moondream2").files
    folder = stick.weights_dir / "moondream2"
    folder.mkdir()
    for file in files:
        with (folder / file.name).open("wb") as hole:
            hole.truncate(file.size)
    assert vision_at_hand(stick, weights) == "moondream2"
