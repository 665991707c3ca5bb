"""How an answer begins: a few words put into the model's mouth, and not shown.

Asked "can I ...?", a small model says yes. Made to go on from "The files say that", it repeats the
rule that decides, with its "not" and its "unless", and a person draws the conclusion: of 45
look-ups and explanations in everyday words 25 were right with it, 21 with the same told in the
instructions. It is said in the question's language, so that the answer is.
"""

from __future__ import annotations

LEADS = {
    "en": "The files say that",
    "de": "In den Dateien steht:",
    "fr": "Les fichiers disent que",
    "es": "Los archivos dicen que",
    "it": "I file dicono che",
    "nl": "In de bestanden staat:",
    "pt": "Os ficheiros dizem que",
}


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
