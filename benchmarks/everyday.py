r"""Questions in everyday words: what is shown, when, what is said, and how sure it is.

    python benchmarks/everyday.py questions.jsonl files/ --half 1 --details answers.jsonl

A question is a line of JSON: `id`, `question`, `group`, `answerable`, `all_of` (of each inner list
one alternative must stand in the reply, `--words` as whole words), `none_of`, the deciding
sentences, `evidence` or `evidences` (each with `text`), and `history`, questions before it with
their answers. `--half` asks only those of one half, told by the SHA-256 of the id: 0 to look at, 1
for a score; or by the number in it, `odd` or `even`. Answers are written to `--details` at once,
one a line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import median

from manole.agent.events import Complete, EvidenceEvent, Extract
from manole.agent.loop import Agent
from manole.library import Library
from manole.models.chat.protocol import Message
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import Settings
from measuring import Row, in_half, lines, middle_and_p95


def command_line(about: str | None, *, needed: bool = True) -> argparse.ArgumentParser:
    """The command line of a program that asks such questions: which, of what, and which half."""
    many = None if needed else "?"
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("questions", type=Path, nargs=many)
    parser.add_argument("files", type=Path, nargs=many)
    parser.add_argument("--half", choices=("0", "1", "odd", "even"))
    return parser


def folded(text: str) -> str:
    """Without case, marks of citation and emphasis, and the kinds of dashes and quotes."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"[‐-―]", "-", text).replace("’", "'")
    return " ".join(re.sub(r"\[\d+\]|[*_`]", "", text).split())


def right(question: Row, text: str, words: bool = False) -> bool:
    """Whether a text has one alternative of each key fact, and nothing that is wrong."""
    text = _without_thousands(folded(text)) if words else folded(text)

    def has(fact: str) -> bool:
        if not words:
            return folded(fact) in text
        plain = re.escape(_without_thousands(folded(fact)))
        return re.search(rf"(?<!\w){plain}(?!\w)", text) is not None

    facts = all(any(map(has, some)) for some in question["all_of"])
    return facts and not any(map(has, question.get("none_of", ())))


def _without_thousands(text: str) -> str:
    return re.sub(r"(?<=\d)[,.\s](?=\d{3}(?:\D|$))", "", text)


def _before(question: Row) -> list[Message]:
    """The conversation before a question."""
    said: list[Message] = []
    for turn in question.get("history") or ():
        said += [Message("user", turn["question"]), Message("assistant", turn["answer"])]
    return said


async def asked(agent: Agent, question: Row, words: bool = False) -> Row:
    """One question, as a line of the details."""
    extracts: list[Extract] = []
    first = 0.0
    async for event in agent.ask(question["question"], _before(question)):
        if isinstance(event, EvidenceEvent):
            first = first or event.seconds
            extracts += event.extracts
        if isinstance(event, Complete):
            end = event
    shown = "\n".join(extract.text for extract in extracts)
    marked = "\n".join(e.text[start:stop] for e in extracts for start, stop in e.marks)
    said = end.outcome in {"answered", "choices"}
    answerable = question.get("answerable", True)
    wanted = [folded(text) for text in deciding(question)]
    return {
        "id": question["id"],
        "group": (question.get("group") or question["kind"]) if answerable else "unanswerable",
        "right": right(question, end.answer, words) and said if answerable else not said,
        "both": right(question, f"{end.answer} {shown}", words) if answerable else not said,
        "shown": _share(wanted, shown),
        "marked": _share(wanted, marked),
        "outcome": end.outcome,
        "confidence": end.confidence,
        "signals": end.signals,
        "calls": end.model_calls,
        "evidence_s": first,
        "token_s": end.timings["first_token"],
        "total_s": end.timings["total"],
        "answer": end.answer,
    }


def deciding(question: Row) -> list[str]:
    """The sentences that decide."""
    several = [one["text"] for one in question.get("evidences") or ()]
    one = [question["evidence"]] if question.get("evidence") else []
    return question.get("deciding") or several or one


def _share(sentences: Sequence[str], text: str) -> float | None:
    text = folded(text)
    return sum(one in text for one in sentences) / len(sentences) if sentences else None


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """What was found, when, and how sure it was, in Markdown."""
    yield "| questions | n | answer right | or shown | deciding sentences shown | marked |"
    yield "|---|---:|---:|---:|---:|---:|"
    for group in dict.fromkeys(row["group"] for row in rows):
        own = [row for row in rows if row["group"] == group]
        found = [f"{sum(row[key] for row in own)}" for key in ("right", "both")]
        parts = [f"{_mean([row[key] for row in own])}" for key in ("shown", "marked")]
        yield f"| {group} | {len(own)} | {' | '.join([*found, *parts])} |"
    yield ""
    yield "| seconds until | median | p95 |\n|---|---:|---:|"
    for name, key in (
        ("first extracts", "evidence_s"),
        ("first word", "token_s"),
        ("the end", "total_s"),
    ):
        middle, p95 = middle_and_p95([row[key] for row in rows if row[key]])
        yield f"| {name} | {middle:.2f} | {p95:.2f} |"
    yield ""
    yield "| answered with confidence | n | right |\n|---|---:|---:|"
    for level in ("high", "medium", "low"):
        own = [r for r in rows if r["outcome"] == "answered" and r["confidence"] == level]
        yield f"| {level} | {len(own)} | {sum(row['right'] for row in own)} |"
    declined = [row for row in rows if row["outcome"] != "answered"]
    well = sum(row["group"] == "unanswerable" for row in declined)
    yield f"| not stated | {len(declined)} | {well} |"
    yield ""
    yield "| calls of a model | n | right | seconds, median |\n|---|---:|---:|---:|"
    for calls in sorted({row["calls"] for row in rows}):
        own = [row for row in rows if row["calls"] == calls]
        seconds = median(row["total_s"] for row in own)
        yield f"| {calls} | {len(own)} | {sum(row['right'] for row in own)} | {seconds:.2f} |"


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.2f}" if known else ""


async def main() -> None:
    """Ask what the command line names, and print the tables."""
    parser = command_line(__doc__)
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--details", type=Path)
    options = parser.parse_args()
    every = lines(options.questions)
    questions = [one for one in every if in_half(one["id"], options.half)]
    settings = Settings.load()
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    rows: list[Row] = []
    try:
        async with await Library.open(options.files, settings) as library:
            await library.sync()
            await asked(Agent(library, loader, settings), questions[0])  # wakes the engine
            for question in questions:
                today = date.fromisoformat(question.get("today") or date.today().isoformat())
                agent = Agent(library, loader, settings, today=lambda today=today: today)
                rows.append(await asked(agent, question, options.words))
                print(f"{len(rows)} of {len(questions)}", file=sys.stderr)
                if options.details:
                    with options.details.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
    finally:
        await loader.close()
    print("\n".join(tables(rows)))


if __name__ == "__main__":
    asyncio.run(main())
