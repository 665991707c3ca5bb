"""`manole doctor` and `manole library copy` and `add`, run as a user runs them."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from manole.index.store import durability
from manole.library import Library
from manole.settings import IndexSettings


@pytest.fixture(scope="session")
def made(tmp_path_factory, session_settings) -> tuple[Path, Path]:
    """A folder and a data folder with its index, made once."""
    folder, data = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("data")
    (folder / "gas.txt").write_text("The heating cost 120 euros.")
    settings = session_settings.model_copy(
        update={"data_dir": data, "index": IndexSettings(pages="off")}
    )

    async def index() -> None:
        async with await Library.open(folder, settings) as library:
            await library.sync()

    asyncio.run(index())
    return folder, data


@pytest.fixture
def folder(made) -> Path:
    return made[0]


@pytest.fixture
def run(manole, tmp_path, made):
    shutil.copytree(made[1], tmp_path / "data")
    data = {
        "MANOLE_DATA_DIR": str(tmp_path / "data"),
        "MANOLE_INDEX__PAGES": "off",
    }

    def call(*arguments: object, **more: str):
        return manole(*map(str, arguments), **(data | more))

    return call


def tables(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "data" / "libraries").iterdir()
    return found / "tables"


def test_nothing_is_wrong_with_a_fresh_index(run, folder):
    done = run("doctor", folder)
    assert done.returncode == 0, done.stdout
    assert "1 file, 1 passage can be read" in done.stdout
    assert "no problems" in done.stdout
    told = json.loads(run("doctor", "--json").stdout)
    assert (told["good"], told["done"]) == (True, [])
    assert {"level", "topic", "text", "where", "remedy", "fixable"} == set(told["findings"][0])


def test_a_problem_comes_first_with_its_remedy_and_is_mended(run, tmp_path):
    manifest = durability.manifests(tables(tmp_path) / "passages.lance")[0]
    with manifest.open("r+b") as stream:
        stream.truncate(9)
    done = run("doctor")
    assert done.returncode == 1
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    assert lines[0].startswith("library files")
    assert lines[1].startswith("problem  the newest version of this table is cut short")
    assert lines[2].startswith("→ `manole doctor --fix`")
    assert lines[-1].startswith("1 problem, ")
    told = json.loads(run("doctor", "--json").stdout)
    assert (told["good"], told["findings"][0]["where"]) == (False, str(manifest))
    fixed = run("doctor", "--fix")
    assert fixed.returncode == 0, fixed.stdout
    assert "done: files" in fixed.stdout
    assert "its last complete state is back in place" in fixed.stdout
    assert run("doctor").returncode == 0


def test_settings_that_cannot_be_read_do_not_stop_the_doctor(run, tmp_path):
    own = tmp_path / "config" / "manole" / "manole.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[index]\nsize = 3\n")
    done = run("doctor")
    assert done.returncode == 1
    assert "index.size" in done.stdout
    assert "1 passage can be read" in done.stdout
    assert run("doctor", "none").returncode == 2
    own.unlink()
    done = run("doctor", "none")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no library called none" in done.stderr


def test_an_index_travels(run, folder, tmp_path):
    copy, there = tmp_path / "copy", {"MANOLE_DATA_DIR": str(tmp_path / "there")}
    done = run("library", "copy", folder, copy)
    assert done.returncode == 0, done.stderr
    assert "1 file, 1 passage" in done.stdout
    assert run("library", "copy", folder, copy).returncode == 2
    told = json.loads(run("library", "copy", "--json", folder, tmp_path / "again").stdout)
    assert (told["copied"]["files"], told["copied"]["roots"]) == (1, [str(folder)])
    assert told["copied"]["path"] == str(tmp_path / "again")
    moved = shutil.copytree(folder, tmp_path / "moved")
    done = run("library", "add", copy, "--folder", moved, **there)
    assert (done.returncode, "1 file, 1 passage" in done.stdout) == (0, True), done.stderr
    assert "gas.txt" in run("search", "heating", moved, **there).stdout
    assert "1 unchanged; 0 passages read" in run("index", moved, **there).stdout
    assert run("library", "add", copy, "--folder", moved, **there).returncode == 2
    told = json.loads(run("library", "add", copy, "--json", **there).stdout)
    assert told["added"]["roots"] == [str(folder)]
    (copy / "meta.json").write_text("{}")
    broken = run("library", "add", copy, **there)
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "gas.txt" in run("search", "heating", moved, **there).stdout


def test_an_index_that_is_damaged_does_not_travel(run, folder, tmp_path):
    table = tables(tmp_path) / "passages.lance"
    durability.manifests(table)[0].write_bytes(b"")
    done = run("library", "copy", folder, tmp_path / "copy")
    assert (done.returncode, done.stdout) == (1, "")
    assert "manole doctor --fix" in done.stderr
    assert not (tmp_path / "copy").exists()
