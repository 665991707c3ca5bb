"""Recordings, read as they are: every format, piece by piece, and what is wrong with some."""

from __future__ import annotations

import base64
import io
import struct
import wave
from dataclasses import replace

import numpy as np
import pytest

from manole.documents.detect import Family, detect
from manole.documents.extract import Extractor
from manole.documents.formats import clock, is_spoken, page_words
from manole.documents.limits import Limits
from manole.documents.model import UNHEARD, Status
from manole.documents.opened import named
from manole.documents.opener import open_found
from reading_here import read_document
from sounds import CODECS, RATE, VIDEOS, loudest, tones, write_recording

av = pytest.importorskip("av", reason="the extra manole[voice]")
from manole_voices.sound import PIECE, hear  # noqa: E402

SETTINGS = Limits()


def read(path):
    return read_document(path, SETTINGS)


def heard(path, start=0.0):
    with open_found(named(path)) as file:
        return hear(file, start, None, "")


def samples_of(answer):
    with wave.open(io.BytesIO(base64.b64decode(answer["wav"]))) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


@pytest.mark.parametrize("ending", CODECS)
def test_every_format_is_a_recording_of_its_length(tmp_path, ending):
    path = write_recording(tmp_path / f"talk.{ending}", tones((440, 3.0), (660, 3.0)))
    document = read(path)
    assert document.format == ("video" if ending in VIDEOS else "audio")
    assert (document.status, document.metadata[UNHEARD]) == (Status.PARTIAL, "yes")
    assert document.pages[0].text.startswith("Recording: talk.")
    answer = heard(path)
    assert answer["last"]
    assert answer["end"] == pytest.approx(6.0, abs=0.2)
    sound = samples_of(answer)
    assert loudest(sound[RATE : 2 * RATE]) == pytest.approx(440, abs=5)
    assert loudest(sound[4 * RATE : 5 * RATE]) == pytest.approx(660, abs=5)


