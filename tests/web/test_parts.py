"""Every part, at two widths, light and dark: it loads, nothing is wrong with it for axe-core."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import VARIANTS, Open
from .looks import overflow, violations

PARTS = {  # address, and what stands there once it is ready
    "/ask": "What would you like to know?",
    "/search?q=deposit": "rental-contract",
    "/search?view=timeline": "2024",
    "/due": "What is due",
    "/library": "59 files",
    "/library?tab=models": "qwen2.5-coder-1.5b-instruct",
    "/library?tab=settings": "index.ocr",
    "/conversations": "Conversations",
    "/map": "invoices",
    "/welcome": "Manole",
}


@pytest.mark.parametrize(("width", "theme"), VARIANTS)
@pytest.mark.parametrize("path", PARTS)
def test_a_part_is_whole_and_accessible(visit: Open, path: str, width: str, theme: str) -> None:
    page = visit(path, width, theme)
    main = page.locator("main")
    expect(main).to_contain_text(PARTS[path])
    expect(main.get_by_role("heading", level=1)).to_have_count(1)
    expect(main).not_to_have_attribute("aria-busy", "true")
    assert violations(page) == []
    assert overflow(page) <= 0


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent")


def test_the_keyboard_leads_through_all_parts(visit: Open) -> None:
    page = visit("/library")
    page.get_by_role("heading", level=1).wait_for()
    found = []
    for _ in range(8):
        page.keyboard.press("Tab")
        found.append(focused(page))
    assert found[0] == "Skip to the content"
    assert found[2].startswith("Ask")  # an answer of another test may still be written
    assert found[3:] == ["Search", "Due", "Library", "Conversations", "Map"]


def background(page: Page, colour: str) -> None:
    page.wait_for_function(
        "wanted => getComputedStyle(document.body).backgroundColor === wanted", arg=colour
    )


def test_colours_follow_the_choice_and_are_kept(visit: Open) -> None:
    page = visit("/ask", theme="light")
    light, dark = "rgb(251, 249, 245)", "rgb(25, 22, 19)"
    background(page, light)
    page.get_by_label("Colours: as the system").click()
    page.get_by_label("Colours: light").click()
    background(page, dark)
    page.reload()
    page.get_by_label("Colours: dark").wait_for()
    background(page, dark)


def test_colours_and_language_are_chosen_on_a_phone(visit: Open) -> None:
    page = visit("/library?tab=settings", "narrow")
    own = page.get_by_label("This page")
    own.get_by_label("Colours").select_option("Dark")
    background(page, "rgb(25, 22, 19)")
    own.get_by_label("Language").select_option("Deutsch")
    expect(page.get_by_label("Diese Seite").get_by_label("Farben")).to_have_value("dark")
    assert violations(page) == []
    assert overflow(page) <= 0


def test_nothing_is_loaded_from_elsewhere(visit: Open, served) -> None:
    page = visit("/ask")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path, said in PARTS.items():
        page.goto(f"{served.url}/#{path}")
        expect(page.locator("main")).to_contain_text(said)
        expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
    assert asked
    assert [address for address in asked if not address.startswith((served.url, "blob:"))] == []


@pytest.fixture
def spare(visit: Open, tmp_path: Path) -> Iterator[Page]:
    """The library's page, with a small library chosen beside the household."""
    (tmp_path / "spare").mkdir()
    (tmp_path / "spare" / "a.txt").write_text("words", "utf-8")
    page = visit("/library", offline_is_fine=True)  # what is not indexed yet says so, by 409
    server = page.url.split("/#")[0]
    added = page.request.post(f"{server}/libraries", data={"folder": str(tmp_path / "spare")})
    page.reload()
    page.get_by_role("radio", name="spare").check()
    yield page
    page.request.delete(f"{server}/libraries/{added.json()['name']}")


