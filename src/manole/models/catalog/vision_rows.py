"""The vision models of the catalog: weights, and the projector that lets them see."""

from __future__ import annotations

from manole.models.catalog.chat_rows import APACHE, LFM, LOCALAI
from manole.models.catalog.embedders import SEVERAL
from manole.models.catalog.specs import HubSource, ModelSpec, Role, Traits, WeightFile

PROJECTOR = "projector.gguf"  # of a vision model: it turns pictures into what the model reads

_SEES: tuple[Role, ...] = ("pictures",)
_QWEN = "Qwen/Qwen3-VL-2B-Instruct-GGUF"
_QWEN_REVISION = "52d6c8ffea26cc873ac5ad116f8631268d7eb503"
_LFM = "LiquidAI/LFM2.5-VL-1.6B-GGUF"
_MINICPM = "openbmb/MiniCPM-V-4.6-gguf"
_MOONDREAM = "ggml-org/moondream2-20250414-GGUF"


def _row(
    name: str,
    weights: tuple[HubSource, int, str],
    projector: tuple[HubSource, int, str],
    licence: str,
    description: str,
    preference: int,
    pinned_by: str,
    traits: Traits,
) -> ModelSpec:
    """A vision model; of each file its source, bytes and SHA-256."""
    named = (("model.gguf", weights), (PROJECTOR, projector))
    files = tuple(WeightFile(n, size, sha, (source,)) for n, (source, size, sha) in named)
    said = f"{description}: says what pictures show; model hub only"
    return ModelSpec(name, "vision", files, licence, said, preference, pinned_by, traits, True)


VISION: tuple[ModelSpec, ...] = (
    _row(
        "qwen3-vl-2b-instruct",
        (
            HubSource(_QWEN, "Qwen3VL-2B-Instruct-Q4_K_M.gguf", _QWEN_REVISION),
            1_107_409_952,
            "089d75c52f4b7ffc56ba998ffc50aae89fcafc755f9e7208aacca281dca6c2ae",
        ),
        (
            HubSource(_QWEN, "mmproj-Qwen3VL-2B-Instruct-Q8_0.gguf", _QWEN_REVISION),
            445_053_216,
            "f9a68fabba69c3b81e153367b2c7521030b0fa8bb0de400c9599c8e6725f9c82",
        ),
        APACHE,
        "Qwen3-VL 2B Instruct, Q4_K_M",
        30,
        SEVERAL,
        Traits(1.72, kv=114_688, roles=_SEES, eyes=0.41, patches=1728, tokens=432),
    ),
    _row(
        "lfm2.5-vl-1.6b",
        (
            HubSource(_LFM, "LFM2.5-VL-1.6B-Q4_K_M.gguf"),
            0,
            "aefc3c97c9eb30d9c0dd6af4c38250f5f5106b57c8cf92de7914c7d0a9c94da2",
        ),
        (
            HubSource(_LFM, "mmproj-LFM2.5-VL-1.6b-F16.gguf"),
            0,
            "2cddba98b98390c011c606c416de2e63dcfdd3b21452bf71ad6aab59fa52d2ee",
        ),
        LFM,
        "LFM2.5-VL 1.6B, Q4_K_M",
        20,
        LOCALAI,
        Traits(1.17, kv=12_288, roles=_SEES, eyes=0.41, patches=1728, tokens=432),
    ),
    _row(
        "minicpm-v-4.6",
        (
            HubSource(_MINICPM, "MiniCPM-V-4_6-Q4_K_M.gguf"),
            0,
            "6b0c74962c44bc6bf4b655b9b02c13eda9d5a0491543ae976d1ac18e4b7892e2",
        ),
        (
            HubSource(_MINICPM, "mmproj-model-f16.gguf"),
            0,
            "ca931d861d0801d9003e50697cd764721a334107c0e0415a51168ee1938462de",
        ),
        APACHE,
        "MiniCPM-V 4.6, 1.3B, Q4_K_M",
        15,
        LOCALAI,
        Traits(0.8, kv=12_288, roles=_SEES, thinks=True, eyes=0.41, patches=2304, tokens=256),
    ),
    _row(
        "moondream2",
        (
            HubSource(_MOONDREAM, "moondream2-text-model-f16_ct-vicuna.gguf"),
            2_839_535_072,
            "925bcb666baf69ed747e26121af287b16ae7764483be9548b1382f29783689a5",
        ),
        (
            HubSource(_MOONDREAM, "moondream2-mmproj-f16-20250414.gguf"),
            909_777_984,
            "4cc1cb3660d87ff56432ebeb7884ad35d67c48c7b9f6b2856f305e39c38eed8f",
        ),
        APACHE,
        "Moondream2 of April 2025, F16",
        10,
        SEVERAL,
        Traits(1.42, kv=196_608, roles=_SEES, eyes=0.43, patches=729, tokens=729),
    ),
)
