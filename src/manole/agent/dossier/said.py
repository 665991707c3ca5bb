"""The lines of a dossier in words, in any language of answers, for every way in."""

from __future__ import annotations

from collections.abc import Iterator

from manole.agent.dossier.model import Dossier, Item, Part
from manole.agent.languages import Words
from manole.text.dates import mentions
from manole.text.periods import Period

_FIRST = 40  # characters in which a text may say its own day


def top(found: Dossier, words: Words) -> list[str]:
    """Return how much there is, from when, and whom else the name may mean."""
    said = words.dossier
    files = words.many(found.files, "file")
    count = said.head[found.places != 1].format(count=words.number(found.places), files=files)
    when = words.dated(Period("", found.first, found.last)) if found.first and found.last else ""
    lines = [f"{count}{f', {when}' if when else ''}."]
    for others, sentence in ((found.forms, said.forms), (found.near, said.near)):
        if others:
            names = ", ".join(f"{one.name} ({words.number(one.count)})" for one in others)
            lines.append(sentence.format(names=names))
    return lines


def sums(found: Dossier, words: Words) -> Iterator[str]:
    """Yield what the papers add up to: those from and to the name, else those that name it."""
    own = [one for one in found.sums if one.role != "names"] or found.sums
    for one in own:
        amount = _money(one.total, one.currency, words)
        papers = words.many(one.papers, "paper")
        parts = [
            f"{words.dossier.status[status]}: {words.number(part, 2)}"
            for status, part in (("paid", one.paid), ("open", one.open))
            if part
        ]
        told = words.summed.format(amount=amount, found=papers)
        yield f"{told} ({', '.join(parts)})" if parts else told


def line(item: Item, part: Part, words: Words) -> str:
    """Return an item on one line, without its place."""
    day = words.written(item.day) if item.day else ""
    day += "" if item.sure else "?"
    text = _told(item, part, words)
    if item.day and item.day.isoformat() in text[:_FIRST]:
        day = ""  # a row of a table begins with it
    elif item.day and part == "diary":
        head, _, rest = text.partition(" · ")
        own = [m.readings[0] for m in mentions(head)] if rest and len(head) <= _FIRST else []
        if any((d.month, d.day) == (item.day.month, item.day.day) for d in own):
            text = rest
    return ": ".join(filter(None, (day, text))) or item.file


def _told(item: Item, part: Part, words: Words) -> str:
    said = words.dossier
    who = (said.receiver if item.sent else said.sender).format(name=item.who) if item.who else ""
    match part:
        case "papers":
            kind = words.nouns.get(item.kind or "paper", (item.kind, ""))[0]
            amount = _money(item.amount, item.currency, words) if item.amount is not None else ""
            status = said.status.get(item.status, item.status)
            head = ", ".join(filter(None, (f"{kind} {who}".strip(), amount, status)))
            return ": ".join(filter(None, (head, item.text)))
        case "messages":
            quote = " ".join(item.quote.split())
            subject = item.text if not quote or quote == item.text else f"{item.text}: “{quote}”"
            return ", ".join(filter(None, (who, subject)))
        case "coming":
            return ": ".join(filter(None, (said.coming.get(item.kind, ""), item.text)))
        case "tasks" if item.status:
            return f"{item.text} ({said.status.get(item.status, item.status)})"
    return item.text


def _money(amount: float, currency: str, words: Words) -> str:
    return f"{words.number(amount, 2)} {currency}".strip()
