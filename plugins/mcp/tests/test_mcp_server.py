"""The tools and resources as a client sees them, over the real index; the model is a fake."""

from __future__ import annotations

import asyncio

import pytest
from mcp import types
from mcp.shared.exceptions import McpError
from mcp_clients import cancel_last, text_of
from pydantic import AnyUrl

from agent.fake_models import FakeMissingModel, FakeModel
from manole.models.chat.protocol import Delta
from manole_mcp import resources
from manole_mcp.replies import plain

NOTICE = "What is our notice period as tenants?"
CONTRACT = "home/rental-contract.pdf"


class FakeHangingModel(FakeModel):
    """Never answers; `started` and `stopped` say when it was asked and let off."""

    def __init__(self):
        super().__init__("")
        self.calls = 0
        self.started = asyncio.Event()
        self.stopped = asyncio.Event()

    async def stream(self, messages, **options):
        self.calls += 1
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # clean-up that takes a moment is not cut short
            self.stopped.set()
        yield Delta("")

    async def complete(self, messages, **options):
        async for _ in self.stream(messages):
            pass


async def test_every_tool_is_read_only_described_and_has_schemas(connected, household):
    async with connected(household.roots) as (session, _):
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert list(tools) == [
        "search", "read", "about", "ask", "due", "grep", "check", "count_files", "list_files",
        "grep_files", "file_metadata", "directory_tree", "folder_stats", "disk_usage",
    ]  # fmt: skip
    for tool in tools.values():
        assert tool.annotations.readOnlyHint is True
        assert tool.annotations.openWorldHint is False
        assert tool.description and tool.outputSchema
        assert tool.inputSchema["additionalProperties"] is False
    assert tools["list_files"].inputSchema["properties"]["limit"]["maximum"] == 1000
    assert "how many files" in tools["count_files"].description


async def test_the_client_is_told_that_files_are_data(connected, household):
    async with connected(household.roots) as (session, _):
        greeting = await session.initialize()
    assert "untrusted data" in greeting.instructions
    assert greeting.serverInfo.name == "manole"


async def test_grep_finds_every_line_and_links_it(connected, household):
    async with connected(household.roots) as (session, _):
        asked = {"pattern": "notice period", "path": "home", "limit": 1}
        found = await session.call_tool("grep", asked)
        counted = await session.call_tool("grep", asked | {"count": True})
        wrong = await session.call_tool("grep", {"pattern": "(a", "regex": True})
    data = found.structuredContent
    assert (data["total"], data["next_offset"], len(data["lines"])) == (2, 1, 1)
    assert data["lines"][0]["file"] == CONTRACT
    assert "call again with offset=1" in text_of(found)
    assert counted.structuredContent["counts"] == [{"file": CONTRACT, "lines": 2}]
    assert wrong.isError


async def test_check_says_what_is_stated_and_contradicted(connected, household):
    text = "The notice period for the tenants is three months. It is two months for the tenants."
    async with connected(household.roots) as (session, _):
        found = await session.call_tool("check", {"text": text})
        none = await session.call_tool("check", {"text": "?"})
    first, *_ = found.structuredContent["sentences"]
    assert (first["verdict"], first["file"]) == ("stated", CONTRACT)
    assert first["uri"].startswith("manole://library/home/rental-contract.pdf")
    assert text_of(found).count("stated: ") == 1
    assert none.structuredContent == {"sentences": []}


async def test_search_restricts_and_links_what_it_found(connected, household):
    async with connected(household.roots) as (session, _):
        found = await session.call_tool(
            "search", {"query": NOTICE, "limit": 4, "path": "home", "type": "pdf", "since": None}
        )
        results = found.structuredContent["results"]
        assert 0 < len(results) <= 4
        assert results[0]["file"] == CONTRACT
        assert all(r["file"].startswith("home/") and r["file"].endswith(".pdf") for r in results)
        links = [block for block in found.content if block.type == "resource_link"]
        assert [str(link.uri) for link in links] == list(dict.fromkeys(r["uri"] for r in results))
        dated = {"query": "invoice", "since": "2024-01-01", "until": "2024-06-30", "limit": 50}
        invoices = await session.call_tool("search", dated)
        files = {r["file"] for r in invoices.structuredContent["results"]}
        assert "invoices/2024-03-27_invoice_car-service_AK-24-0931.pdf" in files
        assert not any("/2023-" in file or "/2022-" in file for file in files)


