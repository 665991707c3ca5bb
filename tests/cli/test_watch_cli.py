"""`manole index --watch` as a process of its own, beside others on the same library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

LONG = 90.0  # seconds until something that never happens is given up


class Watching:
    """A `manole index --watch --json` and the lines it printed."""

    def __init__(self, environment, folder, *arguments, before=()):
        command = [
            *before,
            sys.executable,
            "-m",
            "manole.cli.app",
            "index",
            "--watch",
            "--json",
            *arguments,
        ]
        self.process = subprocess.Popen(
            [*command, str(folder)], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines = []
        self._more = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self._more:
                self.lines.append(json.loads(line))
                self._more.notify_all()

    def wait(self, fits):
        """The first line that fits."""
        until = time.monotonic() + LONG
        with self._more:
            while not (found := [line for line in self.lines if fits(line)]):
                left = until - time.monotonic()
                assert left > 0 and self._more.wait(left), self.lines
        return found[0]

    def synced(self, **counts):
        """Wait until its syncs did so much together."""

        def enough(_):
            syncs = [line for line in self.lines if line["type"] == "sync"]
            return all(sum(s[what] for s in syncs) >= n for what, n in counts.items())

        self.wait(enough)


@pytest.fixture
def alone(environment, tmp_path):
    """Indexes of its own, without vectors of pages."""
    return environment | {"MANOLE_DATA_DIR": str(tmp_path / "data"), "MANOLE_INDEX__PAGES": "off"}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.txt").write_text(f"the story of cat number {name}")
    return folder


@contextmanager
def watching(environment, folder, *arguments, before=()):
    watch = Watching(environment, folder, *arguments, before=before)
    try:
        yield watch
    finally:
        watch.process.kill()
        watch.process.wait()


def test_it_tells_of_each_sync_and_others_search_meanwhile(manole, alone, folder):
    with watching(alone, folder) as watch:
        watch.synced(added=3)
        assert watch.lines[0]["folders"] == [str(folder)]
        (folder / "dog.txt").write_text("A dog barks at the postman.")
        watch.synced(added=4)
        own = {name: alone[name] for name in ("MANOLE_DATA_DIR", "MANOLE_INDEX__PAGES")}
        found = manole("search", "postman", str(folder), "--json", **own)
        assert json.loads(found.stdout)["results"][0]["file"] == "dog.txt"
        (folder / "dog.txt").unlink()
        watch.synced(deleted=1)
        watch.process.send_signal(signal.SIGTERM)
        assert watch.process.wait(LONG) == 0
        assert watch.process.stderr.read() == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_form_at_any_time(alone, folder, number):
    with watching(alone, folder) as watch:
        watch.wait(lambda line: line["type"] == "watching")
        watch.process.send_signal(number)
        assert watch.process.wait(LONG) == 0
        assert "Traceback" not in watch.process.stderr.read()


def test_without_watches_of_the_system_it_scans_and_says_so(alone, folder):
    (folder / "sub").mkdir()
    # A user namespace of its own may have as many watches as it says, which is one here.
    few = 'echo 1 > /proc/sys/user/max_inotify_watches; exec "$@"'
    before = ("unshare", "--user", "--map-root-user", "sh", "-c", few, "sh")
    with watching(alone, folder, before=before) as watch:
        said = watch.wait(lambda line: line["type"] == "notice")["message"]
        assert "no watches left" in said and "scanned every 60 s" in said
        watch.synced(added=3)


def test_with_a_folder_that_may_not_be_looked_into_it_scans_and_says_so(alone, folder):
    (folder / "locked").mkdir()
    (folder / "open").mkdir()
    (folder / "locked").chmod(0)
    try:  # in a user namespace that maps nobody, not even root may read everything
        with watching(alone, folder, before=("unshare", "--user")) as watch:
            watch.wait(lambda line: line["type"] == "notice")
            watch.synced(added=3)
            said = [line["message"] for line in watch.lines if line["type"] == "notice"]
            assert ["may not be looked into" in message for message in said] == [True]
    finally:
        (folder / "locked").chmod(0o755)


def test_wrong_settings_end_it_with_a_reason(alone, folder):
    with watching(alone | {"MANOLE_INDEX__EMBEDDER": "nonsense"}, folder) as watch:
        assert watch.process.wait(LONG) == 2
        said = watch.process.stderr.read()
    assert "nonsense is not known" in said
    assert "Traceback" not in said


def test_index_asks_before_it_drops_most_of_a_library(manole, alone, folder):
    own = {name: alone[name] for name in ("MANOLE_DATA_DIR", "MANOLE_INDEX__PAGES")}

    def files():
        return len(json.loads(manole("status", str(folder), "--json", **own).stdout)["files"])

    assert manole("index", str(folder), **own).returncode == 0
    (folder / "one.txt").unlink()
    (folder / "two.txt").unlink()
    refused = manole("index", str(folder), **own)
    assert refused.returncode == 1
    assert "2 of 3 files are no longer there" in refused.stderr
    assert "--yes" in refused.stderr
    assert files() == 3
    assert on_terminal(alone, folder, "n\n") == 1
    assert files() == 3
    assert on_terminal(alone, folder, "y\n") == 0
    assert files() == 1
    (folder / "three.txt").unlink()
    assert manole("index", "--yes", str(folder), **own).returncode == 0
    assert files() == 0


def on_terminal(environment, folder, answer):
    """The exit code of `manole index` for a person who answers its question so."""
    pid, terminal = os.forkpty()
    if not pid:
        os.execve(
            sys.executable,
            [sys.executable, "-m", "manole.cli.app", "index", str(folder)],
            environment,
        )
    said = b""
    answered = False
    try:
        while chunk := os.read(terminal, 4096):
            said += chunk
            if not answered and b"[y/N]" in said:
                answered = True
                os.write(terminal, answer.encode())
    except OSError:  # the other side has ended
        pass
    os.close(terminal)
    assert answered, said
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
