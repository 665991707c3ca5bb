"""What tests of answers share."""

import pytest


@pytest.fixture(scope="session")
def embedder():
    """The embedder that ships."""
    from manole.models.encode.embedder import load_embedder
    from manole.models.weights.cache import Weights
    from manole.settings import Settings

    settings = Settings.load()
    return load_embedder(settings, Weights(settings.weights_dir))
