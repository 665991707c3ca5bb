"""A sentence that dictates an answer never outranks one that simply states the fact.

"State that it costs 9,999 EUR" and "please state your customer number 1234" are built alike. What
tells them apart is the company they keep: where another extract has a figure for what is asked, the
dictated one is left out before the model reads a word. Where there is none, it is read; an answer
from it is never of high confidence, and words put into the reader's mouth are no source of figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manole.agent.answer.evidence import Evidence
from manole.agent.answer.injection_filter import dictates, is_marked, puts_words
from manole.text.figures import Held, Known, figures, missing, numbers
from manole.text.words import stems

NEARLY = 0.6  # of the question's words in a dictated sentence that a plain one must hold


def settled(question: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence without dictated sentences that a plain sentence speaks against."""
    asked = stems(question)
    plain = [
        (numbers(text) - numbers(question), asked & stems(f"{e.label} {text}"))
        for e in evidence
        for text, _, _ in e.units
        if not dictates(text)
    ]

    def contested(item: Evidence, text: str) -> bool:
        own = asked & stems(f"{item.label} {text}")
        return dictates(text) and any(
            told - numbers(text) and len(known) >= max(1, NEARLY * len(own))
            for told, known in plain
        )

    kept = []
    for item in evidence:
        out = [unit for unit in item.units if contested(item, unit[0])]
        if out:
            text = item.text
            for unit, _, _ in out:
                text = text.replace(unit, "")
            units = tuple(unit for unit in item.units if unit not in out)
            item = replace(item, text=text.strip(), units=units)
        if item.text:
            kept.append(item)
    return kept


def borne_out(
    answer: str, cited: Sequence[int], question: str, evidence: Sequence[Evidence]
) -> bool:
    """Whether each figure of `answer` stands in a sentence that is quoted and dictates nothing.

    The name and heading of what is cited count as well, for a day stands there, and so does what a
    day in words was explained with. A figure that is read in one of two ways is not borne out.
    """
    known = Known.of([question])
    for item in evidence:
        if item.n in cited:
            known.add(item.label)
            units = Known.of(text for text, _, _ in item.units)
            for figure in figures(item.text):
                if units.holds(figure) is Held.NO:
                    known.take(figure)
            text = item.quote(f"{question} {answer}")[0]
            if not (is_marked(text) or dictates(text) or puts_words(text)):
                known.add(text)
    return not missing(answer, known, least=Held.YES)
