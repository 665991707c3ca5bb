"""Real speech by real weights, where they are at hand: `manole models fetch whisper-base`, or
`WHISPER_TO_TEST` with the path of any multilingual or English file of whisper.cpp."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.opened import named
from manole.errors import ModelError
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole_voices.whisper import check_whisper
from sounds import tones, write_recording


def at_hand():
    """The file to try, or `None`."""
    if named_one := os.environ.get("WHISPER_TO_TEST"):
        return Path(named_one)
    weights = Weights(Settings.load().cache_dir / "models")
    files = weights.path("whisper-base")
    return files and files["model.bin"]


@pytest.mark.model
async def test_speech_is_written_down_with_its_times(tmp_path):
    for needed in ("av", "pywhispercpp"):
        pytest.importorskip(needed, reason="the extra manole[voice]")
    weights, speaker = at_hand(), shutil.which("espeak-ng")
    if weights is None or speaker is None:
        pytest.skip("no weights of Whisper, or no espeak-ng")
    path = tmp_path / "note.wav"
    text = "Good morning. The warranty runs for ten years. The garden has three apple trees."
    subprocess.run([speaker, "-v", "en-gb", "-s", "150", "-w", path, text], check=True)
    with Extractor(Limits(timeout_s=600)) as extractor:
        answer = await extractor.hear(named(path), 0.0, weights, "")
        quiet = write_recording(tmp_path / "quiet.wav", tones((0, 5.0)))
        silence = await extractor.hear(named(quiet), 0.0, weights, "")
    said = " ".join(text for _, _, text in answer["segments"]).lower()
    assert "years" in said
    assert "trees" in said
    assert answer["language"] == "en"
    times = [second for start, end, _ in answer["segments"] for second in (start, end)]
    assert times == sorted(times)
    assert times[-1] <= answer["end"]
    assert silence["segments"] == []


def test_a_file_that_is_none_of_whispers_is_refused(tmp_path):
    wrong = tmp_path / "model.bin"
    wrong.write_bytes(b"GGUF" + b"\0" * 100)
    with pytest.raises(ModelError, match=r"model\.bin is no file of whisper\.cpp"):
        check_whisper(wrong)
    with pytest.raises(ModelError, match="cannot be read"):
        check_whisper(tmp_path / "none.bin")


async def test_broken_weights_of_a_users_own_end_a_worker_and_nothing_else(tmp_path):
    for needed in ("av", "pywhispercpp"):
        pytest.importorskip(needed, reason="the extra manole[voice]")
    broken = tmp_path / "broken.bin"
    broken.write_bytes(b"lmgg" + b"\xff" * 5000)
    sound = write_recording(tmp_path / "a.wav", tones((440, 2.0)))
    with Extractor() as extractor:
        answer = await extractor.hear(named(sound), 0.0, broken, "")
    assert answer["reason"]
    assert "segments" not in answer
