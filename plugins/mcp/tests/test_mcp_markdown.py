"""What a program shows of MCP's answers as Markdown leads nowhere; the data beside it is raw."""

from __future__ import annotations

from agent.fake_models import FakeModel
from serve.test_markdown_out import CHAT, SAID, leads

NAME = "![x](http:/127.0.0.1:9911/contract <img src=x>).txt"


async def test_texts_are_harmless_and_data_is_as_it_is(connected, tmp_path):
    place = tmp_path / NAME
    place.parent.mkdir(parents=True)
    place.write_text(f"The contract: the notice period is three months. {SAID}", "utf-8")
    async with connected(tmp_path, FakeModel(SAID), sync=True) as (session, _):
        question = CHAT["messages"][0]["content"]
        asked = await session.call_tool("ask", {"question": question})
        found = await session.call_tool("search", {"query": "notice period"})
        listed = await session.call_tool("list_files", {})
    for answer in (asked, found, listed):
        assert "contract" in answer.content[0].text
        assert not leads(answer.content[0].text), answer.content[0].text
    assert asked.structuredContent["sources"][0]["file"] == NAME
    assert found.structuredContent["results"][0]["file"] == NAME
