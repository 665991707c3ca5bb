r"""The map as GraphML, for Gephi, yEd, NetworkX and others.

Names may hold what XML cannot: control characters, halves of characters. They are written out
(`\x01`), so that the file is well-formed whatever a folder holds.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from manole.index.graph.model import Graph

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE = {
    "path": "string",
    "kind": "string",
    "format": "string",
    "size": "long",
    "date": "string",
    "title": "string",
}
_EDGE = {"relation": "string", "weight": "double", "why": "string"}
# XML 1.0's characters, but for a carriage return, which a reader turns into a line break.
_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml(graph: Graph) -> bytes:
    """Return the map as GraphML, UTF-8. Two nodes may have an edge of each relation."""
    stream = io.BytesIO()
    xml = XMLGenerator(stream, encoding="utf-8", short_empty_elements=True)
    xml.startDocument()
    xml.startElement("graphml", AttributesImpl({"xmlns": _NAMESPACE}))
    for element, keys in (("node", _NODE), ("edge", _EDGE)):
        for name, kind in keys.items():
            attributes = {"id": name, "for": element, "attr.name": name, "attr.type": kind}
            xml.startElement("key", AttributesImpl(attributes))
            xml.endElement("key")
    xml.startElement("graph", AttributesImpl({"id": "files", "edgedefault": "undirected"}))
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        values = (node.id, node.kind, node.format, node.size, node.date, node.title)
        _element(xml, "node", {"id": names[node.id]}, zip(_NODE, values, strict=True))
    for number, edge in enumerate(graph.edges):
        ends = {"source": names[edge.source], "target": names[edge.target]}
        of_edge = (edge.relation, edge.weight, edge.why)
        _element(xml, "edge", {"id": f"e{number}"} | ends, zip(_EDGE, of_edge, strict=True))
    xml.endElement("graph")
    xml.endElement("graphml")
    xml.endDocument()
    return stream.getvalue()


def _element(
    xml: XMLGenerator, name: str, attributes: dict[str, str], data: Iterable[tuple[str, object]]
) -> None:
    xml.startElement(name, AttributesImpl(attributes))
    for key, value in data:
        if value not in (None, ""):
            xml.startElement("data", AttributesImpl({"key": key}))
            xml.characters(_NO_XML.sub(_written, str(value)))
            xml.endElement("data")
    xml.endElement(name)


def _written(match: re.Match[str]) -> str:
    r"""Return the escape of a character, or of a byte that is none: `\xff`."""
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
