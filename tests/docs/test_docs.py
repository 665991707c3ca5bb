"""What the documentation says is true: its commands run, its tables follow the code."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pytest
import typer
from pydantic import BaseModel

from manole.agent import events
from manole.agent.plan.query_catalog import QUERY
from manole.cli.app import app
from manole.settings import Settings
from manole.tools.registry import Registry

from .conftest import ROOT, Place

DOCS = ROOT / "docs"
TODAY = date(2025, 1, 15)
PAGES = (
    *sorted(ROOT.glob("*.md")),
    *sorted(DOCS.glob("*.md")),
    *sorted(ROOT.glob("plugins/**/README.md")),
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FIRST_SYNC = "docs/getting-started.md"


@dataclass(frozen=True)
class Shown:
    """A command of a page and the output that the page shows below it."""

    page: str
    command: str
    output: str

    def __str__(self) -> str:
        return f"{self.page}: {self.command}"


def blocks(page: Path, language: str) -> list[str]:
    return [body for lang, body in BLOCK.findall(page.read_text("utf-8")) if lang == language]


def commands(language: str) -> Iterator[Shown]:
    for page in PAGES:
        name = page.relative_to(ROOT).as_posix()
        for block in blocks(page, language):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                if command.startswith("manole "):
                    yield Shown(name, command, output)


# Commands -----------------------------------------------------------------------------------


def lines(text: str) -> str:
    """`text` without blank lines, and with single blanks."""
    squeezed = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in squeezed if line)


def pattern(shown: str) -> str:
    """Shown output as a regular expression: `...` is any text, alone on a line any lines."""
    return "".join(
        r"(?:[^\n]*\n)*?"
        if line == "..."
        else re.escape(line).replace(re.escape("..."), "[^\n]*") + "\n"
        for line in lines(shown).splitlines()
    )


@pytest.mark.parametrize("shown", list(commands("console")), ids=str)
def test_command_prints_what_its_page_shows(shown: Shown, place: Place) -> None:
    done = place.run(shlex.split(shown.command))
    fails = shown.output.startswith("manole: ")
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    printed = done.stderr if fails else done.stdout
    if shown.page == FIRST_SYNC and " added" in shown.output:
        printed = place.first_sync
    assert re.fullmatch(pattern(shown.output), lines(printed)), printed


def test_readme_begins_with_the_two_commands_that_do_everything() -> None:
    first = BLOCK.search((ROOT / "README.md").read_text("utf-8"))
    assert first
    shown = [line.partition("#")[0].strip() for line in first[2].splitlines()]
    assert shown == ["$ make demo", "$ make test"]
    targets = needs_of_targets((ROOT / "Makefile").read_text("utf-8"))
    assert {"setup"} <= everything_before("demo", targets)
    assert {"setup", "dev", "web", "needs"} <= everything_before("test", targets)


def needs_of_targets(makefile: str) -> dict[str, list[str]]:
    """What each target of the Makefile is made from."""
    rules = re.findall(r"^([a-z-]+):([^=#\n]*)", makefile, re.MULTILINE)
    return {target: needs.split() for target, needs in rules}


def everything_before(target: str, targets: dict[str, list[str]]) -> set[str]:
    """The targets that are made before this one, theirs included."""
    needs = targets[target]
    return {*needs}.union(*(everything_before(one, targets) for one in needs if one in targets))


def test_shown_output_must_match_whole_lines() -> None:
    assert re.fullmatch(pattern("a ... c\n...\n"), lines("a  b  c\n\nd\ne\n"))
    assert not re.fullmatch(pattern("a ... c\n"), lines("a b c\nd\n"))
    assert not re.fullmatch(pattern("58 added; ... s.\n"), lines("57 added; 3 passages, 1 s.\n"))


@pytest.mark.parametrize("shown", list(commands("text")), ids=str)
def test_command_that_is_not_run_has_real_options(shown: Shown) -> None:
    arguments = shlex.split(shown.command, comments=True)[1:]
    command: Any = typer.main.get_command(app)
    context = command.make_context("manole", arguments)
    while hasattr(command, "resolve_command") and context._protected_args + context.args:
        name, command, arguments = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        context = command.make_context(name, arguments, parent=context)


def test_python_of_the_pages_runs(place: Place) -> None:
    programs = [block for page in PAGES for block in blocks(page, "python")]
    assert programs
    for program in programs:
        done = place.run([sys.executable, "-c", program])
        assert done.stdout.startswith("You have 21 PDF files"), done.stderr


def test_manole_toml_of_the_settings_page_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = blocks(DOCS / "settings.md", "toml")
    (tmp_path / "manole.toml").write_text(example, "utf-8")
    monkeypatch.setenv("MANOLE_CONFIG", str(tmp_path / "manole.toml"))
    settings, origins = Settings.explain()
    assert settings.index.exclude == ("drafts/", "*.log")
    assert len(origins) >= len(tomllib.loads(example))


# Links and the built site --------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", h.lower()).strip()) for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_resolve(page: Path) -> None:
    for target in LINK.findall(BLOCK.sub("", page.read_text("utf-8"))):
        file, _, anchor = target.partition("#")
        linked = (page.parent / file) if file else page
        assert linked.exists(), f"{page.name} links {target}"
        if anchor:
            assert anchor in anchors(linked), f"{page.name} links {target}"


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "mkdocs.yml", DOCS / "answer.svg"], ids=lambda page: page.name
)
def test_pages_name_no_other_host(page: Path) -> None:
    # After s3: and manole: stand buckets and citations; postgresql://manole@… names a user.
    hosts = re.findall(r"\b(?!s3:|manole:)\w+://([\w.-]+)", page.read_text("utf-8"))
    assert set(hosts) <= {"127.0.0.1", "localhost", "www.w3.org", "storage", "manole"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built. Strict: a warning fails it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_site_builds_strictly_with_every_page(site: Path) -> None:
    assert {p.stem for p in DOCS.glob("*.md")} <= {p.stem for p in site.glob("*.html")}
    assert (site / "answer.svg").is_file()


def test_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.glob("*.html"):
        loading = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page.read_text("utf-8"))
        assert loading
        assert not [tag for tag in loading if re.search(r"(?:src|href)=\"?(?:https?:)?//", tag)]


# Tables that follow the code ----------------------------------------------------------------


def test_generated_tables_are_up_to_date(tables: ModuleType) -> None:
    for name in tables.GENERATED:
        page, text = tables.rewritten(name)
        assert page.read_text("utf-8") == text, f"{name}: run `python docs/tables.py`"


def test_settings_page_gives_each_field_its_default_and_bounds() -> None:
    rows = table_rows((DOCS / "settings.md").read_text("utf-8"), "setting")
    described = Settings().describe()
    assert [row[0].strip("`") for row in rows] == list(described)
    by_name = {row[0].strip("`"): row for row in rows}
    assert by_name["model.threads"][1:3] == ["`0`", "from 0 to 256"]
    assert by_name["model.timeout_s"][1:3] == ["`300`", "more than 0 to 7,200"]
    for name, (_, meaning) in described.items():
        assert by_name[name][3] == meaning


def test_tools_page_describes_every_tool() -> None:
    text = (DOCS / "tools.md").read_text("utf-8")
    told = set(re.findall(r"^## (\w+)$", text, re.MULTILINE))
    assert {QUERY, *Registry().names} <= told


EVENT_PARTS = {
    "decision": events.Decision,
    "status": events.StatusEvent,
    "result": events.ResultEvent,
    "error": events.ErrorEvent,
    "evidence": events.EvidenceEvent,
    "Extract": events.Extract,
    "choices": events.ChoicesEvent,
    "Choice": events.Choice,
    "token": events.Token,
    "complete": events.Complete,
    "Source": events.Source,
    "Tokens": events.TokensUsed,
    "stopped": events.Stopped,
}


@pytest.mark.parametrize("heading", EVENT_PARTS)
def test_events_page_agrees_with_the_schema(heading: str) -> None:
    text = (DOCS / "events.md").read_text("utf-8")
    section = re.search(rf"^##+ {heading}\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    told = {row[0].strip("`"): row[1] for row in table_rows(section[1], "field")}
    fields = EVENT_PARTS[heading].model_fields
    assert told == {name: json_type(field.annotation) for name, field in fields.items()}


def test_events_page_knows_every_event() -> None:
    union = get_args(events.Event)[0]
    assert set(get_args(union)) <= set(EVENT_PARTS.values())


def json_type(annotation: Any) -> str:
    """A field's type in the words of the events page."""
    plain = {str: "text", int: "integer", float: "number", bool: "true or false"}
    if annotation in plain:
        return plain[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f'`"{value}"`' for value in arguments)
    if origin in (Union, UnionType):
        (inner,) = (item for item in arguments if item is not NoneType)
        return f"{json_type(inner)} or null"
    if origin is list:
        if get_origin(arguments[0]) is tuple:
            return {2: "list of pairs", 4: "list of four numbers"}[len(get_args(arguments[0]))]
        named = {events.Source: "source", events.Extract: "extract", events.Choice: "choice"}
        return f"list of {named.get(arguments[0]) or json_type(arguments[0])}s"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "tokens"
    return "object"


