r"""How often a sentence answers by itself (`agent/answer/said.py`), and how often it is right.

    python benchmarks/said.py questions.jsonl files/ --half even

The questions are those of `benchmarks/everyday.py` or `benchmarks/sentences`; of those only facts
and their reasons are asked, without a talk before them. A sentence is right where it has what the
answer must have, or is the one that decides. No large model is needed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from everyday import command_line, questions_in, right
from manole.agent.answer.extracts import FIRST, Extracts
from manole.agent.answer.said import Said, said
from manole.agent.answer.wording import worded
from manole.library import Library
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.objects import FoundPassage

ALL_KINDS = "lookup", "explain", "howto", "diary", "unanswerable"
_FOUND = 12  # passages, as the agent finds
Row = dict[str, Any]


def decides(question: Row, sentence: Said) -> bool:
    """Whether a sentence has what the answer must have, or is the one that decides."""
    if not question.get("answerable", True):
        return False
    text = worded(sentence.passage, sentence.unit)
    known = [" ".join(part.split()) for part in question.get("deciding", ())]
    own = " ".join(sentence.unit.text.split())
    return right(question, text) or any(part in own or own in part for part in known)


async def told(question: Row, library: Library) -> Said | None:
    """The sentence that answers a question by itself, if one does."""
    day = question.get("today") or date.today().isoformat()
    asked = Question(question["question"], date.fromisoformat(day))
    found = await library.search(asked.text, limit=_FOUND)
    extracts = Extracts(library.embedder, 1)
    extracts.take(asked.iso_dated, [FoundPassage.of(find) for find in found], "", FIRST)
    return said(asked, extracts)


def table(asked: Sequence[tuple[str, bool, bool | None]]) -> Iterator[str]:
    """A row for each kind: questions, told by a sentence, right, and of those nothing answers."""
    yield "| kind | questions | told by a sentence | right | told though nothing answers |"
    yield "|---|---:|---:|---:|---:|"
    kinds: dict[str, list[tuple[bool, bool | None]]] = defaultdict(list)
    for kind, answerable, ok in asked:
        kinds[kind].append((answerable, ok))
        kinds["all"].append((answerable, ok))
    for kind, rows in kinds.items():
        given = [(answerable, ok) for answerable, ok in rows if ok is not None]
        hits, idle = sum(bool(ok) for _, ok in given), sum(not known for known, _ in given)
        yield f"| {kind} | {len(rows)} | {len(given)} | {hits} | {idle} |"


async def main() -> None:
    """Ask what the command line names, and print the table."""
    options = command_line(__doc__).parse_args()
    asked: list[tuple[str, bool, bool | None]] = []
    async with await Library.open(options.files, Settings.load()) as library:
        await library.sync()
        for row in questions_in(options.questions, options.half):
            kind = row.get("kind") if "deciding" in row else row["group"]
            if kind not in ALL_KINDS or row.get("history"):
                continue
            sentence = await told(row, library)
            alone = sentence is not None and not sentence.several
            ok = decides(row, sentence) if sentence is not None and alone else None
            asked.append((kind, row.get("answerable", True), ok))
    print("\n".join(table(asked)))


if __name__ == "__main__":
    asyncio.run(main())
