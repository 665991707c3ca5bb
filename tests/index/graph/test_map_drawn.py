"""The map written down: groups, places, GraphML, and a page that shows names as text."""

from __future__ import annotations

import json
import re
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from browsers import browser
from manole.index.graph import Edge, Graph, Node
from manole.index.graph.graphml import graphml
from manole.index.graph.groups import groups
from manole.index.graph.page import page
from manole.index.graph.page.layout import places

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


# Groups and places ----------------------------------------------------------------------------


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


def test_places_lie_in_the_unit_square_and_are_always_the_same():
    graph = ring(60, (0, 5))
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    edges = [(at[e.source], at[e.target], e.weight) for e in graph.edges]
    placed = places(60, edges, [])
    assert placed.min() >= 0
    assert placed.max() <= 1
    assert (placed == places(60, edges, [])).all()
    joined = np.mean([np.linalg.norm(placed[a] - placed[b]) for a, b, _ in edges])
    apart = np.mean(np.linalg.norm(placed[:30] - placed[30:], axis=1))
    assert joined < apart / 3
    assert len(np.unique(placed.round(4), axis=0)) == 60  # none hides another


@pytest.mark.parametrize("count", [0, 1, 2, 3, 401, 900])
def test_any_number_of_nodes_has_places(count):
    placed = places(count, [], [])
    assert placed.shape == (count, 2)
    assert np.isfinite(placed).all()


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


# The page -------------------------------------------------------------------------------------


class Read(HTMLParser):
    """What a page is made of: its tags, and the text inside scripts and styles."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {}
        self._open = ""
        self.feed(content)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = tag
        self.inside.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open:
            self.inside[self._open][-1] += data


def data_of(content: str) -> dict:
    (told,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL
    )
    return json.loads(told)


def test_the_page_has_all_data_and_nothing_of_it_is_a_tag():
    graph = between(*HOSTILE)
    content = page(graph, "Map of </title><script>alert(1)</script>")
    assert content.isascii()
    seen, plain = Read(content), Read(page(between("a.md", "b.md"), "Map"))
    assert [tag for tag, _ in seen.tags] == [tag for tag, _ in plain.tags]
    data = data_of(content)
    assert [node[0] for node in data["nodes"]] == [node.id for node in graph.nodes]
    assert [(data["nodes"][a][0], data["nodes"][b][0]) for a, b, *_ in data["edges"]] == [
        (edge.source, edge.target) for edge in graph.edges
    ]
    assert all(0 <= x <= 1 and 0 <= y <= 1 for *_, x, y in data["nodes"])
    assert seen.inside["title"] == ["Map of </title><script>alert(1)</script>"]


def test_the_page_loads_nothing_and_runs_only_its_own_script():
    import base64
    import hashlib

    content = page(between("a.md", "b.md"), "Map")
    seen = Read(content)
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _ in seen.tags}
    for _, attributes in seen.tags:
        assert not {"src", "href", "style", "srcset"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    (policy,) = [a["content"] for tag, a in seen.tags if tag == "meta" and "http-equiv" in a]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for tag, text in (("script", seen.inside["script"][-1]), ("style", seen.inside["style"][0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == "'none'"
    assert not re.search(r"https?://", content)


def test_an_empty_map_has_a_page():
    assert data_of(page(Graph((), ()), "Map"))["nodes"] == []


def in_browser(content: str, folder: Path) -> Read:
    """The page as it is once a browser has run its script."""
    (folder / "map.html").write_text(content, "utf-8")
    ran = subprocess.run(
        [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
         "--virtual-time-budget=3000", "--dump-dom", str(folder / "map.html")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return Read(ran.stdout)


def test_a_browser_runs_the_script_and_shows_names_as_text(tmp_path: Path):
    content = page(between(*HOSTILE), "Map of </title><script>alert(1)</script>")
    seen = in_browser(content, tmp_path)  # its policy lets its script run
    assert f"{len(HOSTILE)} files, {2 * len(HOSTILE) - 2} of" in "".join(seen.inside["p"])
    asked = content.replace(
        "tell();\n  redraw();\n})();", "byId('find').value = '.'; seek();\n})();"
    )
    assert asked != content
    seen = in_browser(
        re.sub(r"script-src [^;]*;[^;]*;", "script-src 'unsafe-inline';", asked), tmp_path
    )
    shown = "".join(seen.inside["button"])
    assert "</script><script>alert(1)</script>.txt" in shown
    assert "bell\\u0007 escape\\u001b[2J null\\u0000" in shown
    assert "turned \\u202efdp.exe" in shown
    assert [tag for tag, _ in seen.tags].count("script") == 2
