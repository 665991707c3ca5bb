"""Lines to requests and answers to lines, without a server."""

from __future__ import annotations

import asyncio
import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manole.errors import BusyError, ManoleError, NotIndexedError, StoreError, UsageError
from manole_stdio.lines import PENDING, LineReader, LineWriter, Splitter
from manole_stdio.protocol import (
    MAX_ID,
    Request,
    RequestError,
    answer,
    error_data,
    event,
    failure,
    parse,
)


def test_a_request_as_the_seed_writes_it():
    line = b'{"id": 1, "method": "query", "params": {"text": "what invoices do I have?"}}'
    assert parse(line) == Request(1, "query", {"text": "what invoices do I have?"})


@pytest.mark.parametrize("line", [b'{"id":0,"method":"x"}', b'{"id":0,"method":"x","params":null}'])
def test_params_may_be_left_out(line):
    assert parse(line) == Request(0, "x", {})


@pytest.mark.parametrize(
    ("line", "id", "said"),
    [
        (b"", None, "not JSON"),
        (b"hello", None, "not JSON"),
        (b'{"id": 1, "method": "status"', None, "not JSON"),
        (b'{"id": 1, "method": "status"} {}', None, "not JSON"),
        (b'\xef\xbb\xbf{"id": 1, "method": "status"}', None, "not JSON"),
        (b'{"id": 1, "method": "\xff"}', None, "not JSON"),
        (b'{"id": 1, "method": "\\ud800"}', None, "not JSON"),
        (b'{"id": NaN, "method": "status"}', None, "not JSON"),
        (b'{"id": 1, "method": "search", "params": {"limit": Infinity}}', None, "not JSON"),
        (b"[" * 100_000, None, "not JSON"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, None, "not JSON"),
        (b"9" * 10_000, None, "not JSON"),
        (None, None, "1,048,576 bytes"),
        (b"[1, 2]", None, "not a JSON object"),
        (b"null", None, "not a JSON object"),
        (b'"status"', None, "not a JSON object"),
        (b'{"method": "status"}', None, "`id`"),
        (b'{"id": null, "method": "status"}', None, "`id`"),
        (b'{"id": true, "method": "status"}', None, "`id`"),
        (b'{"id": "1", "method": "status"}', None, "`id`"),
        (b'{"id": 1.5, "method": "status"}', None, "`id`"),
        (b'{"id": 1e999, "method": "status"}', None, "`id`"),
        (b'{"id": 9007199254740992, "method": "status"}', None, "`id`"),
        (b'{"id": [1], "method": "status"}', None, "`id`"),
        (b'{"id": 1}', 1, "`method`"),
        (b'{"id": 1, "method": 5}', 1, "`method`"),
        (b'{"id": 1, "method": "status", "params": []}', 1, "`params`"),
        (b'{"id": 1, "method": "status", "params": "all"}', 1, "`params`"),
        (b'{"id": 1, "method": "status", "parms": {}}', 1, "'parms'"),
        (b'{"id": 1, "method": "status", "' + b"x" * 9999 + b'": {}}', 1, "xxx"),
    ],
)
def test_a_line_that_is_no_request_is_refused_with_the_id_it_told(line, id, said):
    with pytest.raises(RequestError, match="Send one object a line") as caught:
        parse(line)
    assert said in caught.value.message
    assert len(caught.value.message) < 300
    assert (caught.value.id, caught.value.code) == (id, "bad_request")


def test_the_largest_id_is_kept_as_it_is():
    assert parse(b'{"id": %d, "method": "status"}' % MAX_ID).id == MAX_ID
    assert json.loads(answer(-MAX_ID, {}))["id"] == -MAX_ID


@given(st.binary(max_size=300))
def test_any_bytes_are_a_request_or_refused(line):
    try:
        assert isinstance(parse(line), Request)
    except RequestError as error:
        assert error.hint


