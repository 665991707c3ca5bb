"""The example folder is what its program writes, and its questions have the answers they claim."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from email import message_from_bytes, policy
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from docx import Document
from openpyxl import load_workbook
from PIL import Image
from pptx import Presentation

from manole_evaluate.questions import Question, load
from manole_evaluate.scoring import matches

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMITTED = EXAMPLES / "household"
QUESTIONS = load(EXAMPLES / "household.questions.jsonl")
NOT_TEXT = {".jpg", ".png"}
BINARY = {".docx", ".xlsx", ".pptx", ".pdf", *NOT_TEXT}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(EXAMPLES / "make_household.py")
    return subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True)


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "household"
    result = run("--into", str(folder))
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed files under fresh times, as after a checkout, then dated by the program."""
    folder = tmp_path_factory.mktemp("dated") / "household"
    for name in names(COMMITTED):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((COMMITTED / name).read_bytes())
    result = run("--dates-only", "--into", str(folder))
    assert result.returncode == 0, result.stderr
    return folder


@cache
def pages(path: Path) -> list[str]:
    """The text of each page, slide or sheet; the whole text where there are none."""
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path) as pdf:
            return [page.get_textpage().get_text_bounded() for page in pdf]
    if path.suffix == ".docx":
        word = Document(str(path))
        cells = [cell.text for table in word.tables for row in table.rows for cell in row.cells]
        return ["\n".join([*(p.text for p in word.paragraphs), *cells])]
    if path.suffix == ".xlsx":
        return [
            "\n".join(" ".join(str(v) for v in row if v is not None) for row in sheet.values)
            for sheet in load_workbook(path)
        ]
    if path.suffix == ".pptx":
        return [" ".join(_slide_texts(slide)) for slide in Presentation(str(path)).slides]
    if path.suffix == ".eml":
        return [message_from_bytes(path.read_bytes(), policy=policy.default).get_content()]
    if path.suffix == ".csv":  # apart, or "0098,55017" would read as one number
        return [path.read_text("utf-8").replace(",", " | ")]
    return [path.read_text("utf-8")]


def _slide_texts(slide) -> list[str]:
    texts = [slide.notes_slide.notes_text_frame.text]
    for shape in slide.shapes:
        if shape.has_text_frame:
            texts.append(shape.text_frame.text)
        if shape.has_table:
            texts += [cell.text for row in shape.table.rows for cell in row.cells]
    return texts


# -- the folder -----------------------------------------------------------------------------


def test_the_program_writes_the_committed_files(made):
    assert names(made) == names(COMMITTED)


def test_two_runs_give_the_same_bytes(made, tmp_path):
    run("--into", str(tmp_path / "again"))
    differing = [
        n for n in names(made) if (made / n).read_bytes() != (tmp_path / "again" / n).read_bytes()
    ]
    assert differing == []


def test_what_the_program_writes_says_what_the_committed_files_say(made):
    for name in sorted(names(COMMITTED)):
        if Path(name).suffix in NOT_TEXT:
            with Image.open(made / name) as new, Image.open(COMMITTED / name) as old:
                assert (new.size, new.getexif()) == (old.size, old.getexif()), name
        elif Path(name).suffix in BINARY:
            assert pages(made / name) == pages(COMMITTED / name), name
        else:
            assert (made / name).read_bytes() == (COMMITTED / name).read_bytes(), name


def test_the_folder_is_varied_and_small():
    files = names(COMMITTED)
    assert 48 <= len(files) <= 60
    assert len({Path(name).suffix for name in files}) >= 12
    assert sum((COMMITTED / name).stat().st_size for name in files) < 3_000_000


def test_dates_only_gives_every_file_its_own_day(dated, made):
    days = {
        n: datetime.fromtimestamp((dated / n).stat().st_mtime, UTC).date() for n in names(dated)
    }
    assert {day.year for day in days.values()} == {2022, 2023, 2024}
    assert len(set(days.values())) == len(days)
    assert all((made / n).stat().st_mtime == (dated / n).stat().st_mtime for n in days)


def test_dates_only_names_a_missing_file(tmp_path):
    result = run("--dates-only", "--into", str(tmp_path))
    assert result.returncode == 1
    assert "missing" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("keep me")
    result = run("--into", str(tmp_path))
    assert result.returncode == 1
    assert "mine.txt" in result.stderr
    assert names(tmp_path) == {"mine.txt"}


