"""Answers from a diary in the second person: what its writer calls "I" is "you" for who is told.

A small model answers "What was I worried about?" with "I was worried about ...", whatever its
prompt says. English changes few words between the two, so they are changed here, outside
quotations; in other languages the verbs change with them, and an extract is shown instead.
"""

from __future__ import annotations

import re

_QUOTED = re.compile(r"(“[^”]*”|\"[^\"]*\")")
# With the verb that changes with "I".
_VERBS = {"am": "are", "was": "were", "'m": "'re", "wasn't": "weren't"}
_PRONOUNS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself",
    "we": "you", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves",
}  # fmt: skip
_FIRST = re.compile(
    r"\bI(?P<before> am| was| wasn't|['’]m)\b|\b(?P<verb>am|was|wasn't|Am|Was) I\b"
    r"|\b(?P<word>I|(?i:me|my|mine|myself|we|our|ours|ourselves)|us|Us)\b"
)


def to_reader(text: str) -> str:
    """Return an English text of a diary as said to its writer; quotations stay."""
    parts = _QUOTED.split(text)
    said = [part if at % 2 else _FIRST.sub(_second, part) for at, part in enumerate(parts)]
    return re.sub(r"(^|[.!?]\s+|\n)you", lambda m: f"{m[1]}You", "".join(said))


def _second(match: re.Match[str]) -> str:
    if before := match["before"]:
        verb = _VERBS[before.strip().replace("’", "'")]
        return f"you{verb}" if verb.startswith("'") else f"you {verb}"
    if verb := match["verb"]:
        shifted = _VERBS[verb.lower()]
        return f"{shifted.capitalize() if verb[0].isupper() else shifted} you"
    word = match["word"]
    shifted = _PRONOUNS[word.lower()]
    return shifted.capitalize() if word[0].isupper() and word != "I" else shifted
