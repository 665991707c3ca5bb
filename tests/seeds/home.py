"""A small folder with what the documents speak of: invoices, a budget, a journal, a manual."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

INVOICES = {  # name -> issuer, day, number, total
    "invoice_2024_01.txt": ("Huber Plumbing GmbH", "2024-01-15", "HK-24-001", "120.00"),
    "invoice_2024_02.txt": ("Vet Practice Dr. Busch", "2024-02-20", "TP-24-117", "86.50"),
    "invoice_2024_03.txt": ("Huber Plumbing GmbH", "2024-03-05", "HK-24-019", "240.00"),
    "invoice_2024_04.txt": ("Piano School Allegro", "2024-04-01", "PS-24-004", "95.00"),
}
MANUALS = {
    "pump-manual.pdf": [
        [
            "Pump P7: installation",
            "Bolt the base to the floor.",
            "Operating voltage: 24 V DC.",
            "Tax ID of the maker: DE811907980",
        ],
        [
            "Figure 3: wiring diagram",
            "relief valve",
            "inlet filter",
            "24 V solenoid",
            "terminal X4",
        ],
    ],
    "oven-manual.pdf": [["Oven O2: baking bread", "Heat the oven to 230 degrees."]],
    "leaflet.pdf": [["Opening hours of the town library", "Monday to Friday, 9 to 18"]],
}
JOURNAL = {
    "2023-03-10": ("Deadline", "The audit at work has me stressed. I slept badly all week."),
    "2023-08-19": ("At the sea", "Two weeks of sun. The boat trip was the best of it."),
    "2024-11-20": ("Moving house", "I am stressed about the move: forty boxes and no van yet."),
    "2024-12-05": ("Calmer", "The van is booked, and Pippa has found her basket."),
}
NOTES = {
    "budget_q1_2026.txt": "Budget of the engineering department, Q1 2026\n\n"
    "Total Budget: $450,000\nRevenue targets: Project Alpha $180,000, Project Beta $95,000, "
    "Consulting services $45,000\n",
    "notes/boiler.md": "# Boiler\n\nThe boiler was installed in 2019. Its warranty ends in "
    "May 2029.\nService: service@thermaro.example, tax ID DE811907980.\n",
    "notes/lentils.md": "# Lentil soup\n\nCook the red lentils for 18 minutes.\n",
    "notes/people.md": "# Who to call\n\nThe boiler: service@thermaro.example, DE811907980.\n"
    "The rent goes to IBAN DE89 3704 0044 0532 0130 00. See budget_q1_2026.txt.\n",
    "notes/rent.md": "# Rent\n\nThe rent is 890.00 euros, to IBAN DE89 3704 0044 0532 0130 00.\n",
}
PHOTOS = {"holidays/beach.jpg": "#e9d8a6", "holidays/mountain.png": "#577590"}
CHANGED = datetime(2024, 6, 1, 12)  # of every file, but for the newest one
NEWEST = ("notes/rent.md", datetime(2024, 12, 30, 12))


def fill(folder: Path) -> Path:
    """Write the files; give the folder."""
    for name, text in NOTES.items():
        _write(folder / name, text)
    for name, (issuer, day, number, total) in INVOICES.items():
        text = f"{issuer}\n\nINVOICE\n\nInvoice number: {number}\nInvoice date: {day}\n\n"
        _write(folder / "invoices" / name, f"{text}Total amount due: {total} EUR\n")
    for day, (title, text) in JOURNAL.items():
        _write(folder / "journal" / f"{day}.md", f"---\ndate: {day}\n---\n# {title}\n\n{text}\n")
    for name, pages in MANUALS.items():
        (folder / "manuals").mkdir(exist_ok=True)
        write_pdf(folder / "manuals" / name, pages)
    for name, colour in PHOTOS.items():
        photo(folder / name, colour)
    for path in filter(Path.is_file, folder.rglob("*")):
        _date(path, CHANGED)
    _date(folder / NEWEST[0], NEWEST[1])
    return folder


def write_pdf(file: Path, pages: list[list[str]]) -> None:
    """Write a PDF with these lines on its pages."""
    canvas = Canvas(str(file), pagesize=(400, 500))
    for lines in pages:
        for n, line in enumerate(lines):
            canvas.drawString(40, 440 - 50 * n, line)
        canvas.showPage()
    canvas.save()


def photo(file: Path, colour: str, size: tuple[int, int] = (900, 600)) -> None:
    """Write a picture without words."""
    file.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.new("RGB", size, colour)
    ImageDraw.Draw(picture).ellipse((120, 90, 300, 270), "#f8961e")
    picture.save(file)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _date(file: Path, when: datetime) -> None:
    os.utime(file, (when.timestamp(),) * 2)
