"""Turns to keep: fixed ones, and random ones of every kind of event."""

from __future__ import annotations

from hypothesis import strategies as st

from manole.agent.events import (
    Complete,
    Decision,
    ErrorEvent,
    ResultEvent,
    Source,
    StatusEvent,
    Token,
    TokensUsed,
)

FULL = [
    Decision(step=1, tool="search", inputs={"query": "rent"}, reasoning="asked", by="router"),
    ResultEvent(
        step=1, tool="search", name="passages", payload_type="passages", message="one",
        objects=[{"id": "p1", "file": "a\nb.pdf", "score": 0.5}], metadata={"count": 1},
    ),
    Token(content="The rent"),
    Token(content=" is 900. [1]"),
    Complete(
        answer="The rent is 900. [1]",
        sources=[Source(n=1, file="home/rent.pdf", page=2, line=3, line_end=5, quote="rent: 900")],
    ),
]  # fmt: skip


def say(store, id, question, answer=None, *, events=()):
    """A turn with these events; with an answer, a finished one. Gives its number."""
    n = store.begin(id, question)
    for event in events:
        store.append(id, n, event)
    if answer is not None:
        store.append(id, n, Complete(answer=answer))
    return n


# Any text at all, bytes of names that are no characters included.
texts = st.text(st.characters(exclude_categories=()), max_size=20)
floats = st.floats(allow_nan=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
objects = st.dictionaries(texts, json_values, max_size=3)
numbers = st.integers()
maybe = st.none() | st.integers()
sources = st.builds(
    Source, n=numbers, file=texts, page=maybe, line=maybe, line_end=maybe, quote=texts,
    cited=st.booleans(),
)  # fmt: skip
events = st.one_of(
    st.builds(Decision, step=numbers, tool=texts, inputs=objects, reasoning=texts, seconds=floats),
    st.builds(StatusEvent, message=texts, debug=st.booleans()),
    st.builds(
        ResultEvent, step=numbers, tool=texts, name=texts, payload_type=texts, message=texts,
        objects=st.lists(objects, max_size=3), metadata=objects, seconds=floats,
    ),
    st.builds(ErrorEvent, message=texts, suggestion=st.none() | texts, step=maybe),
    st.builds(Token, content=texts),
    st.builds(
        Complete, answer=texts, found=st.booleans(), sources=st.lists(sources, max_size=3),
        confidence=st.sampled_from(["high", "medium", "low"]), grounding=floats,
        timings=st.dictionaries(texts, floats, max_size=2),
        tokens=st.builds(TokensUsed, prompt=numbers, completion=numbers),
    ),
)  # fmt: skip
