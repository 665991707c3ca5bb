"""The examples that people ask first, with the real chat model over the example household.

The day is 15 December 2024, as in the example. A call of the model takes seconds, so each
conversation is asked once.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from PIL import Image

from agent.turns import Loaded, cited, of, told, tools
from common_fixtures import EXAMPLES
from manole.agent.events import Complete, Decision, EvidenceEvent
from manole.agent.loop import Agent
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.text.words import stems

DAY = date(2024, 12, 15)
MANUAL = "home/boiler-thermaro-b24-manual.pdf"
BUDGET = "career/budget_q1_2026.txt"
BEACH = "holidays/photos/beach-blokhus.jpg"
VET = "invoices/2023-11-16_invoice_vet_TP-2023-0862.pdf"
SOFA = "invoices/2023-05-12_invoice_sofa_MS-5521.pdf"


@pytest.fixture
def ask(household, session_settings, chat_model):
    """Asks a question behind others with their answers; gives the events and the last of them."""

    async def run(question, *talk, library=household):
        history = [
            Message(role, text)
            for turn in talk
            for role, text in zip(("user", "assistant"), turn, strict=True)
        ]
        agent = Agent(library, Loaded(chat_model), session_settings, today=lambda: DAY)
        events = [event async for event in agent.ask(question, history)]
        assert isinstance(events[-1], Complete)
        return events, events[-1]

    return run


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many PDFs", "You have 21 PDF files"),
        ("How many PDFs?", "You have 21 PDF files"),
        ("how many PDF files do I have?", "You have 21 PDF files"),
        ("Wie viele PDF-Dateien habe ich?", "Es gibt 21 PDF-Dateien"),
    ],
)
async def test_a_count_needs_no_model_and_shows_no_passage(ask, question, answer):
    events, end = await ask(question)
    assert end.answer.startswith(answer)
    assert end.model_calls == 0
    assert not of(events, EvidenceEvent)
    assert end.sources[0].n == 1  # nothing was numbered before
    assert tools(events) == ["query"]


async def test_a_count_that_the_model_plans_shows_no_passage_first(ask):
    events, end = await ask("How many PDF files of the year 2023 are in the folder invoices?")
    assert "query" in tools(events)
    assert not of(events, EvidenceEvent)
    assert "3" in end.answer


async def test_target_revenue_of_a_department(ask):
    _, end = await ask("target revenue for engineering department?")
    for figure in ("180,000", "95,000", "45,000"):
        assert figure in end.answer
    assert BUDGET in {file for file, _ in cited(end)}


async def test_all_invoices_and_their_totals(ask):
    _, end = await ask("list all invoices and their totals")
    assert end.answer.startswith("12 invoices, together 9,043.69 EUR:")
    assert len(cited(end)) == 12


async def test_a_doubted_number_is_looked_up_again(ask):
    which = "which invoices are from 2023?"
    first, end = await ask(which)
    assert "4 invoices" in end.answer
    for doubt in ("arent there more than 2?", "sind das nicht mehr als 2?"):
        events, again = await ask(doubt, (which, end.answer))
        assert f"Understood as: {which}" in told(events)
        assert "4 invoices" in again.answer
        assert again.model_calls == 0  # the plan is kept
    assert of(first, Decision)[-1].inputs == of(events, Decision)[-1].inputs
    named_two = ("list all invoices", f"2 invoices:\n- {SOFA} [1]\n- {VET} [2]")
    for doubt in ("aren't there more than 2?", "are there not more than two?"):
        _, again = await ask(doubt, named_two)
        assert again.answer.startswith("12 invoices")


async def test_the_invoice_that_the_conversation_means(ask):
    talk = ("which invoices are from 2023?", f"2 invoices:\n- {SOFA} [1]\n- {VET} [2]")
    events, end = await ask("what about the one from the vet, what was it for?", talk)
    assert f"what was {VET} for?" in told(events)
    assert not [e for e in of(events, Decision) if "the one" in str(e.inputs)]
    assert "dental" in end.answer.lower()
    assert {file for file, _ in cited(end)} == {VET}
    talk = ("which invoice of 2023 was the most expensive?", f"{SOFA}, total 1,997.00 EUR [1]")
    _, end = await ask("what about that invoice?", talk)
    for said in ("MS-5521", "Möbelhaus Sandweg", "12 May 2023", "1,997.00 EUR"):
        assert said in end.answer
    assert {file for file, _ in cited(end)} == {SOFA}


async def test_photos_of_the_beach_by_their_names(ask):
    _, end = await ask("find photos of the beach")
    assert end.answer == f"{BEACH} [1]"
    assert cited(end) == {(BEACH, None)}


COLOURS = {
    "IMG_1.jpg": ("gold", "A sandy beach with turquoise water and a small boat."),
    "IMG_2.jpg": ("green", "A decorated tree in a living room."),
    "IMG_3.jpg": ("black", "A dog lies on a balcony."),
}


@contextmanager
def fake_eyes() -> Iterator[str]:
    """Serve, as an OpenAI-protocol endpoint, a caption for each of the pictures above."""

    def said(picture: Image.Image) -> str:
        red, green, _ = picture.convert("RGB").getpixel((9, 9))
        name = "IMG_1.jpg" if red > 99 else "IMG_2.jpg" if green > 99 else "IMG_3.jpg"
        return COLOURS[name][1]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            parts = [p for m in body["messages"] if isinstance(m["content"], list)
                     for p in m["content"] if p["type"] == "image_url"]  # fmt: skip
            _, _, data = parts[0]["image_url"]["url"].partition("base64,")
            choice = {"delta": {"content": said(Image.open(BytesIO(base64.b64decode(data))))}}
            self.send_response(200)
            self.end_headers()
            chunk = json.dumps({"choices": [choice | {"finish_reason": "stop"}]})
            self.wfile.write(f"data: {chunk}\n\ndata: [DONE]\n\n".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


async def test_photos_of_the_beach_by_their_captions(ask, session_settings, tmp_path):
    for name, (colour, _) in COLOURS.items():
        Image.new("RGB", (400, 300), colour).save(tmp_path / name)
    with fake_eyes() as url:
        eyes = session_settings.vision.model_copy(update={"name": "openai:eyes", "base_url": url})
        settings = session_settings.model_copy(update={"vision": eyes})
        async with await Library.open(tmp_path, settings) as library:
            await library.sync()
            _, end = await ask("find photos of the beach", library=library)
    assert {file for file, _ in cited(end)} == {"IMG_1.jpg"}


async def test_the_installed_voltage_of_the_manual(ask):
    _, end = await ask("what is the installed voltage?")
    assert "230 V" in end.answer
    assert (MANUAL, 5) in cited(end)


async def test_where_the_wiring_diagram_is(ask):
    _, end = await ask("where is the wiring diagram?")
    assert (MANUAL, 8) in cited(end)


STRESSED = "What have I been stressed about lately vs last year?"


async def test_stressed_lately_and_last_year_takes_the_way_of_the_journal(ask):
    events, end = await ask(STRESSED)
    assert tools(events).count("date_range_search") == 2
    assert "query" not in tools(events)
    lately, before = end.answer.split("\n\n", 1)
    assert lately.startswith("Lately: ")
    assert "boiler" in lately
    assert before.startswith("Last year: ")
    newest, *others = sorted((file for file, _ in cited(end)), reverse=True)
    assert newest == "journal/2024-12-08.md"
    assert others
    assert set(others) <= {"journal/2023-05-20.md", "journal/2023-08-11.md"}
    written = [(EXAMPLES / "household" / file).read_text("utf-8") for file in others]
    assert (stems(before) - stems(STRESSED)) & stems("\n".join(written))
    assert end.confidence == "low"  # no entry of either time says that anyone was stressed
