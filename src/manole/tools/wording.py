"""The sentences with which the file tools answer: files, sizes and periods in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from manole.index.store.records import FileRecord
from manole.models.weights.files import human_size
from manole.text.periods import Period
from manole.text.words import singular

_MOMENT = "%Y-%m-%d at %H:%M"


def by_type(files: Iterable[FileRecord]) -> str:
    """Return the numbers of files by extension, most first: `12 .pdf, 3 .md`."""
    counts = Counter(f.extension or "without extension" for f in files)
    return ", ".join(f"{n} {ext}" for ext, n in counts.most_common())


def list_message(
    chosen: Sequence[FileRecord], total: int, words: str, sort_by: str, order: str
) -> str:
    """Return a list of files, or the one file that a superlative asked for."""
    superlative = {
        ("date", "descending"): "most recently changed",
        ("date", "ascending"): "oldest",
        ("document_date", "descending"): "newest",
        ("document_date", "ascending"): "oldest",
        ("size", "descending"): "largest",
        ("size", "ascending"): "smallest",
    }.get((sort_by, order), "")
    if not chosen:
        return f"There are no {words}."
    if len(chosen) == 1 and total > 1:
        one = re.sub(r"^(\w+ )?files\b", lambda m: m[0][:-1], words)
        one = singular(words) if one == words and " " not in words else one
        if sort_by == "document_date" and chosen[0].date:
            shown = f"{chosen[0].path} ({human_size(chosen[0].size)}, dated {chosen[0].date})"
        else:
            shown = file_line(chosen[0])
        return f"The {superlative or 'first'} {one}{'' if superlative else ' by name'}: {shown}"
    if total <= len(chosen):
        head = number(total, words)
    elif superlative:
        head = f"The {len(chosen)} {superlative} of {number(total, words)}"
    else:
        head = f"The first {len(chosen)} of {number(total, words)} by name"
    return f"{head}:\n" + "\n".join(f"- {file_line(f)}" for f in chosen)


def file_line(file: FileRecord) -> str:
    """Return one file with its size and day of change."""
    return f"{file.path} ({human_size(file.size)}, changed {file.modified.date()})"


def describe_file(file: FileRecord, created: datetime | None = None) -> str:
    """Return all metadata of a file, the file's dates apart from the document's own."""
    text = f"{file.path}: {human_size(file.size)} ({file.size:,} bytes)"
    text += f", {file.pages} pages. " if file.pages > 1 else ". "
    text += f"The file was last modified on {file.modified.strftime(_MOMENT)}"
    if created:
        text += f", and created on this disk on {created.strftime(_MOMENT)}"
    if file.date:
        text += f". The document itself is dated {file.date} (by its {file.date_source or 'text'})"
    return text + "."


def when(period: Period) -> str:
    """Return a period for a sentence: `in 2023`, `since 2024-06-01`."""
    if period.start and period.end:
        if period.start == period.end:
            return f"on {period.start}"
        year = period.start.year
        if (period.start, period.end) == (date(year, 1, 1), date(year, 12, 31)):
            return f"in {year}"
        return f"from {period.start} to {period.end}"
    if period.start:
        return f"since {period.start}"
    return f"up to {period.end}" if period.end else "at any time"


def number(count: int, words: str) -> str:
    """Return a count with its noun: `1 PDF file`, `3 PDF files named like …`."""
    if count == 1:
        words = re.sub(r"\b(file|image|document|presentation|spreadsheet|e-mail|page|contact|"
                       r"video|archive|e-book)s\b", r"\1", words, count=1)  # fmt: skip
    return f"{count:,} {words}" if count else f"no {words}"


def are(count: int) -> str:
    """Return `is` or `are`."""
    return "is" if count == 1 else "are"


def more(items: Sequence[object], shown: int) -> str:
    """Return a last line with the number of items not shown; "" when all are."""
    return f"\n… and {len(items) - shown} more." if len(items) > shown else ""


def folder_name(name: str) -> str:
    """Return a folder's name for people; the root has none."""
    return "(top folder)" if name == "." else name