def test_architecture_page_draws_the_floors_from_the_top_down() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    drawing = re.search(r"## Floors\n.*?```text\n(.*?)```", text, re.DOTALL)
    assert drawing is not None
    *floors, ground = [
        line for line in drawing[1].splitlines() if line.startswith("  ") and "──" not in line
    ]
    drawn = [*(floor.split()[0] for floor in floors), *ground.split()]
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    assert drawn == [layer.removeprefix("manole.") for layer in layers]
    for floor in floors:
        name, does = floor.split(maxsplit=1)
        rooms = re.findall(r"(?<=  )\w+(?=  |$)", does)
        assert all((ROOT / "src" / "manole" / name / room).is_dir() for room in rooms)


WAYS = {
    "from-file-to-passages": ["index", "--force"],
    "from-question-to-answer": ["ask", "What did we ask the plumber to do about the boiler?"],
}


def named(page: str) -> set[str]:
    return set(re.findall(r"`([\w/]+\.py)`", (DOCS / f"{page}.md").read_text("utf-8")))


@pytest.mark.parametrize("page", WAYS)
def test_pages_of_the_two_ways_name_files_that_exist(page: str) -> None:
    lost = {file for file in named(page) if not (ROOT / "src" / "manole" / file).is_file()}
    assert lost - {"benchmarks/house.py"} == set()


