"""A thread of mails, or the mails with or without an answer, as the answer to a question.

The parser says which of them are asked for, and whom and what the question names. "I" is the owner
(`catalog/owner.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import date
from typing import Literal, get_args

from manole.agent.languages import words_of
from manole.agent.mail.own_words import first_words, own_words
from manole.agent.plan.answered import rest_of
from manole.agent.plan.marks import PARTIES, Asked
from manole.agent.plan.open_catalog import SMALL, filled
from manole.agent.plan.understand import unasked
from manole.agent.plan.values import bare, named, period_of
from manole.agent.telling import Told, uncited
from manole.catalog.threads import Place
from manole.documents.fields.model import TextLine
from manole.index.view.page_text import lines_of
from manole.text.words import all_stems, content_words
from manole.tools.base import Action, Inputs, Result, TurnState
from manole.tools.objects import FoundRow, shorten

MAIL = "mail"
_SHOWN, _THREADS, _NAMES = 50, 5, 3  # messages of an answer, other threads, receivers of a message
_FOUND = 50  # passages of a search for what a thread is about
_READ = 500  # of the newest messages without an answer that are read for whether they ask anything
_TOPICS = frozenset({"topic", "value", "file", "folder", "scope"})  # tags of what mails are about
_OPEN = frozenset({"waiting", "unanswered"})

Kind = Literal["thread", "sent", "got", "waiting", "unanswered"]


class MailInputs(Inputs):
    """What is asked of mails: of which kind, with whom, about what, from when."""

    kind: Kind
    people: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    period: str = ""


def mail_asked(question: Asked) -> MailInputs | None:
    """Return what a question asks of threads of mail; `None` for any other question."""
    parsed = question.parsed
    if parsed.tool not in get_args(Kind):
        return None
    marks = [mark for mark in question.marks if not mark.denied]
    people = tuple(mark.text for mark in marks if mark.tag in PARTIES)
    topics = tuple(mark.text for mark in marks if mark.tag in _TOPICS)
    topics = topics if people or topics else tuple(unasked(question))
    if not (parsed.tool in _OPEN or people or topics):
        return None
    period = next((mark.text for mark in marks if mark.tag == "period"), "")
    return MailInputs(kind=parsed.tool, people=people, topics=topics, period=period)


class TellMail(Action[MailInputs]):
    """Answers with messages, or with nothing where the library does not have what is named."""

    name = MAIL
    inputs = MailInputs

    async def __call__(self, state: TurnState, inputs: MailInputs) -> AsyncIterator[Result]:
        """Yield the messages."""
        small = len(await state.files()) <= SMALL
        catalog = await filled(state, {"papers"} if small else ())
        said: dict[str, str] = {}
        wanted = " ".join(inputs.topics)
        filters = state.scope.filters()
        for hit in await state.library.search(wanted, _FOUND, filters) if wanted else ():
            said[hit.passage.path] = f"{said.get(hit.passage.path, '')} {hit.passage.text}"
        every = [place for place in catalog.mail.values() if not place.first]
        own = await asyncio.to_thread(catalog.own_addresses)
        about = await asyncio.to_thread(_about, every, inputs, state.question.today, said)
        others: list[Place] = []
        if inputs.kind == "thread":
            found, others = _thread(every, about, inputs)
        else:
            found = _sided(every, about, inputs.kind, own)
        settled = own and not wanted and about is not None and inputs.kind != "thread"
        if not (found or settled):
            return  # what is asked about may be said in other words
        shown = found[:_READ] if inputs.kind in _OPEN else [*found[:_SHOWN], *others[:_THREADS]]
        texts = await _texts(state, [place.mail.path for place in shown])
        if inputs.kind in _OPEN:  # "Thank you!" ends a thread
            asks = {path for path, lines in texts.items() if any("?" in one.text for one in lines)}
            found = [p for p in shown if not p.mail.is_reply or p.mail.path in asks]
            shown = found[:_SHOWN]
        told = Told(MAIL)
        for place in shown:
            own_lines = texts[place.mail.path]
            line, quote = (own_lines[0].line, own_lines[0].text.strip()) if own_lines else (1, "")
            says = first_words(own_lines, asks=inputs.kind in _OPEN)
            told.mark(place.mail.path, None, line, quote, says)
        if not (inputs.kind in _OPEN or any(row.value for row in told.rows)):
            return  # nobody wrote anything of their own
        shown_rows = list(zip(shown, told.rows, strict=True))
        told.lines += _lines(state, inputs.kind, found, others, shown_rows)
        yield told.result("medium", "messages", {"messages": len(found)})


def _about(
    every: Sequence[Place], inputs: MailInputs, today: date, said: dict[str, str]
) -> list[Place] | None:
    """Return the messages with the people, topics and period; `None` where one is unknown.

    `said` is what a search found, by path.
    """
    known = {f"{one.name} {one.key}": one.key for p in every for one in p.mail.everyone}
    keys: set[str] = set()
    for name in inputs.people:
        if not (found := named(name, list(known))):
            return None
        keys.update(known[one] for one in found)
    mine = inputs.kind in {"sent", "waiting"}
    period = period_of(inputs.period, today)
    wanted = [w for topic in inputs.topics for w in content_words(topic) if len(w) > 1]
    about = []
    for place in every:
        mail = place.mail
        sides = mail.everyone if inputs.kind == "thread" else mail.to if mine else (mail.sender,)
        with_them = not keys or any(one.key in keys for one in sides)
        then = not period or bool(mail.day and date.fromisoformat(mail.day) in period)
        if with_them and then and _speaks(f"{mail.subject} {said.get(mail.path, '')}", wanted):
            about.append(place)
    return about


def _speaks(text: str, wanted: Sequence[str]) -> bool:
    plain = bare(text)
    if not all(bare(word)[:3] in plain for word in wanted):  # most of many
        return False
    has = all_stems(text)
    return all(all_stems(word) & has or bare(word) in plain for word in wanted)


def _thread(
    every: Sequence[Place], about: Sequence[Place] | None, inputs: MailInputs
) -> tuple[list[Place], list[Place]]:
    """Return the thread whose subject fits, with most messages that do, and the others' first."""
    stems = all_stems(" ".join(inputs.topics))
    score: dict[str, tuple[int, int, float]] = {}
    for p in about or ():
        titled, count, _ = score.get(p.thread, (0, 0, 0.0))
        titled = max(titled, len(stems & all_stems(p.mail.subject)))
        score[p.thread] = titled, count + 1, p.mail.sent
    best, *others = sorted(score, key=lambda thread: score[thread], reverse=True) or [""]
    alike = {thread for thread in others if bool(score[thread][0]) == bool(score[best][0])}
    firsts = [p for p in every if p.mail.path in alike]
    return [p for p in every if p.thread == best], firsts[::-1]


