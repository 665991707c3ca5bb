"""Writes the files: for each one of the catalogue, finds what makes it and calls that.

A file's source is, in this order: a plain text of the same name in `texts/`, a `.markup` text
(becomes PDF or DOCX), a `.mail` text (becomes an e-mail), or a function listed in `MAKERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from . import figures, images, invoices, mail, markup, office, pdf
from .catalogue import DATES, when

TEXTS = Path(__file__).with_name("texts")

MAKERS: dict[str, Callable[[Path, datetime], None]] = {
    "holidays/denmark-2023.pptx": office.slides,
    "holidays/photos/beach-blokhus.jpg": images.beach,
    "holidays/photos/christmas-tree.jpg": images.christmas_tree,
    "holidays/photos/pippa-on-the-balcony.jpg": images.dog,
    "home/floor-plan.png": images.floor_plan,
    "home/scan-letter-landlord-2023.pdf": images.scanned_letter,
    **{f"finance/budget-{year}.xlsx": office.budget for year in figures.BUDGETS},
    **{f"electricity/electricity-bill-{bill.year}.pdf": pdf.electricity_bill
       for bill in figures.BILLS},
}  # fmt: skip


def make(folder: Path) -> None:
    """Write every file of the catalogue into `folder`, replacing those of the same name.

    Raises:
        FileExistsError: the folder holds a file that is not of the catalogue. Nothing is
            written then: it may be somebody's own folder.

    """
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).as_posix() not in DATES:
            raise FileExistsError(None, "not a file of the example household", str(path))
    for name in DATES:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        _make_one(name, target, when(name))


def _make_one(path: str, target: Path, date: datetime) -> None:
    invoice = invoices.by_number(target.stem.rpartition("_")[2])
    marked, mailed = TEXTS / f"{path}.markup", TEXTS / f"{path}.mail"
    if (TEXTS / path).exists():
        target.write_bytes((TEXTS / path).read_bytes())
    elif mailed.exists():
        mail.write(target, mailed.read_text("utf-8"), date)
    elif marked.exists():
        blocks = markup.parse(marked.read_text("utf-8"))
        (pdf if target.suffix == ".pdf" else office).document(target, blocks, date)
    elif invoice:
        (pdf if target.suffix == ".pdf" else office).invoice(target, invoice, date)
    else:
        MAKERS[path](target, date)
