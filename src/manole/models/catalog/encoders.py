"""The sentence encoders that run here, and what the card of each says about using it.

Plain data, which imports nothing heavy; `encode/embedder.py` runs them, with `heads.py`. A row says
what sentence-transformers keeps in `modules.json`, `1_Pooling`, `2_Dense` and the prompts of
`config_sentence_transformers.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "cls", "last", "none"]
Activation = Literal["identity", "tanh", "gelu"]


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

    `dimensions`: numbers of a vector, its first ones where the model makes more of them
    (Kusupati et al., "Matryoshka Representation Learning", NeurIPS 2022). `max_tokens` include
    prefix and special tokens. `output`: the name of the model's output, else its first one; with
    `pooling` "none" it is one vector a text. `languages`: "en" for one that was trained on English
    alone. `cost`: seconds a passage against all-minilm-l6-v2, about, by what others measured.
    """

    dimensions: int
    max_tokens: int
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    dense: tuple[Dense, ...] = ()
    output: str = ""
    languages: Literal["en", "many"] = "en"
    cost: float = 1.0


_SEARCHING = "Represent this sentence for searching relevant passages: "

ENCODERS: dict[str, EncoderSpec] = {
    "all-minilm-l6-v2": EncoderSpec(384, 256),
    "mdbr-leaf-ir": EncoderSpec(
        384, 512, query_prefix=_SEARCHING, dense=(Dense("dense.safetensors"),)
    ),
    "snowflake-arctic-embed-xs": EncoderSpec(384, 512, "cls", _SEARCHING),
    "bge-small-en-v1.5": EncoderSpec(384, 512, "cls", _SEARCHING, cost=2.0),
    "granite-embedding-97m-multilingual-r2": EncoderSpec(
        384, 512, "cls", languages="many", cost=2.0
    ),
    "multilingual-e5-small": EncoderSpec(
        384, 512, "mean", "query: ", "passage: ", languages="many", cost=2.0
    ),
    "embeddinggemma-300m": EncoderSpec(
        768,
        2048,
        "none",
        "task: search result | query: ",
        "title: none | text: ",
        output="sentence_embedding",
        languages="many",
        cost=15.0,
    ),
    "contriever": EncoderSpec(768, 512, cost=4.0),
    "nomic-embed-text": EncoderSpec(
        768, 2048, "mean", "search_query: ", "search_document: ", cost=6.0
    ),
}
USUAL = "all-minilm-l6-v2"  # a new index is made with it, where the settings name none
MULTILINGUAL = "granite-embedding-97m-multilingual-r2"  # what is offered for other languages
