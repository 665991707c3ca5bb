"""The doctor on real indexes, caches and settings, damaged for real."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from pathlib import Path

import lancedb
import numpy as np
import pytest
from filelock import FileLock

from manole.agent.conversations.store import Conversations
from manole.care import contents
from manole.care.doctor import examine, mend
from manole.errors import UsageError
from manole.index.store import durability, upkeep
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import read_meta
from manole.index.store.records import Filters
from manole.index.store.vector_index import Limits
from manole.models.weights.cache import Weights
from manole.models.weights.files import read_record, write_record
from manole.settings import Settings

from .conftest import cut, snapshot


async def words_of(place) -> set[str]:
    store = await LanceStore.open(place.path)
    found = await store.take(await store.match("apple pear plum", 9, Filters()))
    await store.close()
    return {passage.text for passage in found}


async def topic(name: str, **options) -> list[tuple[str, str]]:
    found = await examine({}, **options)
    return [(item.level.value, item.text) for item in found if item.topic == name]


async def test_a_sound_index_is_in_order_and_looking_changes_nothing(place):
    before = snapshot(place.path)
    assert await place.found(thorough=True) == []
    assert await place.found() == []
    assert snapshot(place.path) == before
    every = await examine({}, str(place.root))
    assert any(item.text == "3 files, 3 passages can be read" for item in every)
    with pytest.raises(UsageError, match="no library called nothing"):
        await examine({}, "nothing")


@pytest.mark.parametrize("table", ["passages", "files"])
@pytest.mark.parametrize("part", ["_versions/*.manifest", "data/*.lance"])
async def test_files_cut_short_are_found_without_being_touched_and_mended_on_request(
    place, table, part
):
    newest = max(place.table(table).glob(part), key=lambda path: path.stat().st_mtime_ns)
    cut(newest, 7)
    before = snapshot(place.path)
    (finding,) = await place.found()
    assert (finding.level, finding.where) == ("problem", str(newest))
    assert "doctor --fix" in finding.remedy
    assert snapshot(place.path) == before
    await place.fixed()
    assert not any(item.level == "problem" for item in await place.found())


async def test_an_index_whose_every_manifest_is_zeroed_is_set_aside_and_said_so(place):
    for manifest in durability.manifests(place.table()):
        manifest.write_bytes(bytes(manifest.stat().st_size))
    (finding,) = await place.found()
    assert "cut short" in finding.text
    (done,) = await place.fixed()
    assert "built again" in done
    found = await place.found()
    aside = next(item for item in found if item.where == str(place.path / "broken"))
    assert aside.level == "warning"
    # A person's folder of what was there is never removed.
    await place.fixed()
    assert (place.path / "broken").is_dir()


async def test_bytes_flipped_inside_a_table_are_told_with_the_command_that_helps(place):
    for file in place.table("files").glob("data/*.lance"):
        content = bytearray(file.read_bytes())
        content[8 : len(content) - 64] = os.urandom(len(content) - 72)
        file.write_bytes(content)
    found = await place.found()
    assert [item.level for item in found] == ["problem"]
    assert f"manole index --force {place.root}" in found[0].remedy


async def test_a_mark_that_was_left_is_told_and_taken_away(place):
    (place.path / "dirty").touch()
    (finding,) = await place.found()
    assert finding.level == "warning"
    assert f"`manole index {place.root}` goes on" in finding.remedy
    await place.fixed()
    assert await place.found() == []


async def test_a_description_that_makes_no_sense_is_written_anew_from_the_tables(place):
    before = read_meta(place.path)
    (place.path / "meta.json").write_text("{")
    (finding,) = await place.found()
    assert finding.level == "problem"
    assert finding.where == str(place.path / "meta.json")
    await place.fixed()
    after = read_meta(place.path)
    assert {key: after[key] for key in ("roots", "files", "passages", "embedder", "format")} == {
        key: before[key] for key in ("roots", "files", "passages", "embedder", "format")
    }
    assert await place.found() == []


async def test_a_description_is_not_guessed_where_the_name_does_not_prove_it(place):
    moved = place.path.rename(place.path.with_name("renamed-00000000"))
    (moved / "meta.json").write_text("{")
    (done,) = await place.fixed()
    assert "nothing was changed" in done
    assert (moved / "meta.json").read_text() == "{"


@pytest.mark.parametrize(
    "content",
    ['{"format": 1, "roots": 5, "files": []}', "[]", "\x00\x00", '{"format": 1}', '{"format": 0}'],
)
async def test_no_description_makes_it_fail(place, content):
    (place.path / "meta.json").write_text(content)
    found = [item for item in await examine({}) if item.level == "problem"]
    assert [item.where for item in found] == [str(place.path / "meta.json")]


async def test_an_index_of_another_format_is_told_with_the_command_that_rebuilds_it(place):
    place.describe()
    meta = json.loads((place.path / "meta.json").read_text())
    (place.path / "meta.json").write_text(json.dumps(meta | {"format": 99}))
    (finding,) = await place.found()
    assert (finding.level, "format 99" in finding.text) == ("problem", True)
    assert f"manole index --force {place.root}" in finding.remedy


async def test_a_folder_that_is_gone_or_is_no_folder_is_named(place):
    place.root.rmdir()
    (finding,) = await place.found()
    assert (finding.level, finding.where) == ("problem", str(place.root))
    place.root.write_text("")
    (finding,) = await place.found()
    assert finding.text == "it is not a folder any more"


async def test_rows_that_do_not_fit_and_passages_without_vectors_wait_for_the_next_sync(place):
    store = await LanceStore.open(place.path)
    async with place.writing(store):
        file, passages = place.pair("fig")
        await store.replace([(file, passages)])
        await store.tables["passages"].delete("id = 'plum:0'")
    await store.close()
    texts = [item.text for item in await place.found()]
    assert texts == [
        "1 files do not fit their passages or pages",
        "1 of 3 passages have no vector yet: found by their words only",
    ]


@pytest.mark.parametrize("length", [0.0, 0.5, float("inf")])
@pytest.mark.parametrize("thorough", [False, True])
async def test_vectors_of_another_length_are_a_problem(place, length, thorough):
    store = await LanceStore.open(place.path)
    async with place.writing(store):
        vector = np.array([[length, *[0.0] * 7]], np.float32)
        await store.put_vectors(["pear:0"], vector)
    await store.close()
    (finding,) = await place.found(thorough=thorough)
    assert (finding.level, finding.text) == ("problem", "1 of 3 vectors are not of length 1")


async def test_the_vector_index_is_shown_with_the_share_of_the_truth_that_it_finds(place):
    words = [f"w{number}" for number in range(300)]
    store = await LanceStore.open(place.path, limits=Limits(first=200, partition=100))
    async with place.writing(store):
        await store.replace([place.pair(word) for word in words])
        random = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)
        made = random / np.linalg.norm(random, axis=1, keepdims=True)
        await store.put_vectors([f"{word}:0" for word in words], made)
        await store.finish()
    await store.close()
    (told,) = [item for item in await examine({}) if "the vector index" in item.text]
    assert told.level == "good"
    assert re.search(
        r"has \d+ of 303 vectors and finds (9[89]|100)\.\d% of the true ten best", told.text
    )
    tuned = json.loads((place.path / "vectors.json").read_text())
    (place.path / "vectors.json").write_text(json.dumps(tuned | {"recall": 0.5}))
    (told,) = [item for item in await place.found() if "the vector index" in item.text]
    assert told.level == "warning"
    assert "finds 50.0%" in told.text
    (place.path / "vectors.json").unlink()
    (told,) = [item for item in await place.found() if "the vector index" in item.text]
    assert (told.level, "its recall is not known" in told.text) == ("warning", True)


async def test_a_missing_full_text_index_is_made_again(place):
    table = await (await lancedb.connect_async(place.path / "tables")).open_table("passages")
    await table.drop_index("terms_idx")
    (finding,) = await place.found()
    assert finding.level == "problem"
    assert "full-text index was made" in (await place.fixed())[0]
    assert await place.found() == []
    assert await words_of(place) == {"apple", "pear", "plum"}


async def test_many_small_parts_are_joined(place, monkeypatch):
    monkeypatch.setattr(contents, "FRAGMENTS", 3)
    for word in ("fig", "kiwi", "lime", "nut"):
        await place.index([word])
    found = await place.found()
    assert {item.level for item in found} == {"warning"}
    assert any("parts" in item.text for item in found)
    await place.fixed()
    assert await place.found() == []
    assert await words_of(place) == {"apple", "pear", "plum"}


async def test_versions_that_nobody_can_be_reading_are_told(place, monkeypatch):
    monkeypatch.setattr(contents, "OLD_VERSIONS", 2)
    assert await place.found() == []
    for manifest in durability.manifests(place.table()):
        os.utime(manifest, (10**9, 10**9))
    (finding,) = await place.found()
    assert finding.where == str(place.table())
    assert "for old versions" in finding.text


async def test_nothing_is_judged_or_mended_while_a_sync_is_at_work(place):
    (place.path / "dirty").touch()
    cut(durability.manifests(place.table())[0])
    findings = await examine({})
    with FileLock(place.path / "write.lock"):
        (busy,) = await place.found()
        assert (busy.level, "sync is at work" in busy.text) == ("warning", True)
        before = snapshot(place.path)
        assert [done.startswith("Not now") for done in await mend(findings)] == [True]
        assert snapshot(place.path) == before


async def test_a_folder_that_is_no_library_is_named(place):
    shutil.copytree(place.path, place.path.with_name("stray"))
    (place.path.with_name("stray") / "meta.json").unlink()
    (found,) = await topic("library stray")
    assert found[0] == "warning"


async def test_the_fields_of_papers_are_dropped_when_damaged(place):
    file = place.path / "fields.sqlite3"
    with sqlite3.connect(file) as fields:
        fields.execute("CREATE TABLE fields (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    fields.close()
    assert await place.found() == []
    content = bytearray(file.read_bytes())
    content[100:] = bytes(len(content) - 100)
    file.write_bytes(content)
    assert [Path(item.where).name for item in await place.found()] == [file.name]
    await place.fixed()
    assert await place.found() == []


async def test_damaged_conversations_are_a_problem_and_are_never_removed(place):
    kept = Conversations.of(place.settings, place.path.name)
    for number in range(20):
        kept.begin(kept.create().id, f"Question {number} " + "x" * 500)
    kept.close()
    assert (await topic("conversations"))[0][0] == "good"
    content = bytearray(kept.path.read_bytes())
    content[4096 : 4096 * 3] = os.urandom(8192)
    kept.path.write_bytes(content)
    assert (await topic("conversations"))[0][0] == "problem"
    await place.fixed()
    assert kept.path.read_bytes() == bytes(content)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[index\n", "not valid TOML"),
        ("[index]\nsize = 3\n", "index.size"),
        ('[model]\ncontext = "many"\n', "model.context"),
    ],
)
async def test_settings_that_cannot_be_read_are_told_and_the_rest_is_looked_at(place, text, said):
    config = Path(os.environ["MANOLE_CONFIG"])
    config.write_text(text)
    ((level, told),) = await topic("settings")
    assert level == "problem"
    assert said in told
    assert str(config) in told
    assert await place.found() == []


async def test_a_key_that_others_may_read_is_told(place):
    config = Path(os.environ["MANOLE_CONFIG"])
    config.write_text('[model]\napi_key = "secret"\n')
    config.chmod(0o644)
    assert [level for level, _ in await topic("settings")] == ["good", "warning"]
    config.chmod(0o600)
    assert [level for level, _ in await topic("settings")] == ["good"]


async def test_a_data_folder_that_others_may_enter_is_a_problem(place):
    place.settings.data_dir.chmod(0o777)
    assert [level for level, _ in await topic("folders")] == ["problem", "good"]
    place.settings.data_dir.chmod(0o700)
    assert [level for level, _ in await topic("folders")] == ["good", "good"]


async def test_a_file_system_that_keeps_no_modes_is_told(place, monkeypatch):
    monkeypatch.setattr("manole.private.keeps_modes", lambda _: False)
    assert [level for level, _ in await topic("folders")] == ["warning", "good"]


async def test_a_data_folder_that_is_a_file_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "data").write_text("")
    monkeypatch.setenv("MANOLE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MANOLE_CACHE_DIR", str(tmp_path / "cache"))
    levels = [level for level, _ in await topic("folders")]
    assert levels == ["problem", "good"]


class TestWeights:
    """The embedder's real weights, copied."""

    @pytest.fixture
    def weights(self, place) -> Path:
        source = Settings.load({"cache_dir": str(self.cache())}).weights_dir / "manole-e5-small"
        target = place.settings.weights_dir / "manole-e5-small"
        shutil.copytree(source, target)
        Weights(place.settings.weights_dir).ensure("manole-e5-small")  # writes records of its own
        return target

    @staticmethod
    def cache() -> Path:
        from platformdirs import user_cache_path

        return user_cache_path("manole")

    async def found(self, **options) -> list[tuple[str, str]]:
        return [
            (level, text)
            for level, text in await topic("weights", **options)
            if "manole-e5" in text and level != "good"
        ]

    async def test_weights_as_verified_are_in_order(self, weights):
        assert await self.found() == []
        assert await self.found(thorough=True) == []

    async def test_a_file_cut_short_is_removed_so_that_it_can_be_fetched(self, place, weights):
        cut(weights / "model.onnx", 1000)
        found = await self.found()
        assert any(level == "problem" and "1,000 bytes" in text for level, text in found)
        await place.fixed()
        assert not (weights / "model.onnx").exists()
        assert (weights / "tokenizer.json").exists()

    async def test_a_changed_byte_is_seen_by_a_thorough_look(self, weights):
        file = weights / "model.onnx"
        record = read_record(file)
        with file.open("r+b") as stream:
            stream.seek(5_000_000)
            byte = stream.read(1)
            stream.seek(5_000_000)
            stream.write(bytes([byte[0] ^ 1]))
        write_record(file, record["sha256"])  # as no honest one would be
        assert await self.found() == []
        ((level, text),) = await self.found(thorough=True)
        assert (level, "other bytes" in text) == ("problem", True)

    async def test_a_file_with_another_time_is_verified_again(self, place, weights):
        os.utime(weights / "tokenizer.json")
        found = await self.found()
        assert any("never verified" in text for _, text in found)
        await place.fixed()
        assert await self.found() == []

    async def test_what_a_fetch_left_is_removed_unless_one_is_at_work(self, place, weights):
        left = weights / ".partial" / "model.onnx"
        left.mkdir(parents=True)
        (left / "joined").write_bytes(b"x" * 1000)
        locks = place.settings.weights_dir / ".locks"
        locks.mkdir(exist_ok=True)
        ((level, text),) = await self.found()
        assert (level, "1.0 kB of a fetch" in text) == ("warning", True)
        findings = await examine({})
        with FileLock(locks / "manole-e5-small.lock"):
            assert await self.found() == []
            assert "nothing was removed" in (await mend(findings))[0]
        assert left.exists()
        await place.fixed()
        assert not left.exists()
        assert await self.found() == []

    async def test_what_another_users_fetch_holds_is_left_alone(self, place, weights):
        left = weights / ".partial" / "model.onnx"
        left.mkdir(parents=True)
        lock = place.settings.weights_dir / ".locks" / "manole-e5-small.lock"
        lock.unlink(missing_ok=True)
        lock.mkdir(parents=True)  # as in a cache that is not ours, it cannot be opened
        assert await self.found() == []
        assert left.exists()


async def test_a_kept_reading_that_makes_no_sense_is_seen_by_a_thorough_look(place):
    entry = place.settings.cache_dir / "pictures" / "aa" / ("a" * 64 + "-1.json")
    entry.parent.mkdir(parents=True)
    entry.write_text("{")
    assert [level for level, _ in await topic("caches")] == ["good"]
    found = [item for item in await examine({}, thorough=True) if item.topic == "caches"]
    assert found[-1].where == str(entry)
    await mend(found)
    assert not entry.exists()


async def test_the_tables_of_pages_are_known_by_their_embedder(place):
    """What `put_in_order` keeps: the vectors of pages, whoever made them."""
    store = await LanceStore.open(place.path)
    async with store.writing(dimensions=8, embedder="all-minilm-l6-v2", pages=("colqwen", 128)):
        pass
    await store.close()
    await upkeep.put_in_order(place.path)
    assert (await upkeep.pages_made(place.path)) == ("colqwen", 128)
