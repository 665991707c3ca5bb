"""Finding files and folders by the words people use for them."""

from __future__ import annotations

import pytest

from manole.tools.matching import beginning, best_by_name, find_folder, named_like


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a/Budget_2024.xlsx", "budget"),
        ("a/Budget_2024.xlsx", "budget 2024"),
        ("a/Budget_2024.xlsx", "2024 budgets"),
        ("a/Budget_2024.xlsx", "*.xlsx"),
        ("a/Budget_2024.xlsx", "BUDGET-2024"),
        ("invoices/x.pdf", "invoice"),
        ("policies/car.pdf", "car policy"),
        ("Übergabe.pdf", "übergabe"),
        ("Rechnung-2024.pdf", "rechnung"),  # not as `invoice`
    ],
)
def test_a_name_matches(path, pattern):
    assert named_like(pattern)(path)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a/Budget_2024.xlsx", "budget 2023"),
        ("a/Budget_2024.xlsx", "*.pdf"),
        ("a/Budget_2024.xlsx", "a/*"),
        ("a/b.txt", "!!"),
    ],
)
def test_another_name_does_not(path, pattern):
    assert not named_like(pattern)(path)


@pytest.mark.parametrize(
    ("word", "same"),
    [("invoices", "invoice"), ("policies", "policy"), ("Bills", "bill")],
)
def test_plural_and_singular_share_a_stem(word, same):
    assert beginning(word) == beginning(same)


@pytest.mark.parametrize("word", ["glass", "bus", "day"])
def test_short_words_and_double_s_stay(word):
    assert beginning(word) == word


async def test_an_exact_name_wins(household):
    files = await household.files()
    found = best_by_name(files, "budget-2023.xlsx")
    assert [f.path for f in found] == ["finance/budget-2023.xlsx"]
    assert best_by_name(files, "FINANCE/Budget-2023.xlsx") == found


async def test_more_shared_words_are_better(household):
    files = await household.files()
    assert best_by_name(files, "the electricity bill of 2023")[0].path == (
        "electricity/electricity-bill-2023.pdf"
    )
    assert best_by_name(files, "unicorn") == []
    assert best_by_name(files, "unicorn.pdf") == []
    assert best_by_name(files, "?!") == []
    assert best_by_name([], "bill") == []


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("invoices", "invoices"),
        ("Invoices/", "invoices"),
        ("invoice", "invoices"),
        ("photos", "holidays/photos"),
        ("holidays/photos", "holidays/photos"),
        ("unicorns", None),
        ("", None),
    ],
)
async def test_a_folder_is_found_by_its_name(household, name, folder):
    assert find_folder(await household.files(), name) == folder
