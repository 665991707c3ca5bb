"""Communities of files, which are joined more with one another than with the rest.

The method of Blondel et al. (2008, "Louvain"): each node moves to the neighbouring community that
raises the modularity most, until none moves; then communities become nodes, and it begins again.
Nodes are taken in order, so that the same map always gives the same groups.
"""

from __future__ import annotations

from collections import defaultdict

from manole.index.graph.model import Graph

_ROUNDS = 20  # over all nodes, before the communities become nodes in any case; set by hand
_LEAST = 1e-9  # gain for which a node moves: less is rounding

Links = list[dict[int, float]]  # for each node, its neighbours and the weights of the links


def groups(graph: Graph) -> list[list[str]]:
    """Return the files of each community of two or more, the largest first, without folders."""
    ids = [node.id for node in graph.nodes if node.kind == "file"]
    at = {id_: number for number, id_ in enumerate(ids)}
    links: Links = [defaultdict(float) for _ in ids]
    for edge in graph.edges:
        if edge.relation != "structure":
            one, other = at[edge.source], at[edge.target]
            links[one][other] += edge.weight
            links[other][one] += edge.weight
    found: dict[int, list[str]] = defaultdict(list)
    for id_, community in zip(ids, communities(links), strict=True):
        found[community].append(id_)
    return sorted((held for held in found.values() if len(held) > 1), key=lambda g: (-len(g), g))


def communities(links: Links) -> list[int]:
    """Return the community of each node. A link stands at both nodes; one to itself, once."""
    of = list(range(len(links)))
    while True:
        found = _moved(links)
        names = {name: number for number, name in enumerate(dict.fromkeys(found))}
        found = [names[name] for name in found]
        of = [found[node] for node in of]
        if len(names) == len(links):
            return of
        merged: Links = [defaultdict(float) for _ in names]
        for node, others in enumerate(links):
            for other, weight in others.items():
                merged[found[node]][found[other]] += weight
        links = merged


def _moved(links: Links) -> list[int]:
    """Return the community of each node when none gains by moving."""
    strength = [sum(others.values()) for others in links]
    whole = sum(strength) or 1.0
    of = list(range(len(links)))
    within = strength.copy()  # of each community
    for _ in range(_ROUNDS):
        moves = 0
        for node, others in enumerate(links):
            own = of[node]
            within[own] -= strength[node]
            joined: dict[int, float] = defaultdict(float)
            for other, weight in others.items():
                if other != node:
                    joined[of[other]] += weight
            share = strength[node] / whole
            best, gain = own, joined.get(own, 0.0) - within[own] * share
            for community, weight in sorted(joined.items()):
                more = weight - within[community] * share
                if more > gain + _LEAST:
                    best, gain = community, more
            of[node] = best
            within[best] += strength[node]
            moves += best != own
        if not moves:
            break
    return of
