"""With the models at hand nothing leaves the machine: no packet, no look-up of a name.

The programs run in a network name space where what would leave is seen (`sealed.py`), with an empty
home and none of the variables by which a test run might differ from a person's: some libraries
keep quiet where they see `CI`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sealed
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image, ImageDraw

from manole.models.weights.cache import Weights

QUESTION = "What is the notice period of the flat?"
ASKING = Path(__file__).with_name("asking.py")
MODEL, EMBEDDER = "smollm2-135m-instruct", "manole-e5-small"
MANOLE = (sys.executable, "-m", "manole.cli.app")
KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL")
OURS = (Path(".local/share/manole"), Path(".config/manole"), Path(".cache/manole"))


class Sealed:
    """A person with an empty home, whose programs reach nothing but loopback."""

    def __init__(self, place: Path, cache: Path) -> None:
        self.home, self.work, self.temporary = place / "home", place / "work", place / "tmp"
        for folder in (self.home, self.work, self.temporary):
            folder.mkdir()
        self.indexing: list[str] = []  # what left while the folder was indexed
        self._report = place / "report"
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "MANOLE_CACHE_DIR": str(cache),
            "MANOLE_MODEL__NAME": MODEL,
        }

    def command(self, *program: str, loopback: bool = True) -> list[str]:
        return sealed.command(self._report if loopback else None, *program)

    def run(self, *program: str, loopback: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*program, loopback=loopback),
            env=self.environment, cwd=self.work, capture_output=True, text=True, timeout=240,
        )  # fmt: skip

    def left(self) -> list[str]:
        """What went beyond loopback in the last run."""
        return self._report.read_text().splitlines()

    def strange(self) -> list[str]:
        """Files and folders that are not Manole's own, in the home and wherever else it runs."""
        there = [path.relative_to(self.home) for path in self.home.rglob("*")]
        ours = {folder for own in OURS for folder in (own, *own.parents)}
        found = [
            str(path)
            for path in there
            if path not in ours and not ours & set(path.parents) & {*OURS}
        ]
        return found + [
            str(path) for where in (self.work, self.temporary) for path in where.iterdir()
        ]


@pytest.fixture(scope="module", autouse=True)
def _name_spaces(tmp_path_factory) -> None:
    """Without them nothing is shown here, and nobody may believe that it was."""
    try:
        probe = sealed.command(tmp_path_factory.mktemp("probe") / "report", "true")
        done = subprocess.run(probe, capture_output=True, text=True)
        why = done.stderr.strip() if done.returncode else ""
    except OSError as error:
        why = str(error)
    if why:
        pytest.fail(
            "These tests run each program in a network name space of its own, which this system "
            f"refuses: {why}\nIt takes Linux with user name spaces (`sysctl "
            "kernel.apparmor_restrict_unprivileged_userns=0` where that restricts them); a "
            "container needs `--security-opt seccomp=unconfined` or `--privileged`.",
            pytrace=False,
        )