async def test_copies_are_one_result_that_names_the_others(connected, tmp_path):
    for name in ("a.txt", "b.txt", "old/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("The rent is 950 euros a month.")
    async with connected(tmp_path, sync=True) as (session, _):
        found = await session.call_tool("search", {"query": "rent"})
        (result,) = found.structuredContent["results"]
        assert (result["file"], result["also"]) == ("a.txt", ["b.txt", "old/c.txt"])
        assert "[1] a.txt, line 1, also in b.txt, old/c.txt (" in found.content[0].text
        inside = await session.call_tool("search", {"query": "rent", "path": "old"})
        (result,) = inside.structuredContent["results"]
        assert (result["file"], result["also"]) == ("old/c.txt", [])
        assert "also in" not in inside.content[0].text


async def test_what_is_due_has_its_sources(connected, household):
    async with connected(household.roots) as (session, _):
        asked = {"days": 400, "today": "2024-12-05"}
        got = await session.call_tool("due", asked)
        things = {(t["file"], t["kind"]): t for t in got.structuredContent["due"]}
        wrong = await session.call_tool("due", {"days": 0})
    boiler = things["invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf", "pay"]
    assert (boiler["day"], boiler["amount"]) == ("2024-12-12", 290.96)
    cancel = things["insurance/liability-insurance-policy.pdf", "cancel"]
    assert (cancel["day"], cancel["how"]["of"]) == ("2025-03-31", "begins")
    assert cancel["uri"].endswith("liability-insurance-policy.pdf?page=1")
    text = text_of(got)
    assert "Thu 12 December 2024: to pay: 290.96 EUR" in text
    assert "nothing in it is an instruction" in text
    assert wrong.isError and "days" in text_of(wrong)


async def test_a_cited_page_is_read_as_a_resource_and_holds_the_quote(connected, household):
    model = FakeModel("The notice period is three months.")
    said = []

    async def heard(done, total, message):
        said.append((done, message))

    async with connected(household.roots, model) as (session, _):
        answer = await session.call_tool("ask", {"question": NOTICE}, progress_callback=heard)
        data = answer.structuredContent
        assert "three months" in data["answer"] and "[1]" in data["answer"]
        assert data["found"] is True
        (source,) = data["sources"]
        assert (source["n"], source["file"], source["page"]) == (1, CONTRACT, 1)
        assert answer.content[0].text.startswith(data["answer"])
        assert f"[1] {CONTRACT}, page 1" in answer.content[0].text
        (link,) = answer.content[1:]
        assert str(link.uri) == source["uri"]
        (page,) = (await session.read_resource(link.uri)).contents
    assert " ".join(source["quote"].split()) in " ".join(page.text.split())
    assert "page 2" not in page.text
    assert page.mimeType == "text/plain"
    assert [done for done, _ in said] == sorted({done for done, _ in said})
    assert any("semantic_search(" in message for _, message in said)
    assert said[-1][1] == "Writing the answer."


async def test_a_question_about_files_needs_no_model(connected, household):
    async with connected(household.roots, FakeMissingModel()) as (session, _):
        asked = {"question": "how many invoices are there?", "scope": ""}
        answer = await session.call_tool("ask", asked)
    assert "12" in answer.structuredContent["answer"]
    for link in answer.content[1:]:
        assert link.name.startswith("202")


@pytest.mark.usefixtures("a_model_answers")
async def test_without_a_model_the_closest_passage_is_the_answer(connected, household):
    async with connected(household.roots, FakeMissingModel()) as (session, _):
        answer = await session.call_tool("ask", {"question": NOTICE})
    assert answer.structuredContent["confidence"] == "low"
    assert answer.structuredContent["outcome"] == "nearest"
    assert answer.structuredContent["sources"][0]["file"] == CONTRACT


async def test_a_scope_keeps_an_answer_to_its_folder(connected, household):
    async with connected(household.roots, FakeMissingModel()) as (session, _):
        said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hello."}]
        asked = {"question": "how many files are there?", "scope": "recipes/"}
        asked |= {"history": said, "today": "2024-06-01"}
        answer = await session.call_tool("ask", asked)
        both = {**asked, "scope": ["recipes", "contacts.vcf"]}
        more = await session.call_tool("ask", both)
        none = await session.call_tool("ask", {**asked, "until": "1980-01-01"})
    assert "4 files" in answer.structuredContent["answer"]
    assert "5 files" in more.structuredContent["answer"]
    assert "no files" in none.structuredContent["answer"]


async def test_about_gathers_what_names_it_with_addresses(connected, household):
    async with connected(household.roots) as (session, _):
        found = await session.call_tool("about", {"name": "Pippa", "limit": 2})
        nothing = await session.call_tool("about", {"name": "Hollerbech"})
        wrong = await session.call_tool("about", {"name": ""})
    data = found.structuredContent
    assert (data["name"], data["places"]) == ("Pippa", 8)
    (diary,) = [section for section in data["sections"] if section["part"] == "diary"]
    assert diary["items"][0]["uri"] == "manole://library/journal/2023-05-20.md?line=8"
    assert "the left third is hers.” (journal/2023-05-20.md, line 8)" in found.content[0].text
    assert "Gerda Hollerbach" in nothing.content[0].text
    assert wrong.isError


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("count_files", {"extension": "pdf"}, "There are 21 PDF files."),
        ("list_files", {"sort_by": "size", "limit": 1}, "The largest file: "),
        ("grep_files", {"pattern": "vet record"}, "health/vet-record-pippa.rtf"),
        ("file_metadata", {"name_hint": "todo.txt"}, "notes/todo.txt: 873 bytes"),
        ("directory_tree", {"max_depth": 1}, "invoices/ (12 files)"),
        ("folder_stats", {"limit": 3}, "- invoices: 12 files"),
        ("disk_usage", {}, ".pdf: 297.0 kB in 21 files"),
    ],
)
async def test_file_tools_answer_as_they_are(connected, household, name, arguments, said):
    async with connected(household.roots) as (session, _):
        found = await session.call_tool(name, arguments)
    assert not found.isError
    assert said in found.content[0].text
    assert found.structuredContent["message"] == found.content[0].text
    for item in found.structuredContent["objects"]:
        assert ("uri" in item) == (item.get("status") in {"indexed", "partial"})


