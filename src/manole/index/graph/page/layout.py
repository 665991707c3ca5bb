"""Where each node of the map stands when it is drawn.

Edges pull and nodes push, as in Fruchterman and Reingold (1991), in smaller and smaller steps. A
node is pushed by each of the few that stand nearest, and by the others in bunches, as if a bunch
stood in its middle (the idea of Barnes and Hut, 1986): a step of 10,000 nodes takes a tenth of a
second. Nodes begin in groups, on a spiral, and nothing is left to chance: the same map always looks
the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.float64]

_STEPS = 150
_STEPS_MANY = 60  # from `_MANY` nodes on
_MANY = 3000
_BUNCH = 16  # nodes
_ALONE = 400  # nodes that push each other one by one
_BLOCK = 1 << 21  # distances at once
_TURN = np.pi * (3 - np.sqrt(5))  # of a sunflower: an even spiral


def places(
    count: int, edges: Sequence[tuple[int, int, float]], groups: Sequence[Sequence[int]]
) -> Places:
    """A place for each of `count` nodes, within the unit square (count x 2).

    `edges` are two nodes and how strongly they pull; `groups` are nodes that begin together.
    """
    if count == 0:
        return np.zeros((0, 2))
    at = _spiral(count)[_order(count, groups)]
    ends = np.array([edge[:2] for edge in edges], np.intp).reshape(-1, 2)
    pull = np.array([edge[2] for edge in edges], np.float64)
    pull /= np.sqrt(np.maximum(1, np.bincount(ends.ravel(), minlength=count)))[ends].max(axis=1)
    steps = _STEPS if count < _MANY else _STEPS_MANY
    length = 1 / np.sqrt(count)  # between neighbours, if all were spread evenly
    for step in range(steps):
        force = _pushes(at) * length**2 - (at - 0.5) * length
        if len(ends):
            apart = at[ends[:, 1]] - at[ends[:, 0]]
            far = np.linalg.norm(apart, axis=1)
            drawn = apart * (pull * far / length)[:, None]
            for axis in range(2):
                force[:, axis] += np.bincount(ends[:, 0], drawn[:, axis], count)
                force[:, axis] -= np.bincount(ends[:, 1], drawn[:, axis], count)
        far = np.linalg.norm(force, axis=1, keepdims=True)
        most = 0.1 * (1 - step / steps) ** 1.5
        at = at + force * np.minimum(1.0, most / np.maximum(far, 1e-12))
    low, high = at.min(axis=0), at.max(axis=0)
    placed: Places = (at - (low + high) / 2) / max(float((high - low).max()), 1e-9) + 0.5
    return placed


def _order(count: int, groups: Sequence[Sequence[int]]) -> npt.NDArray[np.intp]:
    """Each node's place in a row in which groups stand together."""
    row = list(dict.fromkeys([*(node for group in groups for node in group), *range(count)]))
    order = np.empty(count, np.intp)
    order[row] = np.arange(count)
    return order


def _spiral(count: int) -> Places:
    numbers = np.arange(count) + 0.5
    radius, angle = np.sqrt(numbers / count) / 2, numbers * _TURN
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) + 0.5


def _pushes(at: Places) -> Places:
    """How strongly the others push each node, and where to: one over their distance each."""
    count = len(at)
    size = count if count <= _ALONE else _BUNCH
    strip = size * max(1, int(np.sqrt(count / size)))  # nodes between two upright lines
    rank = np.empty(count, np.intp)
    rank[np.argsort(at[:, 0], kind="stable")] = np.arange(count)
    order = np.lexsort((at[:, 1], rank // strip))
    bunches = -(-count // size)
    held = np.ones((bunches, size))
    held.ravel()[count:] = 0
    padded = np.zeros((bunches * size, 2))
    padded[:count] = at[order]
    near = padded.reshape(bunches, size, 2)
    weights = held.sum(axis=1)
    middles = near.sum(axis=1) / weights[:, None]
    force = np.empty((bunches, size, 2))
    step = max(1, _BLOCK // (size * max(size, bunches)))
    for first in range(0, bunches, step):
        part = slice(first, first + step)
        own = near[part]
        force[part] = _from(own, own, np.broadcast_to(held[part][:, None], (len(own), size, size)))
        others = np.tile(weights, (len(own), 1))
        others[np.arange(len(own)), np.arange(first, first + len(own))] = 0  # they were counted
        force[part] += _from(
            own.reshape(1, -1, 2), middles[None], others.repeat(size, 0)[None]
        ).reshape(own.shape)
    pushed = np.empty((count, 2))
    pushed[order] = force.reshape(-1, 2)[:count]
    return pushed


def _from(nodes: Places, others: Places, weights: Places) -> Places:
    """The push on nodes (some x n x 2) of others (some x m x 2) of these weights (some x n x m)."""
    far = (nodes**2).sum(-1)[..., None] + (others**2).sum(-1)[:, None]
    far -= 2 * nodes @ others.transpose(0, 2, 1)
    each = weights / np.maximum(far, 1e-7)
    push: Places = nodes * each.sum(-1)[..., None] - each @ others
    return push
