"""Reading tool calls from what a small model writes: four formats, and worse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.models.chat.protocol import ToolCall
from manole_strategies.tool_calls import parse_tool_call

NAMES = {"count_files", "semantic_search", "list_files", "disk_usage", "respond"}
PARAMETERS = {"count_files": ["extension", "time_filter"], "semantic_search": ["query", "top_k"]}
PDFS = ToolCall("count_files", {"extension": "pdf"})


def parse(text):
    return parse_tool_call(text, NAMES, PARAMETERS)


@pytest.mark.parametrize(
    "text",
    [
        # 1. LFM2's own
        '<|tool_call_start|>[count_files(extension="pdf")]<|tool_call_end|>',
        'Sure!<|tool_call_start|>[count_files(extension="pdf")]<|tool_call_end|> Done.',
        '<|tool_call_start|>[count_files(extension="pdf")]',
        '<|tool_call_start|>{"tool": "count_files", "params": {"extension": "pdf"}}'
        "<|tool_call_end|>",
        # 2. JSON
        '{"name": "count_files", "params": {"extension": "pdf"}}',
        '{"tool": "count_files", "inputs": {"extension": "pdf"}, "reasoning": "asked"}',
        '{"name": "count_files", "arguments": {"extension": "pdf"}}',
        '{"name": "count_files", "arguments": "{\\"extension\\": \\"pdf\\"}"}',
        '{"name": "count_files", "parameters": {"extension": "pdf"}}',
        '{"tool": "count_files", "extension": "pdf"}',
        '{"function": {"name": "count_files", "arguments": {"extension": "pdf"}}}',
        '```json\n{"name": "count_files", "params": {"extension": "pdf"}}\n```',
        'I will count. {"name": "count_files", "params": {"extension": "pdf"}} There.',
        '{"name": " count_files ", "params": {"extension": "pdf"}}',
        # 3. brackets
        '[count_files(extension="pdf")]',
        "[count_files(extension='pdf')]",
        # 4. a bare call
        'count_files(extension="pdf")',
        "count_files(extension=pdf)",
        'count_files ( extension = "pdf" )',
        'count_files("pdf")',
        "Let me call count_files('pdf') now.",
    ],
)
def test_four_formats_give_the_same_call(text):
    assert parse(text) == PDFS


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "count_files", "params": {"extension": "pdf"}',
        '{"name": "count_files", "params": {"extension": "pdf"',
        "{'name': 'count_files', 'params': {'extension': 'pdf'}}",
        '{name: "count_files", params: {extension: "pdf"}}',
        '{"name": "count_files", "params": {"extension": "pdf",},}',
        '{"name": "count_files" "params": {"extension": "pdf"}}',
    ],
)
def test_broken_json_is_repaired(text):
    assert parse(text) == PDFS


def test_positional_arguments_find_their_names():
    assert parse("semantic_search('rent', 3)") == ToolCall(
        "semantic_search", {"query": "rent", "top_k": 3}
    )
    assert parse("semantic_search('rent', top_k=3)").arguments == {"query": "rent", "top_k": 3}
    assert parse("count_files('a', 'b', 'c')").arguments == {"extension": "a", "time_filter": "b"}


def test_brackets_and_commas_in_quotes_are_text():
    assert parse('semantic_search(query="a) b, (c) \\"d\\"")').arguments == {
        "query": 'a) b, (c) "d"'
    }


def test_no_arguments():
    assert parse("disk_usage()") == ToolCall("disk_usage", {})
    assert parse('{"tool": "disk_usage"}') == ToolCall("disk_usage", {})
    assert parse('{"tool": "disk_usage", "inputs": null}').name == "disk_usage"


def test_the_first_known_call_counts():
    assert parse('count_files("pdf") list_files()') == PDFS
    assert parse('remove("all") then count_files("pdf")') == PDFS
    assert (
        parse('[{"name": "count_files", "params": {"extension": "pdf"}}, {"name": "list_files"}]')
        == PDFS
    )


@pytest.mark.parametrize(
    "text",
    ["", "There are 12 PDF files.", "rm('/')", '{"name": "rm", "params": {"path": "/"}}', "{}",
     '{"params": {"extension": "pdf"}}', "count_files", "[]", "null", '{"name": 3}', "count_files(",
     '{"name": ["count_files"]}', "my_count_files('pdf')"],
)  # fmt: skip
def test_what_is_no_call_of_a_known_tool_is_ignored(text):
    assert parse(text) is None


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('touch {}')",
        "open('{}', 'w').write('x')",
        "[open('{}', 'w') for _ in [1]]",
        "(lambda: open('{}', 'w'))()",
        "f\"{{open('{}', 'w')}}\"",
    ],
)
def test_nothing_is_ever_executed(tmp_path, code):
    trap = tmp_path / "trap"
    call = parse(f"count_files(extension={code.format(trap)})")
    assert not trap.exists()
    assert call is None or isinstance(call.arguments.get("extension", ""), str)


def test_deep_nesting_is_survived():
    parse("count_files(" + "(" * 3000 + ")" * 3000 + ")")
    parse("{" * 2000)
    parse('{"name":' + "[" * 2000)


PIECES = st.sampled_from(
    ["count_files", "(", ")", "[", "]", "{", "}", '"', "'", ":", ",", "=", "name", "params", "\\",
     "<|tool_call_start|>", "<|tool_call_end|>", "pdf", " ", "\n", "*", "**", "1e999", "\x00"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
def test_no_text_makes_it_fail(text):
    call = parse(text)
    if call is not None:
        assert call.name in NAMES
        assert all(isinstance(key, str) for key in call.arguments)
