"""Rerankers: cross-encoders in ONNX, which score a query and a passage read together.

An embedder makes a passage's vector before any question is known. A cross-encoder reads both at
once and so tells apart what only sounds alike, at the price of one inference per pair (Nogueira and
Cho, "Passage re-ranking with BERT", 2019); so it gets only the best few passages of a search.
`catalog/encoders.py` has what each model's card asks for.

Each core works on pairs of its own, with one thread, as in `embedder.py`. Pairs are taken in their
order, so that the first ones have scores when time runs out.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.errors import ModelError, SettingsError, WeightsError
from manole.models.catalog.encoders import RERANKERS, RerankerSpec
from manole.models.encode.heads import pool
from manole.models.encode.onnx_encoder import OnnxEncoder, batches, encodable, loading
from manole.models.weights.cache import Weights
from manole.settings import Settings

_KEPT = 512  # scores, set by hand: a turn searches for the same question several times
_LOG = logging.getLogger(__name__)

OFF = "off"
SECONDS = 1.5  # that reranking may take in a search, about; set by hand


class Reranker:
    """A cross-encoder run by onnxruntime. Safe to call from several threads.

    `sigmoid`: by the model's card, 1 / (1 + exp(-score)) is the probability of an answer.
    """

    def __init__(self, name: str, files: Mapping[str, Path], spec: RerankerSpec) -> None:
        """Load `model.onnx`, `tokenizer.json` or `vocab.txt`, and the head's files.

        Raises `ModelError` for files that do not fit.
        """
        self.name = name
        self.sigmoid = spec.sigmoid
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()
        with loading(f"reranker {name}"):
            self._encoder = OnnxEncoder(files, spec.head, spec.max_tokens)
            self._run([self._encoder.tokenizer.encode("a", "b")])  # checks that all parts fit

    def score(self, query: str, passages: Sequence[str], seconds: float) -> list[float]:
        """Return the passages' scores, or those of the first ones when `seconds` run out.

        Higher is better; only scores of the same query compare. Raises `ModelError` if a score is
        no number.
        """
        until = time.monotonic() + seconds
        with self._lock:
            scored = {text: self._known.get((query, text)) for text in passages}
        fresh = [text for text, score in scored.items() if score is None]
        clean = [(encodable(query), encodable(text)) for text in fresh]
        pairs = self._encoder.tokenizer.encode_batch(clean)
        parts = list(batches([len(pair.ids) for pair in pairs], range(len(pairs))))

        def run(rows: Sequence[int]) -> npt.NDArray[np.float32] | None:
            if time.monotonic() > until:
                return None
            return self._run([pairs[row] for row in rows])

        for rows, scores in zip(parts, self._encoder.threads.map(run, parts), strict=True):
            if scores is not None:
                scored |= dict(zip([fresh[row] for row in rows], scores.tolist(), strict=True))
        self._keep(query, {text: scored[text] for text in fresh})
        found = [scored[text] for text in passages]
        end = found.index(None) if None in found else len(found)
        return [score for score in found[:end] if score is not None]

    def _keep(self, query: str, scored: Mapping[str, float | None]) -> None:
        with self._lock:
            self._known |= {
                (query, text): score for text, score in scored.items() if score is not None
            }
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)

    def _run(self, pairs: Sequence[Any]) -> npt.NDArray[np.float32]:
        """Return one score per pair: (pairs,)."""
        made, mask = self._encoder.network.run([p.ids for p in pairs], [p.type_ids for p in pairs])
        if self._encoder.layers:
            made = pool(made, mask, "cls")
        for layer in self._encoder.layers:
            made = layer(made)
        if made.size != len(pairs) or len(made) != len(pairs):
            raise ModelError(
                f"It gives numbers of the shape {made.shape} for {len(pairs)} pairs, "
                "not one for each: it is no reranker, or needs another head."
            )
        scores = np.asarray(made, np.float32).reshape(-1)
        if not np.isfinite(scores).all():
            raise ModelError(f"The reranker {self.name} gave a score that is no number.")
        return scores


def check_reranker(name: str) -> None:
    """Raise `SettingsError` for an unknown name."""
    if name not in (*RERANKERS, OFF):
        raise SettingsError(
            f"index.reranker = {name} is not known.", f"Known are {', '.join(RERANKERS)}; or off."
        )


def load_reranker(name: str, weights: Weights) -> Reranker | None:
    """Load the reranker called `name`; `None` if it is not at hand, as nothing is fetched.

    Raises `SettingsError` for an unknown name, `ModelError` if it cannot be loaded.
    """
    check_reranker(name)
    files = weights.whole(name)
    return Reranker(name, files, RERANKERS[name]) if files else None


class RerankerLoader:
    """Loads the reranker of the settings on first use, once, or as soon as it was fetched.

    Without one a search keeps its own order. The reason is logged once, as a warning.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = asyncio.Lock()
        self._asked = OFF
        self._missing = False
        self._model: Reranker | None = None

    def adopt(self, settings: Settings) -> None:
        """Use these settings from the next `get` on."""
        self._settings = settings

    async def get(self) -> Reranker | None:
        """Return the reranker; `None` if none is wanted or at hand. Raises `SettingsError`."""
        name = self._settings.index.reranker
        if name == self._asked and not self._missing:
            return self._model
        async with self._lock:
            if name != self._asked or self._missing:
                self._model = None if name == OFF else await asyncio.to_thread(self._load, name)
                self._missing = self._missing and name != OFF
                self._asked = name
        return self._model

    def failed(self, error: ModelError) -> None:
        """Do without the reranker from now on, after an error of its scores."""
        self._model = None
        _LOG.warning("%s Searches go on without it.", error.message)

    def _load(self, name: str) -> Reranker | None:
        try:
            model = load_reranker(name, Weights(self._settings.weights_dir))
        except (ModelError, WeightsError) as error:
            self._missing = False
            reason = " ".join(filter(None, (error.message, error.hint)))
            _LOG.warning("%s Searches go on without it.", reason)
            return None
        if model is None and (not self._missing or name != self._asked):
            _LOG.warning(
                "The reranker %s is not at hand, so searches go on without it. "
                "`manole models fetch %s` gets it.",
                name,
                name,
            )
        self._missing = model is None
        return model
