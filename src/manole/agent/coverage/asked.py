"""What a question asks of papers: which field, of which papers, and what to make of the values.

"Sum of the electricity bills in 2023" asks for the totals of papers of the kind "bill" that have
to do with electricity, dated in 2023, and wants them added up. Only questions that name a kind of
paper, and a field or a calculation, are understood; all others are left to search and model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from manole.documents.fields.amounts import find_amounts
from manole.index.words import STOP, fold, words
from manole.tools.periods import Period, find_period

ANY = "paper"  # of whatever kind
# How people call papers: singular, then what makes it a plural or several.
_PAPERS: dict[str, tuple[str, str]] = {
    "credit note": (r"credit (?:note|memo)|gutschrift|avoir",
                    r"credit (?:notes|memos)|gutschriften"),
    "invoice": (r"invoice|facture|factuur", r"invoices|factures|facturen"),
    "bill": (r"bill|\w*rechnung", r"bills|\w*rechnungen"),
    "receipt": (r"receipt|quittung|kassenbon|beleg|recu|bon", r"receipts|quittungen|kassenbons|"
                r"belege|recus|bonnen"),
    "policy": (r"policy|versicherungspolice|police", r"policies|versicherungspolicen|polices"),
    "contract": (r"contract|agreement|\w*vertrag|contrat", r"contracts|agreements|\w*vertrage|"
                 r"contrats|contracten"),
}  # fmt: skip
_FIELDS: dict[str, str] = {
    "due_date": r"due dates?|payment dates?|fallig(?:keit\w*)?|(?:are|is|become|falls?|fall) due|"
    r"due (?:in|on|by|this|next|before|until)|pay by|vervaldat\w+|echeances?",
    "end_date": r"\b(?:ends?|ending|expires?|expiring|expiry|runs? out|run until|terminates?|"
    r"end dates?|enden|endet|laufen aus|ablaufen)\b",
    "notice": r"notice periods?|kundigungsfrist\w*|opzegtermijn\w*",
    "number": r"(?:invoice|bill|receipt|policy|contract|reference) (?:numbers?|nos?)\b|\bnumbers?\b"
    r"(?! of)|rechnungsnummern?",
    "tax": r"\b(?:vat|gst|sales tax|tax amounts?|taxes|mwst|mehrwertsteuer|umsatzsteuer|btw|tva)\b",
    "net": r"\bnet (?:amounts?|totals?|sums?|values?)|\bnetto\w*|without (?:vat|tax)",
    "due": r"amounts? due|(?:still|left) to (?:be )?pa(?:y|id)|outstanding amounts?|balance due",
    "total": r"\b(?:totals?|amounts?|sums?|add(?:s|ing)? up|spen[dt]|costs?|charged|how much|"
    r"prices?|\w*betrag|\w*betrage|summen?|montants?|totaal|bedrag\w*|kosten|worth|"
    r"expensive|cheap\w*)\b",
    "issuer": r"\b(?:issuers?|shops?|suppliers?|vendors?|sellers?|compan(?:y|ies)|from whom|who "
    r"(?:issued|sent|wrote|charged)|issued by|which (?:shop|firm|store)|aussteller|lieferant\w*)\b",
    "date": r"\b(?:dates?|dated|when (?:was|were)|datum|wann)\b",
}
_COUNT = (
    r"\bhow many\b|\bnumber of\b|\bcount\b|\bwie ?viele\b|\banzahl\b|\bcombien de\b|\bhoeveel\b"
)
_SUM = (
    r"\bsum of\b|\badds? up\b|\bsum up\b|\badding up\b|\bin total\b|\baltogether\b|\bcombined\b|"
    r"\btotal (?:amount |cost |sum )?(?:of|for) (?:all|the|my|our|every)\b|\bgrand total\b|"
    r"\bhow much (?:did|do|have|has|are|were|in)\b|\bsumme (?:der|aller|meiner)\b|\bzusammen\b|"
    r"\binsgesamt\b|\bsomme des\b|\bspen[dt]\b"
)
_MAX = (
    r"\b(?:largest|highest|biggest|greatest|most expensive|dearest|priciest|hochsten?|grossten?|"
    r"teuersten?|plus (?:eleve|cher|grand)e?|hoogste|duurste)\b"
)
_MIN = (
    r"\b(?:smallest|lowest|cheapest|least expensive|kleinsten?|niedrigsten?|gunstigsten?|"
    r"billigsten?|laagste|goedkoopste|moins chere?)\b"
)
_AVERAGE = r"\b(?:average|mean|on average|durchschnitt\w*|im schnitt|moyenne|gemiddelde?)\b"
_COMPARE = r"\b(?:compare|comparison|difference between|vergleich\w*|comparer|vergelijk)\b"
_LIST = (
    r"^\W*(?:please )?(?:list|show|give|name|tabulate|make|zeig|liste)\b|\b(?:every|each|all|alle|"
    r"jeder?|chaque|toutes)\b|^\W*(?:which|what|welche)\b|\btable of\b"
)
_ABOVE = r"\b(?:over|above|more than|at least|exceed\w*|greater than|higher than|uber|mehr als)\b"
_BELOW = r"\b(?:under|below|less than|at most|lower than|smaller than|unter|weniger als)\b"
_CHARGES = r"\bhow much (?:did|does|has|have)\b.*\b(charged?|invoiced?|bill(?:ed)?)\b"  # an invoice
_PAID_AT = r"\bhow much (?:did|have) (?:i|we) (?:pay|paid|spen[dt])\b[^?]*? (?:at|to) "  # to whom
_GROUPS = {
    "issuer": r"\b(?:per|by|for each|each) (?:issuer|shop|supplier|vendor|seller|company|firm)\b",
    "year": r"\b(?:per|by|for each|each|every) year\b|\bpro jahr\b|\byearly\b",
    "month": r"\b(?:per|by|for each|each|every) month\b|\bpro monat\b|\bmonthly totals?\b",
}
_ABOUT_FILES = r"\b(?:files?|file size|megabytes|mb|pdfs?|disk|bytes|dateien|datei)\b"
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_FILLER_WORDS = """
list show give name table tabulate please every each all their its total totals amount amounts sum
sums add adds adding up largest highest biggest greatest most expensive smallest lowest cheapest
least average mean compare comparison difference number numbers count many much date dates dated
issuer issuers shop shops supplier suppliers vendor vendors seller company issued paid pay spend
spent cost costs charged price prices value values net tax taxes vat gst due end ends ending expire
expires expiring together combined altogether overall whole year month week yearly monthly per paper
papers document documents sent wrote worth received got one ones highest hold have own invoice
invoices bill bills receipt receipts contract contracts policy policies credit note notes agreement
agreements over above below under than least eur usd euro euros dollars gbp chf currency make made
summe aller alle gesamtbetrag gesamtbetrage betrag betrage hochste grosste teuerste welche
durchschnitt meine meiner zusammen insgesamt amount amounted what's whats still left notice period
periods run runs out sorted descending ascending ordered order add them those these against versus
vs summen liste zeige nummer datum totaux fallig rechnungsnummer rechnungsnummern enden endet
outstanding biggest overall grand sort
"""
_FILLER = frozenset(_FILLER_WORDS.split())


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about papers.

    `fields`: what is asked, the one to calculate with first. `operations` of "list", "count",
    "sum", "max", "min", "average", "compare". `several`: whether it asks of many papers.
    `words` are left to say which papers; `identifiers` are those of them with a digit.
    """

    paper: str
    fields: tuple[str, ...]
    operations: tuple[str, ...]
    several: bool
    words: tuple[str, ...] = ()
    period: Period | None = None
    period_of: str = "date"
    years: tuple[int, ...] = ()
    above: Decimal | None = None
    below: Decimal | None = None
    group: str | None = None

    @property
    def field(self) -> str:
        """The field to calculate with."""
        return self.fields[0]


