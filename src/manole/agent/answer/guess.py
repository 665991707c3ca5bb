"""Query expansion by the model: one short guess at how a document might word the answer.

People ask in words of their own ("do i get money for the sick days i never used"), documents answer
in theirs ("unused sick leave is forfeited upon separation"). The model knows both. It writes the
sentence that such a document would have, right or wrong, and the search looks for what reads like
it (`manole.index.search.hybrid`, `like`). What it guesses is never shown and never evidence.

The same line begins with the kind of answer that is wanted, so that any phrase is read by one
mechanism. Instructions and examples are evaluated once; a question costs its
own tokens and some twenty written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, get_args

from manole.agent.prompts import prompt, raw
from manole.models.chat.protocol import ChatModel, Completion, Message

Kind = Literal["lookup", "list", "explain", "compare", "summary", "picture"]

MOST_TOKENS, KIND_TOKENS = 64, 6
_MOST_CHARS = 600  # of a question: the beginning of a longer one says what is wanted
LANGUAGE = "English"


@dataclass(frozen=True, slots=True)
class Guess:
    """What a question wants, and sentences that the answer may read like; for "compare" one a side.

    `completion` is what asking cost.
    """

    kind: Kind = "lookup"
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
    return read(completion.text, completion)


def messages_for(question: str) -> list[Message]:
    """The prompt: instructions and examples, the same for every question, then the question."""
    messages = [Message("system", prompt("guess.system").substitute(language=LANGUAGE))]
    for line in raw("guess.examples.jsonl").splitlines():
        example = json.loads(line)
        messages += [Message("user", example["question"]), Message("assistant", example["reply"])]
    return [*messages, Message("user", " ".join(question[:_MOST_CHARS].split()))]


def read(reply: str, completion: Completion | None = None) -> Guess:
    """What a reply says; a look-up where it says nothing else."""
    head, _, rest = reply.strip().partition("|")
    kind = head.strip().lower().partition(" ")[0]
    known: Kind | None = next((k for k in get_args(Kind) if k == kind), None)
    if known is None:
        return Guess(sentences=(head.strip(),) if head.strip() else (), completion=completion)
    said = tuple(part.strip(" |") for part in rest.split("||") if part.strip(" |"))
    return Guess(known, said[: 2 if known == "compare" else 1], completion)
