"""Tool choice: cases read, their schemas made proper, calls judged by the leaderboard's rules."""

import json

import pytest

from manole.errors import UsageError
from manole.models.chat.protocol import ToolCall
from toolcalls import arguments_fit, judge, load, parse, safe, schema

RIDE = {
    "id": "1",
    "question": "A ride from Elm Street, at most 600 seconds.",
    "tools": [
        {
            "name": "uber.ride",
            "description": "Finds a ride.",
            "parameters": {
                "type": "dict",
                "required": ["loc", "time"],
                "properties": {
                    "loc": {"type": "string", "description": "Where."},
                    "time": {"type": "float"},
                    "stops": {"type": "array", "items": {"type": "dict", "properties": {}}},
                    "extra": {"type": "any"},
                },
            },
        }
    ],
    "answers": [{"uber.ride": {"loc": ["Elm Street", "Elm St."], "time": [600], "stops": [""]}}],
}
CASE = parse(RIDE)
NONE = parse(RIDE | {"answers": [], "call_expected": False})


def call(name="uber_ride", **arguments):
    return ToolCall(name, arguments)


def test_types_get_their_json_names_all_the_way_down():
    made = CASE.functions[0].parameters
    assert made["type"] == "object"
    assert made["required"] == ["loc", "time"]
    assert made["additionalProperties"] is False
    inputs = made["properties"]
    assert inputs["loc"] == {"type": "string", "description": "Where."}
    assert inputs["time"] == {"type": "number"}
    assert inputs["stops"]["items"]["type"] == "object"
    assert inputs["extra"] == {}


def test_a_required_input_that_does_not_exist_is_not_required():
    made = schema({"type": "dict", "properties": {"a": {"type": "float"}}, "required": ["a", "b"]})
    assert made["required"] == ["a"]


def test_names_are_made_safe():
    assert safe("uber.ride v2") == "uber_ride_v2"
    assert CASE.functions[0].name == CASE.wanted[0][0] == "uber_ride"


@pytest.mark.parametrize(
    ("made", "tool", "arguments"),
    [
        (call(loc="elm street", time=600.0), True, True),
        (call("uber.ride", loc="Elm St", time=600), True, True),
        (call(loc="Elm Street", time=60), True, False),
        (call(loc="Elm Street"), True, False),
        (call(loc="Elm Street", time=600, tip=5), True, False),
        (call(loc="Elm Street", time=600, stops=["a"]), True, False),
        (call("walk", loc="Elm Street", time=600), False, False),
        (None, False, False),
    ],
)
def test_a_call_is_judged_by_name_then_by_every_argument(made, tool, arguments):
    judged = judge(CASE, made)
    assert (judged.tool, judged.arguments) == (tool, arguments)
    assert judged.expected
    assert judged.called is (made is not None)


def test_where_none_fits_none_is_right():
    assert judge(NONE, None).tool
    assert judge(NONE, None).arguments
    assert not judge(NONE, call(loc="Elm Street", time=600)).tool
    assert not judge(NONE, None).expected


def test_of_several_calls_wanted_one_is_enough():
    both = parse(RIDE | {"answers": [{"uber.ride": {"loc": ["A"]}}, {"uber.ride": {"loc": ["B"]}}]})
    assert judge(both, call(loc="b")).arguments
    assert not judge(both, call(loc="c")).arguments


@pytest.mark.parametrize(
    ("given", "allowed", "fits"),
    [
        (True, [True], True),
        (1, [True], False),
        ([1, 2], [[1, 2]], True),
        ([2, 1], [[1, 2]], False),
        (["New York, NY"], [["new york ny"]], True),
        ({"a": 1, "b": "x"}, [{"a": [1, 2], "b": ["X"]}], True),
        ({"a": 3}, [{"a": [1, 2]}], False),
        ({"a": 1}, [{"a": [1], "b": [""]}], True),
        ("1", [1], False),
        (None, [None], True),
    ],
)
def test_values_are_the_same_by_content(given, allowed, fits):
    assert arguments_fit({"x": given}, {"x": allowed}) is fits


def test_a_file_is_read_and_its_wrong_line_named(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(RIDE) + "\n\n" + json.dumps(RIDE | {"id": "2"}))
    assert [case.id for case in load(path)] == ["1", "2"]
    path.write_text(json.dumps(RIDE) + '\n{"id": 3}')
    with pytest.raises(UsageError, match="line 2"):
        load(path)
    path.write_text("\n")
    with pytest.raises(UsageError, match="no cases"):
        load(path)
