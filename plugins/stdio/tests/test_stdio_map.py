"""The map of files over the protocol."""

from __future__ import annotations


def test_the_map_is_given_and_kept(program):
    first = program.answer(program.ask("graph", threshold=0))["data"]
    nodes = {node["id"]: node for node in first["nodes"]}
    assert set(nodes) == {"/", "home/", "home/lease.md", "home/boiler.txt"}
    assert nodes["home/lease.md"]["format"] == "markdown"
    (alike,) = [edge for edge in first["edges"] if edge["relation"] == "similarity"]
    assert {alike["source"], alike["target"]} == {"home/lease.md", "home/boiler.txt"}
    assert set(alike) == {"source", "target", "relation", "weight", "why"}
    assert program.answer(program.ask("graph", threshold=0))["data"] == first
    apart = program.answer(program.ask("graph", threshold=1))["data"]
    assert {edge["relation"] for edge in apart["edges"]} == {"structure"}