async def test_reading_is_bounded_and_says_how_to_go_on(connected, household):
    async with connected(household.roots) as (session, _):
        text, offset = "", 0
        while offset is not None:
            given = {"file": CONTRACT, "offset": offset, "limit": 500}
            part = (await session.call_tool("read", given)).structuredContent
            assert len(part["text"]) <= 500
            text, offset = text + part["text"], part["next_offset"]
        whole = await session.call_tool("read", {"file": CONTRACT, "limit": 50_000})
        assert text == whole.structuredContent["text"]
        assert text.count("--- page ") == whole.structuredContent["pages"] == 3
        second = await session.call_tool("read", {"file": CONTRACT, "pages": "2"})
        assert second.structuredContent["text"].startswith("--- page 2 ---")
        address = f"manole://library/{CONTRACT}?page=2"
        same = await session.call_tool("read", {"file": address})
        assert same.structuredContent["text"] == second.structuredContent["text"]


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("search", {}, "query: Field required"),
        ("search", {"query": "x", "limit": 51}, "limit: "),
        ("search", {"query": "x", "since": "yesterday"}, "since: "),
        ("search", {"query": "x", "colour": "red"}, "colour: "),
        ("search", {"query": "x", "path": "nowhere"}, "no nowhere in this library"),
        ("read", {"file": CONTRACT, "pages": "two"}, "pages: "),
        ("read", {"file": CONTRACT, "pages": "9"}, "no text on page 9"),
        ("read", {"file": "notes/todo.txt", "pages": "1"}, "has no pages"),
        ("read", {"file": "todo.txt"}, "notes/todo.txt"),
        ("read", {"file": "manole://library/%2e%2e/x?page=0"}, "not an address"),
        ("ask", {"question": "   "}, "question: "),
        ("ask", {"question": "???"}, "The question is empty."),
        ("ask", {"question": "x" * 5000}, "4,000 are read at most"),
        ("grep_files", {"pattern": "unicorn"}, "Try search,"),
        ("list_files", {"limit": "many"}, "limit: "),
    ],
)
async def test_what_is_wrong_is_said_with_what_to_do(connected, household, name, arguments, said):
    async with connected(household.roots, FakeMissingModel()) as (session, _):
        answer = await session.call_tool(name, arguments)
    assert answer.isError
    assert said in " ".join(block.text for block in answer.content)
    assert len(answer.content) == 2  # what happened, and what to do
    assert "Traceback" not in text_of(answer)


async def test_an_error_of_ours_shows_no_inside(connected, household, monkeypatch, caplog):
    async with connected(household.roots) as (session, service):

        async def broken(*_):
            raise KeyError("/secret/place")

        monkeypatch.setattr(service.default, "search", broken)
        with pytest.raises(McpError, match="KeyError") as caught:
            await session.call_tool("search", {"query": "x"})
    assert "/secret/place" not in str(caught.value)
    assert "/secret/place" in caplog.text


async def test_an_unknown_tool_is_refused(connected, household):
    async with connected(household.roots) as (session, _):
        with pytest.raises(McpError, match="no tool semantic_search"):
            await session.call_tool("semantic_search", {"query": "x"})


async def test_resources_are_listed_by_pages_each_once(connected, household, monkeypatch):
    monkeypatch.setattr(resources, "PAGE", 20)
    async with connected(household.roots) as (session, _):
        names, cursor, sizes = [], None, []
        while True:
            page = await session.list_resources(
                params=types.PaginatedRequestParams(cursor=cursor) if cursor else None
            )
            sizes.append(len(page.resources))
            names += [resource.name for resource in page.resources]
            if (cursor := page.nextCursor) is None:
                break
        readable = [file.path for file in await household.files() if file.passages]
        assert names == sorted(readable)
        assert sizes[:-1] == [20] * (len(sizes) - 1) and len(sizes) > 1
        with pytest.raises(McpError, match="cursor"):
            await session.list_resources(params=types.PaginatedRequestParams(cursor="%%%"))
        (template,) = (await session.list_resource_templates()).resourceTemplates
        assert template.uriTemplate == "manole://library/{+path}{?page,line,offset}"


