"""Whose papers a library has is told by the parties of the papers."""

from __future__ import annotations

import pytest

from manole.catalog.owner import owner_of

HOUSEHOLD = [
    ("Radhaus Birkle", "Mara and Jonas Linde"),
    ("Solvana Energie", "Mara and Jonas Linde"),
    ("Kiesel AG", "Jonas Linde"),
    ("Alpenrose AG", "Frau Mara Linde"),
    ("Corner Shop", None),
]
SENDER = [
    ("Fenella Aldous Pianos", "Lycée Irmine"),
    ("FENELLA ALDOUS", "Lycée Irmine"),
    ("Fenella Aldous", "Lycée Irmine"),
    ("Fenella Aldous", "Kulturhaus Bitburg e.V."),
    ("Brandtner GmbH", "Frau Fenella Aldous"),
    ("Garage Wiltgen", "Aldous F."),
]


def test_the_household_gets_papers_from_many():
    owner = owner_of(HOUSEHOLD)
    assert owner.name == "Mara and Jonas Linde"
    assert owner.is_named("Jonas Linde")
    assert not owner.is_named("Mara Schmidt")


def test_one_who_mostly_sends_papers_to_a_client_is_not_taken_for_the_client():
    owner = owner_of(SENDER)
    assert [issuer for issuer, _ in SENDER if owner.is_named(issuer)] == [
        "Fenella Aldous Pianos", "FENELLA ALDOUS", "Fenella Aldous", "Fenella Aldous",
    ]  # fmt: skip
    assert not owner.is_named("Lycée Irmine")


@pytest.mark.parametrize(
    "papers",
    [[], [("A GmbH", "Ann Roe")], [("A GmbH", "Ann Roe"), ("B GmbH", "Bob Lee"), ("C", "Di Fox")]],
)
def test_papers_of_nobody_in_particular_have_no_owner(papers):
    assert owner_of(papers) is None
