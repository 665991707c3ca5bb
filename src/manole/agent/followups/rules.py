"""The rules that complete follow-up questions without a model.

"And in 2022?" after "What did we pay for electricity in 2023?" exchanges one thing: a period, a
number, a name, or the thing asked for. "Open the second one" points at a list, "when is her
birthday" at the one person named. Each rule returns `None` unless exactly one reading fits; if none
applies, the question is read with the one before it (`rewrite`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from manole.catalog.kinds import kind_called
from manole.documents.fields.kinds import types_named
from manole.text.date_words import MONTHS, ORDINALS, UNIT_OF, WEEKDAYS, any_of
from manole.text.names import NAME, names, without_possessive
from manole.text.spans import Span, find, read
from manole.text.words import content_words, stem, stems, stems_apart, words

_OPENING = re.compile(
    r"^(?:(?:and|but|or|so|ok|okay|und|aber|oder)\b[ ,]*)?"
    r"(?:(?:what|how) about|what of|was ist mit|wie (?:ist|war|steht|sieht) es(?: aus)? mit|"
    r"(?:wie (?:ist|war) es))?\s*"
    r"(?:the ones?|that|those|die|der|das|den)?\s*(?=\S)",
    re.IGNORECASE,
)
_PREPOSITION = (
    r"(?:in|for|from|of|on|at|with|by|over|during|since|before|after|until|to|im|am|an|zu|für|"
    r"vom|von|mit|bei|aus|seit|vor|nach|bis|über)"
)
_RELATION = r"(?:since|before|after|until|by|seit|vor|nach|bis)"
_ARTICLE = r"(?:the|an?|my|our|his|her|their|your|die|der|das|den|dem|mein\w*|unser\w*|ein\w*)"
_ORDINALS = {word: n - 1 for word, n in ORDINALS.items()} | {"last": -1, "letzte": -1}
_ONE = re.compile(
    rf"\b(?:the|that) ones?\b {_PREPOSITION} (?P<which>[^,;?!]+)|"
    rf"\b(?:die|der|das|den|dem|jene[rsn]?) {_PREPOSITION} (?P<welche>[^,;?!]+)",
    re.IGNORECASE,
)
_SUPERLATIVE = (
    r"(?:largest|biggest|smallest|newest|latest|oldest|earliest|cheapest|most expensive|highest|"
    r"lowest|longest|shortest|größte|kleinste|neueste|älteste|teuerste|billigste|höchste)"
)
_DOUBT = re.compile(
    r"(?:(?:are|were|is|was)(?:n['’]?t| not)? (?:there|these|those|it|that|they)(?: not)?"
    r"(?: really| only| just| any)*|(?:sind|waren|ist|war|gibt|gab) (?:das|es|die|dies)"
    r"(?: denn| nicht| wirklich| nur| noch)*) "
    r"(?:(?:more|fewer|less|at least|at most|mehr|weniger|mindestens|höchstens)"
    r"(?:(?: than| als)? (?!of\b|davon\b)\w+)?|\d+|others?|all|alle|alles)"
    r"(?: (?!of\b|davon\b)(?P<of>[\w-]+))?(?: of (?:them|those|these)| davon)?",
    re.IGNORECASE,
)
_PATH = re.compile(r"[\w/.-]*[\w-]+\.[a-z][a-z0-9]{1,4}\b")


@dataclass(frozen=True, slots=True)
class Talk:
    """The context of a follow-up: the last question, completed, its answer, and today."""

    asked: str
    answer: str
    today: date


def complete(question: str, talk: Talk) -> str | None:
    """Return `question` as one that stands alone, or `None` when no rule applies."""
    text = question.strip()
    for rule in _RULES:
        found = rule(text, talk)
        if found is not None and found != text:
            return found
    return None


def names_in(text: str) -> list[str]:
    """Return names inside a sentence: capitalised, not its first word, no month, no German noun.

    A capitalised word after an article is taken for a German noun.
    """
    found = []
    for match in names(text, whole=True):
        before, name = text[: match.start()].rstrip(), match[0]
        if before[-1:] in {*':\n“"'} and " " not in name:
            continue  # any word is capitalised here
        if re.search(rf"\b{_ARTICLE}$", before, re.IGNORECASE):
            continue
        if name.lower() in MONTHS or name.lower() in WEEKDAYS:
            continue
        found.append(without_possessive(name))
    return list(dict.fromkeys(found))


def _fragment(text: str) -> str:
    """Return the rest of "and what about the one from March?": "from March"."""
    opening = _OPENING.match(text)
    return text[opening.end() :].strip(" ?.!") if opening else ""  # "" for a blank message


def _ending(asked: str) -> str:
    """Return a question without its final mark."""
    return asked.rstrip(" ?.!")


def _swap_period(text: str, talk: Talk) -> str | None:
    """Put another period into the last question: `and in 2022?`, `the one from March?`."""
    fragment = _fragment(text)
    match = re.fullmatch(rf"(?:({_PREPOSITION})\s+(?:the )?)?(.+)", fragment, re.IGNORECASE)
    if match is None:
        return None
    preposition, written = match[1] or "", match[2]
    new = read(written.lower(), talk.today)
    if new is None:
        return None
    points = find(talk.asked.lower())
    old = [(p, s) for p in points if (s := read(p[0], talk.today)) is not None]
    if len(old) > 1:
        return None
    if not old:
        joint = preposition or _preposition(written, new)
        return " ".join(filter(None, (_ending(talk.asked), joint, written))) + "?"
    point, span = old[0]
    before, after = talk.asked[: point.start()], talk.asked[point.end() :]
    was = talk.asked[point.start() : point.end()]
    year = re.search(r"(?:19|20)\d{2}", was)
    held = re.search(rf"\b{_PREPOSITION}(?: the)?\s+$", before, re.IGNORECASE)
    if held and preposition and re.fullmatch(_RELATION, preposition, re.IGNORECASE):
        return f"{before[: held.start()]}{preposition} {written}{after}"
    if re.fullmatch(r"(?:19|20)\d{2}", written) and year:
        return before + was[: year.start()] + written + was[year.end() :] + after
    if not new.dated and year and new.bound:
        written = f"{written} {year[0]}"
    if held and span.bound != new.bound and not re.search(r"\d", written) and not new.bound:
        before = before[: held.start()]  # "in March" becomes "last week"
    elif not held:
        joint = preposition or _preposition(written, new)
        before = f"{before}{joint} " if joint else before
    return before + written + after


def _preposition(written: str, span: Span) -> str:
    """Return the preposition of a period: `in 2022`, `on 5 March`, none for `last week`."""
    if not re.search(r"\d", written) and not span.bound:
        return ""
    return "on" if span.first == span.last else "in"


def _swap_number(text: str, talk: Talk) -> str | None:
    """Exchange the one number of the last question: `and for 3 people?`."""
    match = re.fullmatch(rf"({_PREPOSITION} )?(\d+(?:[.,]\d+)?)((?: \w+)?)", _fragment(text), re.I)
    if match is None or re.fullmatch(r"(?:19|20)\d{2}", match[2]):
        return None
    old = list(re.finditer(r"\d+(?:[.,]\d+)?", talk.asked))
    noun = match[3].strip().lower()
    if len(old) == 1 and (
        not noun or re.match(rf"\s+{re.escape(noun)}", talk.asked[old[0].end() :], re.I)
    ):
        return talk.asked[: old[0].start()] + match[2] + talk.asked[old[0].end() :]
    return None


def _swap_name(text: str, talk: Talk) -> str | None:
    """Exchange the one name of the last question: `what about Jonas?`."""
    fragment = _fragment(text)
    match = re.fullmatch(rf"(?:({_PREPOSITION}) )?({NAME})", fragment)
    if match is None or read(match[2].lower(), talk.today) is not None:
        return None
    old, new = names_in(talk.asked), without_possessive(match[2])
    if len(old) == 1:
        return re.sub(rf"\b{re.escape(old[0])}(?!\w)", new, talk.asked)
    if not old and match[1]:
        return f"{_ending(talk.asked)} {match[1]} {new}?"
    return None


def _swap_thing(text: str, talk: Talk) -> str | None:
    """Exchange the thing asked for: `and the deposit?` after `How much is the rent?`."""
    opened = re.match(
        r"^(?:(?:and|but|und|aber)\b[ ,]*(?:(?:what|how) about )?|(?:what|how) about )", text, re.I
    )
    if opened is None:
        return None
    new = re.fullmatch(rf"{_ARTICLE} [\w-]+(?: [\w-]+)?", text[opened.end() :].strip(" ?.!"), re.I)
    if new is None or re.search(r"\b(?:ones?|other)\b", new[0]):
        return None
    old = re.fullmatch(
        rf"(.*\b(?:is|are|was|were|ist|sind|war|waren|costs?)) ({_ARTICLE}) "
        rf"(?!{_PREPOSITION}\b)[\w-]+(?: (?!{_PREPOSITION}\b)[\w-]+)?( {_PREPOSITION} .+)?",
        _ending(talk.asked),
        re.I,
    )
    if old is None or (old[3] and not (_is_any(old[2]) and _is_any(new[0]))):
        return None  # "the notice period for the flat": which of the two is exchanged?
    if old[0].split()[-1].lower() in UNIT_OF:
        return None  # "a year" is not the thing
    return f"{old[1]} {new[0]}{old[3] or ''}?"


def _is_any(text: str) -> bool:
    """Return whether a thing has the article of any of its sort."""
    return re.match(r"(?:an?|ein\w*)\b", text, re.IGNORECASE) is not None


def _more_than(text: str, talk: Talk) -> str | None:
    """Look again where a number is doubted: `aren't there more than 2?`, `is that all?`."""
    doubt = _DOUBT.fullmatch(text.strip(" ?.!"))
    of = stems(doubt["of"] or "") if doubt else frozenset()
    return talk.asked if doubt and of <= stems(talk.asked) else None


def _which_of_them(text: str, talk: Talk) -> str | None:
    """Ask for a superlative of the last question's things: `which of them is the largest?`."""
    asks = re.fullmatch(
        rf"(?:and )?(?:which|what|welche[rs]?)(?: ones?)?(?: (?:of|von) (?:them|these|those|ihnen|"
        rf"denen))? (?:is|was|are|ist|war) (?:the |der |die |das )?({_SUPERLATIVE})"
        r"(?: (?:ones?|of (?:them|these|those|all)))?",
        text.strip(" ?.!"),
        re.IGNORECASE,
    )
    if asks is None:
        return None
    things = re.sub(
        r"^(?:please )?(?:list|show(?: me)?|give me|find|which|what|how many|welche|zeige?|count)"
        r"(?: all)?(?: of)?(?: the| my| our)? ",
        "",
        _ending(talk.asked),
        flags=re.IGNORECASE,
    )
    if things == _ending(talk.asked):
        return None
    about_files = (
        any(map(kind_called, things.split()))
        or bool(types_named(words(things)))
        or re.search(r"\b(files|documents)\b", things.lower()) is not None
    )
    if about_files:
        things = re.sub(
            r"(?i) (?:do (?:i|we) have|are there|have (?:i|we)(?: got)?|"
            r"are(?= (?:in|from|of)\b)|exist)\b",
            "",
            things,
        )
        return f"Which is the {asks[1]} of the {things}?"
    return f"{_ending(talk.asked)}, and which of them is the {asks[1]}?"


