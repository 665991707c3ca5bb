"""Files inside mails, mailboxes and archives: what is found, by which name, and what never is."""

from __future__ import annotations

import io
import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from manole.documents.extract import Extractor
from manole.documents.limits import Limits
from manole.documents.members import members_of
from manole.documents.model import Document, Status
from manole.documents.opened import FoundFile, named
from manole.documents.opener import open_found
from sevenzip_samples import WRITTEN, Block, written

SETTINGS = Limits()


@pytest.fixture(scope="module")
def extractor():
    with Extractor(SETTINGS) as extractor:
        yield extractor


def names(path: Path) -> list[str]:
    with open_found(named(path)) as file:
        return [member.name for member in members_of(file, path.name)]


def held(path: Path, *inner: str) -> bytes:
    found = named(path)
    for name in inner:
        found = found.inside(name)
    with open_found(found) as file:
        return file.read()


def mail(subject: str = "Your roof", body: str = "The invoice is attached.\n") -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"] = subject, "office@roofer.example"
    message["Date"] = "Thu, 03 Sep 2026 09:00:00 +0200"
    message["Message-ID"] = f"<{subject.replace(' ', '-')}@roofer.example>"
    message.set_content(body)
    return message


def attach(message: EmailMessage, name: str, data: bytes, kind: str = "application/pdf") -> None:
    main, sub = kind.split("/")
    message.add_attachment(data, maintype=main, subtype=sub, filename=name)


def zipped(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_attachments_are_found_by_their_names(tmp_path):
    message = mail()
    attach(message, "invoice 2026.pdf", b"%PDF-1")
    attach(message, "Überblick.txt", "höher".encode(), "text/plain")
    attach(message, "invoice 2026.pdf", b"%PDF-2")
    path = tmp_path / "roof.eml"
    path.write_bytes(message.as_bytes())
    assert names(path) == ["invoice 2026.pdf", "Überblick.txt", "invoice 2026 (2).pdf"]
    assert held(path, "invoice 2026 (2).pdf") == b"%PDF-2"
    assert held(path, "Überblick.txt").decode() == "höher"


def test_a_forwarded_mail_is_one_with_its_own_attachments(tmp_path):
    inner = mail("The offer")
    attach(inner, "offer.txt", b"4,000 euros", "text/plain")
    outer = mail("Fwd: The offer")
    outer.add_attachment(inner)
    path = tmp_path / "forwarded.eml"
    path.write_bytes(outer.as_bytes())
    assert names(path) == ["The offer.eml"]
    assert held(path, "The offer.eml", "offer.txt") == b"4,000 euros"


def test_what_belongs_to_the_layout_of_a_mail_or_signs_it_is_left_out(tmp_path):
    message = mail()
    message.add_alternative("<p>The invoice <img src='cid:logo'></p>", subtype="html")
    message.get_payload()[1].add_related(
        b"GIF89a", "image", "gif", cid="<logo>", filename="logo.gif", disposition="inline"
    )
    attach(message, "smime.p7s", b"signed", "application/pkcs7-signature")
    path = tmp_path / "signed.eml"
    path.write_bytes(message.as_bytes())
    assert names(path) == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../.ssh/authorized_keys", None),
        ("../../etc/report.txt", "etc/report.txt"),
        ("C:\\Users\\me\\plan.txt", "C:/Users/me/plan.txt"),
        ("a › b.txt", "a - b.txt"),
        (".env", None),
        ("id_rsa", None),
        ("x" * 5000 + ".txt", "x" * 196 + ".txt"),
    ],
)
def test_a_hostile_name_leads_nowhere_else(tmp_path, name, shown):
    message = mail()
    attach(message, name, b"text", "text/plain")
    path = tmp_path / "hostile.eml"
    path.write_bytes(message.as_bytes())
    assert names(path) == ([shown] if shown else [])


def test_a_mailbox_is_its_messages(tmp_path):
    first = mail("One", "Rehearsal moves.\n\n>From now on at eight.\nFrom here it is far, 2026\n")
    second = mail("Two")
    attach(second, "score.txt", b"do re mi", "text/plain")
    path = tmp_path / "choir.mbox"
    line = b"From nina@choir.example Mon Nov  2 10:00:00 2026\n"
    path.write_bytes(b"\n".join(line + m.as_bytes() for m in (first, second)))
    assert names(path) == ["message 1.eml", "message 2.eml"]
    assert b"\nFrom now on at eight.\nFrom here" in held(path, "message 1.eml")
    assert held(path, "message 2.eml", "score.txt") == b"do re mi"
    with pytest.raises(FileNotFoundError):
        held(path, "message 3.eml")


