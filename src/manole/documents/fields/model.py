"""What is read from one paper: typed fields, each with the place it was read from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Generic, TypeVar

# Raised when a rule changes what is read: what was kept of earlier versions is read anew.
VERSION = 9

# From this confidence on a value may be shown without asking the model.
SURE = 0.7

T_co = TypeVar("T_co", covariant=True)
Day = date  # `Fields.date` hides the type in its own class


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a page. `page` is `None` in formats without pages; `line` is 1-based."""

    text: str
    page: int | None
    line: int


@dataclass(frozen=True, slots=True)
class Money:
    """An amount; `currency` is an ISO 4217 code, `None` where none is written."""

    amount: Decimal
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Field(Generic[T_co]):
    """A value and where it stands.

    `text` are the words it was read from, `label` the words that say what it is ("" where none
    do). `confidence` lies between 0 and 1.
    """

    value: T_co
    text: str
    page: int | None
    line: int
    confidence: float
    label: str = ""


AnyField = Field[str | date | Money]


@dataclass(frozen=True, slots=True)
class Fields:
    """Everything read from one paper; `None` where it says nothing.

    `total` is what the paper charges, tax included; `due` what of it is left to pay, where that
    is written and differs. `kind` is one of `manole.documents.fields.kinds.KINDS`.
    """

    kind: str | None = None
    total: Field[Money] | None = None
    due: Field[Money] | None = None
    net: Field[Money] | None = None
    tax: Field[Money] | None = None
    date: Field[Day] | None = None
    due_date: Field[Day] | None = None
    end_date: Field[Day] | None = None
    number: Field[str] | None = None
    issuer: Field[str] | None = None
    notice: Field[str] | None = None


def with_currency(found: Field[Money] | None, currency: str | None) -> Field[Money] | None:
    """`found` in the paper's `currency` where no other is written beside it."""
    if found is None or found.value.currency or currency is None:
        return found
    return replace(found, value=replace(found.value, currency=currency))
