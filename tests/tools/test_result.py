"""`Result`, `Inputs` and `Tool`: what every tool has in common."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from manole.tools.base import Error, Inputs, Result
from manole.tools.objects import Figure
from manole.tools.registry import Registry


def test_placeholders_are_filled_from_objects_name_and_metadata():
    result = Result(
        objects=[Figure(), Figure()],
        metadata={"query": "cats", "top": 3},
        name="passages",
        llm_message="{num_objects} {name} for {query}, top {top}",
    )
    assert result.message == "2 passages for cats, top 3"


def test_braces_of_a_document_are_left_alone():
    result = Result(llm_message="{unknown} {0} {} {x!r} {num_objects}")
    assert result.message == "{unknown} {0} {} {x!r} 0"


def test_an_error_is_recoverable_unless_it_says_otherwise():
    assert Error("no").recoverable
    assert Error("no").suggestion is None


class Wanted(Inputs):
    query: str


def test_inputs_are_trimmed_frozen_and_strict():
    inputs = Wanted(query="  x ")
    assert inputs.query == "x"
    with pytest.raises(ValidationError):
        inputs.query = "y"
    with pytest.raises(ValidationError):
        Wanted(query="x", other=1)


@pytest.mark.parametrize("name", Registry().names)
def test_every_tool_tells_a_model_in_one_line_what_it_does(name):
    tool = Registry()[name]
    assert tool.description
    assert "\n" not in tool.description
    assert tool.available_when
