"""Every file of the household and the day it was last changed.

This module imports nothing heavy: `make_household.py --dates-only` needs it alone. No two
files share a day, so "the newest" and "the oldest" have one answer.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

DATES: dict[str, str] = {
    "contacts.vcf": "2024-09-24",
    "family-calendar-2024.ics": "2024-10-07",
    "career/mara-linde-cv.docx": "2024-04-11",
    "electricity/electricity-bill-2022.pdf": "2022-12-15",
    "electricity/electricity-bill-2023.pdf": "2023-12-14",
    "electricity/electricity-bill-2024.pdf": "2024-12-16",
    "electricity/meter-readings.csv": "2024-11-30",
    "finance/bank-transactions-2024-q3.csv": "2024-10-01",
    "finance/budget-2022.xlsx": "2022-12-31",
    "finance/budget-2023.xlsx": "2023-12-30",
    "finance/budget-2024.xlsx": "2024-12-29",
    "finance/subscriptions.json": "2024-10-19",
    "finance/tax-assessment-2023.eml": "2024-05-23",
    "health/medication-list.txt": "2024-09-10",
    "health/vet-record-pippa.rtf": "2024-03-14",
    "holidays/denmark-2023.pptx": "2023-06-25",
    "holidays/holiday-house-booking.eml": "2023-03-04",
    "holidays/photos/beach-blokhus.jpg": "2023-08-12",
    "holidays/photos/christmas-tree.jpg": "2022-12-23",
    "holidays/photos/pippa-on-the-balcony.jpg": "2024-05-19",
    "home/boiler-thermaro-b24-manual.pdf": "2022-03-03",
    "home/dishwasher-warranty-card.pdf": "2024-01-23",
    "home/floor-plan.png": "2022-02-08",
    "home/landlord-email-rent-2023.eml": "2023-07-20",
    "home/rental-contract.pdf": "2022-02-04",
    "home/scan-letter-landlord-2023.pdf": "2023-07-14",
    "home/uebergabeprotokoll-2022.docx": "2022-03-01",
    "insurance/car-insurance-policy.pdf": "2022-01-10",
    "insurance/household-insurance-policy.pdf": "2022-02-25",
    "insurance/liability-insurance-policy.pdf": "2022-04-05",
    "insurance/water-damage-claim-2022.eml": "2022-06-28",
    "invoices/2022-02-14_invoice_bicycle_RB-2022-0117.pdf": "2022-02-14",
    "invoices/2022-06-09_invoice_plumber_HK-22-448.pdf": "2022-06-09",
    "invoices/2022-11-22_invoice_dentist_ZP-22-1093.pdf": "2022-11-22",
    "invoices/2023-01-31_invoice_internet_FN-3301982.pdf": "2023-01-31",
    "invoices/2023-05-12_invoice_sofa_MS-5521.pdf": "2023-05-12",
    "invoices/2023-09-04_invoice_piano-lessons_PL-2023-17.docx": "2023-09-04",
    "invoices/2023-11-16_invoice_vet_TP-2023-0862.pdf": "2023-11-16",
    "invoices/2024-01-22_invoice_dishwasher_EH-77120.pdf": "2024-01-22",
    "invoices/2024-03-27_invoice_car-service_AK-24-0931.pdf": "2024-03-27",
    "invoices/2024-06-18_invoice_laptop_NB-20418.pdf": "2024-06-18",
    "invoices/2024-08-30_invoice_painter_ML-0087.pdf": "2024-08-30",
    "invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf": "2024-11-28",
    "journal/2022-03-02.md": "2022-03-02",
    "journal/2022-06-05.md": "2022-06-05",
    "journal/2022-12-24.md": "2022-12-24",
    "journal/2023-05-20.md": "2023-05-20",
    "journal/2023-08-11.md": "2023-08-11",
    "journal/2024-01-25.md": "2024-01-25",
    "journal/2024-09-01.md": "2024-09-01",
    "journal/2024-12-08.md": "2024-12-08",
    "notes/balcony-garden.md": "2024-04-20",
    "notes/todo.txt": "2024-12-30",
    "recipes/kaesespaetzle.md": "2022-10-16",
    "recipes/lentil-soup.md": "2022-11-06",
    "recipes/pancakes.md": "2023-02-19",
    "recipes/plum-cake.md": "2023-09-17",
    "school/class-trip-letter-2024.html": "2024-03-19",
}


def when(path: str) -> datetime:
    """The moment `path` was last changed: noon UTC, the same calendar day nearly everywhere."""
    return datetime.fromisoformat(DATES[path]).replace(hour=12, tzinfo=UTC)


def set_dates(folder: Path) -> None:
    """Set the modification time of every file of the catalogue that lies in `folder`.

    Git does not keep these times, so they are set again after a checkout.

    Raises:
        FileNotFoundError: a file of the catalogue is missing.

    """
    for path in DATES:
        stamp = when(path).timestamp()
        os.utime(folder / path, (stamp, stamp))
