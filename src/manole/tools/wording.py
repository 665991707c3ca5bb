"""Files, sizes and periods in words: the sentences that the file tools answer with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from manole.index.store.records import FileRecord
from manole.models.weights.files import human_size
from manole.text.periods import Period
from manole.text.word_forms import singular


def by_type(files: Iterable[FileRecord]) -> str:
    """Files by extension, most first: `12 .pdf, 3 .md`."""
    counts = Counter(f.extension or "without extension" for f in files)
    return ", ".join(f"{n} {ext}" for ext, n in counts.most_common())


def day(moment: date) -> str:
    """A date for people and for sorting: `2024-03-05`."""
    return moment.strftime("%Y-%m-%d")


def list_message(
    chosen: Sequence[FileRecord], total: int, words: str, sort_by: str, order: str
) -> str:
    """A list of files, or the one file that a superlative asked for."""
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
            shown = f"{chosen[0].path} ({human_size(chosen[0].size)}, dated {day(chosen[0].date)})"
        else:
            shown = file_line(chosen[0])
        return f"The {superlative} {one}: {shown}"
    head = (
        f"{number(total, words)}"
        if total <= len(chosen)
        else (f"The {len(chosen)} {superlative} of {number(total, words)}".replace("  ", " "))
    )
    return f"{head}:\n" + "\n".join(f"- {file_line(f)}" for f in chosen)


def file_line(file: FileRecord) -> str:
    """One file with size and day of change."""
    return f"{file.path} ({human_size(file.size)}, changed {day(file.modified.date())})"


def describe_file(file: FileRecord) -> str:
    """Everything known of one file, as a sentence."""
    text = f"{file.path}: {human_size(file.size)} ({file.size:,} bytes), "
    text += f"last changed {file.modified.strftime('%Y-%m-%d %H:%M')}"
    if file.date:
        text += f", dated {day(file.date)} (by its {file.date_source or 'content'})"
    if file.pages > 1:
        text += f", {file.pages} pages"
    return text + "."


def when(period: Period) -> str:
    """A period for a sentence: `in 2023`, `since 2024-06-01`."""
    if period.start and period.end:
        if period.start == period.end:
            return f"on {day(period.start)}"
        if (period.start.month, period.start.day, period.end.month, period.end.day) == (
            1, 1, 12, 31,
        ) and period.start.year == period.end.year:  # fmt: skip
            return f"in {period.start.year}"
        return f"from {day(period.start)} to {day(period.end)}"
    if period.start:
        return f"since {day(period.start)}"
    return f"up to {day(period.end)}" if period.end else "at any time"


def number(count: int, words: str) -> str:
    """`1 PDF file`, `3 PDF files named like …`."""
    if count == 1:
        words = re.sub(r"\b(file|image|document|presentation|spreadsheet|e-mail|page|contact|"
                       r"video|archive|e-book)s\b", r"\1", words, count=1)  # fmt: skip
    return f"{count:,} {words}" if count else f"no {words}"


def are(count: int) -> str:
    """`is` or `are`."""
    return "is" if count == 1 else "are"


def more(items: Sequence[object], shown: int) -> str:
    """How many items are not shown, as a last line; "" when all are."""
    return f"\n… and {len(items) - shown} more." if len(items) > shown else ""


def folder_name(name: str) -> str:
    """A folder for people; the root has no name."""
    return "(top folder)" if name == "." else name
