"""Finds other words for one that no note of a diary has: a translation or a synonym.

People ask in words, and often in a language ("wandern"), that their diary does not use ("hike").
The model knows both. Its words are only searched for: those that no note has are dropped, and what
was found by them is answered with less confidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from manole.agent.plan.query import DIALECT, UnknownWordsError, calls_of, parse, text_of
from manole.agent.plan.write import examples
from manole.agent.prompts import raw
from manole.catalog.catalog import Diary
from manole.models.chat.protocol import ChatModel, Completion, Message
from manole.text.words import content_words

SLOT = "otherwise"
_TOKENS = 24  # of a reply: some five words


def reworded(
    written: str, unknown: UnknownWordsError, said: Sequence[str], diary: Diary
) -> str | None:
    """Return the query `written` with the first of the words `said` that the diary has, if any."""
    rest = [word for word in content_words(unknown.phrase) if word not in unknown.words]
    for other in said:
        phrase = " ".join([*rest, other])
        if not diary.unknown(other) and diary.speaking_of(phrase):
            tree = parse(written).tree
            for call in calls_of(tree, "mentions"):
                if text_of(call, 0) == unknown.phrase:
                    call.set("expressions", [exp.Literal.string(phrase)])
            return tree.sql(DIALECT, normalize_functions=False)
    return None


async def called(words: str, language: str, model: ChatModel) -> tuple[str, Completion]:
    """Return synonyms in that language, separated by commas, and the cost. Raises `ModelError`."""
    messages = messages_for(words, language)
    done = await model.complete(messages, max_tokens=_TOKENS, stop=("\n",), slot=SLOT)
    parts = dict.fromkeys(part.strip(" .\"'").lower() for part in done.text.split(","))
    return ", ".join(part for part in parts if part and part != words.lower()), done


def messages_for(words: str, language: str) -> list[Message]:
    """Return the prompt: instructions and examples, then the words."""
    messages = [Message("system", raw("plan.otherwise.txt").strip())]
    for asked, said in examples("otherwise"):
        messages += [Message("user", asked, fixed=True), Message("assistant", said, fixed=True)]
    return [*messages, Message("user", f"{language}: {words}")]
