"""A folder with a file of every kind that is shown, indexed once, and a server over it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import openpyxl
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from agent.fake_models import FakeModel
from manole.library import Library
from manole.settings import Settings
from serve.conftest import ANSWER, EXAMPLES
from serve.running import Running, running

LONG = "\n".join(
    f"{n}. On day {n} the kettle of room {n * 7} was descaled by hand." for n in range(1, 1601)
)
HOSTILE = '<img src=x onerror="alert(1)"> </script><script>alert(2)</script> ${7*7} {{7*7}}'


def write_pdf(path: Path, pages: list[list[str]]) -> None:
    canvas = Canvas(str(path), pagesize=(400, 300))
    for lines in pages:
        for row, line in enumerate(lines):
            canvas.drawString(30, 260 - 16 * row, line)
        canvas.showPage()
    canvas.save()


def write_sheets(path: Path) -> None:
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Costs 2024"
    first.append(["Item", "Euros"])
    first.append(["Heating", 812])
    book.create_sheet("Nothing")
    last = book.create_sheet("Plan")
    last.append(["Item", "Euros"])
    last.append(["Roof repair", 9300])
    book.save(path)


def write_mail(path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "The key of the cellar"
    mail["From"] = "Mara <mara@example.org>"
    mail["To"] = "Jonas <jonas@example.org>"
    mail["Date"] = "Tue, 05 Mar 2024 10:00:00 +0100"
    mail.set_content("Dear Jonas,\n\nthe key of the cellar hangs behind the door.\n")
    path.write_bytes(mail.as_bytes())


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder."""
    folder = tmp_path_factory.mktemp("shown")
    write_pdf(
        folder / "report.pdf",
        [
            [],
            ["Annual report of the garden club", "The treasurer was dis-", "charged unanimously."],
            ["Rent of the hall: 410.00 euros", "The “roof” was mended in May."],
        ],
    )
    shutil.copy(EXAMPLES / "home" / "floor-plan.png", folder / "plan.png")
    Image.new("RGB", (640, 320), "navy").save(folder / "blue.tiff")
    Image.new("RGB", (300, 900), "teal").save(folder / "tall.png")
    write_sheets(folder / "budget.xlsx")
    write_mail(folder / "2024-03-05 key.eml")
    (folder / "long.txt").write_text(LONG, "utf-8")
    (folder / "hostile.md").write_text(f"# Notes\n\n{HOSTILE}\n\n\nThe end of it.\n", "utf-8")
    (folder / "readings.csv").write_text("day,kWh\n2024-01-01,11\n2024-02-01,17\n", "utf-8")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "bundle.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    (folder / "run.sh").write_text("#!/bin/sh\necho opened\n", "utf-8")
    (folder / "notes.txt").write_text("#!/bin/sh\necho this only looks like notes\n", "utf-8")
    (folder / "menu.desktop").write_text("[Desktop Entry]\nExec=rm -rf ~\n", "utf-8")
    (folder / "entry.txt").write_text("Kept: [Desktop Entry]\nExec=rm\n", "utf-8")
    (folder / "README").write_text("A file without an ending.\n", "utf-8")
    (folder / "go.command").write_text("echo a shell reads this on a Mac\n", "utf-8")
    return folder


@pytest.fixture(scope="session")
def shelf(shown: Path, settings: Settings) -> Iterator[Running]:
    """A server over the folder, indexed."""

    async def index() -> None:
        async with await Library.open(shown, settings) as library:
            await library.sync()

    asyncio.run(index())
    with running(shown, settings, FakeModel(ANSWER)) as server:
        yield server