def _nth(text: str, talk: Talk) -> str | None:
    """Name a file of the last answer's list: `open the second one`."""
    items = _items(talk.answer)
    which = re.search(
        rf"\b(?:the |number |das |die |den )({any_of(_ORDINALS)})[nsr]?(?: (?:one|file|document|"
        r"of (?:them|those|these)))?\b(?! \w+ (?:in|of|from)\b)",
        text,
        re.IGNORECASE,
    )
    if not items or which is None or len(text.split()) > 8:
        return None
    at = _ORDINALS[which[1].lower()]
    if at >= len(items):
        return None
    return f"{text[: which.start()]}{_file_of(items[at])}{text[which.end() :]}"


def _items(answer: str) -> list[str]:
    """Return the items of an answer's list, without their marks."""
    return re.findall(r"^\s*(?:[-*•]|\d+[.)])\s+(\S.*?)(?: \(.*)?$", answer, re.MULTILINE)


def _file_of(item: str) -> str:
    """Return the file that an item of a list begins with, or else the item."""
    path = _PATH.match(item)
    return path[0] if path else re.sub(r"(?: \[\d+\])+$", "", item.strip())


def _the_one(text: str, talk: Talk) -> str | None:
    """Name the one file of the last answer that is described: `the one from the vet`."""
    meant = _ONE.search(text)
    if meant is None or _PATH.search(text):
        return None
    told = {stem(word) for word in content_words(meant["which"] or meant["welche"])}
    described = [
        path[0]
        for item in _items(talk.answer)
        if (path := _PATH.match(item)) and told and told <= stems_apart(item)
    ]
    if len(described) != 1:
        return None
    return _naming(text, meant, described[0])


