"""`manole library map`: the map of files on the screen, and for programs."""

from __future__ import annotations

import json

import pytest


def test_the_map_as_json(manole, indexed):
    ran = manole("library", "map", indexed, "--json")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    nodes = {node["id"]: node for node in told["nodes"]}
    bill = nodes["electricity/electricity-bill-2023.pdf"]
    assert (bill["kind"], bill["format"]) == ("file", "pdf")
    assert nodes["electricity/"]["kind"] == "folder"
    assert {edge["relation"] for edge in told["edges"]} == {"similarity", "reference", "structure"}
    bills = [
        edge
        for edge in told["edges"]
        if edge["source"] == "electricity/electricity-bill-2023.pdf"
        and edge["target"] == "electricity/electricity-bill-2024.pdf"
    ]
    assert [edge["relation"] for edge in bills] == ["similarity"]
    assert bills[0]["weight"] > 0.8


def test_the_threshold_leaves_out_what_is_less_alike(manole, indexed):
    def alike(threshold: str) -> int:
        told = json.loads(
            manole("library", "map", indexed, "--json", "--threshold", threshold).stdout
        )
        return sum(edge["relation"] == "similarity" for edge in told["edges"])

    assert alike("0.9") < alike("0.6") < alike("0.3")


def test_a_summary_for_a_person(manole, indexed):
    ran = manole("library", "map", indexed)
    assert ran.returncode == 0, ran.stderr
    assert "files with text" in ran.stdout
    assert "finance/budget-2022.xlsx | finance/budget-2023.xlsx" in ran.stdout
    assert "e-mail mara.linde@example.org" in ran.stdout


@pytest.mark.parametrize("threshold", ["1.5", "nan"])
def test_what_makes_no_sense_is_told(manole, indexed, threshold):
    ran = manole("library", "map", indexed, "--threshold", threshold)
    assert ran.returncode == 2
    assert "threshold" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_without_an_index_there_is_no_map(manole, tmp_path):
    (tmp_path / "empty").mkdir()
    ran = manole("library", "map", "empty")
    assert ran.returncode == 1
    assert "has no index yet" in ran.stderr