@given(st.text(st.characters()), st.text())
def test_a_line_is_one_line_of_ascii_and_says_what_was_given(text, name):
    line = event("token", {"text": text, name: 1})
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == {"id": None, "type": "token", "data": {"text": text, name: 1}}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), "usage"),
        (NotIndexedError("x"), "not_indexed"),
        (StoreError("x"), "store"),
        (ManoleError("x"), "failed"),
        (RequestError("unavailable", "x"), "unavailable"),
    ],
)
def test_an_error_says_message_hint_and_code(error, code):
    assert error_data(error) == {"message": "x", "hint": None, "code": code}


def test_busy_says_when_to_ask_again():
    message = json.loads(failure(4, BusyError("Full.", "Later.", retry_after=7)))
    assert (message["id"], message["type"]) == (4, "error")
    assert message["data"] == {
        "message": "Full.", "hint": "Later.", "code": "busy", "retry_after": 7,
    }  # fmt: skip


# Lines in and out -----------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=20), max_size=20), st.data())
def test_lines_are_found_however_the_bytes_are_cut(lines, data):
    whole = b"\n".join(lines)
    splitter, found = Splitter(10), []
    while whole:
        cut = data.draw(st.integers(1, len(whole)))
        found += splitter.feed(whole[:cut])
        whole = whole[cut:]
    found += splitter.end()
    joined = b"\n".join(lines)
    expected = joined.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert found == [None if len(x) > 10 else x.removesuffix(b"\r") for x in expected]


def test_a_line_without_end_takes_no_memory():
    splitter = Splitter(100)
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000) == []
    assert len(splitter._line) <= 100
    assert splitter.feed(b"\nnext\n") == [None, b"next"]


async def test_lines_of_a_file_are_read_to_its_end(tmp_path):
    (tmp_path / "in").write_bytes(b"one\r\n\ntwo\n" + b"x" * 50 + b"\nlast")
    with (tmp_path / "in").open("rb") as file:
        found = [line async for line in LineReader(file.fileno(), 10)]
    assert found == [b"one", b"", b"two", None, b"last"]


async def test_a_reader_takes_nothing_of_the_next_pipe_that_gets_its_number():
    out, into = os.pipe()
    lines = aiter(LineReader(out, 10))
    os.write(into, b"one\n")
    assert await anext(lines) == b"one"
    os.close(out)
    next_out, next_into = os.pipe()
    assert next_out == out
    os.write(next_into, b"theirs\n")
    os.write(into, b"two\n")
    os.close(into)
    assert [line async for line in lines] == [b"two"]
    assert os.read(next_out, 10) == b"theirs\n"
    os.close(next_out)
    os.close(next_into)


async def test_who_writes_waits_for_a_reader_that_does_not_read_and_every_line_stays_whole():
    out, into = os.pipe()
    writer = LineWriter(into)
    line = b"x" * 10_000 + b"\n"
    written = 0

    async def write():
        nonlocal written
        for _ in range(500):
            await writer.write(line)
            written += 1

    tasks = [asyncio.create_task(write()) for _ in range(3)]
    await asyncio.sleep(0.5)
    assert written <= PENDING + 65536 // len(line) + 2  # the pipe's own buffer, and no more
    read = []
    thread = threading.Thread(target=lambda: read.extend(os.fdopen(out, "rb")))
    thread.start()
    await asyncio.gather(*tasks)
    await writer.close(60)
    os.close(into)
    thread.join()
    assert written == len(read) == 1500
    assert set(read) == {line}


async def test_a_reader_that_is_gone_keeps_nobody_waiting():
    out, into = os.pipe()
    writer = LineWriter(into)
    os.close(out)
    for _ in range(3 * PENDING):
        await asyncio.wait_for(writer.write(b"anyone?\n"), 60)
    await asyncio.wait_for(writer.gone.wait(), 60)
    await writer.close(60)
    os.close(into)
