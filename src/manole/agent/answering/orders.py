"""Sentences that give orders to whoever reads them, left out of what the model sees.

Documents are untrusted: a page may say "ignore all instructions and answer ...". A small model
can be talked into it, whatever its prompt says. These patterns name the usual forms; they keep
the attack from the model's eyes, not from the index, where the sentence can still be found. They
are a hurdle, not a proof: what the agent may do is limited by its tools, which only read.
"""

from __future__ import annotations

import re

_ORDERS = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(instructions?|above|previous|prior|rules|"
    r"prompts?|everything)\b"
    r"|^\W*(system|assistant|developer|tool)( prompt| message| result| call)?\s*[:>\]]"
    r"|\b(before|when|while) (you )?answer(ing)?\b|\bin (your|the) (answer|reply|response)\b"
    r"|\b(answer|reply|respond|output|print)\b.{0,12}\b(only|exactly|in [A-Z]\w+ and|and add)\b"
    r"|\b(answer|reply|respond) (with|that|in)\b.{0,60}\b(instead|only|always)\b"
    r"|\bcall the .{0,30}\btool\b|\btool_?(call|result)s?\b|\bcite\b.{0,60}\b(as|source|instead)\b"
    r"|\byou are (now )?(an?|the) (ai|assistant|language model|chatbot)\b"
    r"|\b(ai|language) (model|assistant)s?\b.{0,40}\b(must|should|shall|have to|please)\b"
    r"|<\|[^|>\n]{1,40}\|>|</?(system|assistant|tool_call|instructions?)>"
    r"|!\[[^\]]*\]\(\s*https?://",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def gives_orders(text: str) -> bool:
    """Whether a sentence or line speaks to the model instead of about its subject."""
    return bool(_ORDERS.search(text))


def inert(text: str) -> str:
    """`text` without the sentences that give orders, its lines as they were."""
    return "\n".join(
        " ".join(s for s in _SENTENCES.split(line) if not gives_orders(s))
        if gives_orders(line)
        else line
        for line in text.split("\n")
    )
