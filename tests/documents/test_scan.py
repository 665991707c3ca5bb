"""Which files belong to a library."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import threading
from pathlib import Path

import pytest

from manole.documents.ignore import ignored, parse
from manole.documents.opened import OpenFile, content_hash, named
from manole.documents.opener import open_found
from manole.documents.scan import scan
from manole.errors import UsageError
from manole.index.sync.plan import digest


def write(root: Path, *names: str, text: str = "x") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def paths(root: Path, **options) -> list[str]:
    return [file.path for file in scan(root, **options)]


def test_files_come_in_the_order_of_their_paths(tmp_path):
    write(tmp_path, "b.txt", "a/z.txt", "a.txt", "a-b/c.txt", "a/b/c.txt")
    found = paths(tmp_path)
    assert found == sorted(found)
    assert len(found) == 5


def test_a_file_carries_its_size_time_and_place(tmp_path):
    write(tmp_path, "notes/day.md", text="hello")
    os.utime(tmp_path / "notes/day.md", ns=(5_000_000_000, 7_000_000_001))
    (file,) = scan(tmp_path)
    assert (file.root, file.path) == (str(tmp_path), "notes/day.md")
    assert Path(file.name).read_text() == "hello"
    assert (file.size, file.mtime_ns) == (5, 7_000_000_001)


def test_hidden_files_are_left_out_unless_wanted(tmp_path):
    write(tmp_path, ".notes.md", ".config/a.txt", "seen.txt", ".git/HEAD")
    assert paths(tmp_path) == ["seen.txt"]
    assert paths(tmp_path, hidden=True) == [".config/a.txt", ".notes.md", "seen.txt"]


@pytest.mark.parametrize(
    "name", [".env", "prod.env", ".env.local", "server.PEM", "id_rsa", "id_ed25519.old", "a.key",
             "vault.kdbx", "credentials.json", ".netrc", "deploy_key", "Kopie von id_rsa", "shadow",
             "server.key.bak", "private.asc", "Chrome Passwords.csv", "bitwarden_export.json",
             "kubeconfig", "wg0.conf", "terraform.tfstate", ".bash_history", ".my.cnf",
             ".ssh/mine", ".gnupg/secring", ".mozilla/x/places.txt", ".kube/config", "Login Data"]
)  # fmt: skip
def test_secrets_are_never_read_not_even_hidden_ones(tmp_path, name):
    write(tmp_path, name, "key.txt")
    assert paths(tmp_path, hidden=True) == ["key.txt"]


def test_what_programs_leave_behind_is_left_out(tmp_path):
    write(tmp_path, "node_modules/x/readme.md", "~$letter.docx", "Thumbs.db", "letter.docx")
    assert paths(tmp_path) == ["letter.docx"]


def test_ignore_files_hold_for_their_folder_and_below(tmp_path):
    write(tmp_path, "a.log", "sub/a.log", "sub/keep.log", "sub/deep/b.tmp", "other/b.tmp", "c.txt")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "sub/.manoleignore").write_text("!keep.log\n*.tmp\n")
    assert paths(tmp_path) == ["c.txt", "other/b.tmp", "sub/keep.log"]


def test_exclude_takes_the_same_patterns(tmp_path):
    write(tmp_path, "drafts/a.txt", "b.bak", "letters/drafts/c.txt", "d.txt")
    assert paths(tmp_path, exclude=["/drafts/", "*.bak"]) == ["d.txt", "letters/drafts/c.txt"]


IGNORE = r"""
# comment
*.o
!keep.o
/top.txt
build/
docs/*.html
a/**/z.txt
**/cache
logs/**
file[0-9].dat
wild?.md
\#hash
sp\ ace.txt
trailing.txt   
x/y
"""  # noqa: W291


def test_patterns_mean_what_git_means(tmp_path):
    names = ["m.o", "keep.o", "s/m.o", "top.txt", "s/top.txt", "build/a.txt", "s/build/b.txt",
             "docs/i.html", "docs/s/i.html", "a/z.txt", "a/b/c/z.txt", "b/a/z.txt", "cache/f.txt",
             "s/cache/f.txt", "logs/l.txt", "logs/x/l.txt", "s/logs/l.txt", "file1.dat",
             "filex.dat", "wild1.md", "wild12.md", "#hash", "sp ace.txt", "trailing.txt",
             "x/y/f.txt", "s/x/y/f.txt", "plain.txt"]  # fmt: skip
    write(tmp_path, *names)
    (tmp_path / ".gitignore").write_text(IGNORE)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "-c", "core.excludesFile=", "ls-files", "-oz",
         "--exclude-standard"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    expected = sorted(name for name in listed if name and name != ".gitignore")
    assert paths(tmp_path) == expected


def test_a_broken_pattern_ignores_nothing():
    assert not ignored([parse(["[a", "[z-a]", ""])], "a", is_folder=False)


def test_links_neither_loop_nor_lead_out(tmp_path):
    root = tmp_path / "root"
    write(root, "in/a.txt")
    write(tmp_path, "outside/secret.txt")
    (root / "in/loop").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "file.txt").symlink_to(tmp_path / "outside/secret.txt")
    (root / "dangling").symlink_to(tmp_path / "nothing")
    (root / "self").symlink_to(root / "self")
    assert paths(root) == ["in/a.txt"]


def test_a_library_may_be_reached_through_a_link(tmp_path):
    write(tmp_path, "real/a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(tmp_path / "link") == ["a.txt"]


def test_fifos_and_sockets_are_left_out(tmp_path):
    write(tmp_path, "a.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    assert paths(tmp_path) == ["a.txt"]


def test_names_may_hold_newlines_emoji_and_broken_bytes(tmp_path):
    write(tmp_path, "two\nlines.txt", "🍲 soup.md")
    broken = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / broken).write_text("latin")
    found = {file.path: Path(file.name) for file in scan(tmp_path)}
    assert set(found) == {"two\nlines.txt", "🍲 soup.md", "caf\\xe9.txt"}
    assert found["caf\\xe9.txt"].read_text() == "latin"
    assert all(path.encode("utf-8") for path in found)


def test_a_folder_that_cannot_be_read_is_reported_and_the_rest_found(tmp_path, monkeypatch):
    write(tmp_path, "closed/a.txt", "open/b.txt")
    real = os.open

    def fake_open(path, *others, **more):  # root, who runs the tests, may read every folder
        if path == "closed":
            raise PermissionError(13, "Permission denied")
        return real(path, *others, **more)

    monkeypatch.setattr(os, "open", fake_open)
    problems = []
    found = paths(tmp_path, on_error=lambda path, error: problems.append((path, error.errno)))
    assert found == ["open/b.txt"]
    assert problems == [("closed", 13)]


def test_folders_may_be_deeper_than_the_stack(tmp_path):
    folder = tmp_path
    for _ in range(400):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "deep.txt").write_text("x")
    assert len(paths(tmp_path)) == 1


@pytest.mark.parametrize("what", ["missing", "a file"])
def test_a_root_that_is_no_folder_is_a_users_mistake(tmp_path, what):
    write(tmp_path, "file.txt")
    root = tmp_path / ("nothing" if what == "missing" else "file.txt")
    with pytest.raises(UsageError, match=root.name):
        list(scan(root))


def test_the_content_hash_is_blake2b_of_the_bytes(tmp_path):
    data = b"manole" * 400_000
    (tmp_path / "a").write_bytes(data)
    with open_found(named(tmp_path / "a")) as file:
        assert content_hash(file) == hashlib.blake2b(data, digest_size=32).hexdigest()


class FakeGrowing:
    """A file that somebody writes to as fast as it is read."""

    def __init__(self, path: Path, file: OpenFile, stop_at=(0, None)):
        self.reads = 0
        self._path, self._file, self._stop_at = path, file.file, stop_at

    def seek(self, *where):
        return self._file.seek(*where)

    def read(self, size):
        self.reads += 1
        assert self.reads < 50, "it would never end"
        if self.reads == self._stop_at[0]:
            self._stop_at[1].set()
        with self._path.open("ab") as more:
            more.write(bytes(size))
        return self._file.read(size)

    def close(self):
        self._file.close()


def test_a_file_that_goes_on_growing_is_hashed_to_its_bound_only(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("the first line")
    with open_found(named(path)) as file:
        file.file = growing = FakeGrowing(path, file)
        with pytest.raises(OSError, match="not read to its end") as caught:
            content_hash(file)
        assert caught.value.errno == errno.EFBIG
        assert growing.reads == 2  # its size and 1 MiB lie in the first two reads of 1 MiB


def test_hashing_ends_when_it_is_told_to_stop(tmp_path):
    path = tmp_path / "big.txt"
    path.write_bytes(bytes(8_000_000))
    stop = threading.Event()
    with open_found(named(path)) as file:
        file.file = growing = FakeGrowing(path, file, stop_at=(3, stop))
        with pytest.raises(OSError, match="not read to its end") as caught:
            content_hash(file, stop)
        assert caught.value.errno == errno.ECANCELED
        assert growing.reads == 3
    assert digest(named(path), 2**30, stop) == ""
    assert digest(named(path), 2**30) != ""
