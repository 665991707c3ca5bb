"""The issuer of a paper.

Candidates are the words behind "seller" or "sold by", names with a legal form (GmbH, Ltd., B.V.),
the first line of the letterhead, and account holders. A candidate's score rises near a tax number,
in the foot, and if the paper's web or mail address has its words; the addressee is no candidate.
The scores are set by hand: only their order matters, and `model.SURE` says how well they do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from manole.documents.fields.kinds import read_kind
from manole.documents.fields.labels import label_of
from manole.documents.fields.lines import cells, fold
from manole.documents.fields.model import Field, TextLine
from manole.text.amounts import find_amounts
from manole.text.dates import find_dates

LEGAL_FORM = re.compile(
    r"\b(?:GMBH|LTD|LIMITED|INC|PTE|G(?:mb|MB)H(?: & Co\.? ?KG)?|mbH|AG|KG|e\.?K\.?|e\.?V\.?|"
    r"OHG|UG|a\.G\.|Ltd\.?|Limited|LLC|"
    r"Inc\.?|Corp\.?|PLC|Pvt|LLP|SARL|S\.?A\.?R\.?L\.?|SAS|SASU|EURL|S\.A\.?|B\.?V\.?|N\.V\.|"
    r"S\.?r\.?l\.?|S\.p\.A\.?|S\.?L\.?U?|Lda|Sp\. z o\.o\.|A/S|ApS|AB|Oy|SDN\.? ?BHD\.?|"
    r"Sdn\.? ?Bhd\.?|S/B|(?:BHD|Bhd)\.?|Berhad|BERHAD|Pty|ENTERPRISE|Inh\.)(?=$|[\s,.)\-–•|(])"
)
SELLER = re.compile(
    r"^\W*(?:verkaufer|lieferant|rechnungssteller|aussteller|seller|sold by|vendor|supplier|from|"
    r"issued by|service provider|vendeur|fournisseur|emetteur|verkoper|leverancier|vendedor|"
    r"fornitore)\s*(?:[:/].*)?$"
)
_SELLER_INLINE = re.compile(
    r"^\W*(?:sold by|seller|vendor|supplier|issued by|from|verkaufer|lieferant|vendeur|"
    r"fournisseur)\s*:\s*(?P<name>\S.{2,60})"
)
BUYER = re.compile(
    r"^\W*(?:kaufer|kunde|leistungsempfanger|rechnungsempfanger|rechnungsadresse|lieferadresse|"
    r"warenempfanger|abweichende\w*|bill(?:ed)? to|ship(?:ped)? to|sold to|billing address|"
    r"shipping address|buyer|customer|client|guest|acheteur|destinata(?:ire|rio)|spett|adresse de|"
    r"livraison|factuuradres|afleveradres|klant|koper|attn|to:|steuerbevollmachtigter|deliver)"
)
NAME_LABEL = re.compile(
    r"^\W*(?:name|firma|company|nom|naam|raison sociale)\s*:?\s+(?P<name>\S.*)$"
)
_ACCOUNT = re.compile(
    r"(?:kontoinhaber|kontoname|account (?:name|holder)|titulaire du compte|in favou?r of|"
    r"rekeninghouder|t\.n\.v\.?)\s*:?\s*(?P<name>\S.{2,50})?$"
)
_TAX_ID = re.compile(
    r"\b(?:ust|vat|gst(?:in)?|tva|btw|siret|cin|tin|kvk|hrb|registergericht|handelsregister|iva|"
    r"co\.? reg|company no|reg\.? no|regd|registered|siege|geschaftsfuhr)",
)
_ADDRESS = re.compile(
    r"\b\d{4,6}\b.*[a-z]|\b[a-z]*(?:str(?:asse|\.|\b)|weg|allee|platz|gasse|street|road|avenue|"
    r"ave\b|lane|rue|straat|jalan|laan|plein|boulevard|chemin)"
)
_CONTACT = re.compile(r"\b(?:tel\w*|fon|phone|fax|e-?mail|iban|bic|account)\b|www\.|http|@")
# The number of a register behind a name: "(519537-X)", "(Co. No. 113825-W)".
_REGISTERED = re.compile(
    r"\s*[(\[](?:co\.?\s*(?:reg\.?)?\s*(?:no\.?)?\s*:?)?\s*[A-Z]{0,3}\w?\d{3}[\w -]*[)\]]?\W*$",
    re.I,
)
_PLACE = re.compile(  # where a line of an address begins
    r"^\W*(?:lot|no\.?|unit|level|block|blk|suite|"
    r"(?:ground|first|\d+(?:st|nd|rd|th)) (?:floor|flr)|"
    r"jalan|jln|taman|tmn|lorong|pusat|bandar|\d+[a-z]?(?:-\d+)?\s?,)(?:\b|\s?\d|(?<=,))"
)
_FORM_ALONE = re.compile(rf"^\W*(?:(?:CO|M|KL)\b\W*)*{LEGAL_FORM.pattern}\W*$", re.IGNORECASE)
_HEAD = 8  # lines in which the address, too, may be above the tax number
_LONG_NUMBER = re.compile(r"\d{5,}")
_LEGAL = re.compile(
    r"siege social|siret|\brcs\b|\brsc\b|\btva\b|capital|\bhrb\b|ust-?id|kvk|\bbtw\b|gstin|"
    r"\bcin\b|regd|registered|company no|reg\.? no|vat (?:no|reg|id)|co\.? no|geschaftsfuhr|"
    r"\bgst (?:id|no|reg)"
)
_DOMAIN = re.compile(r"(?:@|www\.|https?://)([a-z0-9-]+(?:\.[a-z0-9-]+)*)\.[a-z]{2,}")
_ROLE = re.compile(
    r"^\W*(?:landlord|lessor|vermieter(?:in)?|between|zwischen|seller|issuer|bailleur|verhuurder|"
    r"insurer|versicherer|name|firma)\s*:?\s+(?=[A-ZÄÖÜ])",
    re.IGNORECASE,
)
_CUT = re.compile(r"\s[-–•●|]\s|,\s(?=[^,]*\d)|\s{2,}|\t|\s:\s?$")
_FREE_MAIL = frozenset(
    {"gmail", "gmx", "web", "yahoo", "hotmail", "outlook", "localhost", "example", "icloud"}
)
_NO_ISSUER = re.compile(
    r"^\W*(?:beispiel|stylesheet|page|seite|date|kopie|copy|original|duplicate)"
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    at: int
    score: float


def read_issuer(lines: list[TextLine]) -> Field[str] | None:
    """Return the issuer's name."""
    addressed = _addressed(lines)
    domains = _domains(lines)
    found = [*_labelled(lines), *_letterhead(lines, addressed), *_with_form(lines, addressed)]
    found += _in_foot(lines, addressed)
    totals: dict[str, tuple[float, _Candidate]] = {}
    for candidate in found:
        key = key_of(candidate.name)
        if len(key) < 3:
            continue
        score, first = totals.get(key, (0.0, candidate))
        totals[key] = (max(score, candidate.score) + (0.5 if key in totals else 0.0), first)
    if not totals:
        return None
    scored = (
        (score + 2.0 * any(_alike(key, domain) for domain in domains), candidate)
        for key, (score, candidate) in totals.items()
    )
    score, candidate = max(scored, key=lambda item: item[0])
    return Field.on(lines[candidate.at], candidate.name, min(0.95, 0.25 + 0.13 * score))


