"""Threads of mail: which message answers which, and which belong together.

A message hangs on at most one other, as in Zawinski's algorithm
(https://www.jwz.org/doc/threading.html): the nearest one that it references and that is there. So a
header that names a thousand messages joins none of them to each other, and a reference that would
close a circle is passed over. Replies to a message that is not there belong together by their first
reference. Where headers are missing, a reply goes to the message of its subject that those two
people had within a month before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time

from manole.documents.opened import SEPARATOR
from manole.index.store.records import FileRecord
from manole.text.words import fold

_NEAR = 31 * 86_400  # seconds between two messages that may be joined by their subject
_CLAIMS, _SUBJECTS = 8, 20  # messages of one id, and of one subject, that are looked at
_ADDRESS = re.compile(r"""(?<![^\s<>,;"'()])[^\s<>,;"'()@]+@[^\s<>,;"'()@]+""")
_REPLY = re.compile(r"(?:\s*[^\W\d_]{1,4}(?:\[\d+\])?\s?[:：])+")  # Re: AW: Fwd: SV: R: Antw:


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a header, known by the `key`: the address in lower case, else the name."""

    name: str = field(compare=False)
    key: str


@dataclass(frozen=True, slots=True)
class Mail:
    """A message: `day` is its date, `sent` its time in seconds since 1970.

    `above` are the ids of those above it, nearest first. A program sent an `automatic` one.
    """

    path: str
    sender: Person
    to: tuple[Person, ...]
    subject: str
    day: str | None
    sent: float
    id: str
    above: tuple[str, ...]
    automatic: bool

    @property
    def everyone(self) -> tuple[Person, ...]:
        """All whom it is between."""
        return (self.sender, *self.to)

    @property
    def is_reply(self) -> bool:
        """Whether it answers something, be that there or not."""
        return bool(self.above or _REPLY.match(self.subject))


@dataclass(slots=True)
class Place:
    """Where a message stands: the columns of `messages`; `first` is the message it is a copy of."""

    mail: Mail
    thread: str = ""
    answers: str | None = None
    answered: str | None = None
    first: str | None = None


def people_in(header: str) -> Iterator[Person]:
    """Yield the people of a header, also where a name with a comma is not quoted."""
    end = 0
    for found in _ADDRESS.finditer(header):
        name = header[end : found.start()].replace('"', "").strip(" ,;<>'()")
        yield Person(name or found[0], found[0].lower())
        end = found.end()
    if not end and (name := header.strip(' "')):
        yield Person(name, fold(name))


def bare_subject(subject: str) -> str:
    """Return a subject without the marks of replies, to be compared."""
    return " ".join(fold(_REPLY.sub("", subject, count=1)).split())


def mail_of(file: FileRecord) -> Mail:
    """Return what is known of a file that is an e-mail."""
    known = file.metadata
    referred = known.get("references", "").split()
    above = dict.fromkeys((*known.get("in-reply-to", "").split(), *reversed(referred)))
    own = known.get("message-id", "").partition(" ")[0]
    return Mail(
        path=file.path,
        sender=next(people_in(known.get("from", "")), Person("", "")),
        to=tuple(people_in(f"{known.get('to', '')}, {known.get('cc', '')}".strip(", "))),
        subject=known.get("subject", ""),
        day=known.get("created", "")[:10] or (file.date.isoformat() if file.date else None),
        sent=_seconds(file),
        id=own,
        above=tuple(id for id in above if id != own),
        automatic="automatic" in known,
    )


def _seconds(file: FileRecord) -> float:
    try:
        sent = datetime.fromisoformat(file.metadata.get("created", ""))
    except ValueError:
        if not file.date:
            return 0.0
        sent = datetime.combine(file.date, time())
    return (sent if sent.tzinfo else sent.replace(tzinfo=UTC)).timestamp()


def placed(mails: Iterable[Mail]) -> dict[str, Place]:
    """Return where each message stands, by its path, oldest first."""
    order = sorted(mails, key=lambda mail: (mail.sent, SEPARATOR in mail.path, mail.path))
    places = {mail.path: Place(mail) for mail in order}
    claims: dict[str, list[Mail]] = {}
    for mail in order:
        known = claims.setdefault(mail.id, []) if mail.id else []
        same = (m for m in known if (m.sent, m.sender.key) == (mail.sent, mail.sender.key))
        if (first := next(same, None)) is not None:
            places[mail.path].first = first.path
        elif len(known) < _CLAIMS:
            known.append(mail)
    _hang([mail for mail in order if not places[mail.path].first], claims, places)
    for place in places.values():
        if place.first:
            of = places[place.first]
            place.thread, place.answers, place.answered = of.thread, of.answers, of.answered
    return places


def _hang(order: Sequence[Mail], claims: dict[str, list[Mail]], places: dict[str, Place]) -> None:
    """Say of messages, oldest first, what each answers, and of what thread it is."""
    tops: dict[str, str] = {}  # what each hangs on, or what that hangs on
    recent: dict[str, list[Mail]] = {}  # the last messages of each subject

    def top(node: str) -> str:
        while (above := tops.get(node)) is not None:
            tops[node] = tops.get(above, above)
            node = above
        return node

    for mail in order:
        subject = bare_subject(mail.subject)
        other = next(
            (m for id in mail.above if (m := _meant(claims.get(id, ()), mail, top))), None
        ) or _by_subject(mail, recent.get(subject, ()))
        if other is not None:
            tops[mail.path] = other.path
            place = places[other.path]
            places[mail.path].answers = other.path
            if other.sender != mail.sender and not mail.automatic and not place.answered:
                place.answered = mail.day
        elif mail.above:
            tops[mail.path] = f"\0{mail.above[-1]}"
        recent[subject] = [*recent.get(subject, ())[-_SUBJECTS:], mail]
    roots: dict[str, str] = {}
    for mail in order:
        places[mail.path].thread = roots.setdefault(top(mail.path), mail.path)


def _meant(claims: Sequence[Mail], mail: Mail, top: Callable[[str], str]) -> Mail | None:
    """Return the message of an id that another one hangs on: of several, one sent to its sender."""
    free = [m for m in claims if m is not mail and top(m.path) != mail.path]
    return max(free, key=lambda m: (mail.sender in m.everyone, m.sent <= mail.sent), default=None)


def _by_subject(mail: Mail, recent: Sequence[Mail]) -> Mail | None:
    """Return the message that a reply without headers answers, by its subject and people."""
    if not _REPLY.match(mail.subject):
        return None
    near = [
        m
        for m in reversed(recent)
        if (not mail.above or not m.id)
        and mail.sent - m.sent <= _NEAR
        and mail.sender in m.everyone
        and m.sender in mail.everyone
    ]
    return next((m for m in near if m.sender != mail.sender), near[0] if near else None)