def test_dates_only_needs_no_package():
    code = (
        "import sys, make_household as m; sys.exit(m.main(['--dates-only', '--into', sys.argv[1]]))"
    )
    isolated = [sys.executable, "-S", "-c", code, str(COMMITTED)]
    result = subprocess.run(isolated, cwd=EXAMPLES, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_every_pdf_but_the_scan_has_text():
    for path in COMMITTED.rglob("*.pdf"):
        length = sum(len(text) for text in pages(path))
        if path.name.startswith("scan-"):
            assert length == 0, path
        else:
            assert length > 500, path


def test_the_boiler_manual_has_its_drawing_and_pages():
    manual = pages(COMMITTED / "home/boiler-thermaro-b24-manual.pdf")
    assert len(manual) >= 6
    assert "Figure 1: The boiler without its front cover" in manual[2]


def test_photos_know_the_day_they_were_taken():
    for path in COMMITTED.glob("holidays/photos/*.jpg"):
        with Image.open(path) as image:
            taken = image.getexif().get_ifd(0x8769)[0x9003]
        assert re.fullmatch(r"202[234]:\d\d:\d\d \d\d:\d\d:\d\d", taken)


def test_an_invoice_adds_up():
    text = pages(COMMITTED / "invoices/2024-11-28_invoice_boiler-service_TH-2024-311.pdf")[0]
    net, tax, total = (
        float(re.search(rf"{label}\s+([\d,.]+) EUR", text)[1])
        for label in ("Net amount", "VAT 19 %", "Total amount due")
    )
    assert round(net + tax, 2) == total == 290.96


def test_budget_months_add_up_to_the_overview():
    for path in COMMITTED.glob("finance/budget-*.xlsx"):
        overview, months = load_workbook(path)
        actual = {row[0]: row[2] for row in overview.iter_rows(min_row=3, values_only=True)}
        for category, *values in months.iter_rows(min_row=2, values_only=True):
            assert sum(values[:12]) == values[12] == actual[category], (path.name, category)


def test_the_household_contradicts_itself_about_the_dishwasher():
    invoice = pages(COMMITTED / "invoices/2024-01-22_invoice_dishwasher_EH-77120.pdf")[0]
    card = pages(COMMITTED / "home/dishwasher-warranty-card.pdf")[0]
    assert "21 January 2029" in invoice
    assert "21 January 2026" in card


# -- the questions about files ----------------------------------------------------------------


class Folder:
    """What can be asked about a folder's files, computed from the disk."""

    def __init__(self, root: Path) -> None:
        self.size = {n: (root / n).stat().st_size for n in names(root)}
        self.day = {
            n: datetime.fromtimestamp((root / n).stat().st_mtime, UTC).date() for n in self.size
        }
        self.newest = sorted(self.size, key=lambda n: self.day[n], reverse=True)
        self.largest = sorted(self.size, key=lambda n: self.size[n], reverse=True)

    def of(self, *endings: str) -> list[str]:
        return sorted(n for n in self.size if n.endswith(endings))

    def under(self, start: str) -> list[str]:
        return sorted(n for n in self.size if n.startswith(start))

    def named(self, word: str) -> list[str]:
        return sorted(n for n in self.size if word in n.rsplit("/", 1)[-1])

    def changed(self, start: str, end: str = "9999") -> list[str]:
        return sorted(n for n in self.size if start <= self.day[n].isoformat() < end)

    def folders(self) -> list[str]:
        return sorted({part for n in self.size for part in n.split("/")[:-1]})


def count(files: list[str]) -> list[str]:
    return [str(len(files))]


def bytes_said(size: int) -> list[str]:
    """The ways to write a size: decimal and binary units, with one place and none, and bytes."""
    said = [f"{size} bytes", f"{size / 1000:.1f} kB", f"{size / 1000:.0f} kB"]
    said += [f"{size / 1024:.1f} KB", f"{size / 1024:.0f} KB", f"{size / 1024:.1f} KiB"]
    if size > 500_000:
        said += [f"{size / 1e6:.2f} MB", f"{size / 1e6:.1f} MB", f"{size / 2**20:.2f} MB"]
    return list(dict.fromkeys(said))


def name(path: str) -> list[str]:
    """The ways to name a file: its name, and its name without the ending."""
    return [Path(path).name, Path(path).stem]


def place(path: str) -> tuple[list[str], list[str]]:
    """A file's name and its folder: both are needed to say where it is."""
    return name(path), [Path(path).parent.as_posix()]


def day(date) -> list[str]:
    return [date.isoformat(), f"{date.day} {date:%B %Y}"]


# id → either the accepted answers, or (in a tuple) the parts that are all required
TRUTH: dict[str, Callable[[Folder], list[str] | tuple[list[str], ...]]] = {
    "f01": lambda f: count(f.newest),
    "f02": lambda f: count(f.of(".pdf")),
    "f03": lambda f: count(f.named("invoice")),
    "f04": lambda f: tuple(map(name, f.named("invoice"))),
    "f05": lambda f: name(f.largest[0]),
    "f06": lambda f: tuple(map(name, f.newest[:5])),
    "f07": lambda f: bytes_said(sum(f.size.values())),
    "f08": lambda f: [Counter(n.rpartition("/")[0] for n in f.size).most_common(1)[0][0]],
    "f09": lambda f: tuple([folder] for folder in f.folders()),
    "f10": lambda f: day(f.day["home/rental-contract.pdf"]),
    "f11": lambda f: bytes_said(f.size["home/boiler-thermaro-b24-manual.pdf"]),
    "f12": lambda f: [s for n in f.named("insurance") for s in name(n)],
    "f13": lambda f: tuple([e] for e in sorted({Path(n).suffix[1:] for n in f.size})),
    "f14": lambda f: count(f.of(".jpg", ".png")),
    "f15": lambda f: count(f.changed("2023", "2024")),
    "f16": lambda f: count(f.changed("2024-06-01")),
    "f17": lambda f: name(f.newest[-1]),
    "f18": lambda f: tuple(map(name, f.under("recipes/"))),
    "f19": lambda f: count(f.of(".xlsx")),
    "f20": lambda f: name(next(n for n in f.largest if n.endswith(".pdf"))),
    "f21": lambda f: name(f.largest[-1]),
    "f22": lambda f: count(f.under("journal/")),
    "f23": lambda f: [s for n in f.of(".pptx") for s in name(n)],
    "f24": lambda f: place(f.named("cv.")[0]),
    "f25": lambda f: count(f.of(".pdf")),
    "f26": lambda f: name(f.largest[0]),
    "f27": lambda f: count(f.of(".md")),
    "f28": lambda f: name(f.newest[0]),
    "f29": lambda f: tuple(map(name, f.of(".eml"))),
    "f30": lambda f: tuple(map(name, f.changed("2024-12"))),
    "f31": lambda f: count(f.of(".docx")),
    "f32": lambda f: tuple(map(name, f.named("electricity"))),
    "f33": lambda f: tuple(map(name, f.newest[:5])),
    "f34": lambda f: place(f.named("floor-plan")[0]),
    "f35": lambda f: [biggest_type(f), "JPEG"],
    "f36": lambda f: count(f.under("insurance/")),
    "f37": lambda f: ["no", "none", "0"] if not f.of(".mp4", ".mov", ".mkv", ".avi") else ["yes"],
    "f38": lambda f: day(f.day["health/vet-record-pippa.rtf"]),
    "f39": lambda f: name(next(n for n in f.largest if n.endswith((".jpg", ".png")))),
    "f40": lambda f: tuple(map(name, f.newest[:-4:-1])),
}


def biggest_type(folder: Folder) -> str:
    sizes: Counter[str] = Counter()
    for path, size in folder.size.items():
        sizes[Path(path).suffix[1:]] += size
    return sizes.most_common(1)[0][0]


def of_kind(kind: str) -> list[Question]:
    return [question for question in QUESTIONS if question.kind == kind]


def test_there_are_questions_of_every_kind():
    kinds = Counter(question.kind for question in QUESTIONS)
    assert kinds["file"] >= 30
    assert kinds["content"] >= 12
    assert kinds["two-tools"] >= 4
    assert kinds["absent"] >= 4
    assert len({question.id for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", of_kind("file"), ids=lambda q: q.id)
def test_the_answer_of_a_file_question_is_what_the_disk_says(question, dated):
    truth = TRUTH[question.id](Folder(dated))
    if isinstance(truth, tuple):
        assert question.parts == tuple(tuple(part) for part in truth)
    else:
        assert question.answers == tuple(truth)


# -- the questions about contents -------------------------------------------------------------


@pytest.mark.parametrize("question", of_kind("content"), ids=lambda q: q.id)
def test_the_answer_of_a_content_question_stands_in_its_file(question):
    texts = [pages(COMMITTED / file) for file in question.files]
    if question.pages:
        texts = [[text[number - 1] for number in question.pages] for text in texts]
    found = "\n".join(page for text in texts for page in text)
    for part in question.parts or (question.answers,):
        assert any(matches(found, answer, f1=False) for answer in part), part


@pytest.mark.parametrize("question", of_kind("two-tools"), ids=lambda q: q.id)
def test_a_question_for_two_tools_names_its_files_and_parts(question):
    assert question.files
    assert all((COMMITTED / file).is_file() for file in question.files)
    assert len(question.parts) >= 2


def test_the_newest_and_the_highest_invoice_are_what_the_questions_say(dated):
    totals = {}
    for path in sorted(dated.glob("invoices/*")):
        text = " ".join(pages(path)[0].split())
        said = re.findall(r"(?:Total amount due|Rechnungsbetrag) ([\d.,]+)", text)[0]
        if path.stem.endswith("HK-22-448"):  # German: 551,57
            said = said.replace(".", "").replace(",", ".")
        totals[path.name] = float(said.replace(",", ""))
    newest = max(totals)  # names begin with the date
    highest = max(totals, key=totals.__getitem__)
    parts = {question.id: question.parts for question in of_kind("two-tools")}
    assert (newest in parts["t01"][0], f"{totals[newest]:.2f}" in parts["t01"][1]) == (True, True)
    assert str(len(totals)) in parts["t02"][0]
    assert highest in parts["t02"][1]


@pytest.mark.parametrize("question", of_kind("absent"), ids=lambda q: q.id)
def test_an_absent_fact_is_in_no_file(question):
    assert not question.answerable
    words = next(
        row["absent_words"]
        for line in (EXAMPLES / "household.questions.jsonl").read_text("utf-8").splitlines()
        if (row := json.loads(line))["id"] == question.id
    )
    for file in names(COMMITTED):
        if Path(file).suffix not in NOT_TEXT:
            text = "\n".join(pages(COMMITTED / file)).casefold()
            assert not any(word in text for word in words), file
