"""What is said in recordings, in a sync. The speech endpoint is a fake that hears tones; weights
are tried in `plugins/voices/tests`."""

from __future__ import annotations

import pytest

from manole.documents.extract import Extractor
from manole.documents.formats import clock
from manole.documents.model import UNHEARD, Status
from manole.errors import PausedError
from manole.index.sync.pace import Pace
from manole.index.sync.recordings import limits
from manole.library import Library
from manole.serve.view.page import Spot, kind_of
from manole.serve.view.transcript import transcript
from manole.settings import Settings
from manole.tools.objects import FoundPassage
from sounds import SENTENCES, fake_ears, tones, voices, write_recording

pytest.importorskip("av", reason="the extra manole[voice]")

MEETING = ((440, 3.0), (0, 108.0), (660, 3.0), (0, 4.0), (880, 3.0), (0, 30.0), (1100, 2.0))
APPLES, PUMP, THANKS = 111.0, 118.0, 151.0  # seconds at which these are said


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    write_recording(folder / "2024-05-03 meeting.opus", tones(*MEETING))
    write_recording(folder / "boiler.mp4", tones((440, 3.0)))
    return folder


@pytest.fixture
def folder(recordings, tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for path in recordings.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "cache").mkdir(0o700)
    cache = Settings.load().cache_dir
    (tmp_path / "cache" / "models").symlink_to(cache / "models")
    own = {"data_dir": tmp_path / "data", "cache_dir": tmp_path / "cache"}
    return Settings.load().model_copy(update=own)


async def files_of(library):
    return {file.path: file for file in await library.files()}


async def test_a_recording_is_found_and_cited_by_the_second(folder, settings):
    stages = []
    with fake_ears() as ears:
        async with await Library.open(folder, voices(settings, ears)) as library:
            report = await library.sync(progress=lambda p: stages.append(p))
            files = await files_of(library)
            meeting, film = files["2024-05-03 meeting.opus"], files["boiler.mp4"]
            assert {file.status for file in files.values()} == {Status.INDEXED}
            assert report.notice is None
            assert (meeting.metadata["language"], meeting.metadata["heard_by"]) == (
                "en",
                "openai:ears",
            )
            assert (kind_of(meeting), kind_of(film)) == ("audio", "video")
            assert str(meeting.date) == "2024-05-03"
            (hit, *_) = await library.search("which apple trees are planted by the shed?")
            assert hit.passage.page in (APPLES, APPLES + 1)  # the fake hears half seconds
            assert FoundPassage.of(hit).where == f"{meeting.path}, {clock(hit.passage.page - 1)}"
            left, right = hit.passage.boxes[0].x0, hit.passage.boxes[0].x1
            length = float(meeting.metadata["duration"])
            assert (left * length, right * length) == pytest.approx((APPLES, APPLES + 2), abs=0.5)
    assert {p.stage for p in stages} >= {"hear"}
    last = [p for p in stages if p.stage == "hear"][-1]
    assert last.done == last.total == 4  # minutes


async def test_a_transcript_has_a_time_for_each_line_and_marks_what_was_quoted(folder, settings):
    with fake_ears() as ears:
        async with await Library.open(folder, voices(settings, ears)) as library:
            await library.sync()
            store = await library.store()
            meeting = (await files_of(library))["2024-05-03 meeting.opus"]
            seen = await transcript(store, meeting, Spot(quote=SENTENCES[880]))
            assert [line.text for line in seen.lines] == [
                SENTENCES[hertz] for hertz in (440, 660, 880, 1100)
            ]
            starts = [line.start for line in seen.lines]
            assert starts == pytest.approx([0, APPLES, PUMP, THANKS], abs=0.6)
            assert seen.start == starts[2]
            assert seen.lines[2].marks == [[0, len(SENTENCES[880])]]
            assert seen.quoted is True
            # A second in the midst of a paragraph is of that paragraph.
            later = await transcript(store, meeting, Spot(page=116))
            assert later.start == 115
            there = await transcript(store, meeting, Spot(page=116, quote=SENTENCES[660]))
            assert there.start == starts[1]