@pytest.fixture(scope="module")
def person(tmp_path_factory, session_settings) -> Sealed:
    weights = Weights(session_settings.weights_dir)
    for name in (MODEL, EMBEDDER):
        weights.ensure(name)
    return Sealed(tmp_path_factory.mktemp("person"), session_settings.cache_dir)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """A letter, and a picture whose words only OCR can read, and has not read before."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "contract.txt").write_text("The notice period of the flat is three months.")
    image = Image.new("RGB", (700, 200), "white")
    ImageDraw.Draw(image).text((40, 60), "Invoice 2041 of Plumbers", "black", font_size=48)
    image.putpixel((0, 0), tuple(os.urandom(3)))  # the words of a known picture are in a cache
    image.save(folder / "scan.png")
    return str(folder)


@pytest.fixture(scope="module")
def indexed(person, folder) -> str:
    """The folder, indexed in a name space."""
    done = person.run(*MANOLE, "index", folder)
    assert done.returncode == 0, done.stderr
    person.indexing = person.left()
    return folder


LOOK_UPS: dict[str, tuple[str, str]] = {
    "a name": ("socket.getaddrinfo('www.example.org', 443)", "udp 192.0.2.53:53 www.example.org"),
    "TCP": ("socket.create_connection(('198.51.100.7', 443), 0.2)", "tcp 198.51.100.7:443"),
    "UDP": (
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('198.51.100.7', 9))",
        "udp 198.51.100.7:9",
    ),
    "IPv6": ("socket.create_connection(('2001:db8:1::7', 443), 0.2)", "tcp 2001:db8:1::7:443"),
    "a child's thread": (
        "subprocess.run([sys.executable, '-c', 'import socket, threading as t; t.Thread(target="
        'socket.gethostbyname, args=["child.example.org"]).start()\'])',
        "udp 192.0.2.53:53 child.example.org",
    ),
}


@pytest.mark.parametrize("what", LOOK_UPS)
def test_the_detector_sees(person, what):
    does, seen = LOOK_UPS[what]
    person.run(sys.executable, "-c", f"import socket, subprocess, sys; {does}")
    assert seen in person.left()


def test_the_detector_lets_loopback_be(person):
    done = person.run(
        sys.executable, "-c",
        "import socket; s = socket.create_server(('127.0.0.1', 0));"
        "socket.create_connection(s.getsockname()).send(b'x'); print(s.accept()[0].recv(1))",
    )  # fmt: skip
    assert (done.stdout, person.left()) == ("b'x'\n", [])


def test_the_detector_sees_a_strangers_folder(person):
    (stranger := person.home / ".cache/Stranger").mkdir(parents=True)
    assert person.strange() == [".cache/Stranger"]
    stranger.rmdir()


def test_index_with_a_scan(person, indexed):
    assert (person.indexing, person.strange()) == ([], [])
    found = person.run(*MANOLE, "search", "Plumbers", indexed)
    assert "scan.png" in found.stdout, found.stderr  # so the worker had loaded what reads it


def test_search_by_meaning(person, indexed):
    done = person.run(*MANOLE, "search", "how long before moving out", indexed)
    assert "contract.txt" in done.stdout, done.stderr
    assert (person.left(), person.strange()) == ([], [])


def test_ask(person, indexed):
    done = person.run(*MANOLE, "ask", QUESTION, indexed, "--reuse")
    assert done.returncode == 0, done.stderr
    assert "three months" in done.stdout and "0 model calls" not in done.stdout
    assert (person.left(), person.strange()) == ([], [])


def test_serve_and_a_question_over_http(person, indexed):
    done = person.run(sys.executable, str(ASKING), indexed, QUESTION)
    assert done.returncode == 0, done.stderr
    assert "three months" in done.stdout
    assert (person.left(), person.strange()) == ([], [])


async def test_mcp_and_a_question_over_stdio(person, indexed):
    command, *arguments = person.command(*MANOLE, "mcp", indexed)
    server = StdioServerParameters(
        command=command, args=arguments, env=person.environment, cwd=person.work
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        answer = await session.call_tool("ask", {"question": QUESTION})
    assert "three months" in answer.model_dump_json()
    assert (person.left(), person.strange()) == ([], [])


@pytest.mark.parametrize("command", [["--help"], ["doctor"], ["models"], ["status"]])
def test_looking_around(person, indexed, command):
    done = person.run(*MANOLE, *command)
    assert "Traceback" not in done.stderr
    assert (person.left(), person.strange()) == ([], [])


def test_the_library_in_a_program_of_somebody_elses(person, indexed):
    done = person.run(
        sys.executable, "-c",
        "import asyncio, sys; from pathlib import Path; from manole import Library, Settings\n"
        "async def main():\n"
        "    async with await Library.open(Path(sys.argv[1]), Settings.load()) as library:\n"
        "        await library.sync()\n"
        "        print(await library.search('notice period'))\n"
        "asyncio.run(main())",
        indexed,
    )  # fmt: skip
    assert "three months" in done.stdout, done.stderr
    assert (person.left(), person.strange()) == ([], [])


def test_without_loopback_a_question_is_answered_from_the_index_and_the_reason_is_told(
    person, indexed
):
    asked = "Is the notice period fair?", indexed, "--in", "contract.txt"
    done = person.run(*MANOLE, "ask", *asked, "--reuse", loopback=False)
    assert done.returncode == 0
    assert "three months" in done.stdout
    assert "is the loopback interface down?" in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr
