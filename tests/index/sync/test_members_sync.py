"""A sync of files that lie in other files: found, kept, moved and dropped with their container."""

from __future__ import annotations

import zipfile
from email.message import EmailMessage

import pytest
from test_sync import Setup, counts

from manole.index.store.lance import LanceStore
from sevenzip_samples import AES, Block, written

LINE = "From nina@choir.example Mon Nov  2 10:00:00 2026\n"


@pytest.fixture
async def lib(tmp_path, extractor, splitter, embedder):
    store = await LanceStore.open(tmp_path / "index")
    yield Setup(tmp_path, store, extractor, splitter, embedder)
    await store.close()


def mail(subject: str, body: str, *attached: tuple[str, str]) -> str:
    message = EmailMessage()
    message["Subject"], message["From"] = subject, "nina@choir.example"
    message.set_content(body)
    for name, text in attached:
        message.add_attachment(text, filename=name)
    return message.as_string()


async def test_an_attachment_is_a_file_of_the_library(lib):
    lib.write("mail/roof.eml", mail("Roof", "Attached.", ("invoice.txt", "Slates, 1,284 euros")))
    assert counts(await lib.sync()) == (2, 0, 0, 0, 0)
    assert await lib.matched("slates") == ["mail/roof.eml › invoice.txt"]
    assert counts(await lib.sync()) == (0, 0, 0, 0, 2)


async def test_of_a_longer_mailbox_only_what_is_new_is_read(lib):
    box = lib.write("choir.mbox", LINE + mail("One", "Rehearsal") + "\n")
    await lib.sync()
    box.write_text(box.read_text() + LINE + mail("Two", "Bus", ("map.txt", "Turn left")))
    report = await lib.sync()
    assert counts(report) == (2, 1, 0, 0, 1)  # the message and what hangs on it; the box; the first
    assert await lib.matched("left") == ["choir.mbox › message 2.eml › map.txt"]


async def test_what_is_taken_out_of_a_container_is_gone(lib):
    path = lib.folder / "old.zip"
    for names in (("gas.txt", "power.txt", "rent.txt"), ("gas.txt",)):
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, f"The bill for {name}")
        report = await lib.sync()
    assert counts(report) == (0, 1, 0, 2, 1)
    assert await lib.matched("bill") == ["old.zip › gas.txt"]


async def test_of_an_archive_that_says_what_it_lacks_the_rest_is_found(lib):
    letter = b"The bill for gas"
    locked = Block({"secret.txt": b"Rent"}, b"x" * 16, [(AES, b"")])
    (lib.folder / "old.7z").write_bytes(written(Block({"gas.txt": letter}, letter), locked))
    assert counts(await lib.sync()) == (2, 0, 0, 0, 0)
    assert await lib.matched("bill") == ["old.7z › gas.txt"]
    archive = next(f for f in await lib.store.files() if f.path == "old.7z")
    assert (archive.status, archive.reason) == (
        "partial", "not read inside: 1 file (protected by a password)",
    )  # fmt: skip
    assert counts(await lib.sync()) == (0, 0, 0, 0, 2)


async def test_a_container_moves_and_goes_with_all_that_is_in_it(lib):
    box = lib.write("choir.mbox", LINE + mail("One", "Bus", ("map.txt", "Turn left")))
    lib.write("other.txt", "Else")
    lib.write("more.txt", "More")
    lib.write("and.txt", "And more")
    await lib.sync()
    box.rename(lib.folder / "singers.mbox")
    assert counts(await lib.sync()) == (0, 0, 3, 0, 3)
    assert await lib.matched("left") == ["singers.mbox › message 1.eml › map.txt"]
    (lib.folder / "singers.mbox").unlink()
    assert counts(await lib.sync()) == (0, 0, 0, 3, 3)
    assert await lib.matched("left") == []


async def test_what_a_killed_sync_left_in_a_container_is_read_the_next_time(lib):
    lib.write("mail/roof.eml", mail("Roof", "Attached.", ("a.txt", "Slates"), ("b.txt", "Nails")))
    await lib.sync()
    nails = next(f for f in await lib.store.files() if f.path.endswith("b.txt"))
    async with lib.store.writing(dimensions=lib.embedder.dimensions, embedder=lib.embedder.name):
        await lib.store.delete({nails.id})
    report = await lib.sync()
    assert report.added == 1
    assert await lib.matched("nails") == ["mail/roof.eml › b.txt"]


async def test_a_sync_of_one_mail_alone_knows_what_hangs_on_it(lib):
    lib.write("mail/roof.eml", mail("Roof", "Attached.", ("a.txt", "Slates")))
    lib.write("other.txt", "Else")
    await lib.sync()
    lib.write("mail/roof.eml", mail("Roof", "Nothing attached."))
    report = await lib.sync(only={lib.folder: ["mail/roof.eml"]})
    assert counts(report) == (0, 1, 0, 1, 0)
    assert await lib.matched("slates") == []
