"""What a plug-in says where the packages of its extra are missing, as they are here."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from manole.cli.library import open_library
from manole.errors import StoreError, UsageError
from manole.index.store.opening import open_store
from manole.settings import Settings
from manole_cluster.opening import library_of


async def test_leann_says_how_to_install_it(tmp_path):
    if find_spec("leann_backend_hnsw"):
        pytest.skip("LEANN is installed")
    with pytest.raises(StoreError, match=r'pip install "manole\[leann\]"'):
        await open_store(tmp_path / "index", Settings.load({"index.store": "leann"}))
    assert not (tmp_path / "index").exists()


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