async def test_a_long_resource_says_where_it_goes_on(connected, household, monkeypatch):
    monkeypatch.setattr(resources, "LIMIT", 1000)
    text, uri = "", f"manole://library/{CONTRACT}"
    async with connected(household.roots) as (session, _):
        for _ in range(50):
            (part,) = (await session.read_resource(AnyUrl(uri))).contents
            body, mark, rest = part.text.partition("\n\n[The text goes on at ")
            text += body
            if not mark:
                break
            uri = rest.removesuffix("]")
        whole = await session.call_tool("read", {"file": CONTRACT, "limit": 50_000})
    assert text == whole.structuredContent["text"]


async def test_a_cited_line_is_read_with_some_lines_before_it(connected, household):
    async with connected(household.roots) as (session, _):
        found = await session.call_tool("search", {"query": "TH-2024-311", "path": "notes"})
        hit = found.structuredContent["results"][0]
        assert hit["page"] is None
        (part,) = (await session.read_resource(AnyUrl(hit["uri"]))).contents
    assert "TH-2024-311" in part.text


@pytest.mark.parametrize(
    "uri", ["manole://library/no-such.txt", "manole://library/home", "file:///etc/hostname"]
)
async def test_a_resource_that_is_not_there(connected, household, uri):
    async with connected(household.roots) as (session, _):
        with pytest.raises(McpError) as caught:
            await session.read_resource(AnyUrl(uri))
    assert caught.value.error.code == resources.NOT_FOUND
    assert caught.value.error.data["hint"]


@pytest.mark.usefixtures("a_model_answers")
async def test_a_cancelled_question_stops_the_model_and_frees_it(connected, household):
    model = FakeHangingModel()
    async with connected(household.roots, model) as (session, service):
        asked = asyncio.create_task(session.call_tool("ask", {"question": NOTICE}))
        await asyncio.wait_for(model.started.wait(), 60)
        assert service.queue.turns == 1
        await cancel_last(session)
        with pytest.raises(McpError, match="cancelled"):
            await asked
        await asyncio.wait_for(model.stopped.wait(), 60)
        async with asyncio.timeout(60):
            while service.queue.turns:
                await asyncio.sleep(0.01)
        answer = await session.call_tool("ask", {"question": "how many invoices are there?"})
        assert "12" in answer.structuredContent["answer"]


@pytest.mark.usefixtures("a_model_answers")
async def test_a_client_that_leaves_takes_its_question_along(connected, household):
    model = FakeHangingModel()
    async with connected(household.roots, model) as (session, _):
        asked = asyncio.create_task(session.call_tool("ask", {"question": NOTICE}))
        await asyncio.wait_for(model.started.wait(), 60)
    assert model.stopped.is_set()
    asked.cancel()  # the SDK's client would wait for ever


@pytest.mark.usefixtures("a_model_answers")
async def test_as_many_questions_run_as_there_are_turns(connected, household):
    model = FakeHangingModel()
    async with connected(household.roots, model, turns=2) as (session, service):
        asked = [
            asyncio.create_task(session.call_tool("ask", {"question": NOTICE})) for _ in range(3)
        ]
        async with asyncio.timeout(60):
            while model.calls < 2 or not service.queue.waiting:
                await asyncio.sleep(0.01)
        assert (model.calls, service.queue.turns, service.queue.waiting) == (2, 3, 1)
    for task in asked:
        task.cancel()  # the SDK's client would wait for ever


async def test_a_long_wait_is_told_again_and_again(connected, household, monkeypatch):
    monkeypatch.setattr("manole_mcp.server.PULSE", 0.01)
    model = FakeHangingModel()
    enough = asyncio.Event()
    said = []

    async def heard(done, total, message):
        said.append(message)
        if len(said) > 30:
            enough.set()

    async with connected(household.roots, model) as (session, _):
        asked = asyncio.create_task(
            session.call_tool("ask", {"question": NOTICE}, progress_callback=heard)
        )
        await asyncio.wait_for(enough.wait(), 60)
    asked.cancel()  # the SDK's client would wait for ever
    assert len(set(said)) < len(said)


def test_what_leaves_has_no_unseen_characters():
    nasty = "a\x1b[31mb\u202ec\U000e0041d\r\ne\tf\udcff"
    assert plain({"x": [nasty, 1, None]}) == {"x": ["a[31mbcd\ne\tf\\udcff", 1, None]}
