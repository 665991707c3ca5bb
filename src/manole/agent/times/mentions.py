"""The lines of a journal that speak of an event.

A line speaks of "grocery shopping" when it has both words, in whatever form. Of the words of a
question those are left out that no entry has at all ("pet care *entries*"). A verb in its -ing form
may be missing where the line has no other one: "42 minutes on news" is reading it as well as
"reading news", "watching news" is not.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from manole.agent.times.asked import TimeQuestion
from manole.documents.fields.model import TextLine
from manole.documents.journal import SPEAKER, Entry
from manole.index.forms import LEMMA, LIGHT, key, keys
from manole.index.words import STOP, words

_NOTE_SENTENCES, _NOTE_CHARS = 3, 500  # of a note of one event; what is longer is prose
SENTENCE = re.compile(r"(?<=[.!?])\s+")
_OTHER = {"sitting", "setting", "building", "everything", "something", "nothing", "anything"}
# What else says that something was eaten or drunk.
_ALSO = {
    key("eat"): frozenset(map(key, ("had", "prepare", "cook"))),
    key("drink"): frozenset(map(key, ("had", "prepare"))),
}
_ASK_WHEN = frozenset({"when", "days", "first", "last"})
_SAYS_LITTLE = frozenset(["do", "have", "spend", "be", "get"])
_NEARLY, _NEARLY_WORDS = 0.8, 4
_TIMES_OF_DAY = frozenset(["morning", "evening", "during"])


@dataclass(frozen=True, slots=True)
class Mention:
    """A line of an entry that speaks of what is asked."""

    entry: Entry
    line: TextLine

    @property
    def text(self) -> str:
        """The line."""
        return self.line.text.strip()

    @property
    def is_note(self) -> bool:
        """Whether the line is a note of one event, and no part of a story or a conversation."""
        if SPEAKER.match(self.text) or len(self.text) > _NOTE_CHARS:
            return False
        return len(SENTENCE.split(self.text)) <= _NOTE_SENTENCES


def mentions(asked: TimeQuestion, entries: Sequence[Entry], known: frozenset[str]) -> list[Mention]:
    """The lines of `entries` that speak of the question's words; `known` are the journal's keys.

    Where a question asks when, and no line has all of its words, the lines that have nearly all.
    """
    wanted = [(w, k) for w in asked.words if (k := key(w)) in known or k in _ALSO]
    if asked.words and not _enough(asked, [w for w, _ in wanted]):
        return []
    if not wanted:
        every = asked.kind == "most" and not asked.words
        return [Mention(e, line) for e in entries for line in e.paragraphs] if every else []
    found: list[Mention] = []
    shares: list[tuple[int, Mention]] = []
    for entry in entries:
        title = _own_title(entry)
        before = len(found)
        for line in entry.paragraphs:
            has = keys(line.text)
            mention = Mention(entry, line)
            if (
                _says_all(wanted, has)
                or _implies(wanted, has, line.text)
                or _with_title(wanted, has, title)
            ):
                found.append(mention)
            else:
                shares.append((sum(k in has for _, k in wanted), mention))
        if len(found) == before and entry.heading and all(k in title for _, k in wanted):
            found.append(Mention(entry, entry.heading))
    if not found and asked.kind in _ASK_WHEN:
        most = max((n for n, _ in shares), default=0)
        if most >= _NEARLY_WORDS and most >= _NEARLY * len(wanted):
            found = [mention for n, mention in shares if n == most]
    return _told_by_verb(asked, found) if asked.kind in _ASK_WHEN else found


def _enough(asked: TimeQuestion, known: Sequence[str]) -> bool:
    """Whether the words that the journal knows still say what is asked.

    "How often did Pippa see the vet" is not told by lines about Pippa. Who asks when something
    happened means all of it.
    """
    if asked.one and len(known) < len(asked.words):
        return False
    if asked.kind in _ASK_WHEN:
        missing = len(asked.words) - len(known)
        return not missing or len(known) >= max(_NEARLY_WORDS, _NEARLY * len(asked.words))
    things = [word for word in known if word not in asked.names]
    only_names = asked.names.issuperset(asked.words)  # "How often did I see Pippa?"
    return bool(things or (only_names and known)) and 2 * len(known) >= len(asked.words)


def _told_by_verb(asked: TimeQuestion, found: list[Mention]) -> list[Mention]:
    """Of several lines those that say what the question says "I" did, where some do.

    "When did I go to Rio?" is told by "I went to Rio", not by "I had lunch in Rio".
    """
    if len(found) < 2 or asked.verb in _SAYS_LITTLE or not asked.verb:
        return found
    forms = "|".join(sorted(_verb_forms(asked.verb)))
    for pattern in (rf"^(?:on [\d/.-]+,? )?(?:i|we) (?:\w+ly )?(?:{forms})\b", rf"\b(?:{forms})\b"):
        told = [m for m in found if re.search(pattern, m.text, re.IGNORECASE)]
        if told:
            return told
    return found


def _verb_forms(verb: str) -> set[str]:
    lemma = LEMMA.get(verb, verb)
    return (
        {verb} | {form for form, base in LEMMA.items() if base == lemma} | {f"{verb}ed", f"{verb}d"}
    )


def _own_title(entry: Entry) -> frozenset[str]:
    """The keys of a title that is more than the beginning of the text."""
    return keys(entry.heading.text) if entry.heading else frozenset()


def known_keys(entries: Sequence[Entry]) -> frozenset[str]:
    """Every key that occurs in the journal."""
    found: set[str] = set()
    for entry in entries:
        found |= keys(entry.title)
        for line in entry.lines:
            found |= keys(line.text)
    return frozenset(found)


def _says_all(wanted: list[tuple[str, str]], has: frozenset[str]) -> bool:
    """Whether the line has each word, or one that says the same beside another of them."""
    missing = [k for _, k in wanted if k not in has]
    return len(missing) < len(wanted) and all(has & _ALSO.get(k, frozenset()) for k in missing)


def _implies(wanted: list[tuple[str, str]], has: frozenset[str], text: str) -> bool:
    """Whether all that is missing is a verb, and the line has no other one."""
    asked = [w for w, _ in wanted]
    missing = [w for w, k in wanted if k not in has]
    # "reading news", but not "a hobby: reading": what is read must follow.
    before = {w for w, after in itertools.pairwise(asked) if after not in missing}
    if not missing or not all(w.endswith("ing") and w in before for w in missing):
        return False
    return not any(
        (re.search(r"(?:ing|ed)$", w) and w not in LIGHT and w not in STOP
        and w not in _OTHER and w not in _TIMES_OF_DAY and key(w) not in {k for _, k in wanted})
        or (w in LEMMA and w not in LIGHT and LEMMA[w] not in {k for _, k in wanted})
        for w in words(text)
    )  # fmt: skip


def _with_title(wanted: list[tuple[str, str]], has: frozenset[str], title: frozenset[str]) -> bool:
    """A line under a title that says the rest."""
    keys_ = {k for _, k in wanted}
    return len(keys_) > 1 and bool(keys_ & has) and keys_ <= has | title and not keys_ <= title
