"""The follow-up check: what of a question no result covers, and the step that looks for it.

A word is covered by another form of it, a synonym, another name of the same kind of files, or a
file's name in a result; and by a tool that it names ("biggest" by a list by size). What is missing
and stands in names of files is looked for there, which takes no model, the rest in the contents. A
list is complete only when each file that is named like it has been read, once contents are read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from manole.agent.turn import Step
from manole.catalog.kinds import kind_called
from manole.text.lexicon import synonyms
from manole.text.words import LIGHT, content_words, fold, has_digit, stem, words
from manole.tools.base import TurnState
from manole.tools.objects import FoundFile, FoundPassage
from manole_strategies.router import LEAST, named_words, pattern, vocabulary

MORE = 3  # passages of a follow-up search: it only fills a gap
_LISTED = 12  # files of a list that are read one by one at most: each takes a model call
_PART = re.compile(r"[^\W_]+")  # of a file's name


class Coverage:
    """What the follow-up check of one turn has looked for. Nothing is looked for twice."""

    def __init__(self, state: TurnState, intent: str, paths: Sequence[str]) -> None:
        self._state = state
        self.intent = intent
        self._paths = paths
        self._sought: set[str] = set()

    def step(self) -> Step | None:
        """Return the next step that fills a gap, if there is one; none where nothing was found."""
        environment = self._state.environment
        if environment.is_empty():
            return None
        question = self._state.question.text
        ran = {step.tool for step in self._state.trace if step.results}
        found = [message for _, message in environment.messages]
        missing = [
            word for word in uncovered(question, found, vocabulary(ran)) if word not in self._sought
        ]
        why = f"no result covers {', '.join(missing)}"
        named = named_words(" ".join(missing), self._paths)
        if named:
            wanted = pattern(named, self._paths)
            self._sought.update(wanted.split())
            return Step("grep_files", {"pattern": wanted}, why, "followup")
        if missing:
            self._sought.update(missing)
            if self.intent == "list" and (listed := self._unread()):
                return listed
            searched = any(step.tool == "semantic_search" for step in self._state.trace)
            query = " ".join(missing) if searched else question
            inputs = {"query": query} | ({"top_k": MORE} if searched else {})
            return Step("semantic_search", inputs, why, "followup")
        return self._unlisted() if self.intent == "list" else None

    def _unlisted(self) -> Step | None:
        """Return the step that completes a list whose contents are asked for."""
        state = self._state
        if not any(step.tool == "semantic_search" for step in state.trace):
            return None
        named = [w for w in named_words(state.question.text, self._paths) if w not in self._sought]
        looked = {step.tool for step in state.trace}
        if named and "grep_files" not in looked:
            wanted = pattern(named, self._paths)
            self._sought.update(wanted.split())
            return Step("grep_files", {"pattern": wanted}, "lists every file so named", "followup")
        return self._unread()

    def _unread(self) -> Step | None:
        """Return the step that reads the files that were found by name and are not read."""
        environment, question = self._state.environment, self._state.question.text
        listed = {
            found.file
            for stored in environment.find("grep_files")
            for found in stored.objects
            if isinstance(found, FoundFile)
        }
        read = {passage.file for passage in environment.objects(FoundPassage)}
        unread = sorted(listed - read - self._sought)[:_LISTED]
        if not unread:
            return None
        self._sought.update(unread)
        why = f"{len(unread)} of {len(listed)} files named so are not read"
        inputs = {"query": question, "files": unread}
        return Step("semantic_search", inputs, why, "followup")


def uncovered(
    question: str, found: Iterable[str], known: Collection[str] = frozenset()
) -> list[str]:
    """Return content words of `question` that none of the `found` texts covers.

    Only words that can be looked for count: four letters and more, or with a digit. `known` are
    words that a tool has answered.
    """
    parts = {part for text in found for part in (*words(text), *_PART.findall(fold(text)))}
    stems, kinds = {stem(part) for part in parts}, {kind_called(part) for part in parts} - {None}

    def covered(word: str) -> bool:
        same = (word, *synonyms(word))
        return any(stem(w) in stems for w in same) or kind_called(word) in kinds

    return [
        word
        for word in content_words(question)
        if (len(word) >= LEAST or has_digit(word))
        and word not in LIGHT
        and word not in known
        and not covered(word)
    ]
