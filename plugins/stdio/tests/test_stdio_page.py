"""The page on the protocol names every method, param and code."""

from __future__ import annotations

import re
from pathlib import Path

from manole_stdio import params, protocol
from manole_stdio.methods import Methods

PAGE = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


def rows(heading):
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [
        re.split(r"\s*\|\s*", line)[1:-1] for line in section.splitlines() if line.startswith("| `")
    ]


def names(cell):
    return re.findall(r"`(\w+)`", cell)


def test_every_method_with_its_params():
    told = {names(row[0])[0]: names(row[1].partition("(`")[0]) for row in rows("Methods")}
    table = {name: method.params for name, method in Methods(None, None, None).table.items()}
    table |= {"cancel": params.Cancel, "shutdown": params.Params}
    assert told == {name: list(model.model_fields) for name, model in table.items()}


def test_every_code():
    told = {name for row in rows("Errors") for name in names(row[0])}
    own = {
        name
        for file in Path(protocol.__file__).parent.glob("*.py")
        for name in re.findall(r'RequestError\(\s*"(\w+)"', file.read_text("utf-8"))
    }
    assert told == {code for _, code in protocol._CODES} | own | {"bad_request", "failed"}
