"""Questions about versions, over real files: what changed, which is the newest, what holds now."""

from __future__ import annotations

import os
import re
from datetime import date, datetime

import docx
import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate

from agent.fake_models import FakeMissingModel
from manole.agent.events import ChoicesEvent, Complete
from manole.agent.loop import Agent
from manole.library import Library
from manole.settings import Settings

RULES = [
    f"Rule {n}: on floor {n} of the house the windows are closed when it rains, and the stairs are "
    f"cleaned by whoever lives there before the weekend begins."
    for n in range(1, 25)
]
LEASE = [
    "# Lease", "between Maria Lindner and Jonas Albrecht.", "## Rent",
    "The monthly rent is 900 euros and is payable by the third working day of the month.",
    "## Notice", "The tenant may end the lease with a notice of one month.", "## Pets",
    "Pets need the consent of the landlord.", "## House rules", *RULES,
]  # fmt: skip
SIGNED = [
    text.replace("900", "950").replace("one month", "three months").replace("need", "do not need")
    for text in [*LEASE[:4], *LEASE[6:], *LEASE[4:6], "Bicycles belong into the cellar."]
]
OFFER = [
    "# Offer for the roof", "We lay new tiles on 120 square metres of the roof of the clubhouse.",
    "The tiles cost 8,900 euros and the scaffolding 2,400 euros.", "The work takes three weeks.",
]  # fmt: skip
BILL = (
    "# Electricity bill\n\nStadtwerke Bremen GmbH\n\nInvoice number: SW-{year}-4711\n\nPeriod: "
    "1 January {year} to 31 December {year}\n\nConsumption: {kwh} kWh\n\nTotal: {total} euros\n"
    "\nPlease pay within 14 days. Thank you for being our customer.\n"
)