async def test_what_was_heard_is_kept_by_content(folder, settings):
    with fake_ears() as ears:
        async with await Library.open(folder, voices(settings, ears)) as library:
            await library.sync()
            asked = len(ears.heard)
            assert asked == 3  # two pieces of the meeting, one of the film
            assert sum(ears.heard) < 165
            await library.sync(force=True)
            (folder / "boiler.mp4").rename(folder / "renamed.mp4")
            await library.sync(force=True)
            assert len(ears.heard) == asked
            assert (await files_of(library))["renamed.mp4"].status is Status.INDEXED


async def test_an_interruption_loses_one_piece(folder, settings):
    with fake_ears() as ears:
        ears.fail_at = 1
        async with await Library.open(folder, voices(settings, ears)) as library:
            report = await library.sync()
            assert report.notice.startswith("Not every recording is read. The speech endpoint")
            assert "HTTP 500" in report.notice
            meeting = (await files_of(library))["2024-05-03 meeting.opus"]
            assert (meeting.status, meeting.metadata[UNHEARD]) == (Status.PARTIAL, "yes")
            assert [round(seconds) for seconds in ears.heard] == [100]
            ears.fail_at = -1
            report = await library.sync()
            assert report.notice is None
            assert [round(seconds) for seconds in ears.heard[1:]] == [53, 3]
            assert (await files_of(library))[meeting.path].status is Status.INDEXED


async def test_a_battery_pauses_between_two_pieces(folder, settings, monkeypatch):
    monkeypatch.setattr("manole.index.sync.pace.BATTERY_EVERY", 0.0)
    with fake_ears() as ears:
        async with await Library.open(folder, voices(settings, ears)) as library:
            pace = Pace(battery=lambda: bool(ears.heard))
            with pytest.raises(PausedError):
                await library.sync(pace=pace)
            assert len(ears.heard) == 1
            await library.sync()
            assert len(ears.heard) == 3


async def test_without_a_model_they_are_found_by_name_and_that_is_said_once(folder, settings):
    none = voices(settings, None, name="auto")
    cache = none.cache_dir / "models"
    cache.unlink()
    cache.mkdir()
    for kept in (Settings.load().cache_dir / "models").iterdir():
        if not kept.name.startswith("whisper"):
            (cache / kept.name).symlink_to(kept)
    async with await Library.open(folder, none) as library:
        report = await library.sync()
        assert report.notice == (
            "2 recordings are found by name and date only. No speech model is at hand; "
            "`manole models fetch whisper-base` fetches one."
        )
        file = (await files_of(library))["2024-05-03 meeting.opus"]
        assert file.reason == "its speech is not read yet; found by its name and date"
        (hit, *_) = await library.search("meeting of 3 May 2024")
        assert hit.passage.path == file.path
    async with await Library.open(folder, voices(settings, None)) as library:
        assert (await library.sync()).notice is None  # "off" is nobody's surprise


async def test_silence_and_what_is_made_up_give_no_words(tmp_path, settings):
    folder = tmp_path / "quiet"
    folder.mkdir()
    write_recording(folder / "silence.flac", tones((0, 130.0)))
    write_recording(folder / "hum.wav", tones((300, 20.0)))
    with fake_ears() as ears:
        thanks = [{"start": n, "end": n + 1, "text": " Thank you."} for n in range(12)]
        ears.answer = {"language": "english", "segments": thanks}
        async with await Library.open(folder, voices(settings, ears)) as library:
            await library.sync()
            for file in (await files_of(library)).values():
                assert file.status is Status.PARTIAL
                assert file.reason == "no speech in it; found by its name and date"
                assert UNHEARD not in file.metadata
            assert len(ears.heard) == 1  # silence is nobody's to hear
            await library.sync()
            assert len(ears.heard) == 1


async def test_hours_are_bounded(folder, settings, monkeypatch):
    monkeypatch.setattr("manole.index.sync.recordings.HOUR", 2.0)  # seconds
    with fake_ears() as ears:
        async with await Library.open(folder, voices(settings, ears)) as library:
            await library.sync()
            file = (await files_of(library))["2024-05-03 meeting.opus"]
            assert (file.status, file.reason) == (Status.PARTIAL, "read only up to 30 hours")


async def test_an_endpoint_that_gives_no_times_is_told_of(folder, settings):
    with fake_ears() as ears:
        ears.answer = {"text": "The boiler was serviced."}
        async with await Library.open(folder, voices(settings, ears)) as library:
            report = await library.sync()
    assert "its answer has no segments with times (verbose_json)" in report.notice


