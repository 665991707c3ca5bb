"""A chat model behind an endpoint of OpenAI's protocol on loopback, its replies written here.

What it is asked is told apart by the beginning of the prompt, as each role of a model has its own:
the decisions of a loop come one after the other, the facts of a passage, a plan and so on are the
same for every call. So a script still fits where a strategy asks one call more.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
# Text, the fields of a delta, the `status` of a refusal, or what is made of the prompt.
Reply = str | Body | Callable[[str], str]

NOTHING = '{"relevant": false, "facts": []}'
ROLES = {  # what a prompt of the role holds
    "fact": "does it contain information relevant to the question?",
    "plan": "Analyze this user question and extract search parameters.",
    "reduce": "Using ONLY these facts",
    "decide": "You are a personal file assistant.",
    "tree": "You are the decision agent",
    "summary": "You note the key points",
    "respond": "Based on the retrieved information",
    "rewrite": "Rewrite the last question",
    "intent": "Classify this question about a person's files",
    "query": "into one SQLite query",
}
FINAL = "Give a concise final answer based on the information above."


class FakeEndpoint:
    """The endpoint: `url`, the bodies of all requests in `asked`, and what it answers.

    `decisions` are used up, then `final` is said. Roles that were not scripted say `final`, too.
    """

    def __init__(self, *decisions: Reply, final: Reply = "I do not know.", **roles: Reply) -> None:
        self.url = ""
        self.script(*decisions, final=final, **roles)

    def script(self, *decisions: Reply, final: Reply = "I do not know.", **roles: Reply) -> None:
        """Begin anew with other replies."""
        self.decisions = list(decisions)
        self.final = final
        self.roles: dict[str, Reply] = {"fact": NOTHING, **roles}
        self.asked: list[Body] = []

    def prompts(self, role: str) -> list[Body]:
        """The requests that were made in a role, in order."""
        return [body for body in self.asked if role_of(body) == role]

    def talks(self, role: str = "decide") -> list[list[dict[str, str]]]:
        """The messages of those requests."""
        return [body["messages"] for body in self.prompts(role)]

    def reply(self, body: Body) -> Body:
        """The delta that answers a request."""
        self.asked.append(body)
        role = role_of(body)
        if role in ("decide", "select", "tree") and role not in self.roles and self.decisions:
            said: Reply = self.decisions.pop(0)
        else:
            said = self.roles.get(role, self.final)
        if callable(said):
            said = said(_text(body))
        return {"content": said} if isinstance(said, str) else dict(said)


def call(name: str, **params: object) -> str:
    """A tool call as the model is told to write it."""
    return json.dumps({"name": name, "params": params})


def native(name: str, **params: object) -> Body:
    """The delta of a tool call in the protocol's own form."""
    function = {"name": name, "arguments": json.dumps(params)}
    return {"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}


def fact(about: str, *facts: str) -> Callable[[str], str]:
    """What a sensible model finds: these facts in the passages that hold a text."""
    found = json.dumps({"relevant": True, "facts": facts})
    return lambda prompt: found if about in prompt.split("Text:", 1)[-1] else NOTHING


def _text(body: Body) -> str:
    parts = []
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, list):  # with pictures
            content = " ".join(part.get("text", "") for part in content)
        parts.append(content)
    return "\n".join(parts)


def role_of(body: Body) -> str:
    """The role in which a request was made."""
    text = _text(body)
    if text.endswith(FINAL):
        return "final"
    if any(isinstance(message["content"], list) for message in body["messages"]):
        return "sight"  # a picture is shown
    if "RECENT_ENTRIES" in text and "DONE" in text:  # the selector is told of both
        return "select"
    return next((role for role, mark in ROLES.items() if mark in text), "other")


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def serving(endpoint: FakeEndpoint) -> Iterator[FakeEndpoint]:
    """Serve an endpoint."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            delta = endpoint.reply(body)
            if "status" in delta:
                self.send_error(delta["status"])
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            words = (delta.pop("content", None) or "").split(" ")
            for piece in [{"content": f"{' ' * bool(n)}{w}"} for n, w in enumerate(words)] + [
                delta
            ]:
                self._send({"choices": [{"index": 0, "delta": piece, "finish_reason": None}]})
            self._send({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, event: Body) -> None:
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
