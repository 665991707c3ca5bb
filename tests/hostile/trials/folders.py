"""Small mixed folders, made from a seed, and the changes a week brings to them."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from hostile_set.packages import document
from hostile_set.papers import one_page

WORDS = """
the of and to in a kitchen garden boiler invoice window letter contract journey river engine bottle
summer evening recipe butter teacher neighbour payment meeting warranty battery heating copper
""".split()  # noqa: SIM905
KINDS = ("txt", "md", "csv", "html", "eml", "json", "docx", "pdf", "txt", "md")


def prose(chance: random.Random, words: int) -> str:
    """So many words, in sentences of twelve at most."""
    sentences = [chance.choices(WORDS, k=min(12, words - at)) for at in range(0, words, 12)]
    return " ".join(f"{' '.join(sentence).capitalize()}." for sentence in sentences)


def write(path: Path, chance: random.Random, words: int) -> None:
    """A small file of the kind that its name says; it holds its own name as a word."""
    text = f"{path.stem} {prose(chance, words)}"
    content: str | bytes = text
    match path.suffix:
        case ".csv":
            content = f"day,{path.stem}\n" + "".join(
                f"{n},{w}\n" for n, w in enumerate(text.split())
            )
        case ".html":
            content = f"<html><body><h1>{path.stem}</h1><p>{text}</p></body></html>"
        case ".eml":
            content = f"From: a@example.org\nSubject: {path.stem}\n\n{text}\n"
        case ".json":
            content = json.dumps({path.stem: text})
        case ".docx":
            content = document("docx", text)
        case ".pdf":
            content = one_page(text[:90].encode("ascii", "replace"))
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def make(folder: Path, files: int, seed: int, words: int = 12) -> None:
    """`files` files in folders of fifteen; some longer than the others."""
    chance = random.Random(f"make {seed}")
    for number in range(files):
        place = folder / f"part{number // 15:02d}"
        place.mkdir(parents=True, exist_ok=True)
        kind = KINDS[number % len(KINDS)]
        length = words * (12 if number % 20 == 1 else 1)
        write(place / f"paper{number:04d}.{kind}", chance, length)


def change(folder: Path, seed: int, share: float = 0.12) -> list[Path]:
    """Change, rename, delete and add files, each that share of them; gives the untouched ones."""
    chance = random.Random(f"change {seed}")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    chance.shuffle(files)
    count = max(1, int(len(files) * share))
    changed, renamed, deleted = (files[count * n : count * (n + 1)] for n in range(3))
    for path in changed:
        write(path, chance, 80)
    for path in renamed:
        path.rename(path.with_name(f"moved-{path.name}"))
    for path in deleted:
        path.unlink()
    moved = folder / "part00"
    if moved.is_dir():  # a whole folder under a new name
        shutil.move(moved, folder / "moved")
    for number in range(count):
        write(folder / f"new{number:03d}.{KINDS[number % len(KINDS)]}", chance, 50)
    left = files[count * 3 :]
    return [path for path in left if path.is_file()]
