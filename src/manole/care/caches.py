"""Checks of the files beside indexes and weights: caches, fields, conversations."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from manole.care.findings import REPAIR, Finding, Fix, command, good, problem, warning
from manole.care.tidy import BOUND, BOUNDED, Entry, kept, orphans, tidy
from manole.index.store.libraries import LibraryInfo
from manole.models.weights.files import folder_bytes, human_size
from manole.settings import Settings

CACHES, CONVERSATIONS = "caches", "conversations"
OTHERS = ("prefixes", "engines")
FIELDS = "fields.sqlite3"  # of `manole.catalog.derived`


def check_caches(settings: Settings, *, thorough: bool = False) -> list[Finding]:
    """Check sizes against the bound, unfinished files, and, if `thorough`, each file's content."""
    entries = list(kept(settings.cache_dir))
    total = sum(entry.bytes for entry in entries)
    tidying = Fix("tidy", partial(_tidy, settings))
    found = []
    for kind in BOUNDED:
        mine = [entry for entry in entries if entry.kind == kind]
        if mine:
            used = human_size(sum(entry.bytes for entry in mine))
            found.append(
                good(
                    CACHES,
                    f"{kind}: {len(mine)} file{'s' if len(mine) > 1 else ''}, {used}",
                    mine[0].path.parents[1],
                )
            )
    if total > BOUND:
        text = f"{human_size(total)} are kept, and {human_size(BOUND)} are the bound"
        where = settings.cache_dir
        found.append(warning(CACHES, text, where, f"{REPAIR} removes the oldest.", tidying))
    for kind in OTHERS:
        folder = settings.cache_dir / kind
        if folder.is_dir():
            found.append(good(CACHES, f"{kind}: {human_size(folder_bytes(folder))}", folder))
    left = list(orphans(settings))
    if left:
        text = f"{len(left)} unfinished files or folders that nobody works on"
        found.append(warning(CACHES, text, left[0], f"{REPAIR} removes them.", tidying))
    if thorough:
        found += _damaged(entries)
    return found


def check_beside(info: LibraryInfo) -> list[Finding]:
    """Check the file beside a library's tables: the fields of papers."""
    topic = f"library {info.name}"
    found = []
    fields = info.path / FIELDS
    if fields.is_file() and (wrong := integrity(fields)):
        text = f"the kept fields of papers are damaged ({wrong}); they can be read again"
        found.append(warning(topic, text, fields, f"{REPAIR} removes them.", _dropping(fields)))
    return found


def check_conversations(settings: Settings) -> list[Finding]:
    """Check every file of conversations; none is ever removed."""
    folder = settings.data_dir / CONVERSATIONS
    found = []
    for path in sorted(folder.glob("*.sqlite")):
        wrong = integrity(path)
        if wrong:
            aside = command("manole", "conversations", "set-aside", path.stem)
            remedy = f"Put a copy back, or {aside}: it deletes nothing."
            found.append(problem(CONVERSATIONS, f"damaged: {wrong}", path, remedy))
        else:
            found.append(
                good(CONVERSATIONS, f"{path.stem}: whole, {human_size(path.stat().st_size)}", path)
            )
    return found


def integrity(path: Path) -> str:
    """Return the errors that SQLite finds in a database, in a few words; "" if it is whole."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as opened:
            opened.execute("PRAGMA trusted_schema = OFF")
            lines = [row[0] for row in opened.execute("PRAGMA integrity_check(3)")]
    except sqlite3.Error as error:
        return str(error)
    return "" if lines == ["ok"] else "; ".join(str(line) for line in lines)[:200]


def _damaged(entries: list[Entry]) -> list[Finding]:
    broken = list(_not_json(entries))
    if not broken:
        return []
    text = f"{len(broken)} kept readings of pictures are damaged; they are made anew when needed"
    fix = Fix("broken entries", partial(_drop, broken))
    return [warning(CACHES, text, broken[0], f"{REPAIR} removes them.", fix)]


def _not_json(entries: list[Entry]) -> Iterator[Path]:
    for entry in entries:
        if entry.path.suffix == ".json":
            try:
                json.loads(entry.path.read_bytes())
            except (OSError, ValueError):
                yield entry.path


def _dropping(path: Path) -> Fix:
    return Fix(f"drop {path}", partial(_drop, [path]))


async def _drop(paths: list[Path]) -> str:
    """Remove files that are made anew when needed."""
    for path in paths:
        path.unlink(missing_ok=True)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"Removed, to be made anew when needed: {paths[0]}{more}."


async def _tidy(settings: Settings) -> str:
    return f"Caches: {await tidy(settings, now=True)}."
