"""Questions that PDFs of statements answer, each row with its page."""

from __future__ import annotations

from datetime import date

import pytest
import pytest_asyncio

from agent.fake_models import FakeModel
from agent.turns import cited, of, tools, turn
from bank_layouts import Move, british, english
from bank_pdfs import write
from manole.agent.events import ResultEvent
from manole.library import Library
from manole.settings import Settings


def of_year(year):
    """A rent, a phone and a wage each month; the bakery twice, fuel of changing amounts."""
    every = [
        Move(date(year, month, day), cents, texts)
        for month in range(1, 13)
        for day, cents, texts in (
            (2, -85000, ("OAK LETTINGS LTD", f"Rent {month:02}/{year}")),
            (5, -3999, ("PEBBLE MOBILE", f"Phone bill {year}{month:02}")),
            (9, -410 - month, ("MILL LANE BAKERY 0815",)),
            (16, -1130 - 3 * month, ("MILL LANE BAKERY 0816",)),
            (20, -5000 - 900 * (month % 4), ("TANKWELL FUELS",)),
            (28, 231045, ("HARBOUR NURSERIES", f"Wages {month:02}")),
        )
    ]
    return sorted(every, key=lambda move: move.day)


@pytest_asyncio.fixture(scope="module")
async def ask(tmp_path_factory):
    folder, data = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("data")
    write(folder / "statement 2022.pdf", english(of_year(2022)))
    write(folder / "statement 2023.pdf", english(of_year(2023)))
    write(folder / "northgate.pdf", british(of_year(2024)))
    (folder / "notes.md").write_text("# Shopping\n\nThe phone is on the shelf, bread in the box.\n")
    settings = Settings(data_dir=data, cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield lambda question: turn(library, settings, FakeModel("No."), question)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("how much did we spend at the bakery in 2023", "You paid 187.92 GBP in all, from 24 rows"),
        ("what did the phone cost since 2022", "You paid 1,439.64 GBP in all, from 36 rows"),
        ("how much did we spend at the bakery", "You paid 563.76 GBP in all, from 72 rows"),
        ("how much did I pay Tankwell in 2024", "You paid 762.00 GBP in all, from 12 rows"),
        ("wie viel habe ich 2024 an Pebble bezahlt", "Bezahlt: 479,88 GBP insgesamt"),
    ],
)
async def test_sums_over_statements_in_pdfs(ask, question, says):
    events = await ask(question)
    assert says in events[-1].answer
    assert cited(events[-1])
    assert all(page for _, page in cited(events[-1]))


@pytest.mark.asyncio(loop_scope="module")
async def test_what_recurs_is_cited_at_its_page(ask):
    events = await ask("What do I pay each month, and to whom?")
    assert tools(events) == ["recurring"]
    assert [name for name in ("OAK LETTINGS", "PEBBLE MOBILE") if name in events[-1].answer]
    (result,) = of(events, ResultEvent)
    rows = {row["quote"]: row for row in result.objects}
    (rent,) = (row for quote, row in rows.items() if "Rent 12/2024" in quote)
    assert (rent["file"], rent["page"]) == ("northgate.pdf", 3)
