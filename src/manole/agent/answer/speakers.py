"""Speaker attribution in conversations: what Ann said does not answer a question about Bob.

In files such as chats, whose lines begin with a speaker (`Ann: ...`), a question about one speaker
is answered by what this person says about themselves, or by what is said to them ("your"). Where
lines of somebody else about *their own* life fit clearly better, the question names the wrong
person, and a model would answer it all the same. Each line is scored by the share of the question's
words in it, rare ones counting more, and by meaning; once there is an answer, by the share of the
answer's new words, too. Both margins were found on a sample of the chat questions
(docs/benchmarks.md, "The journal").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from manole.agent.answer.selection import Embed, rare_shares
from manole.documents.journal import SPEAKER
from manole.text.words import LIGHT, STOP, all_stems, stem, stems, words
from manole.tools.objects import FoundPassage

MARGIN = 0.1  # by which a line of somebody else must fit the question better
ANSWER_MARGIN = 0.25  # and the question with its answer
_ANSWER_WEIGHT = 4.0  # of the answer's new words, found on the same sample
_MOST = 70  # lines that are compared, more than the passages shown have
_CHARS = 400  # of a line that are embedded
_OWN = re.compile(r"\b(?:I|I['’]m|I['’]ve|I['’]d|me|my|mine|we|our|us|ich|mein\w*|wir|uns\w*)\b")
_YOURS = re.compile(r"\b(?:you|your|yours|you['’]re|you['’]ve|you['’]d|dein\w*|du|dir)\b", re.I)


class Chat:
    """The lines of a conversation, and the speaker that a question is about."""

    def __init__(
        self, question: str, person: str, lines: Sequence[tuple[str, str]], embed: Embed
    ) -> None:
        self._person = person
        self._lines = lines
        self._held = [all_stems(text) for _, text in lines]
        self._wanted = {stem(w) for w in words(question) if w not in STOP and w not in LIGHT}
        self._wanted -= all_stems(person)
        unnamed = re.sub(rf"\b{re.escape(person)}\b(?:['’]s)?", "", question)
        vectors = embed([unnamed, *(text[:_CHARS] for _, text in lines)])
        shares = self._shares(self._wanted)
        meaning = (vectors[1:] @ vectors[0]).tolist()
        self._scores = [0.5 * share + near for share, near in zip(shares, meaning, strict=True)]

    @classmethod
    def about(cls, question: str, passages: Sequence[FoundPassage], embed: Embed) -> Chat | None:
        """Return the conversation in passages; `None` unless the question names one speaker."""
        lines = [line for p in passages for line in _lines(p.text)][:_MOST]
        names = {name for name, _ in lines}
        asked = [n for n in names if re.search(rf"\b{re.escape(n)}\b", question)]
        if len(names) < 2 or len(asked) != 1:
            return None
        return cls(question, asked[0], lines, embed)

    def another_fits(self) -> bool:
        """Return whether lines of another speaker about themselves fit the question better."""
        return self._lead(self._scores) > MARGIN

    def another_said(self, answer: str) -> bool:
        """Return whether an answer comes from lines of another speaker about themselves."""
        shares = self._shares(stems(answer) - self._wanted - all_stems(self._person))
        scores = [
            _ANSWER_WEIGHT * share + score
            for share, score in zip(shares, self._scores, strict=True)
        ]
        return self._lead(scores) > ANSWER_MARGIN

    def _lead(self, scores: Sequence[float]) -> float:
        """Return by how much the best line about another exceeds the best about the person."""
        own = other = 0.0
        for (name, text), score in zip(self._lines, scores, strict=True):
            says_own, says_yours = bool(_OWN.search(text)), bool(_YOURS.search(text))
            if name == self._person:
                own = max(own, score)
                if says_yours and not says_own:
                    other = max(other, score)
                continue
            if says_yours:
                own = max(own, score if not says_own else 0.9 * score)
            if says_own or not says_yours:
                other = max(other, score)
        return other - own

    def _shares(self, wanted: Iterable[str]) -> list[float]:
        """Return the share of some stems in each line, rare ones counting more."""
        return rare_shares(dict.fromkeys(wanted, 1.0), self._held)


def _lines(text: str) -> list[tuple[str, str]]:
    matches = ((SPEAKER.match(line), line) for line in text.split("\n"))
    return [(match[1], line[match.end() :]) for match, line in matches if match]
