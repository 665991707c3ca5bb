"""Looking at a few places of a library: the same files as a scan of everything finds there."""

from __future__ import annotations

import os

import pytest

from manole.documents.scan import left_out, scan, scan_parts

FILES = (
    "a.txt", "deep/er/b.txt", "deep/c.txt", "built/x.txt", "built/keep.txt", "mine/d.tmp",
    "mine/e.txt", "node_modules/f.js", ".hidden/g.txt", ".env", "~$lock.docx", "out/secret.txt",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / ".gitignore").write_text("built/*\n!built/keep.txt\n")
    (root / "mine" / ".manoleignore").write_text("*.tmp\n")
    (root / "link").symlink_to(root / "deep")
    return root


def found(root, *paths, **rules):
    return sorted(file.path for file in scan_parts(root, paths, **rules))


@pytest.mark.parametrize("path", sorted({*FILES, "", "deep", "deep/er", "built", "mine", "out"}))
def test_a_place_holds_what_a_whole_scan_finds_there(folder, path):
    everything = [f.path for f in scan(folder, exclude=["out"])]
    below = [p for p in everything if not path or p == path or p.startswith(f"{path}/")]
    assert found(folder, path, exclude=["out"]) == sorted(below)


def test_links_and_what_is_gone_are_passed_over(folder):
    assert found(folder, "link", "link/c.txt", "gone.txt", "a.txt/b", "deep/gone/x.txt") == []


def test_a_name_that_is_no_text_is_found_under_its_readable_one(folder):
    name = os.fsdecode(b"caf\xe9.txt")
    (folder / name).write_text("x")
    assert found(folder, name) == [r"caf\xe9.txt"]


def test_what_cannot_be_looked_at_is_told_of_and_not_taken_for_gone(folder):
    told = []
    name = "deep/" + "x" * 300
    assert list(scan_parts(folder, [name], on_error=lambda path, _: told.append(path))) == []
    assert told == [name]


def test_what_is_left_out_is_known_whether_it_exists_or_not(folder):
    asked = [
        "a.txt", "new.txt", "built/new.o", "built/keep.txt", "mine/new.tmp", "mine/new.txt",
        ".git/index", "deep/.cache/x", "node_modules/new/x.js", "link/c.txt", "new/folder/x.txt",
    ]  # fmt: skip
    out = left_out(folder, asked)
    kept = {"a.txt", "new.txt", "built/keep.txt", "mine/new.txt", "new/folder/x.txt"}
    assert out == set(asked) - kept
    assert ".hidden/g.txt" not in left_out(folder, [".hidden/g.txt", ".git/x"], hidden=True)
    assert left_out(folder, [".git/x"], hidden=True) == {".git/x"}
