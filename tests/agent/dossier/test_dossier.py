"""What there is of a name, from real files of a library."""

from __future__ import annotations

from datetime import date

import pytest
import pytest_asyncio

from manole.agent.dossier import reading
from manole.agent.dossier.collect import dossier
from manole.errors import UsageError
from manole.library import Library
from manole.serve.answers import About
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.base import TurnState

TODAY = date(2024, 12, 5)
INVOICE = (
    "Invoice\n\n{issuer}\n1 High Street, Leeds\n\nInvoice number: {n}\n"
    "Invoice date: {day}\nTotal amount due: {total}\n{more}"
)
FILES = {
    "bills/roof.txt": INVOICE.format(
        issuer="Kramer Roofing Ltd", n="K-1", day="2 March 2023", total="420.00 EUR",
        more="Paid on 20 March 2023.\n",
    ),
    "bills/gutter.txt": INVOICE.format(
        issuer="Kramer Roofing Ltd", n="K-2", day="4 June 2024", total="80.50 EUR",
        more="Not yet paid.\n",
    ),
    "bills/abroad.txt": INVOICE.format(
        issuer="Kramer Roofing Ltd", n="K-3", day="4 July 2024", total="30.00 CHF", more="",
    ),
    "mail/visit.eml": "From: Paul Kramer <paul@roof.example>\nTo: Mina Terpstra <m@a.example>\n"
    "Subject: The gutter\nDate: Mon, 02 Dec 2024 10:00:00 +0100\n\nDear Mina,\n\n"
    "we shall come on 20 January 2025 to mend the gutter above your kitchen.\n\nPaul\n",
    "mail/other.eml": "From: Ute Kramer <ute@bank.example>\nTo: Mina Terpstra <m@a.example>\n"
    "Subject: Your loan\nDate: Mon, 06 May 2024 10:00:00 +0100\n\nThe loan runs until 2031.\n",
    "diary/2024-05-03.md": "# 3 May 2024\n\nPippa slept in the sun all day long. "
    "Kramer's ladder still leans on the wall of the shed. A quiet evening.\n",
    "diary/2024-05-09.md": "# 9 May 2024\n\nKramer took his ladder home at last, after 6 days.\n",
    "notes/todo.md": "- [ ] call Kramer (due 2024-12-20)\n- [x] pay Kramer (done 2023-03-20)\n",
    "notes/heating.md": "# Heating\n\nDie Heizungswartung am Montag war teuer und laut.\n"
    "Wir brauchen eine neue Heizung, und die heizung im Keller tropft.\n",
    "notes/orders.txt": "Kramer said yesterday: see [1] and [2] of the **offer** he wrote.\n",
    "people.csv": "name,plot\nKramers,4\nKramer,5\nMüller,6\n",
    "photos/pippa-in-the-garden.png": "",
    "family.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20250108T104000\nSUMMARY:Roof\n"
    "DESCRIPTION:Kramer brings the ladder\nEND:VEVENT\nEND:VCALENDAR\n",
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def library(tmp_path_factory):
    base = tmp_path_factory.mktemp("dossier")
    for name, text in FILES.items():
        file = base / "files" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    settings = Settings(data_dir=base / "data", cache_dir=Settings.load().cache_dir)
    async with await Library.open(base / "files", settings) as opened:
        await opened.sync()
        yield opened


@pytest.fixture
def of(library):
    async def found(name, limit=10):
        return await dossier(
            TurnState(Question(name, TODAY), library, library.settings), name, limit
        )

    return found


on_module = pytest.mark.asyncio(loop_scope="module")


def part(found, name):
    return next((s.items for s in found.sections if s.part == name), ())


@on_module
async def test_everything_that_names_it_is_in_its_section_in_order_of_time(of):
    found = await of("kramer")
    told = {s.part: [(str(i.day), i.file) for i in s.items] for s in found.sections}
    assert told["papers"] == [
        ("2024-07-04", "bills/abroad.txt"),
        ("2024-06-04", "bills/gutter.txt"),
        ("2023-03-02", "bills/roof.txt"),
    ]
    assert told["coming"] == [
        ("2024-12-20", "notes/todo.md"),
        ("2025-01-08", "family.ics"),
        ("2025-01-20", "mail/visit.eml"),
    ]
    assert [file for _, file in told["messages"]] == ["mail/visit.eml", "mail/other.eml"]
    assert told["diary"] == [
        ("2024-05-09", "diary/2024-05-09.md"),
        ("2024-05-03", "diary/2024-05-03.md"),
    ]
    assert [file for _, file in told["tasks"]] == ["notes/todo.md"]
    assert [i.text for i in part(found, "rows")] == ["Kramer · plot: 5"]
    assert [file for _, file in told["passages"]] == ["notes/orders.txt"]


@on_module
async def test_papers_add_up_by_currency_and_say_what_is_paid(of):
    sums = {
        s.currency: (s.role, s.papers, s.total, s.paid, s.open) for s in (await of("Kramer")).sums
    }
    assert sums == {"EUR": ("from", 2, 500.5, 420.0, 80.5), "CHF": ("from", 1, 30.0, 0, 0)}


@on_module
async def test_the_summary_is_of_whole_sentences_that_stand_in_the_files(of, library):
    found = await of("Kramer")
    assert 3 <= len(found.summary) <= 6
    for item in found.summary:
        assert item.quote in FILES[item.file]
        assert not item.text.startswith("Dear")
    texts = [item.text for item in found.summary]
    assert len(set(texts)) == len(texts)
    assert "we shall come on 20 January 2025 to mend the gutter above your kitchen." in texts


@on_module
async def test_persons_of_one_surname_are_told_apart(of):
    found = await of("Kramer")
    assert {"Paul Kramer", "Ute Kramer", "Kramer Roofing Ltd"} <= {o.name for o in found.forms}
    paul = await of("Paul Kramer")
    assert [i.file for i in part(paul, "messages")] == ["mail/visit.eml"]
    assert not part(paul, "papers")  # Kramer alone may be any of them


@on_module
@pytest.mark.parametrize("name", ["Dr. Kramer", "KRAMER", "the Kramer", "Herr Kramer"])
async def test_titles_articles_and_case_make_no_difference(of, name):
    assert (await of(name)).places == (await of("Kramer")).places


@on_module
@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Heizung", "notes/heating.md"),
        ("Mueller", "people.csv"),
        ("muller", "people.csv"),
        ("Pippa the dog", "diary/2024-05-03.md"),
        ("Pippa", "photos/pippa-in-the-garden.png"),
    ],
)
async def test_other_forms_spellings_and_names_of_files_count(of, name, file):
    assert file in {i.file for s in (await of(name)).sections for i in s.items}


