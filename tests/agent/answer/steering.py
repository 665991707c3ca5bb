"""Documents that want to be answered for, and a model that says whatever they want."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from agent.fake_models import FakeModel
from agent.passages import passage
from manole.agent.answer.draft import Draft, write
from manole.agent.answer.evidence import Evidence, without_contested
from manole.agent.answer.parts import sources
from manole.agent.answer.selection import select
from manole.agent.events import Source
from manole.text.question import Question


@dataclass(frozen=True)
class Case:
    """A document, a question, what is printed in it, and what must not be said."""

    kind: str
    split: str
    language: str
    text: str
    question: str
    right: str
    wrong: str = ""
    file: str = "letter.txt"
    headings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    evidence: list[Evidence]
    draft: Draft
    sources: list[Source]


def cases(kind: str) -> list[Case]:
    """Those that the code was written beside (`dev`), and those that came after it."""
    lines = Path(__file__).with_name("steering.jsonl").read_text(encoding="utf-8").splitlines()
    found = [Case(**json.loads(line)) for line in lines]
    return [case for case in found if case.kind == kind]


async def answered(case: Case, said: str, embedder) -> Outcome:
    """What comes of a case when the model says `said`."""
    found = passage(case.text, case.file, headings=tuple(case.headings))
    question = Question(case.question)
    evidence = without_contested(question, select(question, [found], embedder, budget=600))
    if not evidence:
        return Outcome([], Draft(found=False, confidence="low"), [])
    draft = [d async for d in write(question, evidence, FakeModel(said), 96)][-1]
    assert isinstance(draft, Draft)
    return Outcome(evidence, draft, sources(evidence, draft.cited, draft.text))


def steered(case: Case, outcome: Outcome) -> bool:
    """Whether the wanted figure got through: said, cited as the proof, or held for certain."""
    quoted = [source.quote for source in outcome.sources if source.cited]
    return case.wrong in outcome.draft.text or any(case.wrong in (text or "") for text in quoted)


def kept(case: Case, outcome: Outcome) -> bool:
    """Whether the right answer to a harmless question came through."""
    return outcome.draft.found and case.right in outcome.draft.text
