r"""The sentence that decides: whether it is found, and whether it is the one that is marked.

    python benchmarks/sentences.py --half even

400 questions in everyday words over 60 documents (`benchmarks/sentences/`), a third of which these
do not answer. Those with an odd number may be looked at (`--misses` prints what was marked
instead), those with an even one are for a score. No model writes anything. Printed is, of the
answerable ones, how often the deciding sentence is in the passages that were found, weighed first
and among the first three, and in a passage that is shown at once; and how well the best weight
tells answerable questions from others (area under the curve).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from everyday import parity_of
from manole.agent.answer.extracts import FIRST, Extracts
from manole.agent.turn import begin
from manole.library import Library
from manole.settings import Settings
from manole.tools.objects import FoundPassage
from manole.tools.search import search_question

DATA = Path(__file__).parent / "sentences"
FOUND = 12  # passages
_PIECE = 20  # characters from which a part of the deciding sentence decides

Row = dict[str, Any]


def lines(path: Path) -> list[Row]:
    """The rows of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def plain(text: str) -> str:
    """Words alone, in lower case."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def decides(text: str, question: Row) -> bool:
    """Whether a sentence is one that decides, or most of one."""
    text = plain(text)
    wanted = [plain(sentence) for sentence in question["deciding"]]
    return any(one in text or (len(text) >= _PIECE and text in one) for one in wanted)


async def asked(library: Library, settings: Settings, question: Row) -> Row:
    """One question, as it is searched and weighed."""
    state = begin(
        question["question"], [], None, library=library, settings=settings, today=date.today()
    )
    started = time.perf_counter()
    wanted = state.question.iso_dated
    hits, _ = await search_question(state, wanted, FOUND, state.scope.filters())
    passages = [FoundPassage.of(hit) for hit in hits]
    extracts = Extracts(library.embedder, 1)
    shown = await asyncio.to_thread(extracts.take, wanted, passages, "", FIRST)
    seconds = time.perf_counter() - started
    look = extracts.look
    order = np.argsort(-look.scores, kind="stable").tolist()
    best = [(look.passages[look.units[i].passage], look.units[i].text) for i in order[:3]]
    inside = [p for p in passages if p.file == Path(question["file"]).name]
    marked = [e.text[start:end] for e in shown for start, end in e.marks]
    return {
        "question": question["question"],
        "answerable": question["answerable"],
        "found": any(plain(s) in plain(p.text) for p in inside for s in question["deciding"]),
        "hits": [p in inside and decides(text, question) for p, text in best],
        "marked": any(decides(text, question) for text in marked),
        "instead": best[0][1] if best else "",
        "weight": float(look.scores.max()) if len(look.scores) else 0.0,
        "seconds": seconds,
    }


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a value of the first is above one of the second."""
    pairs = [(one > other) + 0.5 * (one == other) for one in positive for other in negative]
    return sum(pairs) / (len(pairs) or 1)


def table(rows: Sequence[Row]) -> str:
    """What was found, in Markdown."""
    known = [row for row in rows if row["answerable"]]
    shares = [
        np.mean([row["found"] for row in known]),
        np.mean([row["hits"][:1] == [True] for row in known]),
        np.mean([any(row["hits"]) for row in known]),
        np.mean([row["marked"] for row in known]),
        area(
            [row["weight"] for row in known],
            [row["weight"] for row in rows if not row["answerable"]],
        ),
    ]
    cells = " | ".join(f"{share:.3f}" for share in shares)
    seconds = median(row["seconds"] for row in rows)
    return (
        "| answerable | found in twelve | first | among three | marked at once | area | seconds |\n"
        "|---:|---:|---:|---:|---:|---:|---:|\n"
        f"| {len(known)} of {len(rows)} | {cells} | {seconds:.2f} |"
    )


async def main() -> None:
    """Ask one half, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--half", choices=("odd", "even"), default="even")
    parser.add_argument("--misses", action="store_true", help="print them, of the odd half alone")
    options = parser.parse_args()
    questions = [q for q in lines(DATA / "questions.jsonl") if parity_of(q["id"]) == options.half]
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept) / "files"
        folder.mkdir()
        for document in lines(DATA / "documents.jsonl"):
            (folder / Path(document["file"]).name).write_text(document["text"], "utf-8")
        settings = Settings.load().model_copy(update={"data_dir": Path(kept) / "data"})
        async with await Library.open(folder, settings) as library:
            await library.sync()
            rows = [await asked(library, settings, question) for question in questions]
    print(table(rows))
    for row in rows if options.misses and options.half == "odd" else ():
        if row["answerable"] and row["hits"][:1] != [True]:
            print(f"\n{row['question']}\n  found: {row['found']}; first: {row['instead'][:200]}")


if __name__ == "__main__":
    asyncio.run(main())
