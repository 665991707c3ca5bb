"""Statements of invented banks, in the layouts of nine kinds of banks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path

from bank_pdfs import Bank, Cells, write


@dataclass(frozen=True)
class Move:
    """A booking: its day, cents (below 0 for what went out), and the lines of its text."""

    day: date
    cents: int
    texts: tuple[str, ...]


def moves(start: date, count: int, texts: list[tuple[int, tuple[str, ...]]]) -> list[Move]:
    """Bookings two days apart, of texts and amounts that take turns."""
    return [
        Move(
            start + timedelta(days=2 * n),
            texts[n % len(texts)][0] - 7 * (n % 5),
            texts[n % len(texts)][1],
        )
        for n in range(count)
    ]


def comma(cents: int, group: str = ".") -> str:
    """1.234,50"""
    whole = f"{abs(cents) // 100:,}".replace(",", group)
    return f"{whole},{abs(cents) % 100:02}"


def point(cents: int, group: str = ",") -> str:
    """1,234.50"""
    return f"{abs(cents) // 100:,}".replace(",", group) + f".{abs(cents) % 100:02}"


def running(opening: int, found: list[Move]) -> list[int]:
    """The balance behind each booking, in cents."""
    return list(accumulate((move.cents for move in found), initial=opening))[1:]


def german(found: list[Move], start: int = 120_000) -> Bank:
    """Days without year, text of several lines, signs behind; balances at both ends."""

    def signed(c: int) -> str:
        return comma(c) + ("-" if c < 0 else "+")

    rows = [
        [
            {
                "day": f"{m.day:%d.%m.}",
                "value": f"{m.day:%d.%m.}",
                "text": m.texts[0],
                "amount": signed(m.cents),
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m in found
    ]
    after = running(start, found)
    end = found[-1].day
    return Bank(
        {"day": 50, "value": 95, "text": 140, "amount": -540},
        [
            "Musterbank Nord eG",
            "Kontoauszug 3/2024",
            "Girokonto in EUR, IBAN DE02 1203 0000 0000 2020 51",
            f"Zeitraum vom {found[0].day:%d.%m.%Y} bis {end:%d.%m.%Y}",
            "Dispositionskredit 2.000,00 EUR",
        ],
        {"day": "Bu-Tag", "value": "Wert", "text": "Vorgang", "amount": "Betrag in EUR"},
        rows,
        [{"text": "Alter Kontostand", "amount": signed(start)}],
        [{"text": f"Neuer Kontostand am {end:%d.%m.%Y}", "amount": signed(after[-1])}],
        [("Übertrag auf Blatt 2", "Übertrag von Blatt 1")],
        [signed(c) for c in after],
        "amount",
    )


def english(found: list[Move], start: int = 250_000) -> Bank:
    """Paid out, paid in, and a balance behind each booking."""
    after = running(start, found)
    rows = [
        [
            {
                "day": f"{m.day:%d %b %Y}",
                "text": m.texts[0],
                "out" if m.cents < 0 else "in": point(m.cents),
                "balance": point(b),
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m, b in zip(found, after, strict=True)
    ]
    return Bank(
        {"day": 50, "text": 120, "out": -400, "in": -470, "balance": -545},
        [
            "Harbour & Field Bank plc",
            "Your current account statement",
            "Sort code 00-11-22, Account 12345678",
            "Ms D Oyelaran, 4 Mill Lane",
        ],
        {
            "day": "Date",
            "text": "Description",
            "out": "Paid out (£)",
            "in": "Paid in (£)",
            "balance": "Balance (£)",
        },
        rows,
        [
            {
                "day": f"{found[0].day:%d %b %Y}",
                "text": "Balance brought forward",
                "balance": point(start),
            }
        ],
        [{"text": "Closing balance", "balance": point(after[-1])}],
        [("Balance carried forward", "Balance brought forward")],
        [point(b) for b in after],
        "balance",
    )


def french(found: list[Move], start: int = 98_012) -> Bank:
    """Two columns, no balance but at both ends, blanks that group digits, days without year."""
    rows = [
        [
            {
                "day": f"{m.day:%d/%m}",
                "text": m.texts[0],
                "value": f"{m.day:%d/%m}",
                "debit" if m.cents < 0 else "credit": comma(m.cents, " "),
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m in found
    ]
    out, into = (sum(abs(m.cents) for m in found if (m.cents < 0) == o) for o in (True, False))
    return Bank(
        {"day": 50, "text": 90, "value": 340, "debit": -460, "credit": -545},
        [
            "Banque des Cimes",
            "RELEVE DE COMPTE EN EUROS",
            f"du {found[0].day:%d/%m/%Y} au {found[-1].day:%d/%m/%Y}",
        ],
        {"day": "Date", "text": "Libellé", "value": "Valeur", "debit": "Débit", "credit": "Crédit"},
        rows,
        [{"text": "SOLDE CREDITEUR PRECEDENT", "credit": comma(start, " ")}],
        [
            {"text": "TOTAL DES OPERATIONS", "debit": comma(out, " "), "credit": comma(into, " ")},
            {"text": "NOUVEAU SOLDE CREDITEUR", "credit": comma(start + into - out, " ")},
        ],
    )


def dutch(found: list[Move], start: int = 61_040) -> Bank:
    """A column of Af and Bij behind the amount."""
    rows = [
        [
            {
                "day": f"{m.day:%d-%m-%Y}",
                "text": m.texts[0],
                "amount": comma(m.cents),
                "mark": "Af" if m.cents < 0 else "Bij",
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m in found
    ]
    after = running(start, found)
    return Bank(
        {"day": 50, "text": 120, "amount": -480, "mark": 510},
        ["Polderbank N.V.", "Rekeningafschrift", "NL20 PLDR 0123 4567 89   EUR"],
        {"day": "Datum", "text": "Naam / Omschrijving", "amount": "Bedrag", "mark": "Af/Bij"},
        rows,
        [{"text": "Beginsaldo", "amount": comma(start)}],
        [{"text": "Eindsaldo", "amount": comma(after[-1])}],
    )


def italian(found: list[Move], start: int = 310_555) -> Bank:
    """Amounts in front of texts: days, debit, credit, text."""
    rows = [
        [
            {
                "day": f"{m.day:%d.%m.%y}",
                "value": f"{m.day:%d.%m.%y}",
                "dare" if m.cents < 0 else "avere": comma(m.cents),
                "text": m.texts[0],
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m in found
    ]
    after = running(start, found)
    return Bank(
        {"day": 50, "value": 100, "dare": -230, "avere": -310, "text": 330},
        ["Banca del Golfo S.p.A.", "ESTRATTO CONTO", "Conto corrente n. 1000/00012345 in EUR"],
        {"day": "Data", "value": "Valuta", "dare": "Dare", "avere": "Avere", "text": "Descrizione"},
        rows,
        [{"avere": comma(start), "text": "Saldo iniziale"}],
        [{"avere": comma(after[-1]), "text": "Saldo finale"}],
    )


def spanish(found: list[Move], start: int = 45_000) -> Bank:
    """The newest first, a minus in front, a balance behind each."""
    after = running(start, found)
    rows = [
        [
            {
                "day": f"{m.day:%d/%m/%Y}",
                "value": f"{m.day:%d/%m/%Y}",
                "text": m.texts[0],
                "amount": ("-" if m.cents < 0 else "") + comma(m.cents) + " €",
                "balance": ("-" if b < 0 else "") + comma(b) + " €",
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m, b in zip(found[::-1], after[::-1], strict=True)
    ]
    return Bank(
        {"day": 50, "value": 110, "text": 170, "amount": -460, "balance": -545},
        ["Caja del Puerto", "Movimientos de la cuenta", "ES91 2100 0418 4502 0005 1332"],
        {
            "day": "Fecha",
            "value": "Valor",
            "text": "Concepto",
            "amount": "Importe",
            "balance": "Saldo",
        },
        rows,
        [],
        [],
    )


def swiss(found: list[Move], start: int = 1_402_300) -> Bank:
    """Apostrophes, and a balance behind the last booking of a day only."""
    after = running(start, found)
    last = {m.day: b for m, b in zip(found, after, strict=True)}
    rows = []
    for n, m in enumerate(found):
        ends = n + 1 == len(found) or found[n + 1].day != m.day
        balance = {"balance": point(last[m.day], "'")} if ends else {}
        amount = {"out" if m.cents < 0 else "in": point(m.cents, "'")}
        day = {"day": f"{m.day:%d.%m.%y}", "text": m.texts[0], "value": f"{m.day:%d.%m.%y}"}
        rows.append([{**day, **amount, **balance}, *({"text": text} for text in m.texts[1:])])
    return Bank(
        {"day": 50, "text": 100, "out": -370, "in": -440, "value": 450, "balance": -550},
        ["Kantonale Alpbank", "Kontoauszug Privatkonto CHF"],
        {
            "day": "Datum",
            "text": "Text",
            "out": "Belastung",
            "in": "Gutschrift",
            "value": "Valuta",
            "balance": "Saldo",
        },
        rows,
        [{"text": "Saldovortrag", "balance": point(start, "'")}],
        [{"text": "Schlusssaldo", "balance": point(after[-1], "'")}],
    )


def british(found: list[Move], start: int = 180_000) -> Bank:
    """A day once for all its bookings, an amount in the last line of each."""
    after = running(start, found)
    rows, before = [], None
    for n, (m, b) in enumerate(zip(found, after, strict=True)):
        lines: list[Cells] = [{"text": text} for text in m.texts]
        if m.day != before:
            lines[0]["day"] = f"{m.day:%d %b %y}"
        lines[-1]["out" if m.cents < 0 else "in"] = point(m.cents)
        if n + 1 == len(found) or found[n + 1].day != m.day:
            lines[-1]["balance"] = point(b)
        rows.append(lines)
        before = m.day
    return Bank(
        {"day": 50, "text": 110, "out": -400, "in": -470, "balance": -545},
        ["Northgate Bank", "Statement 1 January to 30 March 2024"],
        {
            "day": "Date",
            "text": "Details",
            "out": "Paid out",
            "in": "Paid in",
            "balance": "Balance",
        },
        rows,
        [{"text": "BALANCE BROUGHT FORWARD", "balance": point(start)}],
        [{"text": "BALANCE CARRIED FORWARD", "balance": point(after[-1])}],
        [("BALANCE CARRIED FORWARD", "BALANCE BROUGHT FORWARD")],
        [point(b) for b in after],
        "balance",
        0.0,
    )


def card(found: list[Move], start: int = 50_000) -> Bank:
    """A credit card: what was spent is not marked, what was paid has CR."""
    owed = start - sum(m.cents for m in found)
    rows = [
        [
            {
                "day": f"{m.day:%b %d}",
                "value": f"{m.day:%b %d}",
                "text": m.texts[0],
                "amount": point(m.cents) + (" CR" if m.cents > 0 else ""),
            },
            *({"text": text} for text in m.texts[1:]),
        ]
        for m in found
    ]
    return Bank(
        {"day": 50, "value": 100, "text": 150, "amount": -520},
        [
            "Lakeside Credit Card",
            f"Statement date {found[-1].day:%B %d, %Y}",
            "Credit limit $5,000.00",
            "Previous balance $" + point(start),
            "New balance $" + point(owed),
            "Minimum payment due $25.00",
        ],
        {"day": "Trans", "value": "Post", "text": "Description", "amount": "Amount ($)"},
        rows,
        [],
        [],
    )


# What each layout has: cents, and the lines of a text.
_TEXTS = """
german
-85000 SEPA-Dauerauftrag / Hausverwaltung Ost GmbH / Miete Wohnung 12 / Kaltmiete und Nebenkosten
-3999 SEPA-Lastschrift / Funkwerk Mobil / Rechnung 4711 99 Kundennummer 88123
231045 Gutschrift / Werft AG / Lohn
-1250 Kartenzahlung / Bäckerei Krume / 05.01.2024 08:14 girocard
-6120 Kartenzahlung / Tankhof Müller
-1899 SEPA-Lastschrift / Kraftraum Gym / Beitrag
english
-4210 Carter Grocers
-85000 Standing order / Oak Lettings Ltd
210000 Wages Mill & Sons
-3000 Pebble Mobile / Ref 0099123
french
-4599 PRLV SEPA VOLTALYS / Echéance 4512 Mandat FR12
185000 VIR SALAIRE ATELIER BRUN
-1290 CARTE BOULANGERIE MARTIN
-62000 VIR LOYER REGIE TISSERANDS / Appartement 12
dutch
-2495 Bakkerij Oonk / Pasvolgnr 002 05-01-2024 14:33
-115000 Woonstichting De Brug / Huur woning kenmerk 4411
250000 Gemeente Zwolle / Salaris
-3500 Belnu Telecom
italian
-1240 PAGAMENTO POS PANIFICIO ROSSI / carta 1234
145000 EMOLUMENTI SCUOLA MEDIA
-8990 ADDEBITO SDD LUCE E GAS SPA / mandato 998
-45000 BONIFICO AFFITTO SIG BIANCHI
spanish
-1235 Panadería La Espiga
-60000 Alquiler Sra. Vidal / Recibo 0012
175000 Nómina Molino SA
-4500 Luz y Gas SA / Factura 77123
swiss
-4250 Bäckerei Krume
-145000 Verwaltung Seegut AG / Miete
520000 Lohn Werkhof
-6900 Alpfon / Rechnung 123
british
-4210 VIS / CARTER GROCERS
-85000 SO OAK LETTINGS LTD
210000 CR MILL & SONS / WAGES
-3000 DD PEBBLE MOBILE
card
-4210 CARTER GROCERS #12 SPRINGFIELD
-1299 FILMKISTE 861
-25000 SKYLARK AIR / Ticket 001299
30000 PAYMENT RECEIVED - THANK YOU
"""


def texts_of(layout: str) -> list[tuple[int, tuple[str, ...]]]:
    """The amounts in cents and the texts of a layout."""
    own = re.search(rf"^{layout}\n((?:-?\d.*\n)+)", _TEXTS, re.MULTILINE)[1]
    split = (line.split(" ", 1) for line in own.splitlines())
    return [(int(cents), tuple(text.split(" / "))) for cents, text in split]


LAYOUTS = {
    "german": german,
    "english": english,
    "french": french,
    "dutch": dutch,
    "italian": italian,
    "spanish": spanish,
    "swiss": swiss,
    "british": british,
    "card": card,
}
_OVER_NEW_YEAR = {"german", "french", "card"}  # which leave out the year


def found_of(layout: str, count: int = 60) -> list[Move]:
    """Bookings of a layout in its language."""
    start = date(2023, 12, 4) if layout in _OVER_NEW_YEAR else date(2024, 1, 2)
    return moves(start, count, texts_of(layout))


def cells_of(found: list[Move]) -> Iterator[tuple[str, float]]:
    """The day and the amount of each booking."""
    return ((m.day.isoformat(), m.cents / 100) for m in found)


def statement(folder: Path, layout: str, count: int = 60) -> Path:
    """Write a statement of a layout; return its path."""
    return write(folder / f"{layout}.pdf", LAYOUTS[layout](found_of(layout, count)))
