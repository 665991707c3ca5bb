"""Finds files and folders by the words that people use for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from manole.index.store.records import FileRecord
from manole.text.words import singular


def beginning(word: str) -> str:
    """Return what singular and plural of a word begin with: `polic` for `policy` and `policies`.

    It is looked for inside names, so it must be the beginning of the word itself. `words.stem`
    maps synonyms to one stem: it would look for `Rechnung` as `invoice`.
    """
    one = singular(word.lower())
    return one.removesuffix("y") if len(one) > 4 else one


def named_like(pattern: str) -> Callable[[str], bool]:
    """Return a test for paths that contain every word of `pattern`, or whose name matches the glob.

    Plural and case do not matter; `_`, `-`, `.` and spaces are alike.
    """
    wanted = pattern.lower()
    if any(c in pattern for c in "*?["):
        return lambda path: fnmatchcase(path.lower().rsplit("/", 1)[-1], wanted)
    words = [beginning(w) for w in re.findall(r"[^\W_]+", wanted)]

    def matches(path: str) -> bool:
        lowered = path.lower()
        if wanted in lowered:
            return True
        for word in words:  # a plain loop, as there may be a hundred thousand paths
            if word not in lowered:
                return False
        return bool(words)

    return matches


def best_by_name(files: Iterable[FileRecord], hint: str) -> list[FileRecord]:
    """Return files whose paths share words with `hint`, best first; exact names alone."""
    files = list(files)
    lowered = hint.lower().strip("/ ")
    exact = [f for f in files if lowered in {f.path.lower(), f.path.lower().rpartition("/")[2]}]
    if exact:
        return exact
    # "unicorn.pdf" is not like every other PDF.
    name = re.sub(r"(?<=\w)\.[a-z0-9]{1,5}$", "", lowered)
    words = [beginning(w) for w in re.findall(r"[^\W_]+", name) if len(w) > 1]
    if not words:
        return []
    scored = []
    for file in files:
        path = file.path.lower()
        name = path.rpartition("/")[2]
        score = sum(2.0 if w in name else 1.0 for w in words if w in path)  # a name says more
        if score:
            scored.append((-score, len(file.path), file.path, file))
    if not scored:
        return []
    best = min(scored)[0]
    return [item[3] for item in sorted(scored, key=lambda i: i[:3]) if item[0] == best]


def find_folder(files: Sequence[FileRecord], name: str) -> str | None:
    """Return the path of the folder that `name` means, or `None`."""
    folders = folders_of(files)
    wanted = name.lower().strip("/ ")
    exact = [f for f in folders if f.lower() == wanted or f.lower().rsplit("/", 1)[-1] == wanted]
    bare = beginning(wanted)
    near = [f for f in folders if bare == beginning(f.lower().rsplit("/", 1)[-1])]
    return min(exact or near, key=len, default=None)


def folders_of(files: Iterable[FileRecord]) -> set[str]:
    """Return the folders of files and all above them, without the root."""
    found: set[str] = set()
    for folder in {file.path.rpartition("/")[0] for file in files}:
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found