@on_module
async def test_what_is_left_out_is_counted(of):
    (papers,) = [s for s in (await of("Kramer", 1)).sections if s.part == "papers"]
    assert (len(papers.items), papers.count, papers.left) == (1, 3, 2)


@on_module
async def test_a_name_that_is_nowhere_gets_the_nearest(of):
    found = await of("Cramer-Kramar")
    assert not found
    assert "Kramer" in " ".join(o.name for o in found.near)
    assert not (await of("Zzyzx")).near


@on_module
@pytest.mark.parametrize("name", ["the", "x" * 5000, '" OR 1=1 --', "a\0b", "{0}"])
async def test_odd_names_find_nothing_and_break_nothing(of, name):
    assert not await of(name)


@on_module
@pytest.mark.parametrize("name", ["", "  ", "?", "\0", "%"])
async def test_a_name_without_letters_is_refused(of, name):
    with pytest.raises(UsageError):
        await of(name)


@on_module
async def test_a_large_library_is_searched_rather_than_read(of, monkeypatch):
    whole = await of("Kramer")
    monkeypatch.setattr(reading, "WHOLE", 3)
    searched = await of("Kramer")
    assert (whole.whole, searched.whole) == (True, False)
    assert {i.file for i in part(searched, "papers")} == {i.file for i in part(whole, "papers")}
    assert {i.file for i in part(searched, "messages")} == {"mail/visit.eml", "mail/other.eml"}
    assert not await of("Zzyzx")


@on_module
async def test_json_has_days_as_text_and_null_for_what_is_not_known(of):
    found = About.model_validate(await of("Kramer")).model_dump(mode="json")
    (papers,) = [s for s in found["sections"] if s["part"] == "papers"]
    first = papers["items"][0]
    assert (first["day"], first["amount"], first["currency"]) == ("2024-07-04", 30.0, "CHF")
    assert (first["status"], first["role"], first["kind"]) == (None, "from", "invoice")
