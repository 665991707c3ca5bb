"""Unanswerable questions made of answerable ones: the file that holds the answer is left out.

A copy of the folder without those files is indexed instead. The questions stay as they are, so a
system cannot tell them from the others; right is who declines.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from manole_evaluate.questions import Question


def withhold(
    questions: Sequence[Question], count: int, seed: int = 0
) -> tuple[list[Question], set[str]]:
    """Make `count` of the questions unanswerable. Returns all of them, and the files to leave out.

    Only answerable questions with a single file are chosen. Where others of the questions are
    about the same file, they turn unanswerable with it, and count; a file that a question needs
    together with others is never chosen. So there may be fewer than `count`, or a few more.
    """
    shared = {file for asked in questions if len(asked.files) != 1 for file in asked.files}
    eligible = [
        asked.files[0]
        for asked in questions
        if asked.answerable and len(asked.files) == 1 and asked.files[0] not in shared
    ]
    order = list(dict.fromkeys(eligible))
    random.Random(seed).shuffle(order)
    left_out: set[str] = set()
    made = 0
    for file in order:
        if made >= count:
            break
        left_out.add(file)
        made += eligible.count(file)
    changed = [
        replace(asked, answerable=False) if left_out.intersection(asked.files) else asked
        for asked in questions
    ]
    return changed, left_out


def copy_without(root: Path, left_out: set[str], into: Path) -> None:
    """Make `into` a copy of `root` without the files `left_out` (relative to `root`).

    Files are hard links where the file system allows it, else copies. A copy that is there
    already is completed.
    """
    kept = {root / file for file in left_out}

    def ignore(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if Path(folder, name) in kept}

    shutil.copytree(
        root, into, symlinks=True, ignore=ignore, copy_function=_link, dirs_exist_ok=True
    )


def _link(source: str, target: str) -> str:
    if not Path(target).exists():
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:  # another file system, or none that links
            shutil.copy2(source, target)
    return target
