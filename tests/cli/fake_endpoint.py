"""A model endpoint on loopback that answers the same text to everything, or never."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Server(ThreadingHTTPServer):
    """Minds no caller that hangs up."""

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def fake_endpoint(text: str | None) -> Iterator[tuple[str, list[str]]]:
    """Serve `text` as every answer (`None`: keep the caller waiting); gives URL and prompts."""
    prompts: list[str] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompts.append("\n".join(m["content"] for m in body["messages"]))
            if text is None:
                over.wait(60)
                return
            self.send_response(200)
            self.end_headers()
            if not body.get("stream"):
                message = {"role": "assistant", "content": text}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                whole = {"id": "1", "object": "chat.completion", "created": 0, "model": "fake"}
                self.wfile.write(json.dumps(whole | {"choices": [choice]}).encode())
                return
            for word in text.split(" "):
                choice = {"delta": {"content": f"{word} "}, "finish_reason": None}
                self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", prompts
    finally:
        over.set()
        server.shutdown()
        server.server_close()
