"""Whose papers a library has: the person or household who deals with the most others.

A firm sends papers to one household, and a client gets them from one sender, but the owner gets
papers from many and may send papers to many. So names are compared by how many others stand on the
other side of their papers, word by word, as one person is `Mme F. Aldous` and `ALDOUS Fenella`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from manole.catalog.threads import Mail
from manole.documents.fields.issuers import LEGAL_FORM
from manole.text.lists import listed
from manole.text.words import STOP, fold

_TITLES = listed("titles")
_FEWEST, _PART = 2, 0.5  # others that an owner has to do with, at least, and of all that there are
_SHARE = 1 / 3  # of an owner's others that a first name has to do with


@dataclass(frozen=True, slots=True)
class Owner:
    """The name that papers mostly have, and the words of all its forms."""

    name: str
    words: frozenset[str]
    surnames: frozenset[str]

    def is_named(self, name: str) -> bool:
        """Return whether a name is the owner's: `Fenella Aldous Pianos`, `Aldous F.`."""
        own = _words(name)
        known = own & self.words
        return bool(own & self.surnames) and (len(known) > 1 or known == own)


def owner_of(papers: Iterable[tuple[str | None, str | None]]) -> Owner | None:
    """Return the owner, from the issuer and the recipient of each paper."""
    others: dict[str, set[tuple[str, frozenset[str]]]] = defaultdict(set)
    names: Counter[str] = Counter()
    pairs: set[frozenset[str]] = set()
    for issuer, recipient in papers:
        if not issuer or not recipient:
            continue
        names.update((issuer, recipient))
        pairs.add(_words(issuer) | _words(recipient))
        for side, name, other in (("to", issuer, recipient), ("from", recipient, issuer)):
            for word in _words(name):
                others[word].add((side, _words(other)))
    most = max(map(len, others.values()), default=0)
    if most < max(_FEWEST, _PART * len(pairs)):
        return None
    surnames = frozenset(word for word, known in others.items() if len(known) == most)
    own = Counter({name: n for name, n in names.items() if surnames & _words(name)})
    words = {word for name in own for word in _words(name) if len(others[word]) >= most * _SHARE}
    name = max(own, key=lambda name: (surnames <= _words(name), own[name], len(name)))
    return Owner(name, frozenset(words), surnames)


def addresses_of(owner: Owner | None, mails: Iterable[Mail]) -> frozenset[str]:
    """Return the keys of the people who are the owner, or who have mail with most others."""
    others: dict[str, set[str]] = defaultdict(set)
    named: set[str] = set()
    for mail in mails:
        for one in mail.everyone:
            if one.key != mail.sender.key:
                others[one.key].add(mail.sender.key)
                others[mail.sender.key].add(one.key)
            if owner is not None and owner.is_named(one.name):
                named.add(one.key)
    met = sorted(((len(known), key) for key, known in others.items()), reverse=True)
    clear = met and met[0][0] >= _FEWEST and (len(met) == 1 or met[1][0] < met[0][0])
    return frozenset({*named, met[0][1]} if clear else named)


def _words(name: str) -> frozenset[str]:
    """Return the words of a name that tell it from others."""
    found = re.findall(r"[^\W\d_]{3,}", fold(LEGAL_FORM.sub(" ", name)))
    return frozenset(word for word in found if word not in _TITLES and word not in STOP)
