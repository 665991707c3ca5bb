"""Printed tables and sentences about libraries, their syncs and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from manole.cli.output import printable, say, shortened
from manole.sentences import said

if TYPE_CHECKING:
    from manole.index.store.libraries import LibraryInfo
    from manole.index.store.records import FileRecord
    from manole.index.sync.report import SyncReport
    from manole.library import Library

SHOWN = 20  # problems on the screen, set by hand; --json gives all


def what_was_done(report: SyncReport) -> str:
    """Return a sync's report in a line."""
    parts = [
        f"{count} {what}"
        for what, count in (
            ("added", report.added),
            ("changed", report.changed),
            ("renamed", report.renamed),
            ("deleted", report.deleted),
            ("unchanged", report.unchanged),
        )
        if count
    ]
    done = ", ".join(parts) or "nothing to do"
    return f"{done}; {report.passages} passages read, {report.seconds:.1f} s."


def report_json(opened: Library, report: SyncReport | None, files: int) -> dict[str, Any]:
    """Return what `manole index --json` prints."""
    from manole.serve.shapes import file_json

    answer: dict[str, Any] = {
        "library": opened.name,
        "folders": list(opened.places),
        "languages": opened.info().languages,
        "files": files,
    }
    if report is not None:
        answer |= asdict(report) | {"problems": [file_json(file) for file in report.problems]}
        answer["unreadable"] = [{"folder": path, "reason": why} for path, why in report.unreadable]
    return answer


def print_report(
    opened: Library, report: SyncReport | None, counts: Counter[str], passages: int
) -> None:
    """Print what a sync did, and what is in the library now."""
    if report is not None:
        if report.notice:
            say(report.notice, err=True)
        say(what_was_done(report))
    print_counts(opened, counts, passages)
    if report is not None:
        print_problems(report.problems, limit=SHOWN)
        for folder, reason in report.unreadable[:SHOWN]:
            say(f"Cannot be looked into: {shortened(folder, 100)} ({printable(reason)})", err=True)


def print_counts(opened: Library, counts: Counter[str], passages: int) -> None:
    """Print how many files of each status there are."""
    folders = printable(", ".join(opened.places))
    if not counts:
        say(f"{folders}: no files in it. Hidden and ignored files are left out.")
        return
    found = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    say(f"{folders}: {counts.total()} files ({found}), {passages} passages.")


def print_problems(files: Sequence[FileRecord], limit: int | None) -> None:
    """Print a table of these files and why they are not read; at most `limit` of them."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    # Failed files matter more than skipped ones.
    ranked = sorted(files, key=lambda file: (file.status.value != "failed", file.status, file.path))
    if not ranked:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(said("Status"), no_wrap=True)
    table.add_column(said("File"), overflow="fold")
    table.add_column(said("Reason"), overflow="fold")
    for file in ranked[:limit]:
        reason = printable(said(file.reason or ""))
        table.add_row(said(file.status.value), escape(printable(file.path)), escape(reason))
    Console().print(table)
    if limit is not None and len(ranked) > limit:
        say(f"and {len(ranked) - limit} more: `manole status` shows all.")


def print_libraries(found: Sequence[LibraryInfo]) -> None:
    """Print a table of libraries."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from manole.models.weights.files import human_size

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("Library", "Folders", "Files", "Size", "Updated"):
        table.add_column(column, justify="right" if column in {"Files", "Size"} else "left")
    for item in found:
        table.add_row(
            escape("\n".join(map(printable, filter(None, (item.title, item.name))))),
            escape("\n".join(map(printable, item.roots))),
            str(item.files),
            human_size(item.size),
            escape(printable(item.problem or _minute(item.updated))),
        )
    Console().print(table)


def _minute(updated: str | None) -> str:
    return updated[:16].replace("T", " ") if updated else "never finished"


def library_json(info: LibraryInfo) -> dict[str, Any]:
    """Return a library as JSON."""
    lists = {"roots": list(info.roots), "exclude": list(info.exclude)}
    return asdict(info) | {"path": str(info.path)} | lists
