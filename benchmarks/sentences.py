r"""The sentence that decides: whether it is found, marked, and told by itself. No model writes.

    python benchmarks/sentences.py --half even [--worded]
    python benchmarks/sentences.py questions.jsonl files/ --half 1

Without a file it is 400 questions in everyday words over 60 documents (`benchmarks/sentences/`), a
third of which these do not answer; `--worded` takes them as put into another language. Others are
lines of JSON: `id`, `question`, `answerable`, `kind` or `group`, `file`, the sentences that decide
(`deciding`, or `evidence`, or `evidences` with a `text` each), and `all_of` (`everyday.py`).
Questions behind others (`history`) are left out. Of a half that is for a score nobody reads what is
missed; `--misses` prints it of the other.

The first table: of the answerable ones, how often the sentence is in the passages that were found,
weighed first and among the first three, and in a passage that is shown at once; how well the best
weight tells answerable questions from others (area under the curve). The second: how often a
sentence is believed by itself (`agent/answer/said.py`), and is right.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import numpy as np

from everyday import command_line, deciding, right
from manole.agent.answer.extracts import FIRST, Extracts
from manole.agent.answer.ranking import Senses
from manole.agent.answer.said import TOLD, Said, said
from manole.agent.answer.wording import worded
from manole.agent.turn import begin
from manole.library import Library
from manole.settings import Settings
from manole.tools.objects import FoundPassage
from manole.tools.search import search_question
from measuring import Row, in_half, lines, middle_and_p95

DATA = Path(__file__).parent / "sentences"
FOUND = 12  # passages
TO_LOOK_AT = "odd", "0"
_PIECE = 20  # characters from which a part of the deciding sentence decides
_KINDS = TOLD | {"howto", "diary"}  # of questions that one sentence may answer


def plain(text: str) -> str:
    """Words alone, in lower case."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def decides(text: str, question: Row) -> bool:
    """Whether a sentence is one that decides, or most of one."""
    text = plain(text)
    wanted = map(plain, deciding(question))
    return any(one in text or (len(text) >= _PIECE and text in one) for one in wanted)


def is_right(sentence: Said, question: Row) -> bool:
    """Whether a sentence that is told has what the answer must have, or is one that decides."""
    text = worded(sentence.passage, sentence.unit)
    facts = bool(question.get("all_of")) and right(question, text)
    return question["answerable"] and (facts or decides(sentence.unit.text, question))


async def asked(library: Library, question: Row) -> Row:
    """One question, as it is searched and weighed."""
    day = date.fromisoformat(question.get("today") or date.today().isoformat())
    settings = library.settings
    state = begin(question["question"], [], None, library=library, settings=settings, today=day)
    started = time.perf_counter()
    wanted = state.question.iso_dated
    hits, _ = await search_question(state, wanted, FOUND, state.scope.filters())
    passages = [FoundPassage.of(hit) for hit in hits]
    extracts = Extracts(Senses(library.embedder), 1)
    shown = await asyncio.to_thread(extracts.take, wanted, passages, FIRST)
    seconds = time.perf_counter() - started
    look = extracts.look
    order = np.argsort(-look.scores, kind="stable").tolist()
    best = [(look.passages[look.units[i].passage], look.units[i].text) for i in order[:3]]
    file = Path(question.get("file") or "").name
    inside = [p for p in passages if not file or Path(p.file).name == file]
    marked = [extract.text[start:end] for extract in shown for start, end in extract.marks]
    sentence = said(state.question, extracts)
    told = sentence is not None and not sentence.several
    return {
        "question": question["question"],
        "kind": question.get("kind") or question.get("group") or "",
        "answerable": question["answerable"],
        "found": any(plain(s) in plain(p.text) for p in inside for s in deciding(question)),
        "hits": [p in inside and decides(text, question) for p, text in best],
        "marked": any(decides(text, question) for text in marked),
        "instead": best[0][1] if best else "",
        "weight": float(look.scores.max()) if len(look.scores) else 0.0,
        "told": is_right(sentence, question) if told and sentence is not None else None,
        "seconds": seconds,
    }


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a value of the first is above one of the second."""
    pairs = [(one > other) + 0.5 * (one == other) for one in positive for other in negative]
    return sum(pairs) / (len(pairs) or 1)


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """What was found and what was told, in Markdown."""
    known = [row for row in rows if row["answerable"]]
    weights = [row["weight"] for row in known]
    others = [row["weight"] for row in rows if not row["answerable"]]
    shares = [
        np.mean([row["found"] for row in known]),
        np.mean([row["hits"][:1] == [True] for row in known]),
        np.mean([any(row["hits"]) for row in known]),
        np.mean([row["marked"] for row in known]),
        area(weights, others),
    ]
    cells = " | ".join(f"{share:.3f}" for share in shares)
    seconds, _ = middle_and_p95([row["seconds"] for row in rows])
    yield "| answerable | found in twelve | first | among three | marked at once | area | seconds |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    yield f"| {len(known)} of {len(rows)} | {cells} | {seconds:.2f} |"
    yield "\n| kind | questions | told by a sentence | right | told though nothing answers |"
    yield "|---|---:|---:|---:|---:|"
    for kind in sorted({row["kind"] for row in rows} & (_KINDS | {"unanswerable"})):
        own = [row for row in rows if row["kind"] == kind]
        told = [row for row in own if row["told"] is not None]
        idle = sum(not row["answerable"] for row in told)
        hits = sum(row["told"] for row in told)
        yield f"| {kind} | {len(own)} | {len(told)} | {hits} | {idle} |"


@contextmanager
def set_of(options: argparse.Namespace) -> Iterator[tuple[list[Row], Path, Settings]]:
    """The questions, the folder that is asked, and settings whose data may be thrown away."""
    if options.questions:
        yield lines(options.questions), options.files, Settings.load()
        return
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept) / "files"
        folder.mkdir()
        for document in lines(DATA / "documents.jsonl"):
            (folder / Path(document["file"]).name).write_text(document["text"], "utf-8")
        settings = Settings.load().model_copy(update={"data_dir": Path(kept) / "data"})
        questions = lines(DATA / "questions.jsonl")
        if options.worded:
            told = (DATA / "wordings.tsv").read_text("utf-8").splitlines()
            other = {id: text for id, _, text in (line.split("\t") for line in told)}
            questions = [{**row, "question": other[row["id"]]} for row in questions]
        yield questions, folder, settings


async def main() -> None:
    """Ask one half, and print the tables."""
    parser = command_line(__doc__, needed=False)
    parser.add_argument("--worded", action="store_true", help="in another language")
    parser.add_argument("--misses", action="store_true", help="print them, of `odd` or `0` alone")
    options = parser.parse_args()
    if bool(options.questions) != bool(options.files):
        parser.error("name both, the questions and the folder that they are about")
    with set_of(options) as (questions, folder, settings):
        async with await Library.open(folder, settings) as library:
            await library.sync()
            rows = [
                await asked(library, {"answerable": True, **question})
                for question in questions
                if in_half(question["id"], options.half) and not question.get("history")
            ]
    print("\n".join(tables(rows)))
    for row in rows if options.misses and options.half in TO_LOOK_AT else ():
        if row["answerable"] and row["hits"][:1] != [True]:
            print(f"\n{row['question']}\n  found: {row['found']}; first: {row['instead'][:200]}")


if __name__ == "__main__":
    asyncio.run(main())
