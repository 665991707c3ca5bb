"""Pages found by their looks, with ColQwen2.5 (README.md). The core finds this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from manole.hooks import Extra
from manole.settings import Section, Settings

if TYPE_CHECKING:
    from manole_colqwen.embedder import ColQwenEmbedder

EXTRA = Extra(("colpali_engine", "transformers"), "pages can be found by their looks")


class ColQwenSettings(Section):
    """The section `colqwen`."""

    half: bool = Field(False, description="load the model in half precision")
    pool: int = Field(1, ge=1, le=16, description="one vector of so many is kept of a page")


def load(model: str, settings: Settings) -> ColQwenEmbedder:
    """Load the model in a folder or of a name on the hub, "" the usual one.

    It is a `manole.index.sync.engines.Pages`. Raises `ModelError`.
    """
    from manole_colqwen.embedder import OFFICIAL, ColQwenEmbedder

    own = settings.section("colqwen", ColQwenSettings)
    return ColQwenEmbedder.load(model or OFFICIAL, half=own.half, pool=own.pool)