@pytest.mark.parametrize("status", [400, 413])
async def test_a_sound_that_is_refused_keeps_no_other_file_from_being_read(
    folder, settings, status
):
    with fake_ears() as ears:
        ears.most, ears.fail_with = 10, status
        async with await Library.open(folder, voices(settings, ears)) as library:
            report = await library.sync()
            assert (report.voice_failed, report.notice) == ("", None)
            files = await files_of(library)
            meeting, film = files["2024-05-03 meeting.opus"], files["boiler.mp4"]
            assert meeting.reason == (
                f"the speech model refused it (HTTP {status}); found by its name and date"
            )
            assert (meeting.status, meeting.metadata[UNHEARD]) == (Status.PARTIAL, "openai:ears")
            assert film.status is Status.INDEXED
            ears.most = 1000
            await library.sync()
            assert len(ears.heard) == 1  # the same model is not asked again, but another one
        async with await Library.open(folder, voices(settings, ears, name="openai:o")) as library:
            await library.sync()
            assert {file.status for file in await library.files()} == {Status.INDEXED}


async def test_an_answer_that_makes_no_sense_keeps_no_other_file_from_being_read(folder, settings):
    with fake_ears() as ears:
        ears.answer = {"segments": [{"start": "soon", "end": 1, "text": "The boiler"}]}
        async with await Library.open(folder, voices(settings, ears)) as library:
            report = await library.sync()
            assert report.notice is None
            assert len(ears.heard) == 2  # each file was asked for
            assert {file.reason for file in await library.files()} == {
                "the speech model gave no sensible answer; found by its name and date"
            }


async def test_an_endpoint_that_refuses_everybody_stops_the_stage(folder, settings):
    with fake_ears() as ears:
        ears.fail_at, ears.fail_with = 0, 401
        async with await Library.open(folder, voices(settings, ears)) as library:
            report = await library.sync()
            assert "HTTP 401" in report.notice
            assert {f.metadata[UNHEARD] for f in await library.files()} == {"yes"}


async def test_a_recording_over_its_time_says_so(folder, settings, monkeypatch):
    monkeypatch.setattr("manole.index.sync.recordings.SECONDS", 1e-4)
    with fake_ears() as ears:
        async with await Library.open(folder, voices(settings, ears)) as library:
            await library.sync()
            file = (await files_of(library))["boiler.mp4"]
    assert file.reason == "took longer than 0.0001 s; found by its name and date"


def test_a_worker_has_memory_for_the_model_beside_the_decoder(tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(bytes(5 * 2**20))
    assert limits(weights).memory_mb - limits(None).memory_mb == 15


async def test_a_recording_whose_worker_was_killed_is_read_by_the_next_sync(
    folder, settings, monkeypatch
):
    real = Extractor.hear
    with fake_ears() as ears:

        async def killed(self, *asked):
            worker = self._worker  # each worker dies as soon as it is there, as for want of memory

            def dying():
                made = worker()
                made._process.kill()
                made._process.wait()
                return made

            monkeypatch.setattr(self, "_worker", dying)
            return await real(self, *asked)

        monkeypatch.setattr(Extractor, "hear", killed)
        async with await Library.open(folder, voices(settings, ears)) as library:
            await library.sync()
            assert {f.metadata[UNHEARD] for f in await library.files()} == {"yes"}
            monkeypatch.setattr(Extractor, "hear", real)
            await library.sync()
            assert {f.status for f in await library.files()} == {Status.INDEXED}


async def test_the_endpoint_gets_the_model_the_language_and_the_key(folder, settings):
    with fake_ears() as ears:
        own = voices(settings, ears, language="de", api_key="sesame")
        async with await Library.open(folder, own) as library:
            await library.sync()
        asked = ears.asked[0]
    for field, value in (
        ("model", "ears"),
        ("response_format", "verbose_json"),
        ("language", "de"),
    ):
        assert f'name="{field}"\r\n\r\n{value}' in asked


async def test_a_name_that_is_no_speech_model_is_an_error_that_names_them(folder, settings):
    from manole.errors import UsageError

    wrong = voices(settings, None, name="all-minilm-l6-v2")
    async with await Library.open(folder, wrong) as library:
        with pytest.raises(UsageError, match=r"voice\.name = all-minilm-l6-v2"):
            await library.sync()
