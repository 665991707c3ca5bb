"""An index survives what cannot replace it: every extra taken away, every option that needs one.

Each command runs in a process of its own, in which the packages of all extras cannot be imported,
installed or not. It is refused before anything is touched, and the index answers afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from manole.index.store.libraries import read_meta
from manole.library import Library
from manole.models.catalog.encoders import USUAL
from manole.settings import Settings

from .extras import modules

# Without BAML, which makes no index and is refused in `plugins/strategies/tests/test_baml.py`.
PACKAGES = [module for extra, own in modules().items() if extra != "baml" for module in own]
TAKEN_AWAY = f"import sys\nsys.modules.update(dict.fromkeys({PACKAGES}))\n"
UNFIT_STORE = '''
"""The store `shelf`: LanceDB's under another name, so that changing to it removes the old index."""

from manole.index.store.lance import LanceStore

def check():
    pass

async def open(path, settings, embed):
    store = await LanceStore.open(path)
    store.kind = "shelf"
    return store

async def discard(path):
    await LanceStore.discard(path)
'''
NO_WEIGHTS = "granite-embedding-97m-multilingual-r2"  # can be had from a hub alone
NOBODY = "openai:other@http://127.0.0.1:9/v1"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `files` and its index in `data`."""
    home = tmp_path_factory.mktemp("taken")
    files = home / "files"
    files.mkdir()
    (files / "lease.txt").write_text("The notice period of the flat is three months.")
    without = home / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text(TAKEN_AWAY)
    (without / "shelf.py").write_text(UNFIT_STORE)
    about = without / "shelf-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[manole.stores]\nshelf = shelf\n")
    (home / "cache").mkdir(0o700)
    weights = Settings.load().weights_dir / USUAL
    shutil.copytree(weights, home / "cache" / "models" / USUAL)  # a fetch that fails leaves traces
    done = manole(home, "index", "FILES")
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def home(indexed: Path):
    """The same; whatever a test does to the index and the files is undone."""
    kept = indexed / "kept"
    for name in ("data", "files"):
        shutil.copytree(indexed / name, kept / name)
    yield indexed
    for name in ("data", "files"):
        shutil.rmtree(indexed / name)
        (kept / name).rename(indexed / name)


def manole(home: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command without any extra, and with a model hub where nobody is."""
    return subprocess.run(
        [sys.executable, "-m", "manole.cli.app",
         *(str(home / "files") if word == "FILES" else word for word in words)],
        input=typed, capture_output=True, text=True, timeout=300,
        env=os.environ | {
            "PYTHONPATH": str(home / "without"), "MANOLE_DATA_DIR": str(home / "data"),
            "MANOLE_CACHE_DIR": str(home / "cache"),
            "HF_ENDPOINT": "http://127.0.0.1:9",
        },
    )  # fmt: skip


async def found(home: Path) -> list[str]:
    """What a search finds before and after the next sync, which both have to work."""
    settings = Settings.load().model_copy(update={"data_dir": home / "data"})
    async with await Library.open(home / "files", settings) as library:
        before = [hit.passage.path for hit in await library.search("How long is the notice?")]
        await library.sync()
        assert before == [hit.passage.path for hit in await library.search("notice")]
        return before


def index_of(home: Path) -> Path:
    (place,) = (home / "data" / "libraries").iterdir()
    return place


INDEX = ("index", "FILES", "--force")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((*INDEX, "--store", "leann"), 1, "manole[leann]"),
        (("--set", "index.store=leann", *INDEX), 1, "manole[leann]"),
        (("--set", "index.store=leann", "ask", "notice?", "FILES", "--force"), 1, "manole[leann]"),
        (("--set", "index.store=leann", "chat", "FILES", "--force"), 1, "manole[leann]"),
        (("--set", "index.pages=colqwen", "index", "FILES"), 1, "manole[colqwen]"),
        (("--set", "index.pages=colqwen", *INDEX), 1, "manole[colqwen]"),
        (("--set", "index.pages=colqwen", *INDEX, "--store", "shelf"), 1, "manole[colqwen]"),
        (("--set", "cluster.ray=127.0.0.1:9", *INDEX, "--library", "s3://nobody/x"), 2, "cluster"),
        (("index", "s3://nobody/x", "--force"), 2, "manole[cluster]"),
        (("--set", f"index.embedder={NO_WEIGHTS}", "index", "FILES"), 1, "models fetch"),
        (("--set", f"index.embedder={NO_WEIGHTS}", *INDEX), 1, "models fetch"),
        (
            ("--set", f"index.embedder={NO_WEIGHTS}", *INDEX, "--store", "shelf"),
            1,
            "models fetch",
        ),
        (("--set", f"index.embedder={NOBODY}", *INDEX, "--store", "shelf"), 1, "index.embedder"),
        (("--set", "index.embedder=none", *INDEX, "--store", "shelf"), 2, "Known are"),
        (("--set", "index.reranker=none", *INDEX, "--store", "shelf"), 2, "Known are"),
        (("--set", "vision.name=none", *INDEX, "--store", "shelf"), 2, "Known are"),
        (("--set", "voice.name=none", *INDEX, "--store", "shelf"), 2, "Known are"),
        ((*INDEX, "--store", "none"), 2, "lancedb"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
async def test_what_cannot_be_built_leaves_the_index_as_it_is(home, words, code, said):
    before = read_meta(index_of(home))
    done = manole(home, *words)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert said in done.stderr.replace("\n        ", " ")
    assert read_meta(index_of(home)) == before
    assert await found(home) == ["lease.txt"]


@pytest.mark.parametrize(
    ("name", "content", "extra"),
    [("memo.mp3", b"ID3", "voice"), ("photo.heic", b"\0\0\0\x18ftypheic", "heic")],
)
async def test_a_file_without_its_extra_still_lets_the_index_be_made(home, name, content, extra):
    (home / "files" / name).write_bytes(content)
    done = manole(home, *INDEX, "--json")
    assert (done.returncode, json.loads(done.stdout)["files"]) == (0, 2), done.stderr
    assert f"manole[{extra}]" in json.loads(done.stdout)["problems"][0]["reason"]
    assert "lease.txt" in await found(home)


async def test_another_store_takes_over_where_it_can(home):
    done = manole(home, *INDEX, "--store", "shelf")
    assert done.returncode == 0, done.stderr
    assert read_meta(index_of(home))["store"] == "shelf"


@pytest.mark.parametrize("tables", [True, False], ids=["whole", "tables lost"])
def test_an_index_kept_by_a_store_that_is_gone_says_how_to_go_on(home, tables):
    meta = index_of(home) / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"store": "leann"}))
    if not tables:
        shutil.rmtree(index_of(home) / "tables")
    before = sorted(index_of(home).rglob("*"))
    for words in (INDEX, ("search", "notice", "FILES")) if tables else (("index", "FILES"),):
        done = manole(home, *words)
        assert done.returncode == 1, words
        for part in ("manole[leann]", f"index --force --store lancedb {home / 'files'}"):
            assert part in done.stderr.replace("\n        ", " "), words
    assert sorted(index_of(home).rglob("*")) == before
    done = manole(home, *INDEX, "--store", "lancedb")
    assert done.returncode == 0, done.stderr
    done = manole(home, "search", "notice", "FILES")
    assert (done.returncode, "lease.txt" in done.stdout) == (0, True), done.stderr


def test_conversations_in_a_database_without_its_driver_are_refused(home):
    database = "conversations.database=postgres://nobody@127.0.0.1:9/x"
    done = manole(home, "--set", database, "conversations", "list", "FILES")
    assert done.returncode in (1, 2)
    assert "manole[cluster]" in done.stderr.replace("\n        ", " ")
    assert "Traceback" not in done.stderr
