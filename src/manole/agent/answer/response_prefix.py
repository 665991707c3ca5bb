"""Response prefixes: a few words that begin the model's answer and are not shown.

Asked "can I ...?", a small model says yes. Made to continue "The files say that", it repeats the
rule that decides, with its "not" and its "unless", and a person draws the conclusion: of 45
look-ups and explanations in everyday words 25 were right with it, 21 with the same as an
instruction. The prefix is in the question's language (`manole.agent.languages`), and so is the
answer in most cases; where it is not (`Tongue`), it is requested once more with the language named.
"""

from __future__ import annotations

import re

from manole.text.language import SAID, certain_language

_QUOTED = re.compile(r"[“„«][^”“»]*(?:[”“»]|$)|\[\d+\]")  # the files' own words


class Lead:
    """Removes the prefix from a streamed reply that repeats it, and capitalizes the rest."""

    def __init__(self, text: str) -> None:
        self._text = text.lower()
        self._held: str | None = ""

    def feed(self, piece: str) -> str:
        """Return what may be passed on of the reply."""
        if self._held is None:
            return piece
        self._held += piece
        said = self._held.lstrip()
        if not said or (self._text and self._text.startswith(said.lower())):
            return ""  # it may still be the lead
        return self.flush()

    def flush(self) -> str:
        """Return the rest of a reply that ended before it was decided."""
        said, self._held = (self._held or "").lstrip(), None
        if self._text and said.lower().startswith(self._text):
            said = said[len(self._text) :].lstrip(" ,:")
        return said[:1].upper() + said[1:]


class Tongue:
    """Recognizes by its first words whether an answer is in the `language` that it should be in.

    Without a language, any is right. Names and quotations do not count.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = ""
        self.waits = bool(language)  # for more words
        self.is_foreign = False  # beyond doubt in another language

    def hears(self, text: str) -> None:
        """Take a piece of the answer, until its language is known."""
        if not self.waits:
            return
        self._text += text
        own = _QUOTED.sub(" ", self._text)
        self.waits = sum(map(str.isalpha, own)) < SAID
        self.is_foreign = certain_language(own) not in {None, self._language}