def test_a_longer_mailbox_keeps_the_marks_of_its_messages(tmp_path):
    path = tmp_path / "choir.mbox"
    line = b"From nina@choir.example Mon Nov  2 10:00:00 2026\n"
    messages = [line + mail(f"Number {n}").as_bytes() + b"\n" for n in range(3)]

    def marks(count: int) -> list[str]:
        path.write_bytes(b"".join(messages[:count]))
        with open_found(named(path)) as file:
            return [member.mark for member in members_of(file, path.name)]

    before = marks(2)
    assert len(set(before)) == 2
    assert marks(3)[:2] == before


def test_a_mailbox_or_message_without_an_extension_is_one(tmp_path, read):
    message = mail("Kept in a Maildir")
    line = b"From - Mon Nov  2 10:00:00 2026\n"
    (tmp_path / "Inbox").write_bytes(line + message.as_bytes())
    (tmp_path / "1762070400.M1P2.host:2,S").write_bytes(message.as_bytes())
    assert names(tmp_path / "Inbox") == ["message 1.eml"]
    assert read(tmp_path / "1762070400.M1P2.host:2,S").title == "Kept in a Maildir"


@pytest.fixture
def read(extractor):
    def go(path: Path | FoundFile) -> Document:
        found = named(path) if isinstance(path, Path) else path
        return extractor._extract(found, None)

    return go


def test_an_archive_gives_what_a_scan_of_it_would_find(tmp_path):
    files = {
        "letters/gas.txt": "Dear all", ".git/config": "x", "node_modules/a/b.js": "x",
        "../../up.txt": "up", "__MACOSX/letters/._gas.txt": "x", "passwords.csv": "x",
    }  # fmt: skip
    path = zipped(tmp_path / "old.zip", **files)
    assert names(path) == ["letters/gas.txt", "up.txt"]
    assert held(path, "letters/gas.txt") == b"Dear all"


@pytest.mark.parametrize("name", ["old.zip", "old.7z", "old.tar"])
def test_an_archive_that_begins_with_a_pdf_as_it_is_stays_an_archive(tmp_path, name):
    path, pdf = tmp_path / name, b"%PDF-1.7 words"
    if name == "old.tar":
        with tarfile.open(path, "w") as tar:
            info = tarfile.TarInfo("a.pdf")
            info.size = len(pdf)
            tar.addfile(info, io.BytesIO(pdf))
    elif name == "old.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.pdf", pdf)
    else:
        path.write_bytes(written(Block({"a.pdf": pdf}, pdf)))
    assert held(path, "a.pdf") == pdf


@pytest.mark.parametrize("inside", ["inner.zip", "inner.7z"])
def test_an_archive_in_an_archive_stays_packed(tmp_path, read, inside):
    inner = zipped(tmp_path / "inner", **{"a.txt": "text"})
    path = tmp_path / "outer.7z"
    data = inner.read_bytes() if inside == "inner.zip" else WRITTEN["lzma2"]
    path.write_bytes(written(Block({inside: data}, data)))
    found = named(path)
    (member,) = read(found).members
    assert member.name == inside
    assert read(found.inside(member.name, member.size, member.mark)).members == ()


def test_a_bomb_is_refused_and_says_so(tmp_path, read):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(30):
            archive.writestr(f"{n}.txt", bytes(9_000_000))
    document = read(path)
    assert document.status is Status.FAILED
    assert document.members == ()
    assert "far more" in document.reason


def test_a_tar_gives_files_and_no_links(tmp_path):
    path = tmp_path / "backup.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, data in {"notes/a.txt": b"one", "notes/b.txt": b"two"}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("notes/passwd.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert names(path) == ["notes/a.txt", "notes/b.txt"]
    assert held(path, "notes/b.txt") == b"two"


@pytest.mark.parametrize("name", ["broken.zip", "broken.7z", "broken.tar.gz", "broken.tar"])
def test_a_broken_archive_fails_with_a_reason(tmp_path, read, name):
    path = tmp_path / name
    path.write_bytes(b"\x1f\x8b" + b"x" * 400 if "gz" in name else b"PK\x03\x04" + b"x" * 400)
    document = read(path)
    assert document.status is not Status.INDEXED
    assert document.reason


@pytest.mark.parametrize("name", ["old.zip", "old.7z"])
def test_archives_may_stay_closed(tmp_path, name):
    path = zipped(tmp_path / name, **{"a.txt": "text"})
    if name == "old.7z":
        path.write_bytes(WRITTEN["lzma2"])
    with Extractor(Limits(archives=False)) as closed:
        document = closed._extract(named(path), None)
    assert document.members == ()
    assert document.status is Status.SKIPPED
    assert "extract.archives" in document.reason


def test_an_encrypted_member_is_left_out_and_said(tmp_path, read):
    path = zipped(tmp_path / "old.zip", **{"a.txt": "text", "b.txt": "text"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1  # the flag of encryption, in the directory's first entry
    path.write_bytes(data)
    document = read(path)
    assert [member.name for member in document.members] == ["b.txt"]
    assert (document.status, document.reason) == (
        Status.PARTIAL, "not read inside: 1 file (protected by a password)",
    )  # fmt: skip
