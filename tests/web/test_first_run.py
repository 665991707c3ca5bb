"""From an empty machine to an answer, and what the library's page changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from manole.settings import Settings

from .conftest import MODEL, Open
from .serving import Server

FILES = {
    "flat/lease.txt": "The rent of the flat is 1,180 euros a month.",
    "flat/keys.txt": "Three keys were handed over.",
    "garden/plants.md": "# Plants\n\nThe fig tree needs little water.",
    "list.csv": "name,price\nlamp,40\nchair,75\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own") / "papers"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def empty(
    served: Server, session_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server that knows no library at first."""
    own = session_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("empty")})
    server = Server(own, None, MODEL)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def started(visit: Open, empty: Server, folder: Path) -> Page:
    """The page of that server, its folder added by whichever test comes first."""
    page = visit("/", at=empty.url, offline_is_fine=True)  # it is told that nothing is indexed yet
    first = page.get_by_role("button", name="Choose a folder")
    expect(first.or_(page.get_by_text("What would you like to know?"))).to_be_visible()
    if first.is_visible():
        expect(page.locator("main")).to_contain_text("Manole")
        first.click()
        page.get_by_label("Or type its path").fill(str(folder))
        page.get_by_role("button", name="Open").click()
        page.get_by_role("button", name=re.compile("^Choose .*papers")).click()
        expect(page.locator("main")).to_contain_text("can be found")
    return page


def go(page: Page, path: str) -> None:
    page.goto(page.url.split("#")[0] + f"#{path}")


def test_an_empty_library_leads_from_a_folder_to_search(started: Page) -> None:
    go(started, "/search?q=fig tree")
    expect(started.locator("main mark").first).to_be_visible()
    expect(started.locator("main")).to_contain_text("The fig tree needs little water.")


def test_a_folder_is_excluded_and_taken_back(started: Page) -> None:
    go(started, "/library")
    main = started.locator("main")
    expect(main).to_contain_text(re.compile("4 files"))
    main.get_by_role("button", name="Exclude garden").click()
    expect(main).to_contain_text(re.compile("3 files"))
    main.get_by_role("button", name=re.compile("Take back")).click()
    expect(main).to_contain_text(re.compile("4 files"))


def test_one_file_is_read_again(started: Page, folder: Path) -> None:
    (folder / "flat/keys.txt").write_text("Five keys were handed over.", "utf-8")
    go(started, "/library")
    started.get_by_role("button", name="Actions for keys.txt").click()
    started.get_by_role("menuitem", name="Read again").click()
    go(started, "/search?q=keys")  # the results follow the index
    expect(started.locator("main")).to_contain_text("Five keys")


def test_a_setting_is_changed_kept_and_undone(started: Page) -> None:
    go(started, "/library?tab=settings")
    thorough = started.get_by_role("switch", name="Thorough answers")
    for check in (expect(thorough).to_be_checked, expect(thorough).not_to_be_checked):
        with started.expect_response(lambda response: response.request.method == "PATCH"):
            thorough.click()  # shown at once, kept when the server says so
        check()
        started.reload()
        check()


def test_the_models_say_what_they_cost(started: Page) -> None:
    go(started, "/library?tab=models")
    main = started.locator("main")
    expect(main).to_contain_text("1.12 GB")
    expect(main).to_contain_text("Apache-2.0")
    expect(main).to_contain_text(re.compile("free on this disk"))


def test_a_new_file_is_found_by_itself(started: Page, folder: Path) -> None:
    go(started, "/library")
    expect(started.locator("main")).to_contain_text("4 files")
    (folder / "pond.txt").write_text("The heron stands by the pond.", "utf-8")
    expect(started.locator("main")).to_contain_text("5 files")


def test_when_most_files_are_gone_the_page_asks_before_the_index_lets_them_go(
    started: Page, folder: Path
) -> None:
    go(started, "/library")
    main = started.locator("main")
    (folder / "pond.txt").write_text("The heron stands by the pond.", "utf-8")
    expect(main).to_contain_text("5 files")
    for name in ("flat/keys.txt", "garden/plants.md", "list.csv", "pond.txt"):
        (folder / name).unlink()
    expect(main).to_contain_text("nothing was changed")
    expect(main).to_contain_text("5 files")
    main.get_by_role("button", name="Take them out of the index").click()
    expect(main).to_contain_text("1 file")
    expect(main).not_to_contain_text("5 files")
