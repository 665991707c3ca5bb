"""Ten thousand lines that are no requests: each is answered, and the server lives on."""

from __future__ import annotations

import json
import random
import threading

from manole_stdio.protocol import MAX_LINE

LINES = 10_000
SAMPLES = (
    {"id": 1, "method": "search", "params": {"text": "boiler", "limit": 3}},
    {"id": 2, "method": "query", "params": {"text": "how many files?", "max_iterations": 2}},
    {"id": 3, "method": "conversation_rename", "params": {"id": "a", "title": "b"}},
)
ODD = (
    None, True, False, -1, 1.5, 2**53, 2**70, "", "1", "é", [], [1], {}, {"a": 1}, "x" * 500,
    "\x00", "\u2028", [[[]]], {"id": {"id": 1}},
)  # fmt: skip
METHODS = ("", "Query", "query ", "eval", "__init__", "../search", "rpc.discover", "search\n")


def noise(chance):
    """Random bytes without a line end."""
    data = bytes(chance.randrange(256) for _ in range(chance.randrange(80)))
    return data.replace(b"\n", b" ")


def torn(chance):
    """A request with a piece missing, doubled or changed."""
    line = bytearray(json.dumps(chance.choice(SAMPLES)).encode())
    at = chance.randrange(1, len(line))
    match chance.randrange(3):
        case 0:
            del line[at:]
        case 1:
            line[at:at] = chance.choice([b"\xff", b'"', b"\x00", b"\xc3("])  # not even in a text
        case _:
            line += chance.choice([b"}", b"{}", b" x", bytes(line)])
    return bytes(line)


def odd_fields(chance):
    """A JSON object whose fields are not what a request's are."""
    request = json.loads(json.dumps(chance.choice(SAMPLES)))
    match chance.randrange(6):
        case 0:
            request["id"] = chance.choice([o for o in ODD if o != -1])
        case 1:
            request["method"] = chance.choice([*METHODS, *(o for o in ODD if o != "query")])
        case 2:
            request["params"] = chance.choice([o for o in ODD if o is not None])
        case 3:
            request[chance.choice(["params ", "param", "Method", "", "jsonrpc"])] = chance.choice(
                ODD
            )
        case 4:
            request["params"][chance.choice(["Text", "", "limits", "é", "x" * 300])] = 1
        case _:
            name = chance.choice([k for k in request["params"] if k != "title"])
            request["params"][name] = chance.choice([True, [], {}, -1, 2.5, 2**40])
    return json.dumps(request, ensure_ascii=chance.random() < 0.5).encode()


def other_json(chance):
    """JSON that is no object, or that nests deeply, or numbers that are none."""
    deep = chance.randrange(1, 3000)
    return chance.choice(
        [
            b"[" * deep + b"]" * deep,
            b'{"id":' * deep + b"1" + b"}" * deep,
            b'{"id":1,"method":"search","params":' + b'{"text":' * deep + b"1" + b"}" * deep + b"}",
            json.dumps(chance.choice(ODD[:10])).encode(),
            b'{"id": NaN, "method": "status"}',
            b'{"id": 1, "method": "search", "params": {"text": "a", "limit": -Infinity}}',
            b'{"id": 1e400, "method": "status"}',
            b'{"id": ' + b"9" * (20 + deep) + b', "method": "status"}',
        ]
    )


def malformed(seed):
    """The lines, the same ones for a seed; a few are longer than any line may be."""
    chance = random.Random(seed)
    kinds = (noise, torn, odd_fields, odd_fields, other_json)
    lines = [chance.choice(kinds)(chance) for _ in range(LINES - 3)]
    for long in (
        b"x" * (MAX_LINE + 1),
        b'{"id": 1, "method": "search", "params": {"text": "' + b"a" * MAX_LINE + b'"}}',
        b"{" * (3 * MAX_LINE),
    ):
        lines.insert(chance.randrange(len(lines)), long)
    return lines


def test_each_malformed_line_gets_an_error_and_the_server_still_answers(program):
    lines = malformed(seed=20261122)
    before = len(program.messages)
    sending = threading.Thread(target=lambda: [program.send(line) for line in lines], daemon=True)
    sending.start()
    last = 10**9
    sending.join(120)
    assert not sending.is_alive()
    program.send({"id": last, "method": "search", "params": {"text": "boiler", "limit": 1}})
    found = program.answer(last)
    assert found["data"]["results"][0]["file"] == "home/boiler.txt"
    meanwhile = program.messages[before : program.messages.index(found)]
    answers = [m for m in meanwhile if m["type"] != "progress"]  # of weights that are verified
    wrong = [m for m in answers if m["type"] != "error"]
    assert wrong == []
    assert len(answers) == LINES
    codes = {m["data"]["code"] for m in answers}
    assert codes <= {"bad_request", "unknown_method", "bad_params", "usage"}
    assert {"bad_request", "unknown_method", "bad_params"} <= codes
    assert all(m["data"]["message"] and len(m["data"]["message"]) < 500 for m in answers)