def understand_asked(question: str, today: date, *, force: bool = False) -> Asked | None:
    """What `question` asks of papers, or `None` where it names no kind of paper or no field.

    With `force` one of both is enough: a paper without a field is asked its total (a contract
    or policy its end), a field without a paper is asked of every paper there is.
    """
    text = fold(question)
    paper = _paper(text)
    if paper is None and re.search(_PAID_AT, text):
        # On one day it was one payment, in a longer time or at any time all of them.
        paid = find_period(text, today)
        paper = ANY, not (paid and paid.start == paid.end), "pay"
    if paper is None and not force:
        return None
    kind, plural, noun = paper or (ANY, True, "")
    operations = _operations(text, plural or force)
    fields = _fields(text, operations)
    if force and not fields and paper is not None:
        fields = ("end_date",) if kind in {"contract", "policy"} else ("total",)
    if force and not operations:
        operations = ("list",)
    above, below = _threshold(text, question)
    if above is not None or below is not None:
        operations = (*operations, "list") if "list" not in operations else operations
        fields = fields or ("total",)
    if not fields:
        return None
    period = find_period(_without_threshold(text), today)
    years = tuple(sorted({int(y) for y in _YEAR.findall(text)}))
    if "compare" in operations and len(years) > 1:
        period = None
    else:
        years = ()
    of_value = fields[0] if fields[0] in {"end_date", "due_date"} else "date"
    several = plural or bool(set(operations) & {"max", "min", "average", "compare"})
    return Asked(
        paper=kind,
        fields=fields,
        operations=operations,
        several=several and _wants_many(operations, fields, text),
        words=_rest(question, text, noun, period),
        period=period,
        period_of=of_value,
        years=years,
        above=above,
        below=below,
        group=next((g for g, pattern in _GROUPS.items() if re.search(pattern, text)), None),
    )


