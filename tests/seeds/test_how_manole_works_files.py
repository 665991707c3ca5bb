"""“How Manole Works”, what is made of the files, and the protocol (docs/seeds.md)."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from documents.heic_sample import HEIC
from manole.hooks import EXTRAS, STORES
from manole.index.sync.captions import Captions, Photo
from manole.models.vision import Sight

from .fake_endpoint import FakeEndpoint, serving
from .home import photo
from .turns import first_number

FORMATS = ("a.jpg", "b.png", "c.gif", "d.webp", "e.bmp", "f.tiff")
BEACH = "A sandy beach with turquoise water."


# Captions ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def photos(tmp_path_factory) -> Path:
    """A folder with a picture of every format that is named."""
    folder = tmp_path_factory.mktemp("photos")
    for name in FORMATS:
        photo(folder / name, "#0a9396", (1200, 800))
    (folder / "g.heic").write_bytes(HEIC)
    return folder


@pytest.fixture
def captioned(manole, photos, tmp_path):
    """`captioned()` indexes them with a vision model; gives the pictures that it was sent."""
    data = {"MANOLE_DATA_DIR": str(tmp_path / "data"), "MANOLE_CACHE_DIR": str(tmp_path / "cache")}

    @contextmanager
    def run(*options: str):
        with serving(FakeEndpoint(sight=BEACH)) as moon:
            done = manole(
                "--set", "vision.name=openai:moon", "--set", f"vision.base_url={moon.url}",
                "--set", "index.ocr=false", "index", str(photos), *options, **data,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr + done.stdout
            yield [picture(body) for body in moon.asked], lambda *a: manole(*a, **data)

    return run


def picture(body) -> Image.Image:
    """The picture in a request."""
    (url,) = [p["image_url"]["url"] for p in body["messages"][0]["content"] if "image_url" in p]
    head, _, data = url.partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_captions_are_cached_and_searchable(captioned, photos) -> None:
    """Rows 123, 124, 125, 126: each picture once, at 768 px as JPEG, “Photo description: …”."""
    with captioned() as (seen, manole):
        assert len(seen) == len(FORMATS) + 1
        assert sorted({max(image.size) for image in seen}) == [64, 768]
        assert {image.format for image in seen} == {"JPEG"}
        found = json.loads(manole("search", "beach", str(photos), "--json").stdout)
    texts = {r["file"]: r["text"] for r in found["results"]}
    also = {name for r in found["results"] for name in r["also"]}
    assert texts.keys() | also == {*FORMATS, "g.heic"}
    assert all(text.startswith(f"Photo description: {BEACH}") for text in texts.values())
    with captioned("--force") as (again, _):
        assert again == []


async def test_the_next_picture_loads_meanwhile(tmp_path) -> None:
    """Row 125: the next image loads while the current one is being captioned."""
    notes: list[str] = []

    class FakeExtractor:
        async def shrunk(self, found: str, page: None, side: int) -> bytes:
            notes.append(f"load {found}")
            return b"\xff\xd8\xff"

    class FakeVision:
        name = "moon"

        async def caption(self, _: bytes) -> Sight:
            await asyncio.sleep(0.01)
            notes.append("captioned")
            return Sight(BEACH)

    shown = [Photo(SimpleNamespace(content_hash=f"{n:064x}"), f"{n}.jpg") for n in range(3)]  # type: ignore[arg-type]
    captions = Captions(FakeVision(), FakeExtractor(), tmp_path)  # type: ignore[arg-type]
    assert len([sight async for _, sight in captions.each(shown)]) == 3
    assert notes == ["load 0.jpg", "load 1.jpg", "captioned", "load 2.jpg", *["captioned"] * 2]


# The map ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def edges(server) -> list[tuple[str, str, str, float, str]]:
    """The edges of the folder's map: two files, relation, weight, why."""
    told = server.client.get(f"{server.library}/graph").json()
    names = [node["id"] for node in told["nodes"]]
    return [(names[a], names[b], *rest) for a, b, *rest in told["edges"]]


def test_similarity_edges(edges, server) -> None:
    """Row 128: cosine similarity of averaged embeddings, threshold 0.6."""
    alike = {(a, b): weight for a, b, kind, weight, _ in edges if kind == "similarity"}
    assert alike and all(0.6 <= weight <= 1 for weight in alike.values())
    assert alike["invoices/invoice_2024_01.txt", "invoices/invoice_2024_03.txt"] > 0.9
    url = f"{server.library}/graph"
    more = server.client.get(url, params={"threshold": 0.2}).json()["edges"]
    assert sum(edge[2] == "similarity" for edge in more) > len(alike)


