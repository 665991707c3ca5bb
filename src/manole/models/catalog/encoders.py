"""The sentence encoders and rerankers that run here, and what the card of each asks for.

Plain data, which imports nothing heavy; `encode/embedder.py` and `encode/reranker.py` run them. A
row of `ENCODERS` has what sentence-transformers keeps in `modules.json`, `1_Pooling`, `2_Dense`
and the prompts of `config_sentence_transformers.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "cls", "last", "none"]
Activation = Literal["identity", "tanh", "gelu"]
ENGLISH = frozenset({"en"})
SIX = frozenset({"en", "de", "fr", "es", "it", "nl"})
MANY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Dense:
    """A dense layer after pooling: `file` holds `linear.weight` and perhaps `linear.bias`."""

    file: str
    activation: Activation = "identity"


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer normalisation: `file` holds `norm.weight` and `norm.bias`."""

    file: str


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """How a sentence encoder makes a vector: pooling, dense layers, the cut, length 1.

    `dimensions`: the length of a vector; a longer one is cut to its first numbers (Kusupati et al.,
    "Matryoshka Representation Learning", NeurIPS 2022). `max_tokens` includes prefix and special
    tokens. `output`: the name of the model's output, by default the first; with `pooling` "none" it
    is one vector per text. `languages`: those it was trained on (ISO 639); none: many. `cost`:
    time per passage relative to all-minilm-l6-v2, roughly, as published measurements have it.
    """

    dimensions: int
    max_tokens: int
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    dense: tuple[Dense, ...] = ()
    output: str = ""
    languages: frozenset[str] = ENGLISH
    cost: float = 1.0


@dataclass(frozen=True, slots=True)
class RerankerSpec:
    """How a cross-encoder scores a query and a passage.

    `max_tokens` of the pair includes special tokens; the end of the longer text is cut, as in
    transformers' "longest_first". `head`: the layers after the first token, for a model without a
    score of its own. `sigmoid`: its card maps a score to 0 to 1 by a sigmoid; other scores only
    tell which of two passages fits better.
    """

    max_tokens: int = 512
    head: tuple[Dense | Norm, ...] = ()
    sigmoid: bool = True


_SEARCHING = "Represent this sentence for searching relevant passages: "

ENCODERS: dict[str, EncoderSpec] = {
    "manole-e5-small": EncoderSpec(
        384, 256, "mean", "query: ", "passage: ", languages=SIX, cost=2.0
    ),
    "all-minilm-l6-v2": EncoderSpec(384, 256),
    "mdbr-leaf-ir": EncoderSpec(
        384, 512, query_prefix=_SEARCHING, dense=(Dense("dense.safetensors"),)
    ),
    "snowflake-arctic-embed-xs": EncoderSpec(384, 512, "cls", _SEARCHING),
    "bge-small-en-v1.5": EncoderSpec(384, 512, "cls", _SEARCHING, cost=2.0),
    "granite-embedding-97m-multilingual-r2": EncoderSpec(384, 512, "cls", languages=MANY, cost=2.0),
    "multilingual-e5-small": EncoderSpec(
        384, 512, "mean", "query: ", "passage: ", languages=MANY, cost=2.0
    ),
    "embeddinggemma-300m": EncoderSpec(
        768,
        2048,
        "none",
        "task: search result | query: ",
        "title: none | text: ",
        output="sentence_embedding",
        languages=MANY,
        cost=15.0,
    ),
    "contriever": EncoderSpec(768, 512, cost=4.0),
    "nomic-embed-text": EncoderSpec(
        768, 2048, "mean", "search_query: ", "search_document: ", cost=6.0
    ),
}
USUAL = "manole-e5-small"  # for a new index, if the settings name none
MULTILINGUAL = "granite-embedding-97m-multilingual-r2"  # offered for other languages

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
