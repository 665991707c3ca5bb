"""What `/v1/chat/completions` and MCP say is shown as Markdown elsewhere: it must lead nowhere."""

from __future__ import annotations

import asyncio
import json

import pytest
from markdown_it import MarkdownIt

from agent.fake_models import FakeModel
from manole.library import Library

from .running import running

SAID = (
    "The notice period is three months [1]. ![x](//127.0.0.1:9911/y) <img src='//127.0.0.1:9911/z'>"
    " [here](http:/127.0.0.1:9911)\n\n[1]: http://127.0.0.1:9911/q"
)
CHAT = {
    "model": "manole",
    "messages": [{"role": "user", "content": "What is the notice period of the contract?"}],
}


@pytest.fixture(scope="module")
def evil(tmp_path_factory, settings):
    """A folder whose file has a picture for a name, indexed."""
    folder = tmp_path_factory.mktemp("evil")
    place = folder / "![x](http:" / "127.0.0.1:9911" / "contract <img src=x>).txt"
    place.parent.mkdir(parents=True)
    place.write_text("The contract: the notice period is three months.", "utf-8")

    async def index() -> None:
        async with await Library.open(folder, settings) as library:
            await library.sync()

    asyncio.run(index())
    return folder


def leads(markdown):
    tokens = MarkdownIt("commonmark", {"html": True}).parse(markdown)
    kinds = {child.type for token in tokens for child in token.children or []}
    kinds |= {token.type for token in tokens}
    return kinds & {"link_open", "image", "html_inline", "html_block"}


def test_an_answer_for_chat_programs_has_no_pictures_links_and_html(evil, settings):
    with running(evil, settings, FakeModel(SAID), openai_api=True) as server:
        whole = server.client.post("/v1/chat/completions", json=CHAT).json()
        streamed = server.client.post("/v1/chat/completions", json=CHAT | {"stream": True}).text
        raw = server.client.post("/agentic_search", json={"query": CHAT["messages"][0]["content"]})
    chunks = [json.loads(line[6:]) for line in streamed.split("\n") if line.startswith("data: {")]
    pieces = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks)
    for text in (whole["choices"][0]["message"]["content"], pieces):
        assert "three months" in text
        assert "contract" in text.partition("Sources:")[2]
        assert not leads(text), text
    assert leads(SAID) and "![x](http:/127.0.0.1:9911/contract <img" in raw.text
