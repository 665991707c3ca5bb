"""A server whose model is a file made to end llama.cpp: it answers on."""

from __future__ import annotations

from models.tiny_gguf import write_crashing

from .running import running
from .test_http_ask import COUNT, NOTICE, events


def test_a_crafted_model_ends_no_server(indexed, settings, tmp_path):
    crafted = write_crashing(tmp_path / "crafted.gguf")
    chosen = settings.model.model_copy(update={"name": str(crafted)})
    own = settings.model_copy(update={"model": chosen, "cache_dir": settings.cache_dir})
    with running(indexed, own, None) as server:
        for _ in range(2):
            said = server.client.post("/agentic_search", json=NOTICE).text
            assert "crafted.gguf" in said and "it crashed with SIG" in said
        got = events(server.client.post("/agentic_search", json=COUNT))
        assert "2 PDF files" in got[-1].answer
        assert server.client.get("/health").status_code == 200
