"""The rerankers that run here: what the card of each says, and rows of the catalog.

Plain data, which imports nothing heavy; `reranker.py` runs them. None could be had where this was
written. Their hashes are what public projects pin, which stand beside them; the first fetch
compares them with the file. Ettin 32M and 68M are left out: of their heads nobody published hashes.
"""

from __future__ import annotations

from dataclasses import dataclass

from manole.models.catalog.embedders import SEVERAL, HubEmbedder
from manole.models.catalog.encoders import Dense, Norm


@dataclass(frozen=True, slots=True)
class RerankerSpec:
    """How a cross-encoder makes a score of a query and a passage.

    `max_tokens` of the pair, special tokens included; of the longer text the end is cut, as
    transformers' "longest_first" does. `head`: the layers that follow the first token of a model
    without a score of its own. `sigmoid`: its card turns a score into 0 to 1 by a sigmoid; other
    scores say only which of two passages fits better.
    """

    max_tokens: int = 512
    head: tuple[Dense | Norm, ...] = ()
    sigmoid: bool = True


_ETTIN = (
    Dense("dense.safetensors", "gelu"),
    Norm("norm.safetensors"),
    Dense("score.safetensors"),
)
RERANKERS: dict[str, RerankerSpec] = {
    "ettin-reranker-17m": RerankerSpec(head=_ETTIN, sigmoid=False),
    "ms-marco-minilm-l6-v2": RerankerSpec(),
    "mxbai-rerank-xsmall-v1": RerankerSpec(),
    "jina-reranker-v1-tiny-en": RerankerSpec(),
}

HUB_RERANKERS = (
    # Three public projects pin the head, two the tokenizer, one the model's float32 file.
    HubEmbedder(
        "ettin-reranker-17m",
        "cross-encoder/ettin-reranker-17m-v1",
        "9e4aa35321a6dd1a43ca313f500c4b4f7cfb5cc6",
        "Apache-2.0",
        "Ettin Reranker 17M, float32: English; not tried here",
        (
            (
                "model.onnx",
                67_329_240,
                "2a375ccea150a4df925a47884b510eeb4bd6227ca6fffdbbc62ca2284bfe6211",
                "onnx/model.onnx",
            ),
            (
                "tokenizer.json",
                3_583_327,
                "28c5e078e4c52aa37cf0e6de1a212878f3dbd58dd1c70466298efe0b6b86db35",
                "tokenizer.json",
            ),
            (
                "dense.safetensors",
                262_232,
                "85e9596d9250a871deb159fb5db6979e910b4cf181d05c806733c49bc43d47c8",
                "2_Dense/model.safetensors",
            ),
            (
                "norm.safetensors",
                2_200,
                "de99fa351fb4badb74b56e85fa70b5bbd3fcf4d0e74de79eb749dba1e9e28b4a",
                "3_LayerNorm/model.safetensors",
            ),
            (
                "score.safetensors",
                1_172,
                "654827171b89c76d19d663162243f38d63d1ba812ac1ec9c1b36512f1a8e9ce8",
                "4_Dense/model.safetensors",
            ),
        ),
        pinned_by="a public project that uses the same files",
    ),
    # At least eight public projects pin each of the two, which a search for the hashes finds.
    HubEmbedder(
        "ms-marco-minilm-l6-v2",
        "cross-encoder/ms-marco-MiniLM-L6-v2",
        "233902d25c440f23af6f7d6e94d2946bac0bee0a",
        "Apache-2.0",
        "MS MARCO MiniLM L6 v2, int8: English; not tried here",
        (
            (
                "model.onnx",
                23_200_716,
                "c80a8b34256ea453093d612e3ac48d3d965a0c0a48c7906709af8b8e28461bf9",
                "onnx/model_quint8_avx2.onnx",
            ),
            (
                "tokenizer.json",
                711_396,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # The same: at least eight projects.
    HubEmbedder(
        "mxbai-rerank-xsmall-v1",
        "mixedbread-ai/mxbai-rerank-xsmall-v1",
        "b5c6e9da73abc3711f593f705371cdbe9e0fe422",
        "Apache-2.0",
        "Mixedbread Rerank XSmall v1, int8: English; not tried here",
        (
            (
                "model.onnx",
                87_245_802,
                "15ef19a6de90be7d52b627f2c784107bd806e64826450f41fb75fa4f0179ab30",
                "onnx/model_quantized.onnx",
            ),
            (
                "tokenizer.json",
                8_649_139,
                "305674b4d785287feecfb5f73f24aa75e9b57c87c579cfe24fbd207987d4b4c4",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
    # neondatabase-labs/pgrag; the manifest of Cortex; and others.
    HubEmbedder(
        "jina-reranker-v1-tiny-en",
        "jinaai/jina-reranker-v1-tiny-en",
        "aca45de6945b5dc6399abcd2a9c55ded5dc9111f",
        "Apache-2.0",
        "Jina Reranker v1 tiny, float32: English; not tried here",
        (
            (
                "model.onnx",
                132_350_375,
                "e0e743251c7566e2b1e4f5ad091c681a700d7d7a3d85541ea56ca3acf43d1afa",
                "onnx/model.onnx",
            ),
            (
                "tokenizer.json",
                2_030_772,
                "0046da43cc8c424b317f56b092b0512aaaa65c4f925d2f16af9d9eeb4d0ef902",
                "tokenizer.json",
            ),
        ),
        pinned_by=SEVERAL,
    ),
)
