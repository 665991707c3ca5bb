"""The twelve invoices: who, when, what, and whether they were paid. Sums are computed here."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

CUSTOMER = ("Mara and Jonas Linde", "Kastanienhof 14", "79104 Freiburg")

ENGLISH = {
    "invoice": "Invoice",
    "number": "Invoice number",
    "date": "Invoice date",
    "due": "Due date",
    "columns": ("Description", "Quantity", "Unit price", "Amount"),
    "net": "Net amount",
    "vat": "VAT {rate} %",
    "exempt": "VAT (exempt)",
    "total": "Total amount due",
}
GERMAN = {
    "invoice": "Rechnung",
    "number": "Rechnungsnummer",
    "date": "Rechnungsdatum",
    "due": "Zahlbar bis",
    "columns": ("Leistung", "Menge", "Einzelpreis", "Betrag"),
    "net": "Nettobetrag",
    "vat": "zzgl. {rate} % MwSt.",
    "exempt": "MwSt. (steuerfrei)",
    "total": "Rechnungsbetrag",
}


@dataclass(frozen=True, slots=True)
class Invoice:
    """One invoice; `lines` are description, quantity, unit, unit price in euros."""

    number: str
    issuer: tuple[str, ...]  # name, street, town, contact
    issued: date
    due: date
    lines: tuple[tuple[str, str, str, str], ...]
    note: str
    payment: str
    vat: int = 19
    colour: str = "#2f4b6e"
    labels: dict[str, str | tuple[str, ...]] = field(default_factory=lambda: dict(ENGLISH))

    @property
    def net(self) -> Decimal:
        """The sum of the lines."""
        return sum((amount(line) for line in self.lines), Decimal())

    @property
    def tax(self) -> Decimal:
        """The value added tax, rounded half up to cents."""
        return cents(self.net * self.vat / 100)

    @property
    def total(self) -> Decimal:
        """What is to be paid."""
        return self.net + self.tax

    def money(self, value: Decimal) -> str:
        """`value` as this invoice's language writes it."""
        return german_money(value) if self.labels["invoice"] == "Rechnung" else money(value)

    def day(self, day: date) -> str:
        """`day` as this invoice's language writes it."""
        if self.labels["invoice"] == "Rechnung":
            return f"{day:%d.%m.%Y}"
        return f"{day.day} {day:%B %Y}"


def cents(value: Decimal) -> Decimal:
    """`value` rounded half up to two places."""
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def amount(line: tuple[str, str, str, str]) -> Decimal:
    """Quantity times price of an invoice line."""
    return cents(Decimal(line[1]) * Decimal(line[3]))


def money(value: Decimal) -> str:
    """1234.5 → "1,234.50 EUR"."""
    return f"{value:,.2f} EUR"


def german_money(value: Decimal) -> str:
    """1234.5 → "1.234,50 €"."""
    return f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))