def _sided(
    every: Sequence[Place], about: Sequence[Place] | None, kind: Kind, own: frozenset[str]
) -> list[Place]:
    """Return the owner's messages, or those of others, with an answer or without, newest first."""
    last = {p.thread: p for p in every if not p.mail.automatic}
    mine = kind in {"sent", "waiting"}
    chosen = [p for p in about or () if (p.mail.sender.key in own) == mine]
    if kind not in _OPEN:
        return [p for p in reversed(chosen) if p.answers or p.mail.is_reply]
    got = (p for p in reversed(chosen) if mine or any(one.key in own for one in p.mail.to))
    return [p for p in got if last.get(p.thread) is p]


async def _texts(state: TurnState, paths: Sequence[str]) -> dict[str, list[TextLine]]:
    """Return what the senders of messages wrote themselves, by path."""
    ids = {file.id: file.path for file in await state.files() if file.path in {*paths}}
    found = await (await state.library.reader()).passages_of(list(ids))
    return {path: own_words(lines_of(found.get(id, []))) for id, path in ids.items()}


def _lines(
    state: TurnState,
    kind: Kind,
    found: Sequence[Place],
    others: Sequence[Place],
    shown: Sequence[tuple[Place, FoundRow]],
) -> Iterator[str]:
    """Yield the answer as Markdown, each message with its `[n]`."""
    words = words_of(state.question.language)
    if not found:
        yield words.nothing.format(nouns=words.plural("message"))
        return
    title = f"**{uncited(found[0].mail.subject)}**: " if kind == "thread" else ""
    yield f"{title}{words.many(len(found), 'message')}"
    for place, row in shown:
        mail, other = place.mail, row.n > min(len(found), _SHOWN)
        if other and row.n == min(len(found), _SHOWN) + 1:
            yield f"\n{words.more.format(count=words.number(len(others)))}:"
        day = date.fromisoformat(mail.day) if mail.day else None
        when = words.written(day) if day else words.unknown
        if day and kind in _OPEN:
            when += f" ({words.many((state.question.today - day).days, 'day')})"
        to = [one.name for one in mail.to[:_NAMES]] + ["…"] * (len(mail.to) > _NAMES)
        said = f"“{shorten(row.value)}”" if row.value else ""
        subject = "" if kind == "thread" and not other else mail.subject
        text = ": ".join(filter(None, (f"{mail.sender.name} → {', '.join(to)}", subject, said)))
        yield f"- {when} · {uncited(text)} [{row.n}]"
    yield rest_of(len(found), words)
