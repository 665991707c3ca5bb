"""The rewriter: a question that leans on the conversation becomes one that stands alone (seed 004).

It is skipped where there is nothing to resolve. The model's rewriting is checked: it may lose no
number and no name of the question, and bring in none that the conversation lacks; otherwise the
question is completed from the one before by rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manole.agent.grounding import numbers
from manole.agent.prompts import prompt
from manole.index.words import content_words, stem, stems, words
from manole.models.chat import ChatModel, Completion, Message

_LEANS = re.compile(
    r"\b(it|its|it's|that|this|those|these|they|them|their|he|she|his|her|him|there|then|same|"
    r"other|another|one|ones|both|former|latter|sie|er|ihr|ihre|davon|darin|dort)\b|"
    r"^(what about|how about|also|only|why|really|more|any more)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"^(and|but|und|aber)\b", re.IGNORECASE)
_ASKS = re.compile(r"^\w+ (what|who|when|where|which|how|is|are|was|wer|was|wann|wo|wie)\b", re.I)
_LONG = 9  # content words: a question of this many stands alone even with a pronoun
_ANSWER_CHARS = 300


def leans(question: str, history: Sequence[Message]) -> bool:
    """Whether the question needs the conversation to be understood."""
    if not history:
        return False
    meaning = content_words(question)
    if len(meaning) >= _LONG:
        return False
    # "And what is Jonas allergic to?" says all it means; "and the deposit?" does not.
    enough = 2 if _ASKS.search(question) else 3
    if _JOINED.search(question) and len(meaning) < enough:
        return True
    return len(meaning) <= 1 or bool(_LEANS.search(question))


async def rewrite(
    question: str, history: Sequence[Message], model: ChatModel
) -> tuple[str, Completion]:
    """The question made whole, and what the call cost."""
    talk = "\n".join(
        f"{'Person' if m.role == 'user' else 'Answer'}: {m.content[:_ANSWER_CHARS]}"
        for m in history
    )
    completion = await model.complete(
        [
            Message("system", prompt("rewrite.system").template),
            Message("user", f"{talk}\n\nLast question: {question}"),
        ],
        max_tokens=60,
        stop=["\n"],
        slot="rewrite",
    )
    text = completion.text.strip().strip('"“”')
    text = re.sub(r"^(rewritten |last )?question:\s*", "", text, flags=re.IGNORECASE)
    if faithful(text, question, history):
        return text, completion
    return complete_by_rule(question, history), completion


def faithful(rewritten: str, question: str, history: Sequence[Message]) -> bool:
    """Whether a rewriting keeps the question's numbers and names and adds only known words."""
    if not rewritten or len(rewritten) > 4 * len(question) + 200:
        return False
    if not numbers(question) <= numbers(rewritten):
        return False
    kept = {stem(w) for w in words(rewritten)}
    names = re.findall(r"(?<!^)\b[A-ZÀ-Þ][\w’'-]+", question)
    if any(stem(n.lower()) not in kept for n in names):
        return False
    known = stems(question).union(*(stems(m.content) for m in history)) if history else set()
    new = stems(rewritten) - known
    return len(new) <= 2 and numbers(rewritten) <= numbers(
        " ".join([question, *(m.content for m in history)])
    )


def complete_by_rule(question: str, history: Sequence[Message]) -> str:
    """The question with the meaning words of the person's last question that it does not have."""
    last = next((m.content for m in reversed(history) if m.role == "user"), "")
    have = stems(question)
    missing = [w for w in content_words(last) if stem(w) not in have]
    return f"{question.rstrip(' ?.!')} ({' '.join(missing)})?" if missing else question