INVOICES = (
    Invoice(
        "RB-2022-0117",
        ("Radhaus Birkle", "Zeppelinweg 5, 79106 Freiburg", "Phone 0761 555 0117", "hello@radhaus-birkle.example.com"),
        date(2022, 2, 14), date(2022, 2, 28),
        (("Children's bicycle \"Falke 24\", green", "1", "pc", "369.00"),
         ("Helmet size S", "1", "pc", "42.00"),
         ("Fitting of mudguards and lights", "1", "job", "18.50")),
        "First inspection after 300 km or three months is free of charge. Frame number FK24-008831.",
        "Paid on 20 February 2022 by bank transfer.",
        colour="#2e6b4f",
    ),
    Invoice(
        "HK-22-448",
        ("Hahn & Kern Sanitärtechnik", "Industriehof 21, 79108 Freiburg", "Telefon 0761 555 0148", "buero@hahn-kern.example.com"),
        date(2022, 6, 9), date(2022, 6, 23),
        (("Notdienst am Samstag, 4. Juni 2022", "1", "psch.", "95.00"),
         ("Lecksuche Küche und Decke", "2.5", "Std.", "78.00"),
         ("Eckventil und Siphon erneuert", "1", "St.", "148.60"),
         ("Kleinmaterial", "1", "psch.", "24.90")),
        "Ursache des Wasserschadens war ein gerissenes Eckventil unter der Spüle. "
        "Diese Rechnung können Sie bei Ihrer Hausratversicherung einreichen.",
        "Bezahlt am 17.06.2022 per Überweisung.",
        colour="#1f5f8b", labels=dict(GERMAN),
    ),
    Invoice(
        "ZP-22-1093",
        ("Dental practice Dr. Amara Osei", "Rosengasse 2, 79098 Freiburg", "Phone 0761 555 0193", "practice@dr-osei.example.com"),
        date(2022, 11, 22), date(2022, 12, 22),
        (("Crown, tooth 36, laboratory work", "1", "pc", "412.30"),
         ("Treatment by the dentist", "1", "job", "386.40"),
         ("X-ray picture", "2", "pc", "18.75")),
        "Patient: Jonas Linde. Medical treatment is exempt from VAT. "
        "The health insurer's share has already been deducted.",
        "Paid on 12 December 2022 by bank transfer.",
        vat=0, colour="#5b4a8a",
    ),
    Invoice(
        "FN-3301982",
        ("Fernlicht Net GmbH", "Glasfaserallee 100, 70173 Stuttgart", "Phone 0711 555 0100", "billing@fernlicht.example.com"),
        date(2023, 1, 31), date(2023, 2, 14),
        (("Internet and telephone \"Home 250\", January 2023", "1", "month", "33.57"),
         ("Rental of router FL-7", "1", "month", "4.19")),
        "Customer number 77120443. Your contract runs until 28 February 2024 and is then "
        "extended month by month.",
        "Paid by direct debit on 14 February 2023.",
        colour="#b0482f",
    ),
    Invoice(
        "MS-5521",
        ("Möbelhaus Sandweg", "Sandweg 88, 79111 Freiburg", "Phone 0761 555 0155", "service@sandweg.example.com"),
        date(2023, 5, 12), date(2023, 5, 26),
        (("Sofa \"Lofoten\", three seats, wool, moss green", "1", "pc", "1386.55"),
         ("Footstool \"Lofoten\"", "1", "pc", "184.03"),
         ("Delivery to the second floor", "1", "job", "66.39"),
         ("Old sofa taken away", "1", "job", "41.18")),
        "Delivered on 12 May 2023. Covers may be washed at 30 degrees. "
        "Guarantee on the frame: ten years.",
        "Paid on 19 May 2023 by bank transfer.",
        colour="#6b5b3a",
    ),
    Invoice(
        "PL-2023-17",
        ("Henrike Sommer, piano teacher", "Turmgasse 9, 79102 Freiburg", "Phone 0761 555 0109", "henrike@sommer-piano.example.com"),
        date(2023, 9, 4), date(2023, 9, 18),
        (("Piano lesson for Emil, 45 minutes, September to November", "10", "lessons", "32.00"),
         ("Sheet music \"First Preludes\"", "1", "pc", "24.50")),
        "No VAT is charged (small business). Lessons take place on Wednesdays at 15:30. "
        "A lesson that is cancelled less than 24 hours before cannot be refunded.",
        "Paid on 11 September 2023 in cash.",
        vat=0, colour="#333333",
    ),
    Invoice(
        "TP-2023-0862",
        ("Veterinary practice Dr. Noor Haddad", "Mühlbach 30, 79115 Freiburg", "Phone 0761 555 0186", "care@vet-haddad.example.com"),
        date(2023, 11, 16), date(2023, 11, 30),
        (("Dental cleaning under anaesthetic", "1", "job", "214.00"),
         ("Blood test before the anaesthetic", "1", "job", "61.80"),
         ("Painkiller, tablets", "5", "pcs", "3.20")),
        "Patient: Pippa, mixed-breed dog, female. One tooth (upper left premolar) was removed.",
        "Paid on 16 November 2023 by card.",
        colour="#3c7a6a",
    ),
    Invoice(
        "EH-77120",
        ("ElektroHaus Vogt", "Messestraße 40, 79108 Freiburg", "Phone 0761 555 0177", "shop@elektrohaus-vogt.example.com"),
        date(2024, 1, 22), date(2024, 2, 5),
        (("Dishwasher Aquila D460, serial number AQ460-3391-27", "1", "pc", "579.00"),
         ("Delivery", "1", "job", "29.41"),
         ("Installation and taking away of the old machine", "1", "job", "75.63")),
        "Guarantee: the manufacturer gives five years on all parts, until 21 January 2029. "
        "Please keep this invoice as proof of purchase.",
        "Paid on 22 January 2024 by card.",
        colour="#8a2f4b",
    ),
    Invoice(
        "AK-24-0931",
        ("Autohaus Kessel", "Ringstraße 77, 79110 Freiburg", "Phone 0761 555 0131", "workshop@autohaus-kessel.example.com"),
        date(2024, 3, 27), date(2024, 4, 10),
        (("Inspection at 60,000 km", "1", "job", "289.00"),
         ("Engine oil 5W-30", "5", "litres", "14.80"),
         ("Brake pads, front axle, set", "1", "set", "118.40"),
         ("Labour, brakes", "1.5", "hours", "96.00"),
         ("Main inspection and emissions test", "1", "job", "128.15")),
        "Vehicle: Veridia Kombi 1.5, registration FR-ML 555, mileage 60,214 km. "
        "Next main inspection: March 2026. The rear tyres have 3 mm of tread left; we recommend "
        "replacing them before winter.",
        "Paid on 8 April 2024 by bank transfer.",
        colour="#444f5a",
    ),
    Invoice(
        "NB-20418",
        ("Notebook Bauer", "Schwarzwaldallee 12, 79117 Freiburg", "Phone 0761 555 0120", "orders@notebook-bauer.example.com"),
        date(2024, 6, 18), date(2024, 7, 2),
        (("Laptop \"Corvus 14\", 32 GB memory, 1 TB disk", "1", "pc", "1092.44"),
         ("Sleeve, felt, grey", "1", "pc", "25.13"),
         ("Transfer of data from the old device", "1", "job", "49.58")),
        "Serial number CV14-55-20881. Warranty: three years, with pick-up service. "
        "Mara uses the laptop for work as well; the share may be declared in the tax return.",
        "Paid on 1 July 2024 by bank transfer.",
        colour="#20639b",
    ),
    Invoice(
        "ML-0087",
        ("Malerbetrieb Lutz", "Kornweg 6, 79112 Freiburg", "Phone 0761 555 0187", "info@maler-lutz.example.com"),
        date(2024, 8, 30), date(2024, 9, 13),
        (("Painting of walls and ceilings, living room and hall, square metres", "62", "m²", "9.80"),
         ("Covering and masking", "1", "job", "85.00"),
         ("Wall paint \"Kalkweiss\", 10 l", "6", "tubs", "27.50")),
        "Work was carried out from 26 to 29 August 2024. Two-year warranty on our work.",
        "Open. Not paid yet.",
        colour="#a0672a",
    ),
    Invoice(
        "TH-2024-311",
        ("Thermaro Service Südbaden", "Wärmeweg 1, 79331 Teningen", "Phone 07641 555 0111", "service@thermaro.example.com"),
        date(2024, 11, 28), date(2024, 12, 12),
        (("Yearly maintenance, boiler Thermaro B24", "1", "job", "149.00"),
         ("Ignition electrode", "1", "pc", "38.60"),
         ("Gasket set, combustion chamber", "1", "set", "21.90"),
         ("Travel", "1", "job", "35.00")),
        "Boiler serial number B24-2019-40712. Measured before the work: fault E04 (no flame). "
        "Cause: worn ignition electrode. System pressure filled up to 1.5 bar. "
        "Next maintenance: November 2025.",
        "Open. Not paid yet.",
        colour="#b03a2e",
    ),
)  # fmt: skip


def by_number(number: str) -> Invoice | None:
    """The invoice of that number, if there is one."""
    return next((invoice for invoice in INVOICES if invoice.number == number), None)
