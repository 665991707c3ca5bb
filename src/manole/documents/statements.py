"""Statements of accounts and cards as tables: CAMT.052 to .054 (ISO 20022), MT940 (SWIFT), OFX.

Each booking is a row; an amount has a minus where it went out, a balance stands behind the last
booking. What has no day or no amount is left out; of a file that is cut off, the whole bookings
are read. CAMT is streamed; `archive.py` says why the standard parser is safe. The others are read
tag by tag, as banks leave out what their standards ask for: end tags of OFX, lines of MT940.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal, InvalidOperation
from html import unescape
from operator import attrgetter
from typing import BinaryIO

from manole.documents.model import Document, Page
from manole.documents.opened import OpenFile
from manole.documents.text import decode, read_text

_CUT = "cut off or damaged: bookings may be missing"
_HEAD = "day;amount;currency;party;text;account;balance\n"
_MOST = Decimal(10) ** 15  # no booking is larger
_OFX = re.compile(r"<(/?)([A-Za-z][\w.]{0,31})>([^<\r\n]*)")
_ENDS = frozenset({"STMTTRN", "BANKTRANLIST", "LEDGERBAL", "CURDEF"})
_FIELD = re.compile(r"^:(\d\d[A-Z]?):", re.MULTILINE)
_BOOKED = re.compile(r"(\d{6})(\d{4})?\s?(R?[DC])[A-Z]?\s?(\d{1,15}(?:,\d*)?)")  # of field 61
_BALANCE = re.compile(r"([DC])\d{6}([A-Z]{3})([\d,]{1,16})")  # of fields 60 and 62
_PART = re.compile(r"[?<~](\d\d)")  # of field 86, as German and Polish banks write it
_CODED = re.compile(r"/(NAME|REMI)/+([^/]+)")  # as Dutch and Belgian banks do
_MESSAGE = re.compile(r"SVWZ\+(.*?)(?:\b[A-Z]{4}\+|$)")
_LINE = 27  # characters of a full part, behind which a word may go on


@dataclass(slots=True)
class _Booking:
    day: str
    amount: str
    currency: str
    party: str = ""
    text: str = ""
    account: str = ""
    balance: str = ""


_CELLS = attrgetter(*(field.name for field in fields(_Booking)))


def read_statement(file: OpenFile, format_: str, max_chars: int) -> Document:
    """Read a statement as a table with `;`; what has no bookings as the text that it is."""
    whole = True
    if format_ == "camt":
        found, whole = _camt(file.file)
    else:
        text = decode(file.file.read())[0] or ""
        found = list(_whole(_ofx(text) if format_ == "ofx" else _mt940(text)))
    if not found:
        file.file.seek(0)
        return read_text(file, "xml" if format_ == "camt" else "text", max_chars)
    rows = (";".join(re.sub(r"[\s;\"]+", " ", cell) for cell in _CELLS(one)) for one in found)
    text = _HEAD + "\n".join(rows)
    cut_at = max_chars if len(text) > max_chars else None
    reason = None if whole else _CUT
    return Document.finished(format_, [Page(text[:max_chars])], {}, cut_at=cut_at, reason=reason)


def _whole(found: Iterable[_Booking]) -> Iterator[_Booking]:
    """Yield the bookings that have a day and an amount, each once all is known of it."""
    return (one for one in list(found) if one.day and one.amount)


def _amount(written: str, *, minus: bool = False) -> str:
    """Return an amount with a point, whatever the decimal sign is; "" for none."""
    group, point = (".", ",") if written.rfind(",") > written.rfind(".") else (",", ".")
    with suppress(InvalidOperation):
        value = Decimal(written.replace(group, "").replace(point, ".").strip())
        if value.is_finite() and abs(value) < _MOST:
            return f"{-value if minus else value:.2f}"
    return ""


def _day(digits: str) -> str:
    """Return a day of eight digits, or six of which two are the year; "" for none."""
    digits = digits if len(digits) > len("991231") else f"{19 if digits > '7' else 20}{digits}"
    with suppress(ValueError):
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8])).isoformat()
    return ""


def _camt(file: BinaryIO) -> tuple[list[_Booking], bool]:
    """Return the bookings of a CAMT file, and whether it is whole."""
    found: list[_Booking] = []
    account = closing = ""
    try:
        for _, node in ElementTree.iterparse(file):  # noqa: S314
            node.tag = node.tag.rpartition("}")[2]
            match node.tag:
                case "Acct":
                    account = _text(node, "IBAN", "Othr")
                case "Bal" if _text(node, "Cd") == "CLBD":
                    minus = _text(node, "CdtDbtInd") == "DBIT"
                    closing = _amount(_text(node, "Amt"), minus=minus)
                case "Ntry":
                    found += _whole(_entry(node, account))
                    node.clear()
                case "Stmt" if found:
                    found[-1].balance, closing = closing, ""
    except ElementTree.ParseError:
        return found, False
    return found, True


def _entry(entry: ElementTree.Element, account: str) -> Iterator[_Booking]:
    """Yield an entry's bookings: those of a batch, if each has its amount, else the entry."""
    day = _day(_text(entry, "BookgDt", "ValDt")[:10].replace("-", ""))
    if _text(entry, "Sts") == "PDNG":
        return
    parts = list(entry.iter("TxDtls"))
    own = len(parts) > 1 and all(part.find("Amt") is not None for part in parts)
    for one in parts if own else [entry]:
        if (money := one.find("Amt")) is None:
            continue
        minus = (one.findtext("CdtDbtInd") or entry.findtext("CdtDbtInd")) == "DBIT"
        sides = ("Cdtr", "Dbtr") if minus else ("Dbtr", "Cdtr")
        named = (_text(of, "Nm") for side in sides for of in one.iter(side))
        told = " ".join(node.text or "" for node in one.iter("Ustrd"))
        yield _Booking(
            day, _amount(money.text or "", minus=minus), money.get("Ccy", ""),
            next(filter(None, named), ""), told or _text(one, "AddtlTxInf", "AddtlNtryInf"),
            account,
        )  # fmt: skip