def test_reference_edges(edges) -> None:
    """Row 129: shared e-mail 1.0, tax ID 0.9, IBAN 0.8, company 0.7, and file names."""
    shared = {frozenset((a, b)): (w, why) for a, b, kind, w, why in edges if kind == "reference"}

    def between(one: str, other: str) -> tuple[float, str]:
        return shared[frozenset((one, other))]

    weight, why = between("notes/boiler.md", "notes/people.md")
    assert weight == 1.0
    assert "e-mail service@thermaro.example" in why and "tax number DE811907980" in why
    assert between("notes/boiler.md", "manuals/pump-manual.pdf")[0] == 0.9
    weight, why = between("notes/people.md", "notes/rent.md")
    assert weight == 0.8 and "DE89370400440532013000" in why.replace(" ", "")
    weight, why = between("invoices/invoice_2024_01.txt", "invoices/invoice_2024_03.txt")
    assert weight == 0.7 and why == "company Huber Plumbing"
    weight, why = between("budget_q1_2026.txt", "notes/people.md")
    assert weight == 1.0 and "file name budget_q1_2026.txt" in why


def test_structure_edges(edges) -> None:
    """Row 130: files are connected to their folders."""
    lies = {(a, b) for a, b, kind, *_ in edges if kind == "structure"}
    assert ("invoices/", "invoices/invoice_2024_01.txt") in lies
    assert ("/", "invoices/") in lies
    assert all(a.endswith("/") and b.startswith(a.lstrip("/")) for a, b in lies)


# The protocol -----------------------------------------------------------------------------------

NOISE = """
import os
from manole.index.search import hybrid
find = hybrid.meaning
def noisy(*given):
    os.write(1, b"llama_perf: noise of a C library\\n")
    print("and of Python")
    return find(*given)
hybrid.meaning = noisy
from manole.cli.app import main
main()
"""


def test_ndjson_protocol(home, environment, endpoint) -> None:
    """Rows 132, 133: id null are events, id 1 the answer; other output never enters stdout."""
    endpoint.script(final="The warranty of the boiler ends in May 2029.")
    question = "When does the warranty of the boiler end?"
    request = {"id": 1, "method": "query", "params": {"text": question}}
    lines = [json.dumps(request), json.dumps({"id": 2, "method": "dance"}), "no JSON"]
    done = subprocess.run(
        [sys.executable, "-c", NOISE, "--set", f"model.base_url={endpoint.url}",
         "stdio", str(home), "--reuse", "--model", "openai:fake"],
        input="\n".join(lines) + "\n", env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]  # every line is JSON
    assert all(message.keys() == {"id", "type", "data"} for message in told)
    events = [m["type"] for m in told if m["id"] is None]
    assert {"agent_step", "token", "status"} <= set(events)
    step = next(m["data"] for m in told if m["type"] == "agent_step")
    assert step["tool"] == "semantic_search" and question in step["input"]
    answers = {m["id"]: m for m in told if m["id"] is not None}
    assert {id_: m["type"] for id_, m in answers.items()} == {1: "result", 2: "error"}
    assert "May 2029" in answers[1]["data"]["answer"]
    assert answers[1]["data"]["sources"][0]["file"] == "notes/boiler.md"
    tokens = "".join(m["data"]["text"] for m in told if m["type"] == "token")
    assert "May 2029" in tokens
    assert "noise of a C library" in done.stderr and "and of Python" in done.stderr


def test_desktop_application(home, environment, desktop) -> None:
    """Row 134: a desktop application is a client of the protocol."""
    command = [sys.executable, "-m", "manole.cli.app", "stdio", str(home), "--reuse"]
    gone = {"MANOLE_MODEL__NAME": "openai:gone", "MANOLE_MODEL__BASE_URL": "http://127.0.0.1:9/v1"}
    client = desktop.Client(command, environment=environment | gone)
    heard: list[str] = []
    try:
        asked = client.request(
            "query", lambda kind, _: heard.append(kind), text="how many PDF files are there?"
        )
        answer = asked.answer.result(60)
        assert client.call("graph")["edges"]
    finally:
        client.close()
    assert first_number(answer["answer"]) == 3
    assert {"agent_step", "agent_result", "token"} <= set(heard)


# What is attached -------------------------------------------------------------------------------


def test_another_store_is_attached_by_a_hook() -> None:
    """Rows 95, 116: LEANN, or any other store, by the entry point `manole.stores`."""
    assert "leann" in STORES.names()
    kind = STORES.get("leann")
    assert callable(kind.open) and callable(kind.discard)
    extra = EXTRAS.get("leann")
    assert extra is not None and "leann_backend_hnsw" in extra.modules
