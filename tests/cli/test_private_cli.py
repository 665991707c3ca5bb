"""Everything that the program writes, and a program that embeds it, is for its owner alone.

Real programs under the mask that most systems have (022), in folders that nobody made before.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from reportlab.pdfgen.canvas import Canvas

from manole.models.weights.cache import Weights

OTHERS = 0o077
USUAL = 0o022
TOKEN = "a-token-of-sixteen-or-more"
PROGRAM = (sys.executable, "-m", "manole.cli.app")
LIBRARY = """
import asyncio, sys
from pathlib import Path
from manole import Library, Settings

async def main():
    async with await Library.open(Path(sys.argv[1]), Settings.load()) as library:
        await library.sync()
        assert await library.search("boiler")

asyncio.run(main())
"""


def open_to_others(*tops: Path) -> list[str]:
    """What others may read, write or enter; links have no modes of their own."""
    paths = [path for top in tops for path in (top, *top.rglob("*"))]
    return [
        f"{stat.S_IMODE(path.lstat().st_mode):o} {path}"
        for path in paths
        if path.lstat().st_mode & OTHERS and not path.is_symlink()
    ]


class User:
    """A user of a fresh machine: papers, and places where data and caches will lie."""

    def __init__(self, home: Path) -> None:
        self.home, self.papers = home, home / "papers"
        self.data, self.cache = home / "share" / "data", home / "cache"
        before = os.umask(USUAL)
        self.papers.mkdir(parents=True)
        os.umask(before)
        (self.papers / "boiler.txt").write_text("The warranty of the boiler ends in 2031.")
        page = Canvas(str(self.papers / "letter.pdf"), pagesize=(300, 200))
        page.drawString(20, 100, "The rent is 940 euros.")
        page.save()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("MANOLE_")} | {
            "MANOLE_DATA_DIR": str(self.data),
            "MANOLE_CACHE_DIR": str(self.cache),
            "XDG_CONFIG_HOME": str(home / "config"),
            "PYTHONUNBUFFERED": "1",
        }

    def run(self, *arguments: object, shell: str = 'exec "$@"', says: str = "") -> str:
        """Run the program to its end; what it prints."""
        done = subprocess.run(
            ["/bin/sh", "-c", f"umask 022; {shell}", "sh", *PROGRAM, *map(str, arguments)],
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=120,
            input=says,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, *map(str, arguments)],
            env=self.environment,
            cwd=self.home,
            umask=USUAL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="session")
def embedder(session_settings) -> Path:
    weights = Weights(session_settings.weights_dir)
    return weights.ensure("manole-e5-small")["model.onnx"].parent


@pytest.fixture(scope="session")
def small(session_settings) -> Path:
    return Weights(session_settings.weights_dir).ensure("smollm2-135m-instruct")["model.gguf"]


@pytest.fixture(scope="module")
def indexed_once(tmp_path_factory, embedder) -> User:
    user = User(tmp_path_factory.mktemp("once"))
    user.run("models", "fetch", "manole-e5-small", "--from", embedder)
    user.run("index", user.papers)
    return user


@pytest.fixture
def user(indexed_once, tmp_path) -> User:
    """A user with an index, of his own for each test."""
    user = User(tmp_path / "home")
    shutil.rmtree(user.papers)
    shutil.copytree(indexed_once.papers, user.papers)
    shutil.copytree(indexed_once.data, user.data)
    user.cache.mkdir(0o700)
    shutil.copytree(indexed_once.cache / "models", user.cache / "models")
    user.run("index", user.papers)
    return user


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[subprocess.Popen[str], str]]]:
    started = []

    def start(user: User, *arguments: object) -> tuple[subprocess.Popen[str], str]:
        process = user.start("serve", user.papers, "--port", "0", "--reuse", *arguments)
        started.append(process)
        assert process.stdout is not None
        greeting = process.stdout.readline()
        address = re.search(r"(http://\S+)/ ", greeting)
        assert address, greeting
        return process, address[1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_whatever_the_program_does_nothing_is_open_to_others(user, serve, small, tmp_path):
    question = "Why does the heating hum?"  # of one file the model is asked
    assert "boiler" in user.run("search", "warranty", user.papers)
    user.run("ask", question, user.papers, "--in", "boiler.txt", "--model", small)
    user.run("chat", user.papers, "--model", small, says=f"{question}\n")
    user.run("library", "copy", user.papers, "copy")
    user.run("library", "map", user.papers)
    _, url = serve(user, "--model", small)
    with httpx.Client(base_url=url, timeout=60) as client:
        library = f"/libraries/{client.get('/health').json()['library']}"
        picture = {"path": "letter.pdf", "page": 1, "width": 200}
        assert client.get(f"{library}/pages", params=picture).status_code == 200
        talk = client.post(f"{library}/conversations").json()["id"]
        asked = {"query": question, "conversation": talk, "scope": "boiler.txt"}
        assert client.post("/agentic_search", json=asked).status_code == 200
        assert open_to_others(user.data, user.cache) == []  # while it runs: logs, locks
    assert open_to_others(user.data, user.cache, user.home / "copy") == []
    for kept in ("libraries/*/tables", "libraries/*/write.lock", "conversations/*.sqlite"):
        assert list(user.data.glob(kept)), kept
    for kept in ("thumbnails/*/*.png", "prefixes/*.kv", "models/*/*.verified.json"):
        assert list(user.cache.glob(kept)), kept
    assert user.papers.stat().st_mode & 0o055  # a person's own folder is a person's own


def test_a_data_folder_that_others_may_write_is_refused_with_the_command_that_closes_it(user):
    user.data.chmod(0o757)
    done = user.start("search", "boiler", user.papers)
    said = done.communicate(timeout=60)[1]
    assert done.returncode == 2
    assert f"chmod 700 {user.data}" in said
    user.data.chmod(0o700)
    assert "boiler" in user.run("search", "boiler", user.papers)


def test_a_library_in_somebodys_program_is_as_private_and_the_programs_mask_its_own(user):
    shutil.rmtree(user.data)
    script = f"{LIBRARY}\nimport os\nassert os.umask(0) == {USUAL}"
    done = subprocess.run(
        [sys.executable, "-c", script, str(user.papers)],
        env=user.environment,
        umask=USUAL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert list(user.data.glob("libraries/*/tables/passages.lance/data/*"))
    for top in (user.data, user.cache):  # whatever lies below it, nobody else gets there
        assert stat.S_IMODE(top.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600])
def test_a_token_file_that_others_can_read_gets_one_line_of_warning(user, serve, mode):
    token = user.home / "my token"
    token.write_text(TOKEN)
    token.chmod(mode)
    process, url = serve(user, "--token-file", token)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(f"{url}/health", headers=headers).status_code == 200
    process.terminate()
    said = process.communicate(timeout=60)[1]
    if mode == 0o600:
        assert said == ""
    else:
        assert said.count("\n") == 1
        assert "can be read by other users" in said
        assert f"chmod 600 '{token}'" in said


def test_workers_are_given_no_secret(user, serve):
    """The worker that draws a page is looked at while it lives."""
    import psutil

    secrets = {
        "MANOLE_SERVE__TOKEN": TOKEN,
        "MANOLE_MODEL__API_KEY": "key-of-an-endpoint",
        "OPENAI_API_KEY": "key-of-somebody-else",
        "INDEX_URL": "https://me:word@example.org",
    }
    user.environment |= secrets
    process, url = serve(user)
    with httpx.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        library = client.get("/health").json()["library"]
        picture = {"path": "letter.pdf", "page": 1, "width": 200}
        assert client.get(f"/libraries/{library}/pages", params=picture).status_code == 200
        children = psutil.Process(process.pid).children(recursive=True)
        given = [child.environ() for child in children]
    assert given
    for environment in given:
        assert environment["PATH"] == user.environment["PATH"]
        assert not {name for name in environment if name.startswith("MANOLE_")}
        assert not set(secrets.values()) & set(environment.values())


def test_an_index_that_cannot_be_written_answers_from_what_it_holds(user):
    (user.papers / "later.txt").write_text("It came later.")
    full = 'ulimit -f 0; exec "$@"'  # no file takes another byte, as on a full disk
    said = user.run("ask", "how many files are there?", user.papers, shell=full)
    assert "2 files" in said
    assert said.count("it could not be brought up to date") == 1
    assert "3 files" in user.run("ask", "how many files are there?", user.papers)