def _labelled(lines: list[TextLine]) -> Iterator[_Candidate]:
    """Yield the names behind a word for the seller or the account holder."""
    for at, line in enumerate(lines):
        folded = fold(line.text)
        inline = _SELLER_INLINE.match(folded)
        if inline:
            yield _Candidate(cleaned(line.text[-len(inline["name"]) :]), at, 4.0)
        elif any(SELLER.match(cell) for cell in cells(folded)[:1]):
            yield from _below(lines, at, 5.0)
        account = _ACCOUNT.search(folded)
        if account and account["name"]:
            yield _Candidate(cleaned(line.text[-len(account["name"]) :]), at, 1.5)
        elif account and at + 1 < len(lines):
            yield _Candidate(cleaned(lines[at + 1].text), at + 1, 1.5)


def _below(lines: list[TextLine], at: int, score: float) -> Iterator[_Candidate]:
    """Yield the name below a heading: behind "Name:", else the first line that is no number."""
    first: _Candidate | None = None
    for number in range(at + 1, min(at + 14, len(lines))):
        text = lines[number].text
        folded = fold(text)
        if not text.strip():
            continue
        if BUYER.match(folded):
            break
        named = NAME_LABEL.match(folded)
        if named:
            yield _Candidate(cleaned(text.strip()[-len(named["name"]) :]), number, score)
            return
        if first is None and not re.search(r"nummer|number|\bno\b|\bnr\b|gln|duns|\bid\b", folded):
            first = _Candidate(cleaned(text), number, score - 0.5)
    if first is not None:
        yield first


