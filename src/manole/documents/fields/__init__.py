"""Typed fields of a paper, read from its text by rules: total, date, number, parties and more.

`read_fields(lines)` is pure and takes about a millisecond a page. It knows the layouts and labels
of invoices, bills, receipts, contracts and policies in English, German, French and Dutch (whether a
paper is paid, and to whom it goes, in Spanish and Italian too), and returns a confidence for each
value (`Field.confidence`; from `SURE` on a value may be shown as it is).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from manole.documents.fields.days import read_date, read_due_date, read_end_date, read_notice
from manole.documents.fields.issuers import read_issuer
from manole.documents.fields.kinds import read_kind
from manole.documents.fields.lines import page_lines
from manole.documents.fields.model import (
    SURE,
    VERSION,
    AnyField,
    Field,
    Fields,
    Money,
    TextLine,
)
from manole.documents.fields.money import read_money
from manole.documents.fields.numbers import read_number
from manole.documents.fields.payment import read_payment
from manole.documents.fields.recipients import read_recipient

__all__ = [
    "SURE", "VERSION", "AnyField", "Field", "Fields", "Money", "TextLine", "page_lines",
    "read_fields",
]  # fmt: skip

# Of a paper; a book is no invoice. Both limits bound the time that a hostile file can take.
_MAX_LINES, _MAX_CHARS = 1000, 400


def read_fields(lines: list[TextLine], own_date: date | None = None) -> Fields:
    """Return the fields of a paper, given as its lines in reading order.

    `own_date` is the document's date if it is known from its name or metadata.
    """
    lines = [replace(line, text=line.text[:_MAX_CHARS]) for line in lines[:_MAX_LINES]]
    kind = read_kind(lines)
    fields, issuer = read_money(lines, kind), read_issuer(lines)
    return replace(
        fields,
        status=read_payment(lines, fields),
        due=None if kind in {"contract", "policy"} else fields.due,
        date=read_date(lines, own_date),
        due_date=read_due_date(lines),
        end_date=read_end_date(lines),
        number=read_number(lines),
        issuer=issuer,
        recipient=read_recipient(lines, issuer.value if issuer else None),
        notice=read_notice(lines),
    )