def _that_file(text: str, talk: Talk) -> str | None:
    """Name the one file of the last answer: `how big is it?`, `what about that invoice?`."""
    paths = list(dict.fromkeys(_PATH.findall(talk.answer)))
    if len(paths) != 1 or _PATH.search(text):
        return None
    asks = re.search(
        r"^(?:please )?(?:open|read|show|summari[sz]e|display)\b|\b(?:how (?:big|large|long|old)|"
        r"size|modified|changed|created|saved|about)\b",
        text,
        re.IGNORECASE,
    )
    meant = re.search(r"\b(?:it|(?:this|that|the) (?:file|document|one))\b(?!['’])", text, re.I)
    named = re.search(r"\b(?:this|that|diese[rsnm]?|jene[rsnm]?) ([\w-]+)", text, re.I)
    if named and (types_named([named[1]]) or kind_called(named[1])):
        return _naming(text, named, paths[0])
    return _naming(text, meant, paths[0]) if asks and meant else None


def _naming(text: str, meant: re.Match[str], path: str) -> str:
    """Put a file in the place of what points at it; "what about it, who sent it?" asks once."""
    before, behind = text[: meant.start()], text[meant.end() :]
    asks = re.fullmatch(r"[ ,:;-]+(\S.*\b)(it|that|sie|es|er)\b(.*)", behind, re.IGNORECASE)
    opening = _OPENING.match(f"{before}…")
    if asks and opening and opening.end() == len(before):
        return f"{asks[1]}{path}{asks[3]}"
    return f"{before}{path}{behind}"


def _person(text: str, talk: Talk) -> str | None:
    """Name the one person of the conversation: `when is her birthday?`."""
    pronouns = re.findall(r"\b(?:he|she|him|her|his)\b", text, re.IGNORECASE)
    if len(pronouns) != 1 or names_in(text):
        return None
    names = list(dict.fromkeys([*names_in(talk.asked), *names_in(talk.answer)]))
    if len(names) != 1:
        return None
    pronoun = pronouns[0]
    match = re.search(rf"\b{pronoun}\b", text)
    owned = re.search(rf"\b{pronoun}\b(?= (?!{_PREPOSITION}\b|and\b|or\b|when\b)\w)", text)
    possessive = pronoun.lower() == "his" or (pronoun.lower() == "her" and owned is not None)
    name = f"{names[0]}'s" if possessive else names[0]
    assert match is not None
    return f"{text[: match.start()]}{name}{text[match.end() :]}"


_RULES: tuple[Callable[[str, Talk], str | None], ...] = (
    _more_than, _which_of_them, _nth, _the_one, _that_file, _swap_period, _swap_number, _swap_name,
    _swap_thing, _person,
)  # fmt: skip
