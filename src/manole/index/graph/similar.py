"""The nearest files of each file, by the cosine of their mean passage vectors.

Vectors are kept as whole numbers: a unit vector times `SCALE`, rounded. The product of two such
vectors, and each of its partial sums, stays below 2**24 (Cauchy-Schwarz), so float32 holds it
exactly. Products are the same in whatever blocks and order they are computed: a map brought up to
date equals one computed anew, to the last pair. Rounding changes a cosine by about 0.0001.

Up to `EXACT` files all are compared with all; a matrix product does that in about a second.
Above that, files are put into cells around centres (spherical k-means, seeded), and each is
compared with those of its `PROBES` nearest cells: the inverted file of Sivic and Zisserman (2003).
An index of the vector store does the same, but for one question at a time, 2 ms each; here all
files ask at once, and a cell is compared with all that ask for it in one product. At 10,000 files
cells and all pairs take the same two seconds, the store's index twenty; beyond that cells win
(`benchmarks/graph.py`).

After a sync, new files are compared with all, and so are files that lost a neighbour. The others
keep their neighbours and gain new ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from manole.index.graph.model import NEIGHBOURS

Whole = npt.NDArray[np.int16]  # unit vectors times `SCALE`
Rows = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

SCALE = 4000  # its square, the greatest product, is below 2**24
EXACT = 8192  # files; at 10,000 both ways take the same time
PROBES = 24  # cells; set by hand
_BLOCK = 1 << 24  # products at once: 64 MB
_ROUNDS = 6  # of k-means; more find no better neighbours
_SAMPLE = 64  # files a cell from which the centres are found; set by hand
_NONE = -(2**24)  # less than any product


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest other rows of each row, best first; equal ones in row order.

    Both arrays are n × `NEIGHBOURS`. Empty places have the row -1 and a product below any other.
    """

    rows: Rows
    products: Rows


def whole(vector: npt.NDArray[np.float64]) -> Whole | None:
    """Return the direction of a vector in whole numbers; `None` for one of length 0 or infinity."""
    length = float(np.linalg.norm(vector))
    if not 0 < length < np.inf:
        return None
    return np.rint(vector * (SCALE / length)).astype(np.int16)


def cosines(vectors: Whole, found: Neighbours) -> Floats:
    """Return the cosines that belong to the products (n × `NEIGHBOURS`); -1 in empty places."""
    lengths = np.linalg.norm(vectors.astype(np.float32), axis=1)
    each: Floats = found.products.astype(np.float32) / (lengths[:, None] * lengths[found.rows])
    return np.clip(each, -1, 1)


def cosines_with(vectors: Whole, one: Whole) -> Floats:
    """Return the cosine of each vector with `one` (n)."""
    given = vectors.astype(np.float32)
    asked = one.astype(np.float32)
    each: Floats = (given @ asked) / (np.linalg.norm(given, axis=1) * np.linalg.norm(asked))
    return np.clip(each, -1, 1)


def nearest(vectors: Whole) -> Neighbours:
    """Find the neighbours of each vector: all of them up to `EXACT` vectors, else nearly all."""
    if len(vectors) <= EXACT:
        return _compared(vectors, np.arange(len(vectors), dtype=np.int32))
    return _by_cells(vectors)


def updated(vectors: Whole, before: Neighbours, was: Rows) -> Neighbours:
    """Find the neighbours of each vector, starting from those of an earlier state.

    `was` (n) gives the row that each vector had before, -1 for a new one. Rows that stayed are in
    the order that they had.
    """
    now = np.full(len(before.rows) + 1, -1, np.int32)  # one more, so that -1 stays -1
    stayed = was >= 0
    now[was[stayed]] = np.flatnonzero(stayed)
    rows = now[before.rows[was]]
    products = before.products[was]
    lost = (before.rows[was] >= 0) & (rows < 0)
    anew = ~stayed | lost.any(axis=1)
    if anew.sum() * 4 > len(vectors):
        return nearest(vectors)
    fresh = np.flatnonzero(~stayed).astype(np.int32)
    if len(fresh):
        columns = vectors[fresh].astype(np.float32).T
        for part in _parts(np.flatnonzero(~anew), len(fresh)):
            found = vectors[part].astype(np.float32) @ columns
            best = _best(found)
            rows[part], products[part] = _merged(
                rows[part], products[part], fresh[best], np.take_along_axis(found, best, 1)
            )
    asked = np.flatnonzero(anew).astype(np.int32)
    if len(asked):
        exact = _compared(vectors, asked)
        rows[asked], products[asked] = exact.rows, exact.products
    return Neighbours(rows, products)


def _compared(vectors: Whole, asked: Rows) -> Neighbours:
    """Find the neighbours of the rows `asked` by comparing each with all others."""
    rows = np.full((len(asked), NEIGHBOURS), -1, np.int32)
    products = np.full((len(asked), NEIGHBOURS), _NONE, np.int32)
    most = min(NEIGHBOURS, len(vectors) - 1)
    if most < 1:
        return Neighbours(rows, products)
    columns = vectors.astype(np.float32).T
    for part in _parts(np.arange(len(asked)), len(vectors)):
        found = vectors[asked[part]].astype(np.float32) @ columns
        found[np.arange(len(part)), asked[part]] = _NONE
        best = _best(found)[:, :most]
        rows[part, :most] = best
        products[part, :most] = np.take_along_axis(found, best, 1)
    return Neighbours(rows, products)


