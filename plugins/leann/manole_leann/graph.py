"""One graph of LEANN: made from vectors, kept as a folder, searched.

LEANN (https://github.com/yichuan-w/LEANN, MIT) is used through the classes of its HNSW backend
alone. Texts, filters and the embedder are ours, so its PyTorch is never imported. A graph either
keeps its vectors, or they are dropped, and a search recomputes those of the nodes that it visits
(Wang et al., "LEANN: A Low-Storage Vector Index", 2025). LEANN asks for these over a socket of
ZeroMQ; it is answered by a thread of this process, while a search runs, at a port on loopback.

LEANN's C++ code reports to the standard error stream, which is redirected meanwhile.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from manole.errors import StoreError
from manole.files import sync_path
from manole.index.store.records import Vectors

NAME = "graph.leann"
NEIGHBOURS, EFFORT = 32, 200  # LEANN's own defaults (M and efConstruction)
LEAST, LEAST_RECOMPUTED = 160, 64  # candidates of a search; LEANN's default is 64
FAR = 1e9  # the distance of a node whose text is gone, as in LEANN's own server
POLL_MS = 200  # between two looks for the end of a search; set by hand

Labels = npt.NDArray[np.int64]
Similarities = npt.NDArray[np.float32]
# Returns the vectors of nodes by their ids, and which of them exist.
Recompute = Callable[[Sequence[str]], tuple[Vectors, npt.NDArray[np.bool_]]]

_quiet = threading.Lock()


class Graph:
    """The graph in a folder. `recompute` makes the vectors of one that keeps none."""

    def __init__(self, folder: Path, recompute: Recompute | None = None) -> None:
        """Raises `StoreError` if LEANN is missing or the folder is damaged."""
        self.name = folder.name
        self.ids = (folder / "graph.ids.txt").read_text("utf-8").splitlines()
        self.pruned = bool(json.loads((folder / f"{NAME}.meta.json").read_text())["is_pruned"])
        self._recompute = recompute
        hnsw = backend()
        with _silence():
            self._searcher = hnsw.searcher(str(folder / NAME))
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def labels(self) -> dict[str, int]:
        """The node of each id."""
        return {key: label for label, key in enumerate(self.ids)}

    def search(self, vector: Vectors, count: int) -> tuple[Labels, Similarities]:
        """Return the nodes nearest to a unit vector, nearest first, and their cosines."""
        count = min(count, len(self.ids))
        least = LEAST_RECOMPUTED if self.pruned else LEAST
        options: dict[str, Any] = {"complexity": max(least, 2 * count)}
        question = np.ascontiguousarray(vector, np.float32)[None]
        with self._lock:
            if self.pruned:
                with _silence(), _Answering(self._vectors, self._searcher.dimensions) as port:
                    found = self._searcher.search(question, count, zmq_port=port, **options)
            else:
                found = self._searcher.search(
                    question, count, recompute_embeddings=False, **options
                )
        labels = [self.labels.get(label, -1) for label in found["labels"][0]]
        nodes = np.array(labels, np.int64)
        there = nodes >= 0
        return nodes[there], found["distances"][0][there].astype(np.float32)

    def vectors(self, nodes: Labels) -> tuple[Vectors, npt.NDArray[np.bool_]]:
        """Return the vectors of nodes (n × dimensions), recomputed if need be, and which exist."""
        if self.pruned:
            return self._vectors(nodes)
        import leann_backend_hnsw.faiss as faiss

        out = np.empty((len(nodes), self._searcher.dimensions), np.float32)
        with self._lock:
            for at, node in enumerate(nodes.tolist()):
                self._searcher._index.reconstruct(node, faiss.swig_ptr(out[at]))
        return out, np.ones(len(nodes), bool)

    def _vectors(self, nodes: Labels) -> tuple[Vectors, npt.NDArray[np.bool_]]:
        if self._recompute is None:
            raise StoreError(
                "This index keeps no vectors, and nothing is at hand to recompute them.",
                "Open it as a library, or build it anew with `manole index --force`.",
            )
        return self._recompute([self.ids[node] for node in nodes.tolist()])


def build(folder: Path, ids: Sequence[str], vectors: Vectors, *, recompute: bool) -> None:
    """Make a graph of unit vectors (n x dimensions) in a new folder, synced to disk.

    With `recompute` it keeps its edges only. Raises `StoreError` if LEANN is missing.
    """
    hnsw = backend()
    folder.mkdir(parents=True)
    dimensions = vectors.shape[1]
    options = {
        "M": NEIGHBOURS,
        "efConstruction": EFFORT,
        "distance_metric": "mips",  # of unit vectors: the cosine
        "dimensions": dimensions,
        "is_compact": recompute,
        "is_recompute": recompute,
    }
    output = io.StringIO()
    with _silence(), contextlib.redirect_stdout(output):
        made = np.ascontiguousarray(vectors, np.float32)
        hnsw.builder(**options).build(made, list(ids), str(folder / NAME))
    about = {
        "backend_name": "hnsw",
        "embedding_model": "manole",
        "dimensions": dimensions,
        "backend_kwargs": options,
        "is_compact": recompute,
        "is_pruned": recompute,
    }
    (folder / f"{NAME}.meta.json").write_text(json.dumps(about))
    for file in folder.iterdir():
        sync_path(file)
    sync_path(folder)
    sync_path(folder.parent)


class _Answering:
    """The server for a search that asks for vectors of nodes: inside `with`, at the port returned.

    LEANN asks in two forms, as MessagePack: `[[node, …], query]` for distances, and `[[node, …]]`
    for vectors. Anything else gets an empty answer.
    """

    def __init__(
        self, vectors: Callable[[Labels], tuple[Vectors, npt.NDArray[np.bool_]]], dimensions: int
    ) -> None:
        import zmq

        self._vectors = vectors
        self._dimensions = dimensions
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REP)
        self._port: int = self._socket.bind_to_random_port("tcp://127.0.0.1")
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> int:
        self._thread.start()
        return self._port

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._socket.close(0)
        self._context.term()
        if self._error:
            raise self._error

    def _run(self) -> None:
        import msgpack

        while not self._ended.is_set():
            if not self._socket.poll(POLL_MS):
                continue
            try:
                answer = self._answer(msgpack.unpackb(self._socket.recv()))
            except Exception as error:  # LEANN has to get an answer; the search raises it
                self._error = self._error or error
                answer = [[0, self._dimensions], []]
            self._socket.send(msgpack.packb(answer, use_single_float=True))

    def _answer(self, asked: Any) -> list[Any]:
        nodes = asked[0] if isinstance(asked[0], list) else asked
        nodes = nodes[0] if nodes and isinstance(nodes[0], list) else nodes
        vectors, there = self._vectors(np.array(nodes, np.int64))
        if len(asked) == 2 and isinstance(asked[1], list):
            query = np.array(asked[1], np.float32)
            return [np.where(there, -(vectors @ query), FAR).tolist()]
        return [[len(nodes), self._dimensions], vectors.ravel().tolist()]


def backend() -> Any:
    """Return LEANN's HNSW backend. Raises `StoreError` if the extra is not installed."""
    try:
        from leann_backend_hnsw.hnsw_backend import HNSWBackend
    except ImportError as error:
        raise refused(error) from error
    logging.getLogger("leann_backend_hnsw").setLevel(logging.ERROR)
    return HNSWBackend


def refused(why: object) -> StoreError:
    """Return the error that says why LEANN cannot be used, and what to install."""
    return StoreError(
        f"The store leann needs the extra leann ({why}).",
        'Install it: pip install "manole[leann]".',
    )


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discard the output of C++ code to the standard error stream."""
    with _quiet:
        kept = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
