"""The pool of workers: limits hold, a bad file fails alone, nothing outlives its parent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

from manole.documents import worker
from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.model import Box, Document, Line, Page, Status, may_pass, was_raised
from manole.documents.opened import named
from reading_here import read_document

OTHERS: set[int] = set()  # workers of a library that other tests share


@pytest.fixture(autouse=True)
def others():
    OTHERS.clear()
    OTHERS.update(worker.pid for worker in workers_of())


def workers_of(pid: int | None = None) -> list[psutil.Process]:
    """Worker processes of this process, or of another, that began in this test."""
    found = []
    for child in psutil.Process(pid).children():
        try:
            if child.pid in OTHERS:
                continue
            if "manole.documents.worker" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


async def test_a_worker_gives_what_the_reader_gives(extractor, make_pdf, workbook, settings):
    for path in (make_pdf([[(60, 100, "alpha"), (60, 200, "omega")]], title="Ä"), workbook):
        assert await extractor.extract(named(path)) == read_document(path, settings)


async def test_one_worker_reads_many_files(extractor, tmp_path):
    for number in range(20):
        path = tmp_path / f"{number}.txt"
        path.write_text(f"file {number}")
        assert (await extractor.extract(named(path))).pages[0].text == f"file {number}"
        if number == 0:
            (first,) = workers_of()
    assert workers_of() == [first]


async def test_several_files_are_read_at_once(tmp_path):
    paths = []
    for number in range(12):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(f"file {number}")
    with Extractor(Limits(), workers=2) as pool:
        documents = await asyncio.gather(*(pool.extract(named(path)) for path in paths))
        assert len(workers_of()) == 2
    assert [d.pages[0].text for d in documents] == [f"file {n}" for n in range(12)]
    assert workers_of() == []


async def test_a_file_over_its_time_fails_and_the_next_is_read(tmp_path, monkeypatch):
    good = tmp_path / "good.txt"
    good.write_text("fine")
    slow = stalled(tmp_path, monkeypatch)
    with Extractor(Limits(timeout_s=1)) as pool:
        document = await pool.extract(named(slow))
        assert (document.status, document.reason) == (Status.FAILED, "took longer than 1 s")
        assert was_raised(document.metadata, {"timeout_s": 1.5})
        assert not was_raised(document.metadata, {"timeout_s": 1.0})
        assert (await pool.extract(named(good))).pages[0].text == "fine"


async def test_time_is_what_a_file_computes_not_what_it_waits(tmp_path, monkeypatch):
    waits = plugin(tmp_path, monkeypatch, "import time; time.sleep(1.5)")
    with Extractor(Limits(timeout_s=1)) as pool:
        assert (await pool.extract(named(waits))).status is Status.INDEXED


async def test_a_file_that_computes_too_long_fails(tmp_path, monkeypatch):
    busy = plugin(tmp_path, monkeypatch, "while True: pass")
    with Extractor(Limits(timeout_s=1)) as pool:
        assert (await pool.extract(named(busy))).reason == "took longer than 1 s"


def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Path:
    """A file whose reading runs `body` in the worker: what a parser does on a hostile file."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "from manole.documents import text\n"
        "real = text.decode\n"
        "def decode(data):\n"
        "    if data == b'hostile':\n"
        f"        {body}\n"
        "    return real(data)\n"
        "text.decode = decode\n"
    )
    own = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *filter(None, [own])]))
    path = tmp_path / "hostile.txt"
    path.write_text("hostile")
    return path


def stalled(tmp_path, monkeypatch):
    return plugin(tmp_path, monkeypatch, "import time; time.sleep(600)")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
         "it crashed its parser (SIGSEGV)"),
        ("import os; os._exit(3)", "its parser ended early"),
        ("hog = [bytearray(8 << 20) for _ in range(10**6)]", "needs more than 300 MB of memory"),
        ("raise RecursionError('x')", "nested deeper than any reader follows"),
        ("import os; os.write(1, b'noise'); print('noise'); raise OSError(5, 'Input/output error')",
         "cannot be read (Input/output error)"),
    ],
    ids=["crash", "exit", "memory", "error", "noise"],
)  # fmt: skip
async def test_a_hostile_file_fails_alone(tmp_path, monkeypatch, body, reason):
    hostile = plugin(tmp_path, monkeypatch, body)
    good = tmp_path / "good.txt"
    good.write_text("fine")
    with Extractor(Limits(memory_mb=300)) as pool:
        assert (await pool.extract(named(good))).status is Status.INDEXED
        document = await pool.extract(named(hostile))
        assert (document.status, document.reason) == (Status.FAILED, reason)
        assert was_raised(document.metadata, {"memory_mb": 400}) == ("MB of memory" in reason)
        assert (await pool.extract(named(good))).pages[0].text == "fine"


