"""What names of files say of versions."""

from __future__ import annotations

import pytest

from manole.agent.versions.names import name_of


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("offer-v1.pdf", "offer-v2.docx"),
        ("a/lease-draft.docx", "b/lease-signed.pdf"),
        ("Vertrag Entwurf.odt", "Vertrag (unterschrieben).pdf"),
        ("lease.docx", "lease final.docx"),
        ("plan_2024-03.md", "plan_2024-11.md"),
        ("plan.md", "plan (1).md"),
    ],
)
def test_versions_have_one_key_and_an_order(older, newer):
    one, other = name_of(older), name_of(newer)
    assert one.key == other.key != frozenset()
    order = [(name.stage, name.version, name.numbers) for name in (one, other)]
    assert order == sorted(order)
    assert order[0] != order[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("manual x200.pdf", "manual x300.pdf"),
        ("garage-mueller.docx", "garage-hansen.docx"),
        ("invoice 20231.pdf", "invoice 20232.pdf"),
    ],
)
def test_other_names_have_other_keys(one, other):
    assert name_of(one).key != name_of(other).key


@pytest.mark.parametrize("path", ["2024-03-05.md", "draft.docx", "v2.pdf", ".hidden", "1.txt"])
def test_a_name_that_says_nothing_else_has_no_key(path):
    assert name_of(path).key <= {"hidden"}
