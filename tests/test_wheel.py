"""What the wheel holds: the program, its page, and the example that it offers. Built offline."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = "manole/example/"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_example_with_its_dates(wheel):
    inside = {name for name in wheel.namelist() if name.startswith(EXAMPLE)}
    household = ROOT / "examples" / "household"
    papers = [file for file in household.rglob("*") if file.is_file()]
    named = {f"{EXAMPLE}household/{file.relative_to(household).as_posix()}" for file in papers}
    assert inside == named | {f"{EXAMPLE}dates.json"}
    for file in papers[:5]:
        name = f"{EXAMPLE}household/{file.relative_to(household).as_posix()}"
        assert wheel.read(name) == file.read_bytes()
    dates = json.loads(wheel.read(f"{EXAMPLE}dates.json"))
    assert {f"{EXAMPLE}household/{name}" for name in dates} == named


def test_the_wheel_holds_the_page_as_it_was_built(wheel):
    built = ROOT / "src/manole/serve/http/web"
    assert (built / "index.html").is_file(), "the page is not built: run `make web`"
    files = [file for file in built.rglob("*") if file.is_file()]
    assert {file.suffix for file in files} >= {".html", ".js", ".css", ".svg"}
    for file in files:
        name = f"manole/serve/http/web/{file.relative_to(built).as_posix()}"
        assert wheel.read(name) == file.read_bytes()


def test_an_installed_wheel_gives_the_example(wheel, tmp_path):
    """Far from this checkout; Manole's dependencies come from this environment."""
    wheel.extractall(tmp_path / "installed")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from pathlib import Path; import manole; from manole.serve.example import example_folder;"
        "print(manole.__file__); print(example_folder(Path(sys.argv[2])))"
    )
    said = subprocess.run(
        [sys.executable, "-P", "-c", program, str(tmp_path / "installed"), str(tmp_path / "data")],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    assert said == [
        str(tmp_path / "installed" / "manole" / "__init__.py"), str(tmp_path / "data" / "example"),
    ]  # fmt: skip
    assert len([path for path in Path(said[1]).rglob("*") if path.is_file()]) == 58


def test_the_wheel_holds_no_tests_and_nothing_private(wheel):
    names = wheel.namelist()
    assert all(name.startswith(("manole/", "manole-")) for name in names)
    assert not [name for name in names if "__pycache__" in name or "/." in name]
