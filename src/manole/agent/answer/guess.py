"""Query expansion by the model: one short guess at how a document might word the answer.

People ask in their own words ("do i get money for the sick days i never used"), documents answer in
theirs ("unused sick leave is forfeited upon separation"). The model knows both. It writes the
sentence that such a document would have, right or wrong, and the search looks for similar text
(`manole.index.search.hybrid`, `like`). The guess is never shown and never evidence.

The line begins with the kind of answer that is wanted, so that no other mechanism has to recognize
it. Instructions and examples are evaluated once; a question costs its own tokens and some twenty
written ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, get_args

from manole.agent.prompts import prompt, raw
from manole.models.chat.protocol import ChatModel, Completion, Message

Kind = Literal["lookup", "list", "explain", "compare", "summary", "picture"]

MOST_TOKENS = 64  # of two sentences with their kind
_MOST_CHARS = 600  # of a question: the beginning of a longer one is enough
LANGUAGE = "English"


@dataclass(frozen=True, slots=True)
class Guess:
    """The kind of answer, and sentences that resemble it; for "compare" one for each side.

    `completion` is the model call for it.
    """

    kind: Kind = "lookup"
    sentences: tuple[str, ...] = ()
    completion: Completion | None = None

    @property
    def text(self) -> str:
        """The sentences, joined."""
        return " ".join(self.sentences)


async def guess(question: str, model: ChatModel) -> Guess:
    """Let the model guess. Raises `ModelError`."""
    completion = await model.complete(
        messages_for(question), max_tokens=MOST_TOKENS, stop=["\n"], slot="guess"
    )
    return read(completion.text, completion)


def messages_for(question: str) -> list[Message]:
    """Return the prompt: instructions and examples, always the same, then the question."""
    messages = [Message("system", prompt("guess.system").substitute(language=LANGUAGE))]
    for line in raw("guess.examples.jsonl").splitlines():
        example = json.loads(line)
        messages += [
            Message("user", example["question"], fixed=True),
            Message("assistant", example["reply"], fixed=True),
        ]
    return [*messages, Message("user", " ".join(question[:_MOST_CHARS].split()))]


def read(reply: str, completion: Completion | None = None) -> Guess:
    """Read the guess in a reply; without a known kind it is a look-up."""
    head, _, rest = reply.strip().partition("|")
    kind = head.strip().lower().partition(" ")[0]
    known: Kind | None = next((k for k in get_args(Kind) if k == kind), None)
    if known is None:
        return Guess(sentences=(head.strip(),) if head.strip() else (), completion=completion)
    sentences = tuple(part.strip(" |") for part in rest.split("||") if part.strip(" |"))
    return Guess(known, sentences[: 2 if known == "compare" else 1], completion)
