"""Nothing outside the library, and nothing that its index left out, can be read by any way."""

from __future__ import annotations

import pytest
from mcp.shared.exceptions import McpError
from mcp_clients import text_of
from pydantic import AnyUrl

from agent.fake_models import FakeModel

SECRET = "zebra-pelican-4711"


@pytest.fixture
def folder(tmp_path):
    """A library with ways out of it: links, hidden files, and names that look like some."""
    inside, outside = tmp_path / "library", tmp_path / "outside"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text(f"The password is {SECRET}.\n")
    (inside / "note.txt").write_text("The kettle is in the kitchen.\n")
    (inside / "sub" / "more.txt").write_text("The teapot is in the cellar.\n")
    (inside / ".env").write_text(f"PASSWORD={SECRET}\n")
    (inside / ".hidden.txt").write_text(f"Hidden: {SECRET}\n")
    (inside / "link.txt").symlink_to(outside / "secret.txt")
    (inside / "linked").symlink_to(outside)
    return inside


def ways(folder):
    """Names of the secret, as one might try them."""
    outside = folder.parent / "outside" / "secret.txt"
    return [
        "../outside/secret.txt", "sub/../../outside/secret.txt", str(outside), "/etc/passwd",
        "..%2foutside%2fsecret.txt", "%2e%2e/outside/secret.txt", "..\\outside\\secret.txt",
        "link.txt", "linked/secret.txt", ".env", ".hidden.txt", f"{folder}/.env",
        f"{folder}/../outside/secret.txt", f"{folder}/linked/secret.txt", "~/secret.txt",
        f"file://{outside}", "note.txt/../../outside/secret.txt", "note.txt\0/../../outside",
    ]  # fmt: skip


async def test_no_tool_reads_outside(connected, folder):
    async with connected(folder, FakeModel("no"), sync=True) as (session, _):
        for way in ways(folder):
            for file in (way, f"manole://library/{way}"):
                answer = await session.call_tool("read", {"file": file})
                assert answer.isError, file
                assert SECRET not in text_of(answer)
            for name, arguments in (
                ("search", {"query": f"password {SECRET[:5]}", "path": way}),
                ("ask", {"question": "What is the password?", "scope": way}),
            ):
                answer = await session.call_tool(name, arguments)
                assert answer.isError, (name, way)
                assert SECRET not in text_of(answer)
            for name, arguments in (
                ("list_files", {"folder": way}),
                ("count_files", {"folder": way, "name": way}),
                ("grep_files", {"pattern": way}),
                ("file_metadata", {"name_hint": way}),
            ):
                answer = await session.call_tool(name, arguments)
                files = [o["file"] for o in (answer.structuredContent or {}).get("objects", [])]
                assert set(files) <= {"note.txt", "sub/more.txt"}, (name, way)


async def test_no_resource_lies_outside(connected, folder):
    async with connected(folder, sync=True) as (session, _):
        listed = (await session.list_resources()).resources
        assert [resource.name for resource in listed] == ["note.txt", "sub/more.txt"]
        for way in ways(folder):
            encoded = way.replace("/", "%2f").replace("\0", "%00").replace("..", "%2e%2e")
            for uri in (f"manole://library/{way}", f"manole://library/{encoded}", f"file://{way}"):
                with pytest.raises((McpError, ValueError)) as caught:
                    await session.read_resource(AnyUrl(uri))
                assert SECRET not in str(caught.value)


async def test_what_became_a_link_after_the_sync_is_not_followed(connected, folder):
    async with connected(folder, sync=True) as (session, _):
        note = folder / "note.txt"
        note.unlink()
        note.symlink_to(folder.parent / "outside" / "secret.txt")
        answer = await session.call_tool("read", {"file": "note.txt"})
        assert "kettle" in answer.structuredContent["text"]
        (part,) = (await session.read_resource(AnyUrl("manole://library/note.txt"))).contents
        assert SECRET not in part.text


async def test_the_way_in_is_the_same_for_the_own_files(connected, folder):
    async with connected(folder, sync=True) as (session, _):
        for way in ("note.txt", "sub/../note.txt", f"{folder}/note.txt", "./note.txt"):
            answer = await session.call_tool("read", {"file": way})
            assert "kettle" in answer.structuredContent["text"]
