"""What a plug-in says where the packages of its extra are missing, as they are here."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import manole_leann
import manole_voices
from manole.care.doctor import check_tools
from manole.cli.library import open_library
from manole.documents.limits import Limits
from manole.documents.model import UNHEARD, Status
from manole.errors import ModelError, SettingsError, StoreError, UsageError
from manole.hooks import RECORDINGS
from manole.index.store.opening import open_store
from manole.index.sync.engines import Engines
from manole.settings import Settings
from manole_cluster.library import library_of
from reading_here import read_document

from .extras import modules


async def test_leann_says_how_to_install_it(tmp_path):
    if find_spec("leann_backend_hnsw"):
        pytest.skip("LEANN is installed")
    with pytest.raises(StoreError, match=r'pip install "manole\[leann\]"'):
        await open_store(tmp_path / "index", Settings.load({"index.store": "leann"}))
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("missing", modules()["leann"])
def test_leann_misses_each_package_of_its_extra(missing, monkeypatch):
    monkeypatch.setattr(manole_leann, "find_spec", lambda name: name != missing or None)
    with pytest.raises(StoreError, match=rf"extra leann \({missing} is missing\)"):
        manole_leann.check()


@pytest.mark.parametrize("address", ["s3://bucket/documents", "S3://bucket"])
async def test_the_cluster_says_how_to_install_it(address):
    if find_spec("obstore"):
        pytest.skip("the client of object storage is installed")
    with pytest.raises(UsageError, match=r"pip install 'manole\[cluster\]'"):
        await open_library(address, Settings())
    with pytest.raises(UsageError, match=r"pip install 'manole\[cluster\]'"):
        library_of([address], None, Settings())


@pytest.mark.parametrize("address", ["gopher://bucket", "git+ssh://host/folder"])
async def test_an_address_that_no_plugin_opens_is_told(address):
    with pytest.raises(UsageError, match=r"No plug-in opens .*s3://"):
        await open_library(address, Settings())


async def test_colqwen_says_how_to_install_it():
    if find_spec("colpali_engine"):
        pytest.skip("ColQwen is installed")
    engines = Engines(Settings.load({"index.pages": "colqwen:models/mine"}))
    with pytest.raises(ModelError, match=r'pip install "manole\[colqwen\]"'):
        await engines.pages(None)


@pytest.mark.parametrize("pages", ["colqwen:", "looks", "lines:x", "off:"])
def test_pages_are_found_by_what_is_there(pages):
    with pytest.raises(SettingsError, match=r"one of lines, off, colqwen, colqwen:MODEL"):
        Settings.load({"index.pages": pages})


def test_doctor_tells_which_extras_are_at_hand():
    told = " ".join(finding.text for finding in check_tools(Settings()))
    for extra in ("heic", "cluster", "colqwen", "leann"):
        assert f"{extra}: " in told
    wanted = check_tools(Settings.load({"index.pages": "colqwen"}))
    found = [finding for finding in wanted if "needs the extra colqwen" in finding.text]
    assert len(found) == (find_spec("colpali_engine") is None)


async def test_a_recording_that_nothing_here_reads_is_known_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "talk.mp3").write_bytes(b"ID3")
    monkeypatch.setattr(manole_voices, "find_spec", lambda name: None)
    lacking = read_document(tmp_path / "talk.mp3", Limits())
    monkeypatch.setattr(RECORDINGS, "group", "manole.none")  # nor the plug-in itself
    alone = read_document(tmp_path / "talk.mp3", Limits())
    assert lacking == alone
    assert lacking.pages[0].text == "Recording: talk."
    assert (lacking.metadata, lacking.status) == ({UNHEARD: "yes"}, Status.PARTIAL)
    assert "the extra manole[voice]" in lacking.reason
