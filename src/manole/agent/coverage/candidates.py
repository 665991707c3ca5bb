"""Which files are the papers that a question asks about: all of them, not the best few.

A file is a candidate when its name or a folder's says so, or when the index finds a word for that
kind of paper in its text and its fields confirm it. What the name says goes before what the text
says. The words that are left of the question (an issuer, a subject) then choose among them, by
name, title, issuer, head and foot; only if that finds none, by the whole text.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from manole.agent.coverage.asked import ANY, Asked
from manole.agent.coverage.store import Paper, Papers
from manole.documents.fields.kinds import KINDS
from manole.index.rows import path_words
from manole.index.store import Filters
from manole.index.words import fold, stem
from manole.tools.environment import TurnState

# The words by which a kind of paper is found, in names and in texts.
WORDS: dict[str, str] = {
    "invoice": "invoice invoices rechnung rechnungen facture factures factuur facturen",
    "bill": "bill bills rechnung rechnungen abrechnung abrechnungen invoice invoices facture "
    "factures factuur facturen",
    "receipt": "receipt receipts quittung quittungen kassenbon beleg belege recu recus bon bonnen",
    "credit note": "credit gutschrift gutschriften rechnungskorrektur avoir creditnota",
    "contract": "contract contracts vertrag vertrage mietvertrag agreement agreements contrat "
    "contrats lease",
    "policy": "policy policies police polices versicherungsschein polis",
}
_KINDS: dict[str, frozenset[str]] = {
    "invoice": frozenset({"invoice", "credit note"}),
    "bill": frozenset({"bill", "invoice", "credit note"}),
    "receipt": frozenset({"receipt"}),
    "credit note": frozenset({"credit note"}),
    "contract": frozenset({"contract"}),
    "policy": frozenset({"policy"}),
}
# Words that only papers with amounts use: they find an invoice whose own word is a compound.
_TAX_WORDS = (
    "vat gst ust mwst umsatzsteuer mehrwertsteuer tva btw rechnungsnummer rechnungsdatum "
    "rechnungsbetrag rechnungskorrektur handelsrechnung belegnummer gesamtbetrag nettobetrag "
    "zahlbetrag totaal subtotal factuurnummer ttc invoice"
)
WORDS[ANY] = " ".join(dict.fromkeys(" ".join(WORDS.values()).split()))
_KINDS[ANY] = frozenset(KINDS)
_PRICED = frozenset({"invoice", "bill", "receipt", "credit note", ANY})
_POOL = 5000  # passages in which a word for the paper is looked up
_ALIKE, _CLEAR = 0.7, 0.1  # of two spellings; ahead of the next paper
_WORD = re.compile(r"[^\W\d_]+")
_HEAD, _FOOT = 15, 12  # lines with words where a paper names its parties


async def find_papers(state: TurnState, asked: Asked, papers: Papers) -> list[Paper]:
    """Every paper of the kind that is asked about, in path order; the words of the question not
    looked at yet (`narrow`).
    """  # noqa: D205
    files = await state.files()
    fits = _named_as(asked.paper)
    named = {f.id for f in files if fits(f.path)}
    mentioned = await _mentioned(state, asked.paper)
    chosen = [f for f in files if f.id in named or f.id in mentioned]
    found = await papers.read(chosen)
    return [p for p in found if _is_one(p, asked, p.file.id in named)]


async def narrow(papers: Sequence[Paper], words: Sequence[str], source: Papers) -> list[Paper]:
    """Those papers that the `words` speak of; all of them without words."""
    if not words:
        return list(papers)
    near, far = [], []
    for paper in papers:
        lines = [line.text for line in await source.lines(paper.file) if line.text.strip()]
        issuer = paper.fields.issuer.value if paper.fields.issuer else ""
        number = paper.fields.number.value if paper.fields.number else ""
        place = f"{path_words(paper.file.path)} {paper.file.title or ''} {issuer} {number}"
        if _holds("\n".join([place, *lines[:_HEAD], *lines[-_FOOT:]]), words):
            near.append(paper)
        elif _holds("\n".join([place, *lines]), words):
            far.append(paper)
    return near or far


async def nearest(papers: Sequence[Paper], words: Sequence[str], source: Papers) -> list[Paper]:
    """The one paper whose head is written most like `words`, where one stands out.

    Names of scans are read with a wrong letter here and there.
    """
    wanted = "".join(words)
    scored = []
    for paper in papers:
        head = [line.text for line in await source.lines(paper.file) if line.text.strip()]
        issuer = [paper.fields.issuer.value] if paper.fields.issuer else []
        scored.append((max((_like(wanted, t) for t in [*issuer, *head[:_HEAD]]), default=0), paper))
    scored.sort(key=lambda item: -item[0])
    if not scored or scored[0][0] < _ALIKE:
        return []
    second = scored[1][0] if len(scored) > 1 else 0.0
    return [scored[0][1]] if scored[0][0] - second >= _CLEAR else []


def _like(wanted: str, text: str) -> float:
    """How alike two spellings are, 0 to 1, signs and capitals aside."""
    plain = re.sub(r"[\W_]+", "", fold(text))
    wanted = re.sub(r"[\W_]+", "", fold(wanted))
    return difflib.SequenceMatcher(None, wanted, plain, autojunk=False).ratio()


def _is_one(paper: Paper, asked: Asked, named: bool) -> bool:
    fields = paper.fields
    if named:
        return True
    others = WORDS.keys() - _KINDS[asked.paper] - {ANY}
    if any(_named_as(kind)(paper.file.path) for kind in others):
        return False  # its name says that it is something else
    if asked.paper == ANY and fields.kind is None:  # a till's slip does not say what it is
        return fields.total is not None and fields.date is not None
    if fields.kind not in _KINDS[asked.paper]:
        return False
    if fields.kind in {"contract", "policy"}:
        return True
    return fields.total is not None and (fields.number is not None or fields.date is not None)


async def _mentioned(state: TurnState, paper: str) -> set[str]:
    """Files with a word for the paper in their text."""
    store = await state.library.store()
    wanted = f"{WORDS[paper]} {_TAX_WORDS}" if paper in _PRICED else WORDS[paper]
    wanted += " total cash change" if paper == ANY else ""
    found = await store.match(wanted, _POOL, Filters(path_prefix=state.scope))
    return {item.file_id for item in found}


@cache
def _named_as(paper: str) -> Callable[[str], bool]:
    """Whether a path has a word for the paper: `2024-01_invoice_x.pdf` one for an invoice."""
    names = frozenset(WORDS[paper].split())

    @lru_cache(2**16)  # the words of very many paths are few
    def is_one(word: str) -> bool:
        folded = fold(word)
        return folded in names or stem(folded) in names

    return lambda path: any(map(is_one, _WORD.findall(path)))


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether every word stands in the text: as a word, its plural, or a part of a compound."""
    folded = fold(text)
    known = set(re.findall(r"[^\W_]+", folded))
    stems = {stem(word) for word in known}
    squashed = re.sub(r"[\W_]+", "", folded)

    def one(word: str) -> bool:
        if word in known or stem(word) in stems:
            return True
        bare = re.sub(r"[\W_]+", "", word)
        return len(bare) > 3 and bare in squashed

    return all(one(word) for word in words)
