"""An index of another format is never misread: it is named, and built again on request."""

from __future__ import annotations

import json
from pathlib import Path

import lancedb
import pytest

from manole.errors import IndexVersionError
from manole.index.store.lance import LanceStore
from manole.index.store.libraries import FORMAT, libraries
from manole.library import Library
from manole.settings import IndexSettings, Settings

from .conftest import snapshot


@pytest.fixture
def settings(tmp_path, session_settings) -> Settings:
    return session_settings.model_copy(
        update={"data_dir": tmp_path / "data", "index": IndexSettings(pages="off")}
    )


@pytest.fixture
async def indexed(tmp_path, settings) -> Library:
    """A real folder with its index."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "boiler.txt").write_text("The boiler was repaired in May.")
    async with await Library.open(folder, settings) as library:
        await library.sync()
    return library


def as_format(path: Path, made: object) -> None:
    """The index's description as another version would have written it."""
    meta = json.loads((path / "meta.json").read_text())
    changed = meta | {"format": made, "exclude": ["*.bak"]}
    (path / "meta.json").write_text(json.dumps(changed))


async def tables_as_format(path: Path, made: str | None) -> None:
    """Its passages as another version would have made them: with a column less."""
    connection = await lancedb.connect_async(path / "tables")
    data = await (await connection.open_table("passages")).query().to_arrow()
    told = {"manole.format": made} if made is not None else None
    data = data.drop_columns(["text_at"]).replace_schema_metadata(told)
    await connection.create_table("passages", data, mode="overwrite")


@pytest.mark.parametrize("made", [0, 7, 99, "1", None])
async def test_a_description_of_another_format_is_named_and_left_alone(place, made):
    as_format(place.path, made)
    before = snapshot(place.path)
    async with await Library.open(place.root, place.settings) as library:
        with pytest.raises(IndexVersionError) as refused:
            await library.store()
    assert f"format {made}; this version reads {FORMAT}" in refused.value.message
    assert f"`manole index --force {place.root}`" in (refused.value.hint or "")
    (info,) = libraries(place.settings)
    assert f"format {made}" in (info.problem or "")
    (finding,) = await place.found()
    assert f"manole index --force {place.root}" in finding.remedy
    assert await place.fixed() == []
    assert snapshot(place.path) == before


@pytest.mark.parametrize("made", ["0", "99", "", None])
async def test_tables_of_another_format_are_named_and_left_alone(place, made):
    await tables_as_format(place.path, made)
    before = snapshot(place.path)
    with pytest.raises(IndexVersionError) as refused:
        await LanceStore.open(place.path)
    assert f"has format {'?' if made is None else made};" in refused.value.message
    (finding,) = await place.found()
    assert (finding.level, "has format" in finding.text) == ("problem", True)
    assert f"manole index --force {place.root}" in finding.remedy
    assert snapshot(place.path) == before


async def test_an_index_of_another_format_is_built_again_on_request(indexed):
    for outdate in (lambda: as_format(indexed.path, 0), None):
        if outdate is not None:
            outdate()
        else:
            await tables_as_format(indexed.path, "0")
        async with await Library.open(indexed.roots, indexed.settings) as library:
            with pytest.raises(IndexVersionError, match="builds it again"):
                await library.sync()
            assert (await library.sync(force=True)).statuses == {"indexed": 1}
            assert (await library.search("repaired"))[0].passage.path == "boiler.txt"
    (info,) = libraries(indexed.settings)
    # What a person chose is kept; everything else comes from the files.
    assert (info.problem, info.exclude) == (None, ("*.bak",))