def _paper(text: str) -> tuple[str, bool, str] | None:
    """The kind of paper named first, whether of several, and the word for it."""
    best: tuple[int, str, bool, str] | None = None
    for kind, (one, many) in _PAPERS.items():
        for pattern, plural in ((many, True), (one, False)):
            match = re.search(rf"\b(?:{pattern})\b(?!\s+(?:number|no|date)s?\b)", text)
            if match and (best is None or match.start() < best[0]):
                each = re.search(rf"\b(?:every|each|jeder?|chaque)\s+(?:\w+\s+)?{match[0]}", text)
                best = match.start(), kind, plural or bool(each), match[0]
    if best is None and (charges := re.search(_CHARGES, text)):
        return "invoice", False, charges[1]
    return best[1:] if best else None


def _operations(text: str, plural: bool) -> tuple[str, ...]:
    found = [
        name
        for name, pattern in (
            ("count", _COUNT),
            ("sum", _SUM),
            ("max", _MAX),
            ("min", _MIN),
            ("average", _AVERAGE),
            ("compare", _COMPARE),
        )
        if re.search(pattern, text)
    ]
    if "sum" in found and {"max", "min"} & set(found) and not re.search(r"add|sum|total of", text):
        found.remove("sum")  # "how much was the largest"
    if plural and not found and re.search(r"\bhow much\b|\bwie ?viel\b|\bcombien\b", text):
        found.append("sum")
    if plural and not found and re.search(_LIST, text):
        found.append("list")
    return tuple(found)


def _fields(text: str, operations: tuple[str, ...]) -> tuple[str, ...]:
    """The fields named, the one to calculate with first."""
    named = [name for name, pattern in _FIELDS.items() if re.search(pattern, text)]
    if "due_date" in named and "date" in named and not re.search(r"\bdates\b.*\bdue", text):
        named.remove("date")
    if "total" in named and {"net", "tax", "due"} & set(named):
        separate = re.sub(_FIELDS["net"] + "|" + _FIELDS["due"] + "|" + _FIELDS["tax"], " ", text)
        if not re.search(r"\btotals?\b|\bgross\b", separate):
            named.remove("total")
    calculates = set(operations) & {"sum", "max", "min", "average", "compare"}
    money = [f for f in named if f in {"total", "net", "tax", "due"}]
    if calculates and not money and not {"end_date", "due_date"} & set(named):
        money = ["total"]
    rest = [f for f in named if f not in money]
    return tuple(dict.fromkeys([*money, *rest]))


def _wants_many(operations: tuple[str, ...], fields: tuple[str, ...], text: str) -> bool:
    """Whether the question is about the values of many papers, not about files or one fact."""
    if re.search(_ABOUT_FILES, text) and not re.search(r"\btotals?\b|\bamounts?\b", text):
        return False
    if not operations:
        return False
    return set(operations) != {"count"} or fields[0] in {"end_date", "due_date"}


def _threshold(text: str, question: str) -> tuple[Decimal | None, Decimal | None]:
    limits: list[Decimal | None] = []
    for pattern in (_ABOVE, _BELOW):
        match = re.search(rf"{pattern}\s+(?P<rest>\D{{0,4}}\d[\d.,' ]*\S*(?: \w+)?)", text)
        amount = None
        if match:
            found = find_amounts(match["rest"])
            bare = re.match(r"\D*(\d{1,9})(?![\d.,]|\w)", match["rest"])
            amount = found[0].value if found else Decimal(bare[1]) if bare else None
            if amount is not None and 1900 <= amount <= 2100 and not found:
                amount = None  # a year
        limits.append(amount)
    return limits[0], limits[1]


def _without_threshold(text: str) -> str:
    return re.sub(rf"(?:{_ABOVE}|{_BELOW})\s+\D{{0,4}}\d+", " ", text)


def _rest(question: str, text: str, noun: str, period: Period | None) -> tuple[str, ...]:
    """The words that say which papers are meant: an issuer, a subject, a number."""
    gone = set(words(period.text)) if period else set()
    gone |= set(words(noun))
    kept = [
        w
        for w in words(question)
        if w not in STOP and w not in _FILLER and w not in gone and not _YEAR.fullmatch(w)
    ]
    compound = re.match(r"(\w{3,})(?:rechnung(?:en)?|vertrage?)$", noun)
    if compound:
        kept.insert(0, compound[1])
    amounts = {
        w for w in kept if re.fullmatch(r"[\d.,]+", w) and re.search(_ABOVE + "|" + _BELOW, text)
    }
    return tuple(dict.fromkeys(w for w in kept if w not in amounts and len(w) > 1))