@pytest.mark.parametrize("ending", ["mp3", "m4a", "opus", "flac", "mkv"])
def test_a_long_one_is_heard_in_pieces_that_are_cut_where_nobody_speaks(tmp_path, ending):
    # Another frequency every ten seconds, with a pause at 110.
    steps = [(300 + 20 * n, 10.0) for n in range(11)] + [(0, 1.0)]
    steps += [(1000 + 20 * n, 10.0) for n in range(5)]
    path = write_recording(tmp_path / f"talk.{ending}", tones(*steps), video=False)
    first = heard(path)
    assert not first["last"]
    assert first["end"] == pytest.approx(110.5, abs=0.5)
    assert first["end"] < PIECE
    rest = heard(path, first["end"])
    assert rest["last"]
    assert rest["end"] == pytest.approx(161, abs=0.2)
    for answer, start in ((first, 0.0), (rest, first["end"])):
        sound = samples_of(answer)
        for hertz, middle in [(300 + 20 * n, 10 * n + 5) for n in range(11)] + [
            (1000 + 20 * n, 10 * n + 116) for n in range(5)
        ]:
            if start < middle < answer["end"]:
                at = round((middle - start) * RATE)
                assert loudest(sound[at : at + RATE]) == pytest.approx(hertz, abs=5)
                # and it begins no earlier and no later than it did
                before = round((middle - 5.3 - start) * RATE)
                if before > 0:
                    assert loudest(sound[before : before + RATE // 5]) != pytest.approx(
                        hertz, abs=5
                    )


def test_silence_is_not_sent_to_any_model(tmp_path):
    path = write_recording(tmp_path / "quiet.flac", tones((0, 5.0)))
    answer = heard(path)
    assert "wav" not in answer
    assert answer["segments"] == []


def test_tags_and_the_length_are_told_and_name_and_date_stay(tmp_path):
    path = tmp_path / "2024-05-03 meeting.m4a"
    document = read(write_recording(path, tones((440, 65)), title="House meeting", artist="Mara"))
    assert (document.title, str(document.date)) == ("House meeting", "2024-05-03")
    assert document.pages[0].text == (
        "Recording: 2024-05-03 meeting. Title: House meeting. Artist: Mara. Length: 1:05."
    )


def test_a_video_without_sound_says_so(tmp_path):
    document = read(write_recording(tmp_path / "mute.mp4", None))
    assert (document.format, document.status) == ("video", Status.PARTIAL)
    assert document.reason == "no sound in it; found by its name and date"
    assert UNHEARD not in document.metadata


def test_a_cover_is_no_video(tmp_path):
    path = write_recording(tmp_path / "song.mp4", tones((440, 2.0)), video=False)
    assert read(path).format == "audio"


def test_a_header_that_lies_about_the_length_is_not_believed(tmp_path):
    path = write_recording(tmp_path / "short.wav", tones((440, 3.0)))
    data = bytearray(path.read_bytes())
    at = data.index(b"data") + 4
    data[at : at + 4] = struct.pack("<I", 0x7FFFFFF0)  # 18 hours
    path.write_bytes(data)
    answer = heard(path)
    assert answer["last"]
    assert answer["end"] == pytest.approx(3.0, abs=0.1)


def test_what_is_there_of_a_cut_file_is_heard(tmp_path):
    whole = write_recording(tmp_path / "whole.flac", tones((440, 20.0))).read_bytes()
    path = tmp_path / "cut.flac"
    path.write_bytes(whole[: len(whole) // 2])
    answer = heard(path)
    assert answer["last"]
    assert 5 < answer["end"] < 15


@pytest.mark.parametrize(
    ("name", "content", "status", "reason"),
    [
        ("empty.mp3", b"", Status.SKIPPED, "empty file"),
        ("letter.mp3", b"Dear Jonas,\n", Status.FAILED, "no recording, though named .mp3"),
        ("list.mp4", b"#EXTM3U\nfile:///etc/passwd\n", Status.FAILED, "no recording, though"),
        ("noise.flac", b"fLaC" + b"\x00" * 400, Status.FAILED, "broken recording"),
        ("head.m4a", b"\0\0\0\x20ftypM4A \0\0\0\0", Status.FAILED, "broken recording"),
    ],
)  # fmt: skip
def test_what_is_no_recording_says_what_is_wrong(tmp_path, name, content, status, reason):
    (tmp_path / name).write_bytes(content)
    document = read(tmp_path / name)
    assert document.status is status
    assert document.reason.startswith(reason)


def test_a_cut_mp4_has_lost_its_table_of_contents(tmp_path):
    whole = write_recording(tmp_path / "whole.mp4", tones((440, 5.0))).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    document = read(tmp_path / "cut.mp4")
    assert document.status is Status.FAILED
    assert document.reason.startswith("broken recording (")


@pytest.mark.parametrize(
    ("name", "tag", "other", "reason"),
    [
        ("bought.m4a", b"mp4a", b"drms", "protected"),
        ("new.mkv", b"A_OPUS", b"A_NEXT", "of an unknown codec"),
    ],
)
def test_what_cannot_be_decoded_is_found_by_its_name(tmp_path, name, tag, other, reason):
    path = write_recording(tmp_path / name, tones((440, 2.0)))
    path.write_bytes(path.read_bytes().replace(tag, other))
    document = read(path)
    assert document.status is Status.PARTIAL
    assert document.reason == f"its sound is {reason}; found by its name and date"
    assert UNHEARD not in document.metadata
    assert heard(path)["reason"] == document.reason


def test_a_list_of_files_within_a_container_is_not_followed(tmp_path):
    """FFmpeg knows formats that name other files; only a container's own reader is asked."""
    secret = write_recording(tmp_path / "secret.wav", tones((440, 2.0)))
    for name in ("list.ogg", "list.mkv", "list.aac"):
        (tmp_path / name).write_text(f"ffconcat version 1.0\nfile {secret}\n", "ascii")
        assert read(tmp_path / name).status is Status.FAILED


async def test_a_worker_hears_within_its_limits(tmp_path):
    path = write_recording(tmp_path / "talk.opus", tones((440, 130.0)))
    with Extractor(SETTINGS) as extractor:
        first = await extractor.hear(named(path), 0.0, None, "")
        assert samples_of(first).size / RATE == pytest.approx(first["end"], abs=0.01)
        gone = named(tmp_path / "gone.opus")
        (tmp_path / "gone.opus").write_bytes(b"OggS")
        assert "broken recording" in (await extractor.hear(gone, 0.0, None, ""))["reason"]
    slow = replace(SETTINGS, timeout_s=0.001)
    with Extractor(slow) as extractor:
        answer = await extractor.hear(named(path), 0.0, None, "")
    assert answer["reason"] == "took longer than 0.001 s"


def test_without_the_extra_it_is_found_by_its_name(tmp_path, monkeypatch):
    path = write_recording(tmp_path / "talk.ogg", tones((440, 2.0)))
    monkeypatch.setitem(__import__("sys").modules, "av", None)
    document = read(path)
    assert document.reason.startswith("its speech is not read without the extra manole[voice]")
    assert document.metadata[UNHEARD] == "yes"
    assert document.pages[0].text == "Recording: talk."


def test_kinds_by_first_bytes_and_by_name(tmp_path):
    path = write_recording(tmp_path / "a.mp3", tones((440, 1.0)))
    with path.open("rb") as file:
        kinds = [detect(name, file) for name in ("a.mp3", "a", "a.mp4", "a.avi")]
    assert [kind.family for kind in kinds] == [*3 * [Family.SPOKEN], Family.NONE]
    assert [kind.format for kind in kinds[:3]] == ["audio", "audio", "video"]
    assert (is_spoken("x/Talk.MP3"), is_spoken("x.avi"), is_spoken("mp3")) == (True, False, False)


def test_a_moment_is_written_as_a_clock_shows_it():
    assert [clock(n) for n in (0, 59.9, 761, 3761)] == ["0:00", "0:59", "12:41", "1:02:41"]
    assert page_words("a/talk.m4a", 762) == "12:41"
    assert page_words("a/talk.pdf", 762) == "page 762"
