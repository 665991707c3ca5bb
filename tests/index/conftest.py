"""The real embedder, loaded once, and a library's real parts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.split import Splitter
from manole.models.encode.embedder import Embedder, load_embedder
from manole.models.weights.cache import Weights
from manole.settings import Settings

pytest.register_assert_rewrite("contract")


@pytest.fixture(scope="session")
def weights() -> Weights:
    return Weights(Settings.load().cache_dir / "models")


@pytest.fixture(scope="session")
def embedder(weights: Weights) -> Embedder:
    return load_embedder(Settings(), weights)


@pytest.fixture(scope="session")
def splitter(weights: Weights) -> Splitter:
    return Splitter(weights.ensure("all-minilm-l6-v2")["tokenizer.json"])


@pytest.fixture(scope="session")
def extractor() -> Iterator[Extractor]:
    with Extractor(Limits()) as extractor:
        yield extractor
