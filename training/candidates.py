r"""The passages that a search finds for each question of `sentences/`, and which sentence decides.

    python training/candidates.py build/candidates.json.xz [--shares 0.1,1,1,0.2,1]

Questions are those of `questions.jsonl`, the minimal pairs of `pairs.jsonl`, the follow-ups of
`followups.jsonl` with the question before them, and the other wordings of `wordings.tsv` and
`short.tsv`, of each a share. The documents of each hand (the first letters of a file) are indexed
in a temporary folder, and each question is searched as the program does it. Written is what the
reader and the embedder are taught from (`reader.py`, `embedder.py`): `passages`, each with its
`file`, `head` (the words of its path, title and headings) and `units` (sentences, worded rows), and
`questions`, each with its `found` passages, best first: [passage, deciding units, units that look
so, whether the search alone did not find it].
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import random
import re
import tempfile
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from manole.agent.answer.ranking import standing_above
from manole.agent.answer.units import Unit, units_of
from manole.agent.answer.wording import worded_all
from manole.agent.turn import begin
from manole.library import Library
from manole.settings import Settings
from manole.text.question import Question
from manole.tools.objects import FoundPassage
from manole.tools.search import search_question

SENTENCES = Path(__file__).parent / "sentences"
FOUND = 24  # passages of a question
PIECE = 20  # characters from which a part of the deciding sentence decides
TODAY = date(2024, 12, 15)
_SIDE_BY_SIDE = 2  # hands

Row = dict[str, Any]


def lines(path: Path) -> list[Row]:
    """The rows of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def behind(row: Row) -> str:
    """Return a follow-up with the question before it."""
    return Question(row["question"], leans_on=(Question(row["before"]),)).whole.text


def rows(shares: Sequence[float]) -> list[Row]:
    """Return shares of the questions, the minimal pairs, the follow-ups and the other wordings."""
    first, pairs, after = (
        lines(SENTENCES / f"{name}.jsonl") for name in ("questions", "pairs", "followups")
    )
    after = [{**row, "question": behind(row)} for row in after]
    known = {row["id"]: row for row in first}

    def worded(name: str) -> list[Row]:
        told = (SENTENCES / name).read_text("utf-8").splitlines()
        split = (line.split("\t") for line in told)
        return [{**known[id], "lang": lang, "question": other} for id, lang, other in split]

    chance = random.Random(4)
    words = worded("wordings.tsv"), worded("short.tsv")
    parts = zip((first, pairs, after, *words), shares, strict=True)
    return [row for part, share in parts for row in part if chance.random() < share]


def plain(text: str) -> str:
    """Words alone, in lower case."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def decides(text: str, sentences: Sequence[str]) -> bool:
    """Whether a unit is one that decides, or most of one."""
    text, wanted = plain(text), [plain(sentence) for sentence in sentences]
    return any(one in text or (len(text) >= PIECE and text in one) for one in wanted)


def hand(row: Row) -> str:
    """Who wrote it."""
    return str(row["file"]).partition("/")[0]


async def indexed(place: Path, documents: Sequence[Row]) -> Library:
    """Return a library of documents below a place."""
    folder = place / "files"
    for document in documents:
        path = folder / document["file"].partition("/")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document["text"], "utf-8")
    settings = Settings.load().model_copy(update={"data_dir": place / "data"})
    library = await Library.open(folder, settings)
    await library.sync()
    return library


class Candidates:
    """All passages so far, each once, and the questions."""

    def __init__(self) -> None:
        """Begin with none."""
        self.passages: list[Row] = []
        self.questions: list[Row] = []
        self._known: dict[str, int] = {}

    async def search(self, documents: Sequence[Row], questions: Sequence[Row]) -> None:
        """Add what is found for questions over documents."""
        with tempfile.TemporaryDirectory() as kept:
            async with await indexed(Path(kept), documents) as library:
                for row in questions:
                    found = [entry async for entry in self._found(library, row)]
                    self.questions.append({**row, "found": found})

    def add(self, other: Candidates) -> None:
        """Add those of another hand."""
        first = len(self.passages)
        self.passages += other.passages
        for row in other.questions:
            found = [[first + at, *rest] for at, *rest in row["found"]]
            self.questions.append({**row, "found": found})

    async def _found(self, library: Library, row: Row) -> AsyncIterator[list[Any]]:
        """Yield the entries of a question."""
        settings = library.settings
        state = begin(row["question"], [], None, library=library, settings=settings, today=TODAY)
        asked = state.question.iso_dated
        hits, _ = await search_question(state, asked, FOUND, state.scope.filters())
        passages = [FoundPassage.of(hit) for hit in hits]
        helped, own = [], row["file"].partition("/")[2]
        known = {passage.id for passage in passages}
        near = [plain(passage.text) for passage in passages if passage.file == own]
        missed = not any(plain(one) in text for text in near for one in row["deciding"])
        if row["deciding"] and missed:  # it is taught all the same
            told = asked.saying(" ".join([row["question"], *row["deciding"]]))
            more, _ = await search_question(state, told, FOUND // 2, state.scope.filters())
            helped = [p for p in map(FoundPassage.of, more)
                      if p.file == own and p.id not in known]  # fmt: skip
        for at, passage in enumerate([*passages, *helped]):
            units = units_of(at, passage, asked)
            texts, here = [unit.text for unit in units], passage.file == own
            right = [n for n, text in enumerate(texts) if here and decides(text, row["deciding"])]
            alike = [n for n, text in enumerate(texts) if decides(text, row["alike"])]
            beside = at >= len(passages)
            if not beside or right:
                yield [self._place(hand(row), passage, units), right, alike, beside]

    def _place(self, who: str, passage: FoundPassage, units: list[Unit]) -> int:
        told = {
            "file": f"{who}/{passage.file}",
            "head": standing_above(passage),
            "units": worded_all(passage, units),
        }
        key = json.dumps(told)
        if key not in self._known:
            self._known[key] = len(self.passages)
            self.passages.append(told)
        return self._known[key]


def of_hand(documents: Sequence[Row], questions: Sequence[Row]) -> Candidates:
    """Return what is found for questions over the documents of a hand."""
    made = Candidates()
    asyncio.run(made.search(documents, questions))
    return made


def main() -> None:
    """Search for all questions, the documents of each hand by themselves."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parse.add_argument("out", type=Path)
    parse.add_argument("--shares", default="1,1,1,1", help="of each kind, in this order")
    told = parse.parse_args()
    documents = sorted(lines(SENTENCES / "documents.jsonl"), key=hand)
    questions = rows([float(share) for share in told.shares.split(",")])
    hands = [(who, list(own)) for who, own in groupby(documents, key=hand)]
    made = Candidates()
    with ProcessPoolExecutor(_SIDE_BY_SIDE) as pool:
        asked = [[row for row in questions if hand(row) == who] for who, _ in hands]
        for part in pool.map(of_hand, [own for _, own in hands], asked):
            made.add(part)
            print(f"{len(made.questions)} of {len(questions)}", flush=True)
    told.out.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(told.out, "wt") as opened:
        kept = {"passages": made.passages, "questions": made.questions}
        json.dump(kept, opened, ensure_ascii=False)


if __name__ == "__main__":
    main()
