"""The export of a conversation as a file: Markdown for people, JSON for programs.

Questions, answers, names and quotes are untrusted. In Markdown each of their characters with a
meaning is escaped, so that a viewer shows the text as it is: no heading, link, picture or HTML can
come from a document (`markdown.py`). Only lists, tables, bold words and `[1]` of an answer are its
own. JSON has everything, including events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from manole.agent.conversations.markdown import escaped
from manole.agent.conversations.model import (
    Conversation,
    Turn,
    one_line,
    writable,
    written,
)
from manole.agent.events import Complete, Source
from manole.documents.formats import is_spoken, page_words
from manole.index.search.scope import Scope

_ITEM = re.compile(r"([-*]|\d{1,9}\.) +(?=\S)(.*)")
_ROW = re.compile(r"\|.*\|$")
_RULE = re.compile(r"\|(?: *:?-+:? *\|)+$")  # below the head of a table
_BOLD = re.compile(r"\\\*\\\*(?=\w)([^\\]*(?<=[\w.!?%€$]))\\\*\\\*")
_NUMBER = re.compile(r"\\\[(\d{1,3})\\\](?![(:\[\\])")
FORMAT = "manole-conversation"
VERSION = 1


def as_json(library: str, conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return a whole conversation as one JSON object."""
    value = {
        "format": FORMAT,
        "version": VERSION,
        "library": library,
        "conversation": conversation_json(conversation),
        "turns": [turn_json(turn) for turn in turns],
    }
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def conversation_json(conversation: Conversation) -> dict[str, Any]:
    """Return a conversation without its turns as JSON; moments in UTC."""
    return asdict(conversation) | {
        "created": conversation.created.isoformat(),
        "updated": conversation.updated.isoformat(),
    }


def turn_json(turn: Turn) -> dict[str, Any]:
    """Return a turn with its events as JSON. `answer` is in its last event, too."""
    return {
        "n": turn.n,
        "question": turn.question,
        "scope": turn.scope,
        "asked": turn.asked.isoformat(),
        "rating": turn.rating,
        "comment": turn.comment,
        "answer": turn.answer,
        "events": [json.loads(written(event)) for event in turn.events],
    }


def as_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return questions, answers and sources as Markdown."""
    blocks = [
        f"# {escaped(one_line(conversation.title))}",
        f"*A conversation with Manole, begun {_moment(conversation.created)}.*",
    ]
    for turn in turns:
        blocks += _turn(turn)
    return writable("\n\n".join(blocks)) + "\n"


def _turn(turn: Turn) -> Iterator[str]:
    yield f"## {turn.n}. {escaped(one_line(turn.question))}"
    within = f", only {escaped(one_line(Scope.parse(turn.scope).words))}" if turn.scope else ""
    yield f"*Asked {_moment(turn.asked)}{within}.*"
    end = turn.end
    yield from _paragraphs(end.answer if end else turn.streamed)
    if end is None:
        yield "*This answer was not finished.*"
    else:
        yield from _sources(end)
    if turn.rating or turn.comment:
        comment = f": {escaped(one_line(turn.comment))}" if turn.comment else ""
        yield f"*Rated {turn.rating or 'neither up nor down'}{comment}.*"


def _sources(end: Complete) -> Iterator[str]:
    cited = [source for source in end.sources if source.cited]
    shown = cited or end.sources
    if shown:
        yield "**Sources**" if cited else "**Nearest passages**"
        yield "\n".join(_source(source) for source in shown)


def _source(source: Source) -> str:
    where = escaped(one_line(source.file))
    if source.page is not None:
        where += f", {page_words(source.file, source.page)}"
    if source.line is not None and not is_spoken(source.file):
        last = source.line_end if source.line_end not in {None, source.line} else None
        where += f", lines {source.line} to {last}" if last else f", line {source.line}"
    quote = f": “{escaped(one_line(source.quote))}”" if source.quote.strip() else ""
    return f"- [{source.n}] {where}{quote}"


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of an answer, its lists and its tables."""
    for kind, run in groupby(re.split(r"\r\n|\r|\n", text), _kind):
        lines = list(run)
        if kind == "table" and len(lines) > 1 and _RULE.match(lines[1].strip()):
            yield "\n".join(map(_row, lines))
        elif kind == "list":
            yield "\n".join(map(_item, lines))
        elif shown := [line for line in map(_indented, lines) if line]:
            yield "  \n".join(shown)


def _kind(line: str) -> str:
    """Return what a line belongs to; empty ones part paragraphs."""
    if _ITEM.match(line):
        return "list"
    if _ROW.match(line.strip()):
        return "table"
    return "text" if line.strip() else ""


def _item(line: str) -> str:
    marker, rest = _ITEM.match(line).groups()  # type: ignore[union-attr]  # `_kind` says so
    return f"{marker} {_inline(rest)}"


def _row(line: str) -> str:
    if _RULE.match(line.strip()):
        return line.strip()
    return f"| {' | '.join(_inline(cell) for cell in line.strip()[1:-1].split('|'))} |"


def _indented(line: str) -> str:
    spaced = line.expandtabs(4)
    kept = spaced.lstrip(" ")
    inner = _inline(kept)
    return "&nbsp;" * (len(spaced) - len(kept)) + inner if inner else ""


def _inline(text: str) -> str:
    """Return a line as Markdown that keeps its bold words and the numbers of its sources."""
    return _BOLD.sub(r"**\1**", _NUMBER.sub(r"[\1]", escaped(text.strip())))


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
