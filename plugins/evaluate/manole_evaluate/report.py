"""The report of a run: the same rows as a terminal table, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from manole_evaluate.retrieval import Retrieval
from manole_evaluate.summary import AnswerSummary, Share, Spread, Summary

Columns = Mapping[str, Summary]  # heading → summary; "all" first, then the groups


def table(columns: Columns, title: str | None = None) -> Table:
    """A rich table with a row for each measure and a column for each summary."""
    made = Table(title=title, title_justify="left")
    made.add_column("")
    for heading in columns:
        made.add_column(heading, justify="right")
    for label, values in _rows(columns):
        if not any(values):
            made.add_section()
            made.add_row(label, *values, style="bold")
        else:
            made.add_row(label, *values)
    return made


def markdown(columns: Columns) -> str:
    """The table in Markdown, for a document."""
    lines = ["| measure | " + " | ".join(_cell(heading) for heading in columns) + " |"]
    lines.append("|---|" + "---:|" * len(columns))
    for label, values in _rows(columns):
        shown = label if any(values) else f"**{label}**"
        lines.append(f"| {shown} | " + " | ".join(values) + " |")
    return "\n".join(lines)


def as_json(columns: Columns, about: Mapping[str, Any]) -> dict[str, Any]:
    """`about` (what was run), the whole's summary, and that of each group."""
    whole, *groups = columns.items()
    return {
        **about,
        "summary": whole[1].as_json(),
        "groups": {heading: summary.as_json() for heading, summary in groups},
    }


def _rows(columns: Columns) -> Iterator[tuple[str, list[str]]]:
    """Label and a text for each column; a label with empty texts heads a section."""
    per_column = [dict(_measures(summary)) for summary in columns.values()]
    labels = dict.fromkeys(label for measures in per_column for label in measures)
    for label in _ordered(labels):
        texts = [measures.get(label) for measures in per_column]
        is_head = all(text == "" for text in texts if text is not None)
        yield label, ["" if is_head else (text or "–") for text in texts]


def _ordered(labels: Mapping[str, None]) -> list[str]:
    order = {label: place for place, label in enumerate(_ORDER)}
    return sorted(labels, key=lambda label: order[label])


_RETRIEVAL = {
    "hit@1": "hit_1",
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "nDCG@10": "ndcg_10",
    "mean reciprocal rank": "reciprocal_rank",
}
_ORDER = (
    "questions",
    "of these unanswerable",
    "Retrieval by file",
    *_RETRIEVAL,
    "search seconds, median",
    "search seconds, p95",
    "searches failed",
    "Retrieval by page ± 1",
    *(f"page {label}" for label in _RETRIEVAL),
    "Answers",
    "correct",
    "95 % interval",
    "correct, of answerable",
    "mean token F1, of answerable",
    "unanswerable, rightly declined",
    "answerable, wrongly declined",
    "citation correct, of answered",
    "withdrawn for a quotation",
    "crashed (counted wrong)",
    "Cost of a question",
    "model calls, mean",
    "tokens read, mean",
    "tokens from cache, mean",
    "tokens written, mean",
    "first token, median",
    "first token, p95",
    "seconds, median",
    "seconds, p95",
)


def _measures(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "questions", str(summary.questions)
    if summary.unanswerable:
        yield "of these unanswerable", str(summary.unanswerable)
    if summary.files:
        yield "Retrieval by file", ""
        yield from _retrieval(summary.files)
        if summary.search_s:
            yield "search seconds, median", f"{summary.search_s.median:.3f}"
            yield "search seconds, p95", f"{summary.search_s.p95:.3f}"
        if summary.search_failed:
            yield "searches failed", str(summary.search_failed)
    if summary.pages:
        yield "Retrieval by page ± 1", ""
        yield from _retrieval(summary.pages, "page ")
    if summary.answers:
        yield from _answers(summary.answers)


def _retrieval(values: Retrieval, prefix: str = "") -> Iterator[tuple[str, str]]:
    for label, name in _RETRIEVAL.items():
        yield prefix + label, f"{getattr(values, name):.3f}"


def _answers(answers: AnswerSummary) -> Iterator[tuple[str, str]]:
    yield "Answers", ""
    yield "correct", _share(answers.correct)
    low, high = answers.correct.interval
    yield "95 % interval", f"{100 * low:.1f}–{100 * high:.1f} %"
    if answers.declined_rightly.total:
        yield "correct, of answerable", _share(answers.correct_answerable)
        yield "unanswerable, rightly declined", _share(answers.declined_rightly)
    yield "mean token F1, of answerable", f"{answers.f1:.3f}"
    yield "answerable, wrongly declined", _share(answers.declined_wrongly)
    yield "citation correct, of answered", _share(answers.citation_correct)
    yield "withdrawn for a quotation", _share(answers.corrected)
    yield "crashed (counted wrong)", str(answers.crashed)
    yield "Cost of a question", ""
    yield "model calls, mean", f"{answers.model_calls:.2f}"
    yield "tokens read, mean", f"{answers.tokens_read:.0f}"
    yield "tokens from cache, mean", f"{answers.tokens_cached:.0f}"
    yield "tokens written, mean", f"{answers.tokens_written:.0f}"
    yield from _spread("first token", answers.first_token_s)
    yield from _spread("seconds", answers.total_s)


def _spread(label: str, values: Spread) -> Iterator[tuple[str, str]]:
    yield f"{label}, median", f"{values.median:.2f} s"
    yield f"{label}, p95", f"{values.p95:.2f} s"


def _share(share: Share) -> str:
    if share.value is None:
        return "–"
    return f"{100 * share.value:.1f} % ({share.count} of {share.total})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
