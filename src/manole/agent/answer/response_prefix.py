"""Response prefixes: a few words that start the model's answer and are not shown.

Asked "can I ...?", a small model says yes. Made to go on from "The files say that", it repeats the
rule that decides, with its "not" and its "unless", and a person draws the conclusion: of 45
look-ups and explanations in everyday words 25 were right with it, 21 with the same told in the
instructions. It is said in the question's language (`manole.agent.languages`), so that the answer
is in most cases; where it begins in another one all the same (`Tongue`), it is asked for once more
with the language told.
"""

from __future__ import annotations

import re

from manole.text.language import SAID, certain_language

_QUOTED = re.compile(r"[“„«][^”“»]*(?:[”“»]|$)|\[\d+\]")  # the files' own words


class Lead:
    """Takes the lead off a reply that repeats it, as it streams, and begins with a capital."""

    def __init__(self, text: str) -> None:
        self._text = text.lower()
        self._held: str | None = ""

    def feed(self, piece: str) -> str:
        """What of the reply may be passed on."""
        if self._held is None:
            return piece
        self._held += piece
        said = self._held.lstrip()
        if not said or (self._text and self._text.startswith(said.lower())):
            return ""  # it may still be the lead
        return self.flush()

    def flush(self) -> str:
        """The rest of a reply that ended before it could be told."""
        said, self._held = (self._held or "").lstrip(), None
        if self._text and said.lower().startswith(self._text):
            said = said[len(self._text) :].lstrip(" ,:")
        return said[:1].upper() + said[1:]


class Tongue:
    """Whether an answer is in the `language` that it should be in, told by its first words.

    Without a language, any is right. Names and quotations are of none.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = ""
        self.waits = bool(language)  # too little is said to tell
        self.is_foreign = False  # it is in another language beyond doubt

    def hears(self, text: str) -> None:
        """Take in a piece of the answer, until it can be told."""
        if not self.waits:
            return
        self._text += text
        own = _QUOTED.sub(" ", self._text)
        self.waits = sum(map(str.isalpha, own)) < SAID
        self.is_foreign = certain_language(own) not in {None, self._language}
