"""JSON that the command line and every interface share."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from manole.documents.scan import readable
from manole.tools.objects import told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from manole.index.graph import Graph
    from manole.index.search.duplicates import Find
    from manole.index.search.pages import PageHit
    from manole.index.store.records import FileRecord
    from manole.index.sync.report import Progress, SyncReport

_NAMED = 3  # files that a result names in words; set by hand


def hit_json(hit: Find) -> dict[str, Any]:
    """Return a search result as JSON: its place, its score from 0 to 1, and its text.

    `also` are other files that hold the same text.
    """
    text, line = told(hit.passage)
    return {
        "file": hit.passage.path,
        "page": hit.passage.page,
        "line": line,
        "score": round(hit.score, 4),
        "text": text,
        "also": list(hit.also),
    }


def also_in(files: Sequence[str]) -> str:
    """Return where else a text stands: `also in a.txt, b.txt`, or nothing."""
    if not files:
        return ""
    left = len(files) - _NAMED
    more = f" and {left:,} more file{'s' if left > 1 else ''}" if left > 0 else ""
    return f"also in {', '.join(files[:_NAMED])}{more}"


def file_json(file: FileRecord) -> dict[str, Any]:
    """Return a file's status and what is known of it, as JSON."""
    return {
        "file": file.path,
        "root": readable(file.root),
        "status": file.status.value,
        "reason": file.reason,
        "format": file.format,
        "title": file.title,
        "date": file.date.isoformat() if file.date else None,
        "modified": file.modified.isoformat(timespec="seconds"),
        "size": file.size,
        "pages": file.pages,
        "passages": file.passages,
    }


def graph_json(graph: Graph) -> dict[str, Any]:
    """Return the map of files as JSON."""
    return {
        "nodes": [asdict(n) | {"date": n.date and n.date.isoformat()} for n in graph.nodes],
        "edges": [asdict(edge) for edge in graph.edges],
    }


def page_json(hit: PageHit) -> dict[str, Any]:
    """Return a found page as JSON, with the lines that fit and their boxes (parts of the page)."""
    from manole.tools.objects import FoundPage

    item = FoundPage.of(hit).to_json()
    return {key: item[key] for key in ("file", "page", "score", "lines")}


def progress_json(progress: Progress) -> dict[str, Any]:
    """Return the progress of a sync as JSON."""
    return asdict(progress) | {"rate": round(progress.rate, 2)}


def report_json(report: SyncReport) -> dict[str, Any]:
    """Return the report of a sync as JSON."""
    return {
        "added": report.added,
        "changed": report.changed,
        "renamed": report.renamed,
        "deleted": report.deleted,
        "unchanged": report.unchanged,
        "passages": report.passages,
        "seconds": round(report.seconds, 3),
        "notice": report.notice,
        "problems": [file_json(file) for file in report.problems],
        "unreadable": [{"folder": path, "reason": why} for path, why in report.unreadable],
    }
