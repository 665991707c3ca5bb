"""Which words of a text name somebody."""

from __future__ import annotations

import pytest

from manole.agent.dossier.names import Name, Spoken, near


def spoken(*known: str, texts: str = "") -> Spoken:
    one = Spoken(languages={"en", "de"})
    one.known.update(known)
    one.add(texts, "de")
    return one


@pytest.mark.parametrize(
    ("name", "text", "stands"),
    [
        ("Brandt", "Brandt's flat", True),
        ("Brandt", "Brandts Wohnung", True),
        ("Brandt", "garage_brandt.docx", True),
        ("Brandt", "Klavierteile Brandtner GmbH", False),
        ("Brandt", "Joana Brand", False),
        ("Wolter", "Dieter Wolters", False),
        ("Müller", "Frau MUELLER", True),
        ("Mueller", "Müller", True),
        ("Bauer", "Baur", False),
        ("Jonas Linde", "Linde, Jonas", True),
        ("Jonas Linde", "Jonas M. Linde", True),
        ("Jonas Linde", "Renate Linde, notes: Jonas", False),
        ("Jonas Linde", "Mara Linde", False),
    ],
)
def test_a_name_stands_in_a_text(name: str, text: str, stands: bool) -> None:
    known = spoken("Dieter Wolters", "Heinz Wolter", "Mara Linde", "Renate Linde", "Jonas Brandt")
    assert Name.read(name, known).stands(text) is stands


def test_a_first_name_counts_alone_where_nobody_else_has_it() -> None:
    texts = "Jonas started it twice. Linde came."
    alone = Name.read("Jonas Linde", spoken("Jonas Linde", "Mara Linde", texts=texts))
    assert alone.stands("Jonas came")
    assert not alone.stands("Linde came")
    shared = Name.read("Jonas Linde", spoken("Jonas Linde", "Jonas Brandt", texts=texts))
    assert not shared.stands("Jonas came")


def test_a_thing_counts_in_its_other_forms_and_in_compounds() -> None:
    known = spoken(texts="die Heizung, eine Heizungswartung, der Kessel, die Wartung, Heizungen")
    name = Name.read("Heizung", known)
    assert name.stands("Heizungswartung")
    assert name.stands("zwei Heizungen")
    assert not name.stands("die Wartung")


def test_names_spelt_alike_are_told_with_their_counts() -> None:
    known = spoken("Joana Brand", "Jonas Brandt", "Garage Wiltgen", texts="Brand Brand Brandt")
    assert [(o.name, o.count) for o in near("Brandt", known)] == [("Joana Brand", 2)]
    assert [o.name for o in near("Wiltken", known)] == ["Garage Wiltgen"]
