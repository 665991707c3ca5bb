"""The rerankers that run here, and what the card of each says about using it.

Plain data, which imports nothing heavy; `encode/reranker.py` runs them.
"""

from __future__ import annotations

from dataclasses import dataclass

from manole.models.catalog.encoders import Dense, Norm


@dataclass(frozen=True, slots=True)
class RerankerSpec:
    """How a cross-encoder scores a query and a passage.

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
