"""Printed tables and sentences about libraries, their syncs and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from manole.cli.output import printable, say, shortened
from manole.cli.rows import print_rows
from manole.sentences import said
from manole.text.counted import counted

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
    return f"{done}; {counted(report.passages, 'passage')} read, {report.seconds:.1f} s."


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
    total, read = counts.total(), counted(passages, "passage")
    say(f"{folders}: {total} file{'s' if total != 1 else ''} ({found}), {read}.")


def print_problems(files: Sequence[FileRecord], limit: int | None) -> None:
    """Print a table of these files and why they are not read; at most `limit` of them."""
    # Failed files matter more than skipped ones.
    ranked = sorted(files, key=lambda file: (file.status.value != "failed", file.status, file.path))
    if not ranked:
        return
    print_rows(
        (said("File"), said("Status"), said("Reason")),
        [
            (printable(file.path), said(file.status.value), printable(said(file.reason or "")))
            for file in ranked[:limit]
        ],
        names={said("File")},
    )
    if limit is not None and len(ranked) > limit:
        say(f"and {len(ranked) - limit} more: `manole status` shows all.")


def print_libraries(found: Sequence[LibraryInfo]) -> None:
    """Print a table of libraries."""
    from manole.models.weights.files import human_size

    print_rows(
        ("Library", "Folders", "Files", "Size", "Updated"),
        [
            (
                "\n".join(map(printable, filter(None, (item.title, item.name)))),
                "\n".join(map(printable, item.roots)),
                str(item.files),
                human_size(item.size),
                printable(item.problem or _minute(item.updated)),
            )
            for item in found
        ],
        right={"Files", "Size"},
        names={"Library", "Folders"},
    )


def _minute(updated: str | None) -> str:
    return updated[:16].replace("T", " ") if updated else "never finished"


def library_json(info: LibraryInfo) -> dict[str, Any]:
    """Return a library as JSON."""
    lists = {"roots": list(info.roots), "exclude": list(info.exclude)}
    return asdict(info) | {"path": str(info.path)} | lists