def _text(node: ElementTree.Element, *tags: str) -> str:
    """Return the first text in the first element that has any, of those with these tags."""
    every = (text.strip() for tag in tags for of in node.iter(tag) for text in of.itertext())
    return next(filter(None, every), "")


def _ofx(text: str) -> Iterator[_Booking]:
    """Yield the bookings of OFX, of 1.x (SGML, whose end tags may be missing) and 2.x (XML)."""
    account = currency = ""
    last: _Booking | None = None
    cells: dict[str, str] | None = None
    for found in _OFX.finditer(f"{text}<STMTTRN>"):
        closes, tag, value = bool(found[1]), found[2].upper(), unescape(found[3]).strip()
        if tag in _ENDS:
            if cells:
                day, amount = cells.get("DTPOSTED", "")[:8], cells.get("TRNAMT", "")
                known = _day(day), _amount(amount), currency
                last = _Booking(*known, cells.get("NAME", ""), cells.get("MEMO", ""), account)
                yield last
            cells = {} if tag == "STMTTRN" and not closes else None
            currency = value if tag == "CURDEF" and not closes else currency
        elif cells is not None and not closes:
            cells.setdefault(tag, value)
        elif tag == "ACCTID" and not closes:
            account = value
        elif tag == "BALAMT" and last is not None:
            last.balance = last.balance or _amount(value)


def _mt940(text: str) -> Iterator[_Booking]:
    """Yield the bookings of MT940; field 86 behind a field 61 tells of that booking."""
    account = currency = before = ""
    last: _Booking | None = None
    _, *found = _FIELD.split(text)
    for tag, value in zip(found[::2], found[1::2], strict=True):
        balance = _BALANCE.match(value) if tag[0] == "6" else None
        if tag == "25":
            account = value.strip()
        elif tag[:2] == "60" and balance:
            currency = balance[2]
        elif tag == "61":
            if (booked := _BOOKED.match(value)) is None:
                before = ""
                continue
            amount = _amount(booked[4], minus=booked[3] in {"D", "RC"})
            last = _Booking(_booked_on(booked), amount, currency, account=account)
            yield last
        elif tag == "86" and before == "61" and last is not None:
            last.party, last.text = _told(value)
        elif tag == "62F" and balance and last is not None:
            last.balance = _amount(balance[3], minus=balance[1] == "D")
        before = tag


def _booked_on(found: re.Match[str]) -> str:
    """Return the day of a booking, which has no year: it is near the day of its value."""
    valued = _day(found[1])
    if not (valued and found[2]):
        return valued
    near = date.fromisoformat(valued)
    days = (_day(f"{near.year + n}{found[2]}") for n in (0, -1, 1))
    return min(filter(None, days), key=lambda d: abs(date.fromisoformat(d) - near), default=valued)


def _told(value: str) -> tuple[str, str]:
    """Return who is paid or pays, and what for, of a field 86 in any of its three forms."""
    flat = re.sub(r"[\r\n]+", "", value.rstrip("\r\n -"))
    _, *found = _PART.split(flat)
    parts = dict(zip(map(int, found[::2]), found[1::2], strict=True))
    if 20 in parts or 32 in parts:
        lines = (part for n, part in parts.items() if 20 <= n <= 29 or 60 <= n <= 63)
        text = "".join(f"{line}{'' if len(line) >= _LINE else ' '}" for line in lines)
        message = _MESSAGE.search(text)
        text = message[1] if message else text or parts.get(0, "")
        return parts.get(32, "") + parts.get(33, ""), text
    coded = dict(_CODED.findall(flat))
    return coded.get("NAME", ""), coded.get("REMI", "") or " ".join(value.split())
