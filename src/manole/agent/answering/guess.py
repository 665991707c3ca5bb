"""How a document might say what is asked: one short call, before the search looks again.

People ask in words of their own ("do i get money for the sick days i never used"), documents answer
in theirs ("unused sick leave is forfeited upon separation"). The model knows both. It writes the
sentence that such a document would have, right or wrong, and the search looks for what reads like
it (`manole.index.search`, `like`). What it guesses is never shown and never evidence.

The same line begins with the kind of answer that is wanted and the question's language, so that any
phrase is read by one mechanism. Instructions and examples are evaluated once; a question costs its
own tokens and some twenty written.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Literal, get_args

from manole.agent.prompts import prompt, raw
from manole.index.words import STOP, words
from manole.models.chat import ChatModel, Completion, Message

Kind = Literal["lookup", "list", "explain", "compare", "summary"]

MOST_TOKENS, KIND_TOKENS = 64, 6
_MOST_CHARS = 600  # of a question: the beginning of a longer one says what is wanted
LANGUAGE = "English"
KNOWN = 0.3  # of a question's words: more are not of a third language


@dataclass(frozen=True, slots=True)
class Guess:
    """What a question wants, its language (ISO 639-1), and sentences that the answer may read like.

    For "compare" there is one a side. `completion` is what asking cost.
    """

    kind: Kind = "lookup"
    language: str = "en"
    sentences: tuple[str, ...] = ()
    completion: Completion | None = None

    @property
    def text(self) -> str:
        """The sentences together."""
        return " ".join(self.sentences)


async def guess(question: str, model: ChatModel, *, brief: bool = False) -> Guess:
    """Have the model guess; with `brief` only the kind. Raises `ModelError`."""
    limit, stop = (KIND_TOKENS, ["|"]) if brief else (MOST_TOKENS, ["\n"])
    completion = await model.complete(
        messages_for(question), max_tokens=limit, stop=stop, slot="guess"
    )
    found = read(completion.text, completion)
    return replace(found, language=spoken(found.language, question))


def spoken(language: str, question: str) -> str:
    """The language that was named; English, where the question's small words are not of it.

    A small model takes a recipe's question for Spanish now and then. `STOP` has the function words
    of English and German, which other languages hardly share.
    """
    said = words(question)
    known = sum(word in STOP for word in said)
    return "en" if language not in {"en", "de"} and known >= KNOWN * len(said) else language


def messages_for(question: str) -> list[Message]:
    """The prompt: instructions and examples, the same for every question, then the question."""
    messages = [Message("system", prompt("guess.system").substitute(language=LANGUAGE))]
    for line in raw("guess.examples.jsonl").splitlines():
        example = json.loads(line)
        messages += [Message("user", example["question"]), Message("assistant", example["reply"])]
    return [*messages, Message("user", " ".join(question[:_MOST_CHARS].split()))]


def read(reply: str, completion: Completion | None = None) -> Guess:
    """What a reply says; a look-up in English where it says nothing else."""
    head, _, rest = reply.strip().partition("|")
    kind, _, language = head.strip().lower().partition(" ")
    known: Kind | None = next((k for k in get_args(Kind) if k == kind), None)
    if known is None:
        return Guess(sentences=(head.strip(),) if head.strip() else (), completion=completion)
    said = tuple(part.strip(" |") for part in rest.split("||") if part.strip(" |"))
    return Guess(
        known,
        language if re.fullmatch("[a-z]{2}", language) else "en",
        said[: 2 if known == "compare" else 1],
        completion,
    )