def _letterhead(lines: list[TextLine], addressed: set[int]) -> Iterator[_Candidate]:
    """Yield the first lines that can be a name; an address or contact nearby raises the score."""
    seen = 0
    for at, line in enumerate(lines[:25]):
        names = [cleaned(cell) for cell in cells(line.text)[:3]]
        if not names:
            continue
        seen += 1
        name = next((name for name in names if is_name(name)), "")
        if at in addressed or not name:
            continue
        near = [line.text, *(row.text for row in lines[at + 1 : at + 5])]
        address = any(_ADDRESS.search(fold(text)) for text in near)
        contact = any(_CONTACT.search(fold(text)) for text in near)
        yield _Candidate(name, at, 2.0 - 0.25 * seen + 0.4 * address + 1.0 * contact)
        if seen > 4:
            return


def _with_form(lines: list[TextLine], addressed: set[int]) -> Iterator[_Candidate]:
    """Yield the names with a legal form; tax numbers nearby and the top raise the score."""
    for at, line in enumerate(lines):
        for cell in cells(line.text):
            form = LEGAL_FORM.search(cell)
            if not form or len(cell) > 160 or label_of(cell):
                continue
            name = cleaned(cell[: form.end()] if len(cell) > 60 else cell)
            if at and _FORM_ALONE.match(name) and is_name(cleaned(lines[at - 1].text)):
                name = f"{cleaned(lines[at - 1].text)} {name}"
            if not is_name(name) or at in addressed:
                continue
            near = " ".join(fold(row.text) for row in lines[max(0, at - 2) : at + 6])
            tax = bool(_TAX_ID.search(near))
            yield _Candidate(name, at, 1.8 + 0.8 * tax + 0.6 * (at < 6))


def _in_foot(lines: list[TextLine], addressed: set[int]) -> Iterator[_Candidate]:
    """Yield the names right above legal details: seat, register, tax number."""
    for at, line in enumerate(lines[:-1]):
        if at < _HEAD or at in addressed or len(line.text) > 80 or line.text.rstrip().endswith(","):
            continue
        below = " ".join(fold(row.text) for row in lines[at + 1 : at + 3])
        name = cleaned(line.text)
        if len(_LEGAL.findall(below)) >= 2 and is_name(name):
            yield _Candidate(name, at, 3.0)


def _addressed(lines: list[TextLine]) -> set[int]:
    """Return the line numbers of blocks that begin with a word for the buyer."""
    out: set[int] = set()
    for at, line in enumerate(lines):
        if any(BUYER.match(cell) for cell in cells(fold(line.text))[:1]):
            below = range(at + 1, min(at + 9, len(lines)))
            out.add(at)
            out.update(takewhile(lambda n: not SELLER.match(fold(lines[n].text)), below))
    return out


def _domains(lines: list[TextLine]) -> set[str]:
    text = "\n".join(fold(line.text) for line in lines)
    found = {part for match in _DOMAIN.finditer(text) for part in match[1].split(".")}
    return {d for d in found if d not in _FREE_MAIL and len(d) > 2}


def _alike(key: str, domain: str) -> bool:
    bare = re.sub(r"[^a-z0-9]", "", domain)
    first = key[: max(5, len(bare))]
    return bare in key or key in bare or (len(first) >= 5 and first in bare)


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a person or a firm."""
    letters = re.findall(r"[^\W\d_]", text)
    if not len(letters) >= 3 or len(text) > 70 or len(letters) < 0.55 * len(text.replace(" ", "")):
        return False
    if find_dates(text) or find_amounts(text) or text.rstrip().endswith((":", "%")):
        return False
    folded = fold(text)
    if _CONTACT.search(folded) or _LONG_NUMBER.search(folded):
        return False
    if any(pattern.match(folded) for pattern in (BUYER, SELLER, _PLACE, _NO_ISSUER)):
        return False
    words = re.findall(r"[^\W\d_]{2,}", text)
    if sum(word[0].isupper() for word in words) < 0.4 * len(words):
        return False
    return read_kind([TextLine(text, None, 1)]) is None


def cleaned(text: str) -> str:
    """Return a name without the address behind it and the heading before it."""
    name = re.sub(r"\s*<[^>]*>|[\"“”„]", "", text.strip())
    name = _CUT.split(_REGISTERED.sub("", _ROLE.sub("", name)))[0]
    name = re.sub(r"^(?:all|this|the)\b.*? are sold by ", "", name, flags=re.IGNORECASE)
    name = re.sub(r"(?i)\s+(?:tax )?(?:invoice|rechnung|facture|factuur)$", "", name)
    return " ".join(name.strip(" .,:;*|#-–•").split()) + ("." if _dotted(name) else "")


def _dotted(name: str) -> bool:
    return bool(re.search(r"(?:\b[A-Za-z]\.[A-Z]\.|S\.r\.l\.|Inc\.|Ltd\.|a\.G\.)\W*$", name))


def key_of(name: str) -> str:
    """Return a name as it is compared: letters and digits."""
    return re.sub(r"[^a-z0-9]", "", fold(name))
