"""The kind of a paper: an invoice, a receipt, a contract, a policy.

The heading decides; a mention in running text does not count. A paper without such a heading is an
invoice if it has a label such as "invoice number".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from manole.documents.fields.lines import cells, fold
from manole.documents.fields.model import TextLine

KINDS = ("invoice", "bill", "receipt", "credit note", "contract", "policy")

# A line that begins or ends with one of these is a heading of that kind.
_WORDS: dict[str, str] = {
    "credit note": r"credit (?:note|memo)|rechnungskorrektur|stornorechnung|gutschrift|avoir|"
    r"facture d.avoir|creditnota|nota de credito|nota di credito",
    "invoice": r"(?:tax |sales |retail |commercial |pro ?forma )?invoices?|\w*rechnung|facture|"
    r"factuur|factura|fattura|fatura|kostennote|honorarnote|note d.honoraires|beitragsrechnung",
    "bill": r"(?:\w+ )?bill|statement of (?:charges|account)|\w*abrechnung",
    "receipt": r"(?:payment |cash |sales |official |tax )?receipt|quittung|kassenbon|"
    r"kassenbeleg|\w*beleg|kassabon|bon(?= \d)|recu|ticket de caisse|bonnetje|cash bill|"
    r"ricevuta|recibo",
    "policy": r"(?:\w+ ){1,3}insurance(?: \d{4})?|(?:\w+ )?(?:insurance )?(?:policy|"
    r"certificate of insurance)|versicherungs(?:schein|police)|police d.assurance|polisblad",
    "contract": r"(?:\w+ )?(?:contract|agreement|lease|tenancy agreement)"
    r"(?: (?:for|between|of|on)\b.*)?|\w*vertrag(?: (?:uber|zwischen)\b.*)?|contrat\b.*|"
    r"bail|overeenkomst|huurcontract|contrato|contratto",
}
_BEGUN = {  # how words for these papers begin in six languages
    "invoice": ("invoic", "rechnung", "factur", "factuur", "fattur", "rekening"),
    "bill": ("bill", "bollett", "abrechnung"),
    "receipt": ("receip", "quittung", "beleg", "kassen", "scontrin", "ricevut", "recib", "bonnet",
                "kassabon", "bonnen", "ticket de caisse"),
    "contract": ("contrat", "contract", "vertr", "overeenkomst", "lease", "agreement"),
    "policy": ("polic", "poliz", "polis", "insuranc", "versicherung", "verzekering", "assuranc"),
}  # fmt: skip
_BEGUN_WHOLE = {
    name: kind
    for kind, names in {"invoice": "invoices", "bill": "bills", "receipt": "receipts",
                        "contract": "contracts", "policy": "policies"}.items()
    for name in (names, kind)
}  # fmt: skip
_ALIKE = 0.75  # difflib ratio of a misspelt name: one letter of four
_ALONE = ("policy", "contract")
PAYABLE = frozenset(kind for kind in KINDS if kind not in _ALONE)
_CALLED = {kind: re.compile(rf"(?:{words})(?:e?n|e?s|e)?") for kind, words in _WORDS.items()}
_SPACED = re.compile(r"\b(?:\w ){4,}\w\b")  # W A R E N R E C H N U N G
_NUMBERED = r"(?:\W*(?:\(\w+\)|no|nr|n°|nº|number|nummer|#|\d{4}|[a-z]{0,4}[-/]?\d[\w/.-]*)\W*)"
_HEADING = {
    kind: re.compile(
        rf"^\W*(?:{words})\W*$|"
        rf"^\W*(?:{words})\W*{_NUMBERED}|"
        rf"^\W*(?:{words})\b.{{0,40}}\b(?:no|nr|n°|number|nummer)\b|"
        rf"^[\w&./ ]{{0,40}} (?:{words})\W*$"
    )
    for kind, words in _WORDS.items()
}
_LABELS = re.compile(
    r"\b(?:invoice|rechnungs|facture|factuur|beleg)\s?-?(?:no|nr|number|nummer|date|datum|n°|#)"
)
_HEAD_LINES = 45  # with text, in which a heading is looked for
_CELL = 60  # characters of a heading, at most


def read_kind(lines: list[TextLine]) -> str | None:
    """Return the kind that the paper's head names, `None` if it names none."""
    for line in islice((line for line in lines if line.text.strip()), _HEAD_LINES):
        row = cells(_close(fold(line.text)))
        for cell in row:
            cell = cell.lstrip("# ")
            if len(cell) > _CELL:
                continue
            for kind, pattern in _HEADING.items():
                if len(row) > 1 and kind in _ALONE:
                    continue  # a row of a table, such as a budget's "insurance"
                if pattern.search(cell):
                    return kind
    if any(_LABELS.search(fold(line.text)) for line in lines[:120]):
        return "invoice"
    return None


def types_named(words: Iterable[str]) -> set[str]:
    """Return the types of paper that some words name: `bills`, `Rechnungen`, `policies`."""
    plain = [re.sub("ies$", "y", fold(word)) for word in words]
    return {kind for kind, pattern in _CALLED.items() if any(map(pattern.fullmatch, plain))}


def types_begun(text: str) -> set[str]:
    """Return the types that a word for papers means, also misspelt or in the plural.

    Only for a word that is known to name a type: `fatture`, `scontrini`, `recipts`.
    """
    own = words_of_type(text)
    begun = {kind for kind, starts in _BEGUN.items() if any(w.startswith(starts) for w in own)}
    near = get_close_matches(own[-1], _BEGUN_WHOLE, 1, _ALIKE) if own and not begun else []
    return begun or {_BEGUN_WHOLE[name] for name in near}


def words_of_type(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return re.findall(r"\w+", fold(text))


def _close(text: str) -> str:
    """Join spaced-out letters: `w a r e n` gives `waren`."""
    return _SPACED.sub(lambda m: m[0].replace(" ", ""), text)