def write(path, paragraphs, day="2024-03-01"):
    """Write paragraphs into a file of the format that its name says, changed on a day."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".docx":
        document = docx.Document()
        for text in paragraphs:
            level = text.count("#")
            bare = text.lstrip("# ")
            document.add_heading(bare, level) if level else document.add_paragraph(bare)
        document.save(path)
    elif path.suffix == ".pdf":
        styles = getSampleStyleSheet()

        def head(canvas, pages):
            canvas.drawString(60, 810, "Lindner Property Management")
            canvas.drawString(60, 30, f"Page {pages.page} of 2")

        texts = [Paragraph(text.lstrip("# "), styles["BodyText"]) for text in paragraphs]
        SimpleDocTemplate(str(path)).build(texts, onFirstPage=head, onLaterPages=head)
    else:
        path.write_text("\n\n".join(paragraphs) + "\n", "utf-8")
    moment = datetime.fromisoformat(day).timestamp()
    os.utime(path, (moment, moment))


@pytest.fixture
async def ask(tmp_path):
    """Write files, each with its paragraphs and, after them, its day; ask; return the events."""
    settings = Settings(data_dir=tmp_path / "data", cache_dir=Settings.load().cache_dir)
    folder = tmp_path / "files"

    async def run(question, files):
        for name, (*paragraphs, day) in files.items():
            write(folder / name, paragraphs, day)
        async with await Library.open(folder, settings) as library:
            await library.sync()
            agent = Agent(library, FakeMissingModel(), settings, today=lambda: date(2025, 1, 15))
            return [event async for event in agent.ask(question)]

    return run


def told(events):
    """What was answered about versions; "" where it was not about them."""
    end = events[-1]
    assert isinstance(end, Complete)
    return end.answer if any(e.type == "result" and e.tool == "versions" for e in events) else ""


def rows(answer):
    """The cells of the rows of a table, without citations."""
    lines = [line for line in answer.split("\n") if line.startswith("| ")][2:]
    return [
        tuple(re.sub(r" \[\d+\]", "", cell) for cell in line[2:-2].split(" | ")) for line in lines
    ]


LEASES = {
    "flat/lease-draft.docx": (*LEASE, "2024-03-04"),
    "flat/lease-signed.pdf": (*SIGNED, "2024-03-15"),
}


@pytest.mark.parametrize(
    "question",
    [
        "What changed between the two leases?",
        "Compare the signed lease with the draft",
        "What is different between lease-signed.pdf and lease-draft.docx?",
        "What changed between the two contracts?",
    ],
)
async def test_a_draft_and_its_signed_pdf_differ_in_what_they_say_alone(ask, question):
    events = await ask(question, LEASES)
    end = events[-1]
    assert told(events).startswith("3 sentences differ, 1 is new.\n")
    assert (
        "| flat/lease-draft.docx (4 March 2024) | flat/lease-signed.pdf (15 March 2024) |"
        in end.answer
    )
    assert rows(end.answer) == [
        ("The monthly rent is **900** euros and is payable by the third working day of the month.",
         "The monthly rent is **950** euros and is payable by the third working day of the month."),
        ("The tenant may end the lease with a notice of **one month.**",
         "The tenant may end the lease with a notice of **three months.**"),
        ("Pets need the consent of the landlord.",
         "Pets **do not** need the consent of the landlord."),
        ("–", "Bicycles belong into the cellar."),
    ]  # fmt: skip
    assert (end.model_calls, end.confidence) == (0, "medium")
    assert {(s.file, s.page) for s in end.sources} == {
        ("flat/lease-draft.docx", None),
        ("flat/lease-signed.pdf", 1),
        ("flat/lease-signed.pdf", 2),
    }
    assert all(source.quote for source in end.sources)


async def test_of_three_in_a_row_the_newest_two_are_compared_unless_others_are_asked_for(ask):
    files = {
        "offer-v1.md": (*OFFER, "2024-05-03"),
        "offer-v2.md": (*(t.replace("8,900", "9,400") for t in OFFER), "2024-05-02"),
        "offer-v10.md": (*(t.replace("8,900", "9,900") for t in OFFER), "2024-05-01"),
    }
    answer = told(await ask("What has changed in the offer?", files))
    assert "| offer-v2.md (2 May 2024) | offer-v10.md (1 May 2024) |" in answer
    assert rows(answer)[0][1].startswith("The tiles cost **9,900** euros")
    answer = told(await ask("What changed between offer v1 and v10?", {}))
    assert "| offer-v1.md (3 May 2024) | offer-v10.md (1 May 2024) |" in answer
    answer = told(await ask("Which version of the offer is the newest?", {}))
    assert re.search(
        r"^3 versions.*: offer-v1.*; offer-v2.*; \*\*offer-v10.md \(1 May 2024\)", answer
    )


async def test_a_copy_counts_once(ask):
    files = LEASES | {"old/copy of lease-signed.pdf": LEASES["flat/lease-signed.pdf"]}
    answer = told(await ask("what changed between the two leases", files))
    assert answer.startswith("3 sentences differ, 1 is new.\n")
    assert "**flat/lease-signed.pdf = old/copy of lease-signed.pdf (15 March 2024) [" in answer
    answer = told(await ask("compare lease-signed.pdf with copy of lease-signed.pdf", {}))
    assert answer.startswith("They say the same.")


async def test_another_order_is_no_change(ask):
    files = {"rules v1.txt": (*RULES, "2024-01-01"), "rules v2.txt": (*RULES[::-1], "2024-02-01")}
    assert told(await ask("what changed in the rules", files)).startswith("They say the same.")


async def test_of_many_changes_ten_are_shown(ask):
    files = {
        "rules v1.txt": (*RULES, "2024-01-01"),
        "rules v2.txt": (
            *(t.replace("rains", f"snows {n}") for n, t in enumerate(RULES)),
            "2024-02-01",
        ),
    }
    answer = told(await ask("what changed in the rules", files))
    assert answer.startswith("24 sentences differ.")
    assert len(rows(answer)) == 10
    assert "and 14 more" in answer


async def test_what_a_file_says_is_no_markdown(ask):
    note = ["# Note", "The code | of the *shed* is 4711 {name} [7], as told by the gardener."]
    files = {
        "note.md": (*note, "2024-01-01"),
        "note (copy).md": (*(t.replace("4711", "4832") for t in note), "2024-01-02"),
    }
    events = await ask("what changed in the note?", files)
    ((old, new),) = rows(told(events))
    assert ("**4711**" in old, "**4832**" in new, "|" in old, "(7)" in old) == (
        True,
        True,
        False,
        True,
    )
    assert {int(n) for n in re.findall(r"\[(\d+)\]", events[-1].answer)} == {1, 2}


def bill(year, kwh, total):
    return BILL.format(year=year, kwh=kwh, total=total), f"{year}-12-31"


def garage(name):
    lines = "The rent is 60 euros a month.", "The garage is for cars only.", "2024-01-01"
    return "# Garage contract", f"between Maria Lindner and {name}, for the garage.", *lines


NONE = {
    "a series of bills": {
        "electricity-2022.md": bill(2022, 2310, "812.40"),
        "electricity-2023.md": bill(2023, 2198, "901.75"),
    },
    "one form of other days": {
        "meters 1.txt": ("Readings", "Meter 117: 14,812 kWh on 3 January, 199 m³", "2024-01-03"),
        "meters 2.txt": ("Readings", "Meter 217: 14,999 kWh on 3 February, 207 m³", "2024-02-03"),
    },
    "contracts of two people": {
        "Mueller/garage.docx": garage("Petra Mueller"),
        "Hansen/garage.docx": garage("Ole Hansen"),
    },
    "one name, other texts": {
        "rules draft.txt": (*OFFER, "2024-01-01"),
        "rules.txt": (*RULES, "2024-01-02"),
    },
}


@pytest.mark.parametrize("files", NONE.values(), ids=NONE)
async def test_what_are_no_versions_is_not_compared(ask, files):
    topic = re.split(r"[\W\d]", next(iter(files)).split("/")[-1])[0]
    assert told(await ask(f"what changed in the {topic}?", files)) == ""


@pytest.mark.parametrize(
    "question",
    [
        "Compare apples and pears",
        "Which version of the recipe is the newest?",
        "What changed?",
        "What changed in 2024?",
        "What is different between rules v1.txt and offer.md?",
        "What changed in the lease of 1998?",
    ],
)
async def test_questions_that_fit_no_versions_are_asked_the_usual_way(ask, question):
    more = {"rules v1.txt": (*RULES[:3], "2024-01-01"), "offer.md": (*OFFER, "2024-01-02")}
    assert told(await ask(question, LEASES | more)) == ""


async def test_the_newest_version_answers_and_the_older_one_is_mentioned(ask):
    events = await ask("How long is the notice in the lease?", LEASES)
    end = events[-1]
    assert "notice of three months" in end.answer
    assert "(flat/lease-draft.docx of 4 March 2024 says otherwise: “" in end.answer
    assert "**one month.**" in end.answer
    assert not [e for e in events if isinstance(e, ChoicesEvent)]
    assert {s.file for s in end.sources if s.cited} == set(LEASES)
    assert sorted(s.n for s in end.sources) == sorted({s.n for s in end.sources})


async def test_the_version_that_is_asked_for_answers(ask):
    end = (await ask("How long is the notice in the draft of the lease?", LEASES))[-1]
    assert "notice of one month" in end.answer.split("\n\n")[0]
    assert "three months" not in end.answer.split("\n\n")[0]


async def test_where_versions_agree_none_is_mentioned(ask):
    end = (await ask("Who cleans the stairs on floor 3?", LEASES))[-1]
    assert "says otherwise" not in end.answer


async def test_the_answer_is_in_the_language_of_the_question(ask):
    text = ["# Satzung", "Der Jahresbeitrag beträgt 48 Euro.", "Der Vorstand hat drei Mitglieder."]
    files = {
        "Satzung Entwurf.docx": (*text, "2024-01-01"),
        "Satzung.docx": (*(t.replace("48", "54") for t in text), "2024-02-01"),
    }
    answer = told(await ask("Was hat sich an der Satzung geändert?", files))
    assert answer.startswith("1 Satz ist anders.")
    assert rows(answer) == [
        ("Der Jahresbeitrag beträgt **48** Euro.", "Der Jahresbeitrag beträgt **54** Euro.")
    ]