def test_a_library_is_removed_and_its_files_stay(spare: Page, tmp_path: Path) -> None:
    page = spare
    expect(page.locator("main")).to_contain_text("1 file")  # it is read
    missed: list[str] = []
    page.on("response", lambda answer: answer.status == 404 and missed.append(answer.url))
    page.get_by_role("button", name="Remove spare").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("radio", name="spare")).not_to_be_attached()
    expect(page.get_by_role("radio", name="household")).to_be_checked()
    expect(page.locator("main")).to_contain_text("59 files")
    page.wait_for_load_state("networkidle")
    assert (tmp_path / "spare" / "a.txt").exists()
    assert missed == []


def test_a_rail_without_room_for_names_switches_libraries_by_a_picture(spare: Page) -> None:
    spare.set_viewport_size({"width": 768, "height": 1024})
    choice = spare.get_by_role("banner").get_by_role("combobox", name="Library", exact=True)
    expect(choice).to_be_in_viewport()
    assert violations(spare) == []
    assert overflow(spare) <= 0
    choice.select_option("household")
    expect(spare.get_by_role("radio", name="household")).to_be_checked()


def test_a_library_removed_elsewhere_makes_room_for_another(spare: Page) -> None:
    server = spare.url.split("/#")[0]
    listed = spare.request.get(f"{server}/libraries").json()["libraries"]
    name = next(item["name"] for item in listed if item["name"].startswith("spare"))
    spare.request.delete(f"{server}/libraries/{name}")
    spare.get_by_role("button", name="Update now").click()
    expect(spare.get_by_text("spare is no longer in Manole.")).to_be_visible()
    expect(spare.get_by_role("radio", name="household")).to_be_checked()
    expect(spare.locator("main")).to_contain_text("59 files")


def test_a_library_is_renamed_in_place_and_called_by_its_folder_again(spare: Page) -> None:
    rename = spare.get_by_role("button", name="Rename spare")
    field = spare.get_by_label("New title")
    rename.click()
    expect(field).to_be_focused()
    field.fill("Something else")
    spare.keyboard.press("Escape")
    expect(rename).to_be_focused()  # and nothing was changed
    rename.click()
    field.fill("x" * 81)
    spare.keyboard.press("Enter")
    expect(spare.get_by_role("alert")).to_contain_text("80 characters")
    field.fill("Papers of the flat")
    spare.keyboard.press("Enter")
    renamed = spare.get_by_role("button", name="Rename Papers of the flat")
    expect(renamed).to_be_focused()
    expect(spare.get_by_role("radio", name="Papers of the flat")).to_be_checked()
    in_rail = spare.get_by_role("combobox", name="Library", exact=True)
    expect(in_rail).to_contain_text("Papers of the flat")
    assert violations(spare) == []
    renamed.click()
    field.fill("spare")  # what it was called: no title any more
    spare.keyboard.press("Enter")
    expect(rename).to_be_focused()
    listed = spare.request.get(f"{spare.url.split('/#')[0]}/libraries").json()["libraries"]
    assert {item["title"] for item in listed} == {None}


