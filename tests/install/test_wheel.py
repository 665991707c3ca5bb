"""What is built can be installed and used where there is no source: see `conftest.py`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from manole import __version__

from .conftest import ROOT, Installed, ran

EXAMPLE = "manole/example/household/"
GATE = "The code of the garden gate is 4711."


@pytest.fixture(scope="module")
def folder(installed: Installed) -> str:
    """A folder of the new user, indexed by the installed program."""
    papers = installed.home / "papers"
    papers.mkdir()
    (papers / "garden.md").write_text(f"# Garden\n\n{GATE}\n")
    (papers / "boat.html").write_text("<p>The boat was painted blue in May 2023.</p>")
    shutil.copy(ROOT / "examples/household/home/rental-contract.pdf", papers)
    done = installed.run("manole", "index", "papers")
    assert "3 files (3 indexed)" in done.stdout
    return "papers"


@pytest.fixture(scope="module")
def address(installed: Installed, folder: str) -> Iterator[str]:
    serving = subprocess.Popen(
        ["manole", "serve", folder, "--port", "0"], env=installed.variables, cwd=installed.home,
        executable=installed.environment / "bin" / "manole", stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert serving.stdout is not None
    greeting = serving.stdout.readline()
    found = re.search(r"http://[\d.:]+/", greeting)
    assert found, greeting
    yield found[0]
    serving.terminate()
    assert serving.wait(30) == 0


def read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode("utf-8", "replace")


def test_sdist_gives_the_wheel_that_the_source_gives(wheel: Path, tmp_path: Path) -> None:
    ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=ROOT)
    (direct,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(direct) as other:
        assert set(one.namelist()) == set(other.namelist())


def test_wheel_holds_the_example_with_its_dates_and_the_page_as_it_was_built(wheel: Path) -> None:
    household, page = ROOT / "examples/household", ROOT / "src/manole/serve/http/web"
    with zipfile.ZipFile(wheel) as inside:
        for folder, place in ((household, EXAMPLE), (page, "manole/serve/http/web/")):
            for file in (file for file in folder.rglob("*") if file.is_file()):
                name = f"{place}{file.relative_to(folder).as_posix()}"
                assert inside.read(name) == file.read_bytes()
        dates = json.loads(inside.read("manole/example/dates.json"))
        papers = {name for name in inside.namelist() if name.startswith(EXAMPLE)}
        assert {f"{EXAMPLE}{name}" for name in dates} == papers


def test_wheel_holds_no_tests_and_nothing_private(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as inside:
        names = inside.namelist()
    assert all(name.startswith(("manole/", "manole_", "manole-")) for name in names)
    assert not [n for n in names if "__pycache__" in n or "/." in n or "node_modules" in n]


def test_sdist_holds_no_more_than_the_source(built: Path) -> None:
    (file,) = built.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Dockerfile", "hatch_build.py", "locks/runtime.txt", "CONTRIBUTING.md"} <= names
    if not (ROOT / ".git").exists():
        return  # this is an sdist itself
    known = ran("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).stdout
    page = "src/manole/serve/http/web/"
    own = {name for name in names if not name.startswith(page)}
    assert own - {"PKG-INFO"} <= set(known.splitlines())


def test_nothing_is_built_without_the_page(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "source", tmp_path / "source")
    shutil.rmtree(tmp_path / "source/src/manole/serve/http/web")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel"],
        cwd=tmp_path / "source", capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "run `make web` first" in done.stderr


def test_program_is_that_of_the_wheel(installed: Installed) -> None:
    where = "import manole, sys; print(manole.__file__); print(*sys.path, sep='\\n')"
    done = installed.run("python", "-c", where)
    assert done.stdout.startswith(f"{installed.packages}/manole/")
    assert str(ROOT / "src") not in done.stdout
    assert installed.run("manole", "--version").stdout == f"{__version__}\n"


def test_files_are_found(installed: Installed, folder: str) -> None:
    done = installed.run("manole", "search", "how do I open the gate?", folder, "--limit", "1")
    assert "garden.md" in done.stdout
    assert "4711" in done.stdout


def test_question_about_files_needs_no_model(installed: Installed, folder: str) -> None:
    done = installed.run("manole", "ask", "How many PDF files do I have?", folder)
    assert re.search(r"^You have 1 PDF file ", done.stdout, re.MULTILINE), done.stdout
    assert "1 PDF file" in done.stdout


@pytest.mark.model
def test_question_about_contents_is_answered(installed: Installed, folder: str) -> None:
    done = installed.run("manole", "ask", "What is the code of the garden gate?", folder)
    assert "4711" in done.stdout
    assert "garden.md" in done.stdout


def test_page_is_served_with_all_that_it_names(address: str) -> None:
    page = read(address)
    named = re.findall(r'(?:src|href)="/(assets/[^"]+)"', page)
    assert len(named) >= 2
    assert all(read(f"{address}{name}") for name in named)


def test_example_comes_with_it(installed: Installed) -> None:
    make = (
        "import pathlib, sys; from manole.serve.example import example_folder;"
        " print(sum(p.is_file() for p in example_folder(pathlib.Path('data')).rglob('*')))"
    )
    assert int(installed.run("python", "-c", make).stdout) == 59


def test_self_check_finds_it_whole(installed: Installed) -> None:
    elsewhere = {"MANOLE_MODEL__NAME": "openai:none@http://127.0.0.1:9"}  # is not asked
    done = installed.run("manole", "doctor", "--try", **elsewhere)
    assert "2 files were read, embedded by manole-e5-small, and found" in done.stdout
    assert "no problems" in done.stdout
