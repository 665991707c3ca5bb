"""What statements of several formats say together: what recurs, and sums over time."""

from __future__ import annotations

from datetime import date

import pytest
import pytest_asyncio

from agent.turns import cited, of, tools, turn
from manole.agent.events import ResultEvent
from manole.agent.plan.marks import asked
from manole.agent.recurring import recurring_asked
from manole.library import Library
from manole.models.parser import parser
from manole.settings import Settings
from statement_files import camt, entry, mt940, ofx

TODAY = date(2025, 1, 15)
PHONE = [
    (f"2023-{m:02}-03", -39.99, "Funkwerk Mobil GmbH", f"Phone 2023{m:02}") for m in range(1, 13)
]
GYM = [(f"2023-{m:02}-10", -24.90, "Kraftraum Gym", "Fee") for m in range(1, 5)]
PAY = [(f"2023-{m:02}-28", 2210.0, "Kita Sonnenhof", "Salary") for m in range(1, 13)]
FILES = {
    "camt.xml": camt(*(entry(*row) for row in sorted([*PHONE, *GYM, *PAY]))),
    "konto.sta": mt940(
        *((f"24{m:02}03{m:02}03D44,90N", f"105?20Phone?21 2024{m:02}?32Funkwerk Mobil?33 GmbH")
          for m in range(1, 11)),
        ("2405170517D62,40N", "106?20Refuelling Säule 4?32Tankhof Müller"),
        ("2409170917D71,15N", "106?20Refuelling Säule 2?32Tankhof Müller"),
        ("2409180918C10,00N", "106?20Voucher?32Tankhof Müller"),
    ).encode("latin-1"),
    "card.ofx": ofx(*((f"2024{m:02}12", "-12,99", f"FILMKISTE {m}", "film") for m in range(6, 11))),
    "swiss.ofx": ofx(("20240801", "-80", "Tankhof Müller", "Refuelling"),
                     ("20240803", "-5", "Kiosk", "papers"), currency="CHF"),
}  # fmt: skip


class NoModel:
    """No model is needed."""


@pytest_asyncio.fixture(scope="module")
async def ask(tmp_path_factory):
    folder, data = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("data")
    for name, text in FILES.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    settings = Settings(data_dir=data, cache_dir=Settings.load().cache_dir)
    async with await Library.open(folder, settings) as library:
        await library.sync()
        yield lambda question: turn(library, settings, NoModel(), question)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("question", "head", "ended"),
    [
        ("What do I pay each month, and to whom?",
         "Payments that recur (2), 57.89 EUR a month on average:", "Ended:"),
        ("was zahle ich jeden Monat",
         "Wiederkehrende Zahlungen (2), im Mittel 57,89 EUR im Monat:", "Beendet:"),
    ],
)  # fmt: skip
async def test_what_recurs_is_a_table_each_row_at_its_last_booking(ask, question, head, ended):
    events = await ask(question)
    first, *lines = events[-1].answer.split("\n")
    assert tools(events) == ["recurring"]
    assert first == head
    assert [line[:12] for line in lines] == ["- Funkwerk M", "- FILMKISTE:", ended, "- Kraftraum "]
    (result,) = of(events, ResultEvent)
    assert result.payload_type == "table"
    assert [row["quote"].split(";")[0] for row in result.objects] == [
        "2024-10-03", "2024-10-12", "2023-04-10",
    ]  # fmt: skip
    assert {file for file, _ in cited(events[-1])} == {"camt.xml", "konto.sta", "card.ofx"}
    assert result.objects[0]["columns"]["a year"] == 538.8


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("what did the phone cost since 2023", "You paid 928.88 EUR in all, from 22 rows"),
        ("what did the phone cost since 2020", "You paid 928.88 EUR in all, from 22 rows"),
        ("how much did I pay Funkwerk in 2024", "You paid 449.00 EUR in all, from 10 rows"),
        ("how much did I pay Filmkiste", "You paid 64.95 EUR in all, from 5 rows"),
        ("what did the gym cost by year", "99.60 EUR (2023), from 4 rows"),
        (
            "how much did I pay Tankhof Müller in 2024",
            "You paid 80.00 CHF and 123.55 EUR in all, from 4 rows",
        ),
        ("wie viel habe ich 2024 an Funkwerk bezahlt", "Bezahlt: 449,00 EUR insgesamt"),
    ],
)
async def test_sums_over_all_formats_and_never_over_currencies(ask, question, says):
    events = await ask(question)
    assert says in events[-1].answer


@pytest.mark.parametrize(
    ("question", "recurs"),
    [
        ("which subscriptions do I have?", True),
        ("Recurring payments", True),
        ("Welche Daueraufträge haben wir?", True),
        ("quels paiements reviennent tous les mois ?", True),
        ("what do I pay each month for insurance?", False),
        ("what did I pay each month in 2024", False),
        ("how much do I pay per year to Ann Lee", False),
        ("which subscriptions can I cancel any month", False),
        ("target revenue for engineering department?", False),
    ],
)
def test_it_is_asked_for_all_of_them(question, recurs):
    assert (recurring_asked(asked(parser().read(question), None)) is not None) == recurs
