"""The map as one HTML file that needs nothing else: no server, no network, no library.

Places are computed here; the page's own script draws them on a canvas and lets a person search,
slide the threshold and read what a file is joined with. Names and reasons are data: JSON in which
no tag can begin, put on the screen as text. The page's policy lets its own script and style run
(by their hashes) and nothing else, and nothing be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from string import Template

from manole.index.graph.groups import groups
from manole.index.graph.model import THRESHOLD, Edge, Graph, Node
from manole.index.graph.page.layout import places

_RELATIONS = ("similarity", "reference", "structure")
_PULL = {"similarity": 1.0, "reference": 0.5, "structure": 0.3}
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page(graph: Graph, title: str, threshold: float = THRESHOLD) -> str:
    """The page, in ASCII. `threshold` is the one that the map was made with."""
    own = files(__name__)
    style = own.joinpath("style.css").read_text("utf-8")
    script = own.joinpath("script.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    filled = Template(own.joinpath("template.html").read_text("utf-8")).substitute(
        policy=html.escape(policy),
        title=html.escape(title),
        style=style,
        script=script,
        data=_json(_data(graph, threshold)),
    )
    return filled.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _data(graph: Graph, threshold: float) -> dict[str, object]:
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    held = [[at[id_] for id_ in group] for group in groups(graph)]
    group_of = {node: number for number, group in enumerate(held) for node in group}
    edges = [(at[edge.source], at[edge.target], edge) for edge in graph.edges]
    placed = places(
        len(graph.nodes),
        [(one, other, edge.weight * _PULL[edge.relation]) for one, other, edge in edges],
        held,
    )
    return {
        "threshold": round(threshold, 2),
        "nodes": [
            [node.id, node.kind, _about(node), group_of.get(number, -1), round(x, 5), round(y, 5)]
            for number, (node, (x, y)) in enumerate(zip(graph.nodes, placed.tolist(), strict=True))
        ],
        "edges": [_line(one, other, edge) for one, other, edge in edges],
    }


def _line(one: int, other: int, edge: Edge) -> list[object]:
    return [one, other, _RELATIONS.index(edge.relation), edge.weight, edge.why]


def _about(node: Node) -> str:
    told = (node.title, node.format, node.date and node.date.isoformat())
    return ", ".join(part for part in told if part)


def _json(value: object) -> str:
    """JSON in ASCII in which no tag and no entity can begin."""
    return json.dumps(value, separators=(",", ":")).translate(_ESCAPED)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