def test_all_libraries_are_shown_and_offer_only_what_can_be_done_with_all(visit: Open) -> None:
    page = visit("/library", library="all")
    main = page.locator("main")
    expect(page.get_by_role("radio", name="All libraries")).to_be_checked()
    listed = page.request.get(f"{page.url.split('/#')[0]}/libraries").json()["libraries"]
    files = sum(item["files"] for item in listed)
    assert files > 59
    expect(page.get_by_role("heading", name=f"{files} files in")).to_be_visible()
    expect(main).to_contain_text("Updated ")
    for name in ("Rename", "Remove", "Update now", "anew", "again", "Exclude"):
        expect(main.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_role("searchbox").fill("landlord-email")
    page.get_by_role("button", name="Actions for landlord-email").click()
    expect(page.get_by_role("menuitem").first).to_be_visible()
    offered = page.get_by_role("menuitem").all_inner_texts()
    assert not [name for name in offered if re.search("again|Exclude", name)], offered
    page.keyboard.press("Escape")
    assert violations(page) == []
    page.get_by_role("radio", name="household").check()
    expect(page.get_by_role("button", name="Rename household")).to_be_visible()
    expect(page.get_by_text("no longer")).to_have_count(0)


def test_a_sync_of_one_library_is_felt_where_all_are_chosen(spare: Page, tmp_path: Path) -> None:
    expect(spare.get_by_role("heading", name="1 file in 1 passage")).to_be_visible()
    server = spare.url.split("/#")[0]
    listed = spare.request.get(f"{server}/libraries").json()["libraries"]
    name = next(item["name"] for item in listed if item["name"].startswith("spare"))
    files = sum(item["files"] for item in listed)
    spare.get_by_role("radio", name="All libraries").check()
    expect(spare.get_by_role("heading", name=f"{files} files in")).to_be_visible()
    (tmp_path / "spare" / "b.txt").write_text("other words", "utf-8")
    spare.request.post(f"{server}/libraries/{name}/sync")
    expect(spare.get_by_role("heading", name=f"{files + 1} files in")).to_be_visible()


def test_a_file_is_summarised_from_its_row(visit: Open) -> None:
    page = visit("/library")
    page.get_by_role("searchbox").fill("landlord-email")
    page.get_by_role("button", name="Actions for landlord-email").click()
    page.get_by_role("menuitem", name="Summarise").click()
    turn = page.get_by_role("article")
    expect(turn.get_by_role("heading", name="Summarise this", exact=True)).to_be_visible()
    expect(turn).to_contain_text("landlord-email", timeout=120_000)
    expect(page).to_have_url(re.compile("scope=home%2Flandlord-email"))


def test_in_german_every_part_of_the_library_is_whole(visit: Open) -> None:
    page = visit("/library", "narrow")
    page.add_init_script("localStorage.setItem('manole.language', 'de')")
    for path, said in {
        "/library": "59 Dateien",
        "/library?tab=models": "Auf diesem Rechner",
        "/library?tab=settings": "Gründliche Antworten",
        "/conversations": "Gespräche",
        "/welcome": "Ordner",
    }.items():
        page.goto(page.url.split("#")[0] + f"#{path}")
        page.reload()
        expect(page.locator("main")).to_contain_text(said)
        expect(page.locator("html")).to_have_attribute("lang", "de")
        assert violations(page) == []
        assert overflow(page) <= 0


def test_in_german_the_server_speaks_german_as_well(visit: Open) -> None:
    page = visit("/ask", locale="de-DE", offline_is_fine=True)
    steps = page.get_by_role("article").locator("details").filter(has_text="Schritt").first
    for question, told in (
        ("How many PDF files are there?", "verstanden als: Dateien"),
        ("How high is the deposit in the rental contract?", "Textstellen in"),
    ):
        page.goto(page.url.split("#")[0] + "#/ask")
        page.reload()
        page.get_by_label("Die Frage").fill(question)
        page.get_by_label("Die Frage").press("Enter")
        expect(page.get_by_text("Die Antwort ist fertig.")).to_be_attached(timeout=120_000)
        steps.locator("summary").click()
        expect(steps).to_contain_text(told)
        expect(steps).not_to_contain_text(re.compile(r"asks what|read as|passages in|the model"))
    page.goto(page.url.split("#")[0] + "#/ask?f=nowhere.pdf")
    failure = page.get_by_label("Quelle", exact=True).get_by_role("alert")
    expect(failure).to_contain_text("'nowhere.pdf' gibt es in dieser Bibliothek nicht.")
    page.goto(page.url.split("#")[0] + "#/library")
    table = page.get_by_role("main")
    expect(table).to_contain_text("keine Wörter darin und kein Bildmodell")
    expect(table).not_to_contain_text("no words in it")
