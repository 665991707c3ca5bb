"""The map written down: groups, and GraphML."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from manole.index.graph.graphml import graphml
from manole.index.graph.groups import groups
from manole.index.graph.model import Edge, Graph, Node

HOSTILE = (
    "</script><script>alert(1)</script>.txt",
    "<!--<script>.md",
    "]]>&amp;&#60;b>\"'`.md",
    "${alert(1)} $data $script.md",
    "line\nbreak\r\ttab.md",
    "bell\x07 escape\x1b[2J null\x00 delete\x7f.md",
    "half \ud800 byte \udcff.md",
    "turned \u202efdp.exe",
    "separators \u2028 \u2029.md",
    "größe ẞ 漢字 🗺️.md",
    "javascript:alert(1)",
)
XML = "{http://graphml.graphdrawing.org/xmlns}"


def between(*names: str) -> Graph:
    """A map of files of these names, each alike with the next."""
    ordered = sorted(names)
    nodes = [Node(name, "file", "text", 5, None, f"title of {name}") for name in ordered]
    edges = [Edge(one, other, "similarity", 0.75, "") for one, other in pairwise(ordered)]
    edges += [Edge(ordered[0], name, "reference", 1.0, f"file {name}") for name in ordered[1:]]
    return Graph((*nodes, Node("folder/", "folder")), tuple(edges))


# Groups ----------------------------------------------------------------------------


def ring(count: int, *bridges: tuple[int, int]) -> Graph:
    """Rings of five files, and bridges between single files of them."""
    names = [f"{number:03d}" for number in range(count)]
    pairs = [(5 * (n // 5) + a, 5 * (n // 5) + b) for n in range(0, count, 5)
             for a in range(5) for b in range(a)]  # fmt: skip
    edges = [Edge(names[b], names[a], "similarity", 0.9) for a, b in pairs]
    edges += [Edge(names[a], names[b], "reference", 0.7) for a, b in bridges]
    return Graph(tuple(Node(name, "file") for name in names), tuple(edges))


def test_groups_are_what_is_joined_most():
    found = groups(ring(15, (0, 5), (5, 10)))
    assert found == [[f"{n:03d}" for n in range(at, at + 5)] for at in (0, 5, 10)]


def test_files_that_nothing_joins_are_no_group():
    assert groups(between("one.md")) == []
    lonely = Graph((Node("a/", "folder"), Node("a/b.md", "file")),
                   (Edge("a/", "a/b.md", "structure", 1.0),))  # fmt: skip
    assert groups(lonely) == []
    assert groups(Graph((), ())) == []


# GraphML --------------------------------------------------------------------------------------


def read(content: bytes) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The nodes and edges of a GraphML document, as a reader of XML sees them."""
    whole = ElementTree.fromstring(content).find(f"{XML}graph")

    def data(element):
        return dict(element.attrib) | {d.get("key"): d.text for d in element.findall(f"{XML}data")}

    return [data(n) for n in whole.findall(f"{XML}node")], [
        data(e) for e in whole.findall(f"{XML}edge")
    ]


def test_graphml_has_every_node_and_edge():
    graph = between("a.md", "b.md", "c.md")
    nodes, edges = read(graphml(graph))
    assert [node["path"] for node in nodes] == [node.id for node in graph.nodes]
    assert nodes[0] == {
        "id": "n0", "path": "a.md", "kind": "file", "format": "text", "size": "5",
        "title": "title of a.md",
    }  # fmt: skip
    path = {node["id"]: node["path"] for node in nodes}
    assert [
        (path[e["source"]], path[e["target"]], e["relation"], float(e["weight"]), e.get("why", ""))
        for e in edges
    ] == [(e.source, e.target, e.relation, e.weight, e.why) for e in graph.edges]


def test_graphml_declares_what_it_uses():
    whole = ElementTree.fromstring(graphml(between("a.md", "b.md")))
    keys = {key.get("id") for key in whole.findall(f"{XML}key")}
    assert {data.get("key") for data in whole.iter(f"{XML}data")} <= keys


def test_graphml_is_well_formed_whatever_files_are_called():
    nodes, edges = read(graphml(between(*HOSTILE)))
    paths = {node["path"] for node in nodes}
    assert len(paths) == len(HOSTILE) + 1
    assert "</script><script>alert(1)</script>.txt" in paths
    assert "line\nbreak\\x0d\ttab.md" in paths
    assert "bell\\x07 escape\\x1b[2J null\\x00 delete\x7f.md" in paths
    assert "half \\ud800 byte \\xff.md" in paths
    assert len(edges) == 2 * len(HOSTILE) - 2


@given(st.text(st.characters()))
def test_graphml_holds_any_name(name):
    (node,), _ = read(graphml(Graph((Node(f"a{name}", "file"),), ())))
    assert node["path"].startswith("a")
    if name.isprintable():
        assert node["path"] == f"a{name}"
