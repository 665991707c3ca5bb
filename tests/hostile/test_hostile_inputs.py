"""Hostile files end with a status and a reason, and harm nothing beside them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hostile_set import QUICK, SECRET, Making, every
from hostile_set.packages import BODIES, DECLARED, document, package
from hostile_set.zips import archive, bomb, plain
from manole.documents.extract import Extractor
from manole.documents.ignore import parse
from manole.documents.limits import Limits
from manole.documents.model import Status
from manole.documents.opened import named
from manole.documents.scan import locate, scan
from reading_here import read_document

REFUSED = "refused: unpacks to far more than"
QUICKEST = "names|FIFO|not be read|times from|ignore files|external|orders|folders"


def test_a_folder_of_hostile_files_is_synced_and_ordinary_files_beside_them_are_found(trial):
    printed = trial("hostile", "--quick", "--only", QUICKEST)
    assert "No crash, no loss." in printed


def test_what_was_measured_is_kept_and_a_run_goes_on_from_there(trial, tmp_path):
    kept = tmp_path / "kept.json"
    trial("hostile", "--quick", "--each", "--only", "times from", "--keep", str(kept))
    first = json.loads(kept.read_text())["rows"]
    assert [row["name"] for row in first] == ["times from 1901 to 2446"]
    printed = trial("hostile", "--quick", "--each", "--only", "orders|times", "--keep", str(kept))
    rows = json.loads(kept.read_text())["rows"]
    assert rows[0] == first[0]  # to the hundredth of a second: it was not measured again
    assert all(row["name"] in printed for row in rows)
    assert len(rows) == 2


@pytest.mark.parametrize("lying", [False, True], ids=["honest sizes", "lying sizes"])
@pytest.mark.parametrize("format_", ["xlsx", "pptx", "epub", "odt", "docx"])
def test_an_office_file_that_unpacks_to_more_than_it_should_is_refused(tmp_path, format_, lying):
    name, head, tail = BODIES[format_]
    path = tmp_path / f"bomb.{format_}"
    path.write_bytes(package(format_, bomb(name, DECLARED + head, "a", tail, 400, lying)))
    assert path.stat().st_size < 600_000
    document = read_document(path, Limits())
    assert document.status is Status.FAILED
    if lying and format_ in ("docx", "odt"):  # only what the sizes allow is unpacked
        assert "damaged" in document.reason
    else:
        assert document.reason.startswith(REFUSED)


@pytest.mark.parametrize("format_", BODIES)
def test_the_packages_of_the_set_are_read_when_they_are_harmless(tmp_path, format_):
    path = tmp_path / f"whole.{format_}"
    path.write_bytes(document(format_, "harmless words"))
    read = read_document(path, Limits())
    assert (read.status, "harmless words" in read.pages[0].text) == (Status.INDEXED, True)


def test_pictures_of_an_office_file_do_not_count_against_it(tmp_path):
    name, head, tail = BODIES["pptx"]
    picture = bomb("ppt/media/film.mp4", "", "a", "", 400, lying=False)
    whole = package("pptx", plain(name, DECLARED + head + "words" + tail))
    path = tmp_path / "film.pptx"
    path.write_bytes(whole)
    words = read_document(path, Limits()).pages
    path.write_bytes(with_member(whole, picture))
    assert read_document(path, Limits()).pages == words


def with_member(whole: bytes, more) -> bytes:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(whole)) as old:
        members = [plain(item.filename, old.read(item)) for item in old.infolist()]
    return archive(*members, more)


async def test_markup_that_names_local_files_gets_nothing_of_them(tmp_path):
    (external,) = (item for item in every() if item.name.startswith("external"))
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    folder = tmp_path / "in"
    folder.mkdir()
    external.make(Making(folder, QUICK, None, secret))
    read = 0
    with Extractor(Limits(timeout_s=20)) as pool:
        for path in sorted(folder.iterdir()):
            document = await pool.extract(named(path))
            read += len(document.pages)
            assert not any(SECRET in page.text for page in document.pages), path.name
    assert read > 3


def test_no_pattern_of_an_ignore_file_stalls_a_scan():
    rules = parse(["a*" * 40 + "b", "**/a/" * 50 + "b", "*a*a*a*a*a*a*b/**/" * 9 + "c"])
    for path in ("a" * 250, "a/" * 500 + "a", "/".join(["a" * 250] * 15)):
        assert rules.verdict(path, False) is None
    assert parse(["a*" * 40 + "b"]).verdict("a" * 40 + "b", False) is True


def test_two_names_that_would_be_written_alike_are_told_apart(tmp_path):
    root = bytes(tmp_path)
    for name in (b"caf\xe9.txt", b"caf\\xe9.txt", b"caf\\\\xe9.txt"):
        Path(os.fsdecode(root + b"/" + name)).write_bytes(name)
    found = list(scan(tmp_path))
    assert len({file.path for file in found}) == 3
    for file in found:
        assert locate(tmp_path, file.path) == Path(file.name)


def test_a_time_that_no_store_can_keep_becomes_the_last_that_it_can(tmp_path):
    path = tmp_path / "far.txt"
    path.write_text("words")
    for seconds in (2**33, -(2**33), 2**40, -(2**36)):
        try:
            os.utime(path, ns=(0, seconds * 10**9))
        except (OSError, OverflowError):  # a file system may refuse it
            continue
        (found,) = scan(tmp_path)
        assert abs(found.mtime_ns) < 2**63


def test_a_mail_whose_subject_is_a_megabyte_is_read(tmp_path):
    path = tmp_path / "long.eml"
    path.write_text("Subject: " + "a b " * 250_000 + "\n\nThe body.\n")
    document = read_document(path, Limits())
    assert document.status is Status.INDEXED
    assert "The body." in document.pages[0].text
    assert len(document.title) <= 2000


def test_what_is_nested_too_deep_says_so(tmp_path):
    path = tmp_path / "deep.odt"
    spans = "<text:span>" * 5000 + "word" + "</text:span>" * 5000
    path.write_bytes(document("odt", spans))
    read = read_document(path, Limits())
    assert (read.status, read.reason) == (
        Status.FAILED, "nested deeper than any reader follows",
    )  # fmt: skip


def test_a_text_of_zeros_is_told_without_reading_each(tmp_path):
    path = tmp_path / "hole.txt"
    path.write_bytes(b"words\n")
    with path.open("r+b") as file:
        file.truncate(60 * 2**20)
    read = read_document(path, Limits())
    assert (read.status, read.reason) == (Status.FAILED, "binary content, though named .txt")
