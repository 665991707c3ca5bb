"""Answers a question for several things with a whole list from a file (`documents/lists`).

A small model that is asked for all of something names what it was shown, and it is shown sentences.
The files have lists: bullets, rows of a table, headings below one heading. The list that fits the
question best is shown item by item, in the file's own words, over any number of passages. Where
none fits nearly as well as the best sentence, the model answers as usual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from manole.agent.answer.selection import Embed, likeness
from manole.agent.answer.units import Unit, context, units_of
from manole.agent.languages import ENGLISH, Words
from manole.documents.lists import Item, List, lists_of
from manole.index.search.duplicates import Find
from manole.tools.environment import TurnState
from manole.tools.objects import FoundPassage

FILES = 3  # whose lists are read
NEAR = 0.9  # share of the best sentence's similarity to the question that a list must have
MOST = 30  # items that are shown: a page
_READ = 600  # characters of a list that are embedded, about what the embedder reads at once


@dataclass(frozen=True, slots=True)
class Listing:
    """A list on one page of a file, and the passages of that page."""

    found: List
    passages: Sequence[FoundPassage]

    @property
    def led(self) -> str:
        """The text before it: title, heading, and introduction."""
        return f"{self.passages[0].title or ''} {self.found.heading} {self.found.intro}"[:_READ]

    @property
    def is_led(self) -> bool:
        """Whether the introduction announces the list, and so belongs to it."""
        return self.found.intro.endswith((":", "："))

    @property
    def read(self) -> str:
        """The same with its items, as far as it is compared with a question."""
        items = "; ".join(item.text for item in self.found.items[:_READ])
        return f"{self.led} {items}"[:_READ]

    def holder(self, item: Item) -> FoundPassage:
        """Return the passage in which an item begins."""
        before = [p for p in self.passages if p.line <= item.line]
        return before[-1] if before else self.passages[0]

    @property
    def told(self) -> Sequence[Item]:
        """The items that are shown."""
        return self.found.items[:MOST]

    def holders(self) -> Iterator[tuple[FoundPassage, Unit]]:
        """Return the passages in which the shown items begin, each with their lines in it."""
        held: dict[str, tuple[FoundPassage, list[tuple[str, int]]]] = {}
        for item in self.told:
            passage = self.holder(item)
            lines = passage.text.split("\n")
            parts = held.setdefault(passage.id, (passage, []))[1]
            parts += [
                (lines[number - passage.line], number)
                for number in range(item.line, item.line_end + 1)
                if number - passage.line < len(lines)
            ]
        return ((passage, Unit(0, tuple(parts))) for passage, parts in held.values() if parts)

    def answer(self, numbers: dict[str, int], words: Words = ENGLISH) -> str:
        """Return the items, each with the `[n]` of its passage, and their number."""
        count = len(self.found.items)
        head = self.found.heading or self.found.intro.rstrip(":")
        lines = [f"{head} ({count}):" if head else words.in_all.format(count=count)]
        lines += [f"- {item.text} [{numbers[self.holder(item).id]}]" for item in self.told]
        if count > MOST:
            lines.append(words.more_items.format(count=words.number(count - MOST)))
        return "\n".join(lines)


async def listings(state: TurnState, found: Sequence[FoundPassage]) -> list[Listing]:
    """Return the lists around the passages found (best first), on their pages."""
    files = list(dict.fromkeys(passage.file for passage in found))[:FILES]
    records = [record for record in await state.files() if record.path in files]
    lists: list[Listing] = []
    for record in records:
        whole = [FoundPassage.of(Find(p, 0.0)) for p in await state.library.passages(record)]
        for page, group in groupby(whole, key=lambda passage: passage.page):
            passages = list(group)
            near = [(p.line, p.line_end) for p in found if (p.file, p.page) == (record.path, page)]
            if near:
                lists += _on_page(passages, near)
    return lists


def best(
    question: str,
    like: str,
    found: Sequence[FoundPassage],
    lists: Sequence[Listing],
    embed: Embed,
) -> Listing | None:
    """Return the list that fits a question best, if nearly as well as the best sentence."""
    if not lists:
        return None
    leading = {one.found.intro for one in lists if one.is_led}
    said = [
        f"{context(passage)} {unit.text}"
        for passage in found
        for unit in units_of(0, passage, question)
        if unit.says and " ".join(unit.text.split()) not in leading  # it is part of the list
    ]
    texts = [*(o.read for o in lists), *(o.led if o.is_led else "" for o in lists), *said]
    near = likeness(question, like, texts, embed).tolist()
    count = len(lists)
    liked = [max(near[at], near[count + at]) for at in range(count)]
    likest = max(range(count), key=liked.__getitem__)
    return lists[likest] if liked[likest] >= NEAR * max(near[2 * count :], default=0.0) else None


def _on_page(
    passages: Sequence[FoundPassage], near: Sequence[tuple[int, int]]
) -> Iterator[Listing]:
    lines: dict[int, str] = {}
    for passage in passages:
        for number, line in enumerate(passage.text.split("\n"), start=passage.line):
            lines[number] = f"{lines[number]} {line}" if number in lines else line
    first, last = min(lines), max(lines)
    text = "\n".join(lines.get(number, "") for number in range(first, last + 1))
    for one in lists_of(text):
        items = [Item(i.text, i.line + first, i.line_end + first) for i in one.items]
        begins, ends = items[0].line - 2, items[-1].line_end  # with what leads to it
        if any(start <= ends and end >= begins for start, end in near):
            yield Listing(List(one.heading, one.intro, tuple(items)), passages)