async def test_a_worker_that_died_between_files_is_replaced(extractor, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("fine")
    await extractor.extract(named(path))
    (process,) = workers_of()
    process.kill()
    process.wait()
    assert (await extractor.extract(named(path))).pages[0].text == "fine"


async def test_one_that_is_killed_from_outside_says_nothing_of_its_file(tmp_path, monkeypatch):
    slow = stalled(tmp_path, monkeypatch)
    with Extractor(Limits()) as pool:
        task = asyncio.create_task(pool.extract(named(slow)))
        while not (workers := workers_of()):
            await asyncio.sleep(0.02)
        workers[0].kill()
        document = await task
    assert may_pass(document.status, document.metadata)


async def test_closing_ends_what_is_under_way(tmp_path, monkeypatch):
    slow = stalled(tmp_path, monkeypatch)
    pool = Extractor(Limits())
    task = asyncio.create_task(pool.extract(named(slow)))
    while not workers_of():
        await asyncio.sleep(0.02)
    await asyncio.to_thread(pool.close)
    document = await task
    assert (document.status, document.reason) == (Status.FAILED, "reading was stopped")
    assert workers_of() == []


def test_a_worker_dies_with_its_parent(tmp_path, monkeypatch):
    slow = stalled(tmp_path, monkeypatch)
    script = (
        "import asyncio, sys\n"
        "from manole.documents.extract import Extractor\n"
        "from manole.documents.opened import named\n"
        "from manole.documents.limits import Limits\n"
        "asyncio.run(Extractor(Limits()).extract(named(sys.argv[1])))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(slow)])
    try:
        while not (children := workers_of(parent.pid)):
            assert parent.poll() is None
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []


async def test_modules_in_the_working_directory_are_never_run(tmp_path, monkeypatch):
    for name in ("json.py", "kreuzberg.py", "psutil.py"):
        (tmp_path / name).write_text("open('ran', 'w').close(); raise SystemExit")
    monkeypatch.chdir(tmp_path)
    with Extractor(Limits()) as pool:
        assert (await pool.extract(named(tmp_path / "json.py"))).status is Status.INDEXED
    assert not (tmp_path / "ran").exists()


async def test_names_with_newlines_emoji_and_broken_bytes_are_read(extractor, tmp_path):
    for name in ("two\nlines.txt", "🍲.txt", os.fsdecode(b"caf\xe9.txt")):
        path = tmp_path / name
        path.write_text("fine")
        assert (await extractor.extract(named(path))).status is Status.INDEXED


async def test_a_file_that_is_gone_fails_with_a_reason(extractor, tmp_path):
    document = await extractor.extract(named(tmp_path / "nothing.txt"))
    assert document.status is Status.FAILED
    assert document.reason == "it disappeared while it was read"


async def test_bombs_and_deep_nesting_harm_nobody(extractor, tmp_path, letter):
    bomb = tmp_path / "bomb.docx"
    with zipfile.ZipFile(letter) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                data = data.replace(b"<w:body>", b"<w:body>" + b" " * 300_000_000)
            new.writestr(name, data)
    (tmp_path / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    (tmp_path / "deep.html").write_text("<div>" * 50_000 + "words" + "</div>" * 50_000)
    (tmp_path / "binary.txt").write_bytes(b"MZ\x00\x01" * 5000)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\n" + b"1 0 obj\n<<" * 500)
    statuses = {}
    for path in sorted(tmp_path.glob("*.*")):
        statuses[path.name] = (await extractor.extract(named(path))).status
    assert statuses["deep.json"] is Status.INDEXED
    assert statuses["lease.docx"] is Status.INDEXED
    assert {statuses[n] for n in ("bomb.docx", "binary.txt", "broken.pdf")} == {Status.FAILED}


def test_a_document_survives_the_pipe():
    document = Document(
        "pdf",
        (Page("a\nß🍲", 1, "iv", (Line(0, 1, Box(0.1, 0.2, 0.3, 0.4)),)), Page("")),
        title="T",
        metadata={"k": "v"},
        status=Status.PARTIAL,
        reason="r",
    )
    assert worker.decode(json.loads(json.dumps(worker.encode(document)))) == document


def test_importing_the_pool_loads_no_parser():
    code = (
        "import sys, manole.documents.extract\n"
        "print([m for m in ('kreuzberg', 'pypdfium2', 'PIL') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
