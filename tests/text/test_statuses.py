"""What the words of a question say of a task or a paper."""

from __future__ import annotations

import pytest

from manole.text.statuses import payment_called, status_called


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("unpaid", "open"),
        ("haven't paid", "open"),
        ("still open", "open"),
        ("outstanding", "open"),
        ("need paying", "open"),
        ("paid", "paid"),
        ("settled", "paid"),
        ("overdue", "overdue"),
        ("noch offen", "open"),
        ("nicht bezahlt", "open"),
        ("unbezahlt", "open"),
        ("beglichen", "paid"),
        ("überfällig", "overdue"),
        ("encore à payer", "open"),
        ("impayées", "open"),
        ("payées", "paid"),
        ("sin pagar", "open"),
        ("pagadas", "paid"),
        ("non sono ancora pagate", "open"),
        ("saldate", "paid"),
        ("nog niet betaald", "open"),
        ("voldaan", "paid"),
        ("signed", None),
    ],
)
def test_papers_are_paid_open_or_overdue(text, status):
    assert payment_called(text) == status


def test_a_denial_beside_the_words_counts_once():
    assert payment_called("pagate", denied=True) == "open"
    assert payment_called("non pagate", denied=True) == "open"
    assert payment_called("open", denied=True) == "paid"


@pytest.mark.parametrize(
    ("text", "status"),
    [("finished", "done"), ("nicht erledigt", "open"), ("niet klaar", "open"), ("late", "overdue")],
)
def test_tasks_are_done_open_or_overdue(text, status):
    assert status_called(text) == status
