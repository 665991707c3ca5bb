"""Words of natural languages that code needs, kept as data: `lists/PURPOSE.LANGUAGE.txt`.

A file says in its first lines, behind `#`, what its words are for and where they came from. One
without a language is for several at once.
"""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).with_name("lists")
LEXICON = _FOLDER / "lexicon.tsv"  # what things are called (`lexicon.py`)


def lines(purpose: str, *languages: str) -> list[list[str]]:
    """Return the words of each line, of these languages or of all; `_` in one is a space."""
    named = [f"{purpose}.{language}.txt" for language in languages]
    found = [_FOLDER / name for name in named] or sorted(_FOLDER.glob(f"{purpose}.*txt"))
    texts = (path.read_text("utf-8") for path in found)
    rows = (line for text in texts for line in text.splitlines() if line[0] != "#")
    return [[word.replace("_", " ") for word in row.split()] for row in rows]


def listed(purpose: str) -> frozenset[str]:
    """Return the words of all languages."""
    return frozenset(word for line in lines(purpose) for word in line)


def numbered(purpose: str, *languages: str) -> dict[str, int]:
    """Return the words of lines that begin with a number, each with it."""
    return {word: int(n) for n, *words in lines(purpose, *languages) for word in words}
