"""One file larger than any reader wants, and more files than any folder should hold."""

from __future__ import annotations

import os

from hostile_set import Making, hostile

TEXTS = 10_000  # different ones among tiny files: each is embedded once


@hostile("one text file of gigabytes", "skipped")
def _huge(making: Making) -> None:
    path = making.write("huge.txt", "The first line of a very long log.\n" * 30_000)
    os.truncate(path, int(making.scale.huge_gb * 1e9))  # a hole: it takes no room on the disk
    with path.open("ab") as file:
        file.write(b"\nThe last line.\n")


@hostile(
    "files of gigabytes that are read, `extract.max_file_mb` raised", "partial failed",
    settings={"MANOLE_EXTRACT__MAX_FILE_MB": "4096"},
)  # fmt: skip
def _read(making: Making) -> None:
    for name, (head, row) in {
        "log.txt": ("", "2024-03-01 12:00:00 the pump in the cellar runs\n"),
        "table.csv": ("day,place,value\n", "2024-03-01,the cellar,17\n"),
        "page.html": ("<html><body>", "<p>The pump in the cellar runs.</p>\n"),
        "list.json": ("[1", ',\n{"place": "the cellar", "value": 17}'),
        "mails.mbox": ("", "From a@example.org Thu Jan  1 00:00:00 2024\nSubject: a\n\nword\n\n"),
        "mail.eml": ("Subject: long\n\n", "The pump in the cellar runs.\n"),
    }.items():
        with (making.folder / name).open("w") as file:
            file.write(head)
            block = row * (2**20 // len(row))
            for _ in range(making.scale.read_mb):
                file.write(block)


@hostile("sparse files just below the limit", "failed skipped")
def _sparse(making: Making) -> None:
    for ext in ("txt", "pdf", "docx", "csv", "html", "eml", "png", "json"):
        path = making.write(f"hole.{ext}", "words\n")
        os.truncate(path, making.scale.sparse_mb * 2**20)


@hostile("very many tiny files", "indexed")
def _tiny(making: Making) -> None:
    for number in range(making.scale.tiny):
        folder = making.folder / f"{number // 1000:04d}"
        if number % 1000 == 0:
            folder.mkdir()
        (folder / f"{number:07d}.txt").write_bytes(b"tiny %d" % (number % TEXTS))


@hostile("very many empty files", "skipped")
def _empty(making: Making) -> None:
    for number in range(making.scale.tiny // 10):
        folder = making.folder / f"{number // 1000:04d}"
        if number % 1000 == 0:
            folder.mkdir()
        (folder / f"{number:07d}.txt").touch()
