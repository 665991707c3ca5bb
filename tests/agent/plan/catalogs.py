"""A small catalog for tests: files, papers and a diary that nobody has."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from manole.agent.plan.diary_notes import fill_entries
from manole.agent.plan.open_catalog import FUNCTIONS
from manole.catalog.catalog import Catalog
from manole.documents.fields import Fields
from manole.documents.fields.model import Field, Money, TextLine
from manole.documents.journal import Entry
from manole.documents.model import Status
from manole.index.store.records import FileRecord
from manole.text.question import Question

TODAY = date(2025, 1, 15)


def asking(text, before=""):
    """A question of that day, and the one it leans on."""
    return Question(text, TODAY, (Question(before, TODAY),) if before else ())


def file(path, size=1000, day=date(2024, 6, 1), content="", **more):
    """A file that was last changed at noon of `day`."""
    moment = int(datetime(day.year, day.month, day.day, 12).timestamp() * 1e9)
    return FileRecord(path, "/files", path, size, moment, content or path, Status.INDEXED, **more)


FILES = [
    file("Arbeit/plan.pdf", 2_500_000, pages=12),
    file("Arbeit/Entwürfe/plan alt.pdf", 90_000, date(2023, 3, 4), pages=4),
    file("Arbeit/Entwürfe/notes.md", 700, date(2025, 1, 14)),
    file("Photos/lake.jpg", 300_000, content="lake"),
    file("Photos/copy of lake.jpg", 300_000, date(2024, 7, 1), content="lake"),
    file("Papers/dentist.pdf", 50_000, date(2024, 12, 3), pages=1),
    file("Papers/shop.jpg", 60_000, date(2024, 12, 24)),
    file("Papers/airline.pdf", 70_000, date(2023, 5, 5), pages=2),
    file("Diary/2024.md", 4_000, date(2024, 12, 31)),
    file(
        "Post/roof.eml",
        900,
        date(2024, 11, 5),
        format="email",
        metadata={
            "from": "Rosa Lind <rosa@lind.example>",
            "to": "me@lind.example",
            "subject": "The roof",
            "created": "2024-11-04T09:30:00+01:00",
        },
    ),
]


def found(value, line=1):
    return Field(value, str(value), None, line, 0.9)


def paper(kind, issuer, day, amount, currency, due=None):
    return Fields(
        kind=kind,
        issuer=found(issuer),
        date=found(day),
        total=found(Money(Decimal(amount), currency), 7),
        due_date=found(due) if due else None,
    )


PAPERS = {
    "Papers/dentist.pdf": paper(
        "invoice", "Dr. med. Ute Zahn", date(2024, 12, 1), "120.50", "EUR", date(2024, 12, 31)
    ),
    "Papers/shop.jpg": paper("invoice", "S. H. O. P. (M) Ltd", date(2024, 12, 24), "19.90", "MYR"),
    "Papers/airline.pdf": paper("bill", "Air Fjord AS", date(2023, 5, 5), "310", "EUR"),
}
DIARY = {
    date(2024, 3, 4): "I went swimming with Ana.",
    date(2024, 3, 10): "Rain. I swam again, and read.",
    date(2024, 8, 2): "Ana and Tom came for dinner.",
}


def catalog(**more):
    """The catalog, with everything in it, and `more` papers by the names of their files."""
    made = Catalog(FILES, FUNCTIONS)
    made.fill_files()
    made.fill_folders(["Photos", "Photos/Empty"])
    made.fill_messages()
    by_path = {f.path: f for f in FILES}
    made.fill_papers((by_path[path], fields) for path, fields in (PAPERS | more).items())
    entries = [
        Entry(str(day), day, text.split(".")[0], "Diary/2024.md", n, (TextLine(text, None, n),))
        for n, (day, text) in enumerate(DIARY.items(), start=1)
    ]
    fill_entries(made, entries)
    made.fill_texts({
        "Arbeit/plan.pdf": ["We build a bridge in Düsseldorf.", "Page two."],
        "Papers/dentist.pdf": ["Rechnung für eine Füllung"],
    })  # fmt: skip
    return made