def _by_cells(vectors: Whole) -> Neighbours:
    """Find the neighbours of all rows by comparing each with the cells nearest to it."""
    given = vectors.astype(np.float32)
    near = given @ _centres(given).T
    probes = min(PROBES, near.shape[1])
    own = near.argmax(axis=1)
    members = _by_value(own, near.shape[1])
    # Each row has a place for what it finds in each cell that it probes.
    probed = np.argpartition(near, -probes, axis=1)[:, -probes:]
    left_out = ~(probed == own[:, None]).any(axis=1)  # where copies of one file made equal centres
    probed[left_out, 0] = own[left_out]
    rows = np.full((probed.size, NEIGHBOURS), -1, np.int32)
    products = np.full((probed.size, NEIGHBOURS), _NONE, np.float32)
    for held, places in zip(members, _by_value(probed.ravel(), near.shape[1]), strict=True):
        if not len(held):
            continue
        columns = given[held].T
        for part in _parts(places, len(held)):
            asking = part // probes
            found = given[asking] @ columns
            found[held[None, :] == asking[:, None]] = _NONE
            best = _top(found)
            rows[part, : best.shape[1]] = held[best]
            products[part, : best.shape[1]] = np.take_along_axis(found, best, 1)
    rows, products = rows.reshape(len(given), -1), products.reshape(len(given), -1)
    best = _top(products)
    return Neighbours(
        *_ordered(np.take_along_axis(rows, best, 1), np.take_along_axis(products, best, 1))
    )


def _centres(vectors: Floats) -> Floats:
    """Return √n unit vectors that lie among the n vectors (k-means)."""
    numbers = np.random.default_rng(0)
    count = int(len(vectors) ** 0.5)
    sample = numbers.permutation(len(vectors))[: count * _SAMPLE]
    given: Floats = vectors[np.sort(sample)] / np.float32(SCALE)
    centres: Floats = given[numbers.permutation(len(given))[:count]]
    for _ in range(_ROUNDS):
        nearest_to = np.argmax(given @ centres.T, axis=1)
        order = np.argsort(nearest_to, kind="stable")
        present, starts = np.unique(nearest_to[order], return_index=True)
        sums = np.add.reduceat(given[order], starts, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres[present] = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centres[present])
    return centres


def _by_value(values: npt.NDArray[np.intp], count: int) -> list[npt.NDArray[np.intp]]:
    """Return the places of each value from 0 to `count` - 1."""
    order = np.argsort(values, kind="stable")
    return np.split(order, np.searchsorted(values[order], np.arange(1, count)))


def _best(found: Floats) -> npt.NDArray[np.intp]:
    """Return the columns of the greatest products of each row, best first, ties in order."""
    best = np.sort(_top(found), axis=1)
    if best.shape[1] < found.shape[1]:
        least = np.take_along_axis(found, best, 1).min(axis=1, keepdims=True)
        for row in np.flatnonzero((found >= least).sum(axis=1) > best.shape[1]):  # which of them?
            best[row] = np.sort(np.argsort(-found[row], kind="stable")[: best.shape[1]])
    order = np.argsort(-np.take_along_axis(found, best, 1), axis=1, kind="stable")
    return np.take_along_axis(best, order, 1)


def _top(found: Floats) -> npt.NDArray[np.intp]:
    """Return the columns of the greatest products of each row, in no order."""
    if found.shape[1] <= NEIGHBOURS:
        return np.broadcast_to(np.arange(found.shape[1]), found.shape)
    return np.argpartition(found, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:]


def _merged(rows: Rows, products: Rows, more: Rows, found: Floats) -> tuple[Rows, Rows]:
    """Merge two lists of neighbours for each row; no column stands in both."""
    return _ordered(
        np.concatenate([rows, more], axis=1),
        np.concatenate([products, found.astype(np.int32)], axis=1),
    )


def _ordered(rows: Rows, products: Rows | Floats) -> tuple[Rows, Rows]:
    """Return the `NEIGHBOURS` best of each row, best first, ties in row order."""
    order = np.lexsort((rows, -products), axis=1)[:, :NEIGHBOURS]
    worth = np.take_along_axis(products, order, 1).astype(np.int32)
    return np.where(worth <= _NONE, -1, np.take_along_axis(rows, order, 1)).astype(np.int32), worth


def _parts(rows: npt.NDArray[np.intp], width: int) -> Iterator[npt.NDArray[np.intp]]:
    """Split rows into parts, so that their products with `width` others fit `_BLOCK`."""
    step = max(1, _BLOCK // max(width, 1))
    return (rows[at : at + step] for at in range(0, len(rows), step))
