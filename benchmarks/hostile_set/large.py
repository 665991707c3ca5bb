"""One file larger than any reader wants, and more files than any folder should hold."""

from __future__ import annotations

import os

from hostile_set import Making, hostile


@hostile("one text file of gigabytes", "skipped")
def _huge(making: Making) -> None:
    path = making.write("huge.txt", "The first line of a very long log.\n" * 30_000)
    os.truncate(path, int(making.scale.huge_gb * 1e9))  # a hole: it takes no room on the disk
    with path.open("ab") as file:
        file.write(b"\nThe last line.\n")


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
        (folder / f"{number:07d}.txt").write_bytes(b"tiny %d" % number)
