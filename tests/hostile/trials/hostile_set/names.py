"""Names: as long as a file system allows, in many scripts, and made to mislead what shows them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from hostile_set import Making, hostile

_BYTES = 255
_SCRIPTS = {
    "latin": "a", "german": "ß", "greek": "ω", "cyrillic": "ж", "arabic": "ش", "hebrew": "ש",
    "devanagari": "क", "thai": "ก", "han": "漢", "hangul": "한", "kana": "の", "ethiopic": "ሀ",
    "georgian": "ქ", "cuneiform": "𒀀", "emoji": "🧅", "combining": "e\u0301",
    "private": "\ue000", "astral private": "\U0010fffd",
}  # fmt: skip
_ODD = (
    b"-rf", b"--force", b"-", b"~", b"*", b"?", b"%s%n", b"$(touch owned)", b"`touch owned`",
    b"a;touch owned", b"a|b", b"a&b", b"'", b'"', b"\\", b"a\nb.txt", b"a\rb.txt", b"a\tb.txt",
    b"\x01\x02\x1b[2Jred.txt", b"\x7f.txt", b" ", b"  two", b"end .txt ", b"dot.", b"nul", b"CON",
    b"\xff\xfe.txt", b"caf\xe9.txt", b"half\xe2\x82.txt", b"\xed\xa0\x80.txt", b"\xc0\xaf.txt",
    "cod\u202etxt.exe".encode(), "\u2066a\u2069.txt".encode(), "\ufeffa.txt".encode(),
    "zero\u200bwidth.txt".encode(), "a\u0301.txt".encode(), "\u00e1.txt".encode(),
    b"[bold]red[/bold].txt", b"<script>.txt", b"{{ name }}", b"#hash", b"a#1.txt",
    b"100%25.txt", b"a?b=c.txt", b"C:\\a.txt", b"http:", b"meta.json", b"...",
    b"caf\\xe9.txt", "\U0010ffe9.txt".encode(), b"1.10.2024-99.99.9999.txt",
)  # fmt: skip


def _long(letter: str, ending: str) -> str:
    room = _BYTES - len(ending.encode())
    return letter * (room // len(letter.encode())) + ending


@hostile("names of 255 bytes in 18 scripts", "indexed")
def _scripts(making: Making) -> None:
    for script, letter in _SCRIPTS.items():
        making.write(_long(letter, ".txt"), f"words in {script}")


@hostile("names that are commands, markup, controls or no text", "indexed skipped", left=True)
def _odd(making: Making) -> None:
    for name in _ODD:
        with contextlib.suppress(OSError, ValueError):  # some file systems refuse some
            path = os.fsencode(making.folder) + b"/" + name
            with open(path, "wb") as file:  # noqa: PTH123  (a name of bytes)
                file.write(b"words of an oddly named file")
    os.mkdir(os.fsencode(making.folder) + b"/folder\xff")  # noqa: PTH102
    with open(os.fsencode(making.folder) + b"/folder\xff/in\xfeside.txt", "wb") as file:  # noqa: PTH123
        file.write(b"words below an oddly named folder")


@hostile("folders deeper than a path may be long", "indexed", left=True)
def _deep(making: Making) -> None:
    here = os.open(making.folder, os.O_RDONLY)
    try:
        for _ in range(25):  # of 250 bytes: 6 kB, where Linux takes 4 kB
            os.mkdir("d" * 250, dir_fd=here)
            inner = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
            handle = os.open("note.txt", os.O_WRONLY | os.O_CREAT, dir_fd=here)
            os.write(handle, b"words far below")
            os.close(handle)
    finally:
        os.close(here)


@hostile("folders 1,000 levels deep", "indexed")
def _levels(making: Making) -> None:
    here = str(making.folder)
    for _ in range(1000):
        here += "/d"
        os.mkdir(here)  # noqa: PTH102  (`Path.mkdir` recurses)
    Path(here, "note.txt").write_text("words below a thousand folders")
