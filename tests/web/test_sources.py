"""The source beside an answer: pages, finding, documents, what is asked of it; keys."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from reportlab.pdfgen.canvas import Canvas

from manole.library import Library
from manole.settings import Settings

from .conftest import Open
from .looks import at_rest, until, violations
from .test_ask import COUNT, ask, enter
from .test_talks import finished

CONTRACT = "/search?f=home/rental-contract.pdf&p=1"


TWICE = "Turn the grommet left, then the other grommet right."


def write_manual(path: Path) -> None:
    """Eighty pages, every tenth of them lying."""
    canvas = Canvas(str(path))
    for page in range(1, 81):
        canvas.setPageSize((842, 595) if page % 10 == 0 else (595, 842))
        canvas.drawString(60, 540, f"Page {page} of the manual")
        if page == 42:
            canvas.drawString(60, 500, TWICE)
            canvas.drawString(60, 480, "Total")
            canvas.drawString(400, 480, "319.00")
        canvas.showPage()
    canvas.save()


def write_slides(path: Path) -> None:
    """Twelve pages of the shape of a screen."""
    canvas = Canvas(str(path), pagesize=(960, 540))
    for page in range(1, 13):
        canvas.drawString(60, 400, f"Slide {page}")
        canvas.showPage()
    canvas.save()


def write_mail(path: Path) -> None:
    mail = EmailMessage()
    mail["From"] = "Mara <mara@example.org>"
    mail["To"] = "Jonas <jonas@example.org>"
    mail["Subject"] = "The key of the cellar"
    mail.set_content("Dear Jonas,\n\nit hangs behind the door.\n")
    mail.add_attachment(b"plan", "application", "octet-stream", filename="cellar plan.bin")
    path.write_bytes(mail.as_bytes())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    write_manual(folder / "manual.pdf")
    write_mail(folder / "key.eml")
    write_slides(folder / "slides.pdf")
    rows = "\n".join(f"{n};thing {n};{n / 4:.2f}" for n in range(1500))
    (folder / "things.csv").write_text(f"number;name;price\n{rows}\n", "utf-8")
    (folder / "changing.txt").write_text("The rent is due on the third.\n", "utf-8")
    (folder / "going.txt").write_text("The dog is called Pippa.\n", "utf-8")
    (folder / "twice.txt").write_text(f"Nothing.\n{TWICE}\nשלום עולם\n{'x' * 4000}\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def sources(folder: Path, page_settings: Settings) -> str:
    """The name of a library of long and changing files."""

    async def index() -> str:
        async with await Library.open(folder, page_settings) as library:
            await library.sync()
            return library.name

    with ThreadPoolExecutor(1) as aside:  # the browser's driver keeps this thread's loop
        return aside.submit(lambda: asyncio.run(index())).result()


def reads(page: Page, number: str) -> None:
    """Waits until the bar says that this page is read."""
    field = page.get_by_label("Source", exact=True).get_by_label("Page", exact=True)
    expect(field).to_have_value(number)


def sides(found: Locator) -> list[tuple[float, float]]:
    """The left side and the width of what is found, read at once."""
    boxes = found.evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    return [(box["x"], box["width"]) for box in boxes]


def drawn(page: Page) -> list[int]:
    """The pages whose pictures are there."""
    names = page.locator("aside figure img").evaluate_all("all => all.map(image => image.alt)")
    return sorted(int(re.search(r"\d+", name)[0]) for name in names)


def test_a_long_pdf_opens_at_its_page_and_loads_what_is_near(visit: Open, sources: str) -> None:
    page = visit("/search?f=manual.pdf&p=42&s=319.00", library=sources)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    mark = page.locator("aside figure span")
    expect(mark).to_be_in_viewport()
    reads(page, "42")
    until(page, lambda: {41, 42, 43} <= set(drawn(page)))
    assert set(drawn(page)) <= set(range(39, 46))
    ((left, width),) = sides(page.get_by_alt_text("Page 42 of manual.pdf"))
    ((at, _),) = sides(mark)
    assert at - left == pytest.approx(400 / 595 * width, abs=3)
    content = page.get_by_label("Content", exact=True)
    content.evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(page.get_by_alt_text("Page 80 of manual.pdf")).to_be_in_viewport()
    reads(page, "80")
    assert not any(re.search(r"pages.*page=6\d", url) for url in asked)
    assert violations(page) == []


def test_the_page_is_typed_and_turned_by_keys(visit: Open, sources: str) -> None:
    page = visit("/search?f=manual.pdf", library=sources)
    field = page.get_by_label("Source", exact=True).get_by_label("Page", exact=True)
    expect(field).to_have_value("1")
    field.fill("37")
    field.press("Enter")
    expect(page.get_by_alt_text("Page 37 of manual.pdf")).to_be_in_viewport()
    expect(field).to_have_value("37")
    field.press("ArrowDown")
    expect(field).to_have_value("38")
    field.fill("900")
    field.press("Enter")
    expect(field).to_have_value("38")
    page.get_by_label("Content", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(field).to_have_value("39")

    def turned() -> bool:
        page.keyboard.press("PageDown")
        return field.input_value() != "39"

    until(page, turned)  # a page is higher than the view, and the last turn may still go on


def test_low_pages_are_turned_one_by_one(visit: Open, sources: str) -> None:
    page = visit("/search?f=slides.pdf", library=sources)
    field = page.get_by_label("Source", exact=True).get_by_label("Page", exact=True)
    expect(page.get_by_alt_text("Page 1 of slides.pdf")).to_be_in_viewport()
    for size in ("75", "50"):
        page.get_by_role("button", name="Smaller").click()
        expect(page.get_by_role("button", name=re.compile(f"{size} ?%, fit"))).to_be_visible()
    expect(field).to_have_value("1")
    for name, then in [
        ("Next page", "2"),
        ("Next page", "3"),
        ("Page before", "2"),
        ("Page before", "1"),
    ]:
        page.get_by_role("button", name=name, exact=True).click()
        expect(field).to_have_value(then)
        page.wait_for_timeout(100)  # for what scrolling tells
        expect(field).to_have_value(then)
    content = page.get_by_label("Content", exact=True)
    content.evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(field).to_have_value("12")


def test_small_pictures_lead_to_pages_and_are_kept_open(visit: Open, sources: str) -> None:
    page = visit("/search?f=manual.pdf&p=42", library=sources)
    expect(page.get_by_alt_text("Page 42 of manual.pdf")).to_be_in_viewport()
    page.get_by_role("button", name="Small pictures of the pages").click()
    strip = page.get_by_role("navigation", name="Small pictures of the pages")
    expect(strip.get_by_label("Page 42", exact=True)).to_have_attribute("aria-current", "page")
    assert strip.get_by_role("button").count() < 20
    strip.get_by_label("Page 44", exact=True).click()
    expect(strip.get_by_label("Page 44", exact=True)).to_have_attribute("aria-current", "page")
    page.keyboard.press("ArrowDown")
    expect(strip.get_by_label("Page 45", exact=True)).to_be_focused()
    assert violations(page) == []
    page.reload()
    expect(strip).to_be_visible()


def test_pages_grow_and_what_is_read_stays(visit: Open, sources: str) -> None:
    page = visit("/search?f=manual.pdf&p=42&s=grommet left", library=sources)
    mark = page.locator("aside figure span")
    expect(mark).to_be_in_viewport()
    paper = page.get_by_alt_text("Page 42 of manual.pdf")
    expect(paper).to_be_visible()
    ((_, before),) = sides(paper)
    for _ in range(3):
        page.keyboard.press("+")
    expect(page.get_by_role("button", name=re.compile("200 ?%, fit the width"))).to_be_visible()
    until(page, lambda: [abs(width - 2 * before) < 4 for _, width in sides(paper)] == [True])
    expect(mark).to_be_in_viewport()
    expect(paper).to_have_attribute("src", re.compile("width=1400"))
    reads(page, "42")
    page.keyboard.press("0")
    expect(page.get_by_role("button", name=re.compile("100 ?%, fit the width"))).to_be_visible()


@pytest.mark.parametrize("file", ["manual.pdf", "twice.txt"])
def test_two_hits_on_one_line_are_shown_in_turn(visit: Open, sources: str, file: str) -> None:
    page = visit(f"/search?f={file}", library=sources)
    page.get_by_label("Find in this file").fill("grommet")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_text("1 of 2")).to_be_visible()
    mark = panel.locator("figure span, mark")
    expect(mark).to_be_in_viewport()
    ((left, width),) = sides(mark)
    page.get_by_label("Next hit").click()
    expect(page).to_have_url(re.compile("c="))
    until(page, lambda: [x > left + 50 for x, _ in sides(mark)] == [True])
    until(page, lambda: [abs(w - width) < 4 for _, w in sides(mark)] == [True])


def test_a_mail_has_its_head_and_its_attachments(visit: Open, sources: str) -> None:
    page = visit("/search?f=key.eml&s=behind the door", library=sources)
    panel = page.get_by_label("Source", exact=True)
    expect(panel.locator("mark")).to_have_text("behind the door")
    head = [
        "From Mara <mara@example.org>",
        "To Jonas <jonas@example.org>",
        "Subject The key of the cellar",
        "Attached cellar plan.bin",
    ]
    expect(panel.locator("dl > div")).to_have_text(head, use_inner_text=True)
    assert violations(page) == []
    page.get_by_label("Show the text that Manole reads").click()
    expect(panel.get_by_text("Subject: The key of the cellar")).to_be_visible()


def test_a_long_sheet_is_a_table_with_its_row_marked(visit: Open, sources: str) -> None:
    page = visit("/search?f=things.csv&s=thing 1203", library=sources)
    table = page.get_by_label("Source", exact=True).get_by_role("table")
    expect(table.locator("mark")).to_have_text("thing 1203")
    expect(table.locator("mark")).to_be_in_viewport()
    row = table.locator("tbody tr[data-marked]")
    expect(row.get_by_role("rowheader")).to_have_text("1205")
    expect(row.locator("td[data-number]").last).to_have_text("300.75")
    expect(table.get_by_role("columnheader", name="price")).to_be_in_viewport()
    assert table.locator("tbody tr").count() < 80
    assert violations(page) == []


def test_a_workbook_has_its_sheets(visit: Open) -> None:
    page = visit("/search?f=finance/budget-2024.xlsx&s=Groceries")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.locator("mark")).to_have_text("Groceries")
    sheets = panel.get_by_role("navigation", name="Sheets").get_by_role("button")
    expect(sheets.first).to_have_attribute("aria-current", "page")
    sheets.nth(1).click()
    expect(sheets.nth(1)).to_have_attribute("aria-current", "page")
    expect(panel.get_by_role("columnheader", name="Jan")).to_be_visible()


def two_tables(route: Route) -> None:
    """The sheet that is asked for as two tables; the rows of the first are many lines high."""
    answer = route.fetch()
    sheet = answer.json()
    (table,) = sheet["tables"]
    above = [{"line": n, "cells": ["long " * 40, "", ""]} for n in range(2, 62)]
    sheet["tables"] = [table | {"rows": above}, table | {"line": 99}]
    for mark in sheet["marks"]:
        mark["table"] = 1
    route.fulfill(response=answer, json=sheet)


def test_a_table_below_another_stands_where_it_is_drawn(visit: Open, sources: str) -> None:
    page = visit("/search", library=sources)
    page.route("**/sheet?*", two_tables)
    address = page.url.split("#")[0]
    page.goto(f"{address}#/search?f=things.csv&s=thing 1203")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.locator("mark")).to_have_text("thing 1203")
    expect(panel.locator("mark")).to_be_in_viewport()
    page.goto(f"{address}#/search?f=things.csv&l=2")
    second = panel.get_by_role("table").nth(1)
    expect(second.get_by_text("thing 1203", exact=True)).to_have_count(0)
    content = page.get_by_label("Content", exact=True)
    content.press("Home")
    expect(panel.get_by_role("rowheader").first).to_be_in_viewport()

    def is_near() -> bool:
        content.evaluate("box => box.scrollBy(0, box.clientHeight / 2)")
        at_rest(page)
        box = second.bounding_box()
        return bool(box and box["y"] < 700)

    until(page, is_near)  # down to where the second begins
    expect(second.get_by_text("thing 0", exact=True)).to_be_in_viewport()


def test_what_was_quoted_is_shown_of_a_file_that_changed_or_went(
    visit: Open, sources: str, folder: Path
) -> None:
    (folder / "changing.txt").write_text("The rent is due on the ninth, as agreed.\n", "utf-8")
    (folder / "going.txt").unlink()
    page = visit("/search?f=changing.txt&s=due on the third", library=sources)
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_text("This file has changed since Manole read it.")).to_be_visible()
    expect(panel.locator("mark")).to_have_text("due on the third")
    page = visit("/search?f=going.txt&s=called Pippa", library=sources)
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_text("This file is no longer there.")).to_be_visible()
    expect(panel.locator("mark")).to_have_text("called Pippa")
    page = visit(
        "/search?f=never.txt&s=words of old", library=sources, offline_is_fine=True
    )  # 404 is told by the browser, too
    expect(page.get_by_label("Source", exact=True).locator("blockquote")).to_have_text(
        "words of old"
    )


def test_long_lines_and_other_scripts_stay_within_the_panel(visit: Open, sources: str) -> None:
    page = visit("/search?f=twice.txt", library=sources)
    line = page.get_by_text("שלום עולם")
    expect(line).to_have_css("direction", "rtl")
    content = page.get_by_label("Content", exact=True)
    assert content.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_find_goes_to_the_words_and_through_them(visit: Open) -> None:
    page = visit(CONTRACT)
    page.get_by_label("Find in this file").fill("deposit")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_text(re.compile(r"^1 of \d"))).to_be_visible()
    expect(page).to_have_url(re.compile("p=2"))
    page.get_by_label("Next hit").click()
    expect(panel.get_by_text(re.compile(r"^2 of \d"))).to_be_visible()
    page.get_by_label("Find in this file").fill("xyzzyq")
    expect(panel.get_by_text("nothing found")).to_be_visible()


def test_words_sought_in_one_file_move_nothing_in_the_next(visit: Open, sources: str) -> None:
    page = visit("/search?f=twice.txt", library=sources)
    field = page.get_by_label("Find in this file")
    field.fill("grommet")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_text("1 of 2")).to_be_visible()
    address = page.url.split("#")[0]
    page.goto(f"{address}#/search?f=manual.pdf&p=10")
    expect(field).to_have_value("")
    expect(page.get_by_alt_text("Page 10 of manual.pdf")).to_be_in_viewport()
    page.wait_for_timeout(600)  # longer than a pause of typing, and what is found after it
    reads(page, "10")
    expect(page).to_have_url(re.compile(r"[?&]p=10(&|$)"))


def test_the_words_of_a_drawn_page_can_be_selected(visit: Open) -> None:
    page = visit(CONTRACT)
    words = page.locator("figure svg text")
    expect(words.first).to_be_attached()
    chosen = words.nth(2).evaluate(
        "line => { getSelection().selectAllChildren(line); return getSelection().toString(); }"
    )
    assert len(chosen.split()) > 1


def test_a_document_is_shown_as_one_with_its_quotation_marked(visit: Open) -> None:
    page = visit("/search?f=recipes/pancakes.md&s=flour")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", name="Sunday pancakes")).to_be_visible()
    expect(panel.locator("mark")).to_have_text("flour")
    assert violations(page) == []
    page.get_by_label("Show the text that Manole reads").click()
    expect(panel.get_by_text("# Sunday pancakes")).to_be_visible()


def test_the_focus_returns_to_the_citation(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "How high is the deposit in the rental contract?")
    finished(page, 1)
    source = page.get_by_label("Evidence").get_by_role("button").first
    source.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel).not_to_be_attached()
    expect(source).to_be_focused()


def test_keys_lead_everywhere(visit: Open) -> None:
    page = visit("/library")
    expect(page.get_by_role("heading", name="Library")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).not_to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Words to search for")).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_label("Words to search for")).to_be_focused()
    page.get_by_role("heading", name="Search").click()
    page.keyboard.press("n")
    expect(page.get_by_label("Your question")).to_be_focused()
    expect(page).to_have_title("Ask – Manole")


def test_a_question_asked_meanwhile_comes_next(visit: Open) -> None:
    page = visit("/ask")
    ask(page, "Describe in detail everything that the boiler manual says about maintenance.")
    enter(page, COUNT)
    expect(page.get_by_text("Asked as soon as this answer is written.")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(2, timeout=120_000)
    finished(page, 2)
    expect(page.get_by_label("Your question")).to_have_value("")


def test_what_a_library_suggests_can_be_asked(visit: Open) -> None:
    page = visit("/ask")
    suggested = page.get_by_role("button", name=re.compile("^List the invoices of"))
    question = suggested.first.inner_text()
    suggested.first.click()
    finished(page, 1)
    expect(page.get_by_role("article").get_by_role("heading", name=question)).to_be_visible()


def test_the_panel_is_made_wider_and_stays_so(visit: Open) -> None:
    page = visit(CONTRACT)
    panel = page.get_by_label("Source", exact=True)
    expect(panel.get_by_role("heading", level=2)).to_be_focused()  # it is opened
    ((_, before),) = sides(panel)
    edge = page.get_by_role("separator", name="Width of the source")
    edge.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(edge).to_have_attribute("aria-valuenow", "65")
    until(page, lambda: [width > before + 50 for _, width in sides(panel)] == [True])
    at_rest(page)
    ((_, after),) = sides(panel)
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "65")
    until(page, lambda: [abs(width - after) < 2 for _, width in sides(panel)] == [True])