@pytest.mark.model
@pytest.mark.parametrize("page", WAYS)
def test_pages_of_the_two_ways_name_the_files_on_the_way(page: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("home/boiler-thermaro-b24-manual.pdf", "recipes/lentil-soup.md"):
        shutil.copy(ROOT / "examples" / "household" / name, folder)
    way = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "house.py", *WAYS[page], folder],
        env=os.environ | {"MANOLE_DATA_DIR": str(tmp_path / "data")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    passed = set(re.findall(r"^[\w/]+\.py$", way.stderr, re.MULTILINE))
    assert len(passed) > 40, way.stdout + way.stderr
    known = named(page) | named("from-file-to-passages")
    by_words = 4 if "ask" in WAYS[page] else 0  # what a model writes decides some of the way
    assert len(passed - known) <= by_words, passed - known


def test_dependencies_page_lists_each_direct_dependency(tables: ModuleType) -> None:
    text = (DOCS / "dependencies.md").read_text("utf-8")
    rows = table_rows(text, "package")
    assert {row[0].strip("`"): row[1] for row in rows} == tables.direct()
    assert all(float(row[2]) > 0 and row[3] for row in rows)


def table_rows(text: str, first: str) -> list[list[str]]:
    """The cells of the first table whose first heading is `first`."""
    match = re.search(rf"^\| {first} \|.*\n\|[- |]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert match is not None
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        for row in match[1].splitlines()
    ]
