"""The words of a text: folded, stemmed, without those that mean nothing; and their synonyms."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

# Function words of English and German, and the verbs and nouns of questions.
_STOP_WORDS = """
a an the and or but if of to in on at by for with from about as into over under is are was
were be been being am do does did done has have had having will would can could shall should
may might must it its this that these those there here i me my mine we us our you your he him
his she her they them their who whom whose which what when where why how not no yes all any
some each every both more most other such only own same so than too very just also please tell
give show say says said list find get got know need want let see look many much long often
ever still now then out up down off per via between during after before since until der die
das den dem des ein eine einen einem einer und oder aber ist sind war waren sein hat haben
hatte wird werden kann können soll ich mir mich mein meine meinen wir uns unser du dein er sie
es ihr ihre wer wann wo warum wie welche welcher welches viel viele nicht kein keine auf aus
bei mit nach seit von vom zu zum zur für im über unter alle noch exactly according exist
exists called named
"""
# Characters that belong to the letter before: combining marks, and the hyphen that is visible only
# at the end of a line.
SOFT_HYPHEN = "\u00ad"
MARKS = SOFT_HYPHEN + "".join(
    mark for mark in map(chr, range(0x300, 0x1E00)) if unicodedata.category(mark)[0] == "M"
)
WORD = rf"[^\W_]+(?:[{MARKS}]+(?:[^\W_]+)?)*"  # letters and digits
_WORD = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}|{WORD}(?:[:'’/-]{WORD}|(?<=\d)[.,]\d{{1,3}}(?!\d))*")
_POSSESSIVE = re.compile(r"['’]s$")
# Letters that Unicode does not decompose, as they are written in ASCII.
_LETTERS = str.maketrans({
    SOFT_HYPHEN: "", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th",
    "ħ": "h", "ı": "i",
})  # fmt: skip
# Classes of marks that change the word: none, voicing of kana, joiners of Indic letters.
_SPELT = frozenset({0, 8, 9})
# Words that count as equal when a question is compared with a text: the first of each line
# represents the others. Small on purpose: words of papers at home and at work.
_SAME_WORDS = """
total gesamtbetrag gesamtsumme gesamt summe endbetrag rechnungsbetrag zahlbetrag brutto ttc totaal
amount betrag montant bedrag
invoice rechnung facture factuur
date datum
due fallig echeance
rent miete kaltmiete warmmiete
deposit kaution
contract vertrag
insurance versicherung
warranty garantie guarantee
price preis prix
cost costs kosten
allergy allergic allergisch
"""
SAME = tuple(tuple(line.split()) for line in _SAME_WORDS.strip().splitlines())
_SAME = {word: group[0] for group in SAME for word in group}
# What documents may say for a word of a question. Short: words of papers at home and at work, in
# English and German; words with many meanings are left out. Measured on the questions that it
# changes, nDCG@10 without and with: 51 about encyclopedia texts .971 and .978, 16 about
# `examples/household` .684 and .724, 44 about a journal .684 and .678; recall@10 falls nowhere.
_SYNONYM_WORDS = """
bill invoice receipt rechnung
pay paid payment cost costs price kosten preis
car vehicle auto
doctor physician arzt
dog pet hund
phone telephone telefon
apartment flat wohnung
landlord landlady vermieter
holiday vacation urlaub
salary wage income gehalt
tax steuer
begin began start commence
end expire expiry terminate
buy bought purchase purchased
repair repaired fix fixed reparatur
email mail
mother mom mutter
film movie
big large
"""
# Verbs that any activity can follow; an entry about the activity need not have them.
_LIGHT_WORDS = """
do did done doing have had having go went gone going goes take took taken taking get got getting
make made making spend spent spending be was were been being am is are use used keep kept come
came happen happened occur occurred hold held
"""
LIGHT = frozenset(_LIGHT_WORDS.split())
_FORM_WORDS = """
eat ate eaten eating
run ran running
swim swam swum swimming
buy bought buying
see saw seen seeing
meet met meeting
write wrote written writing
drive drove driven driving
fly flew flown flying
teach taught teaching
sleep slept sleeping
win won winning
lose lost losing
pay paid paying
drink drank drunk drinking
ride rode ridden riding
sing sang sung singing
speak spoke spoken speaking
talk talked talking
begin began begun beginning
break broke broken breaking
find found finding
give gave given giving
leave left leaving
send sent sending
sell sold selling
build built building
feel felt feeling
think thought thinking
bring brought bringing
catch caught catching
fall fell fallen falling
hurt hurting
read reading
wear wore worn wearing
wake woke woken waking
choose chose chosen choosing
grow grew grown growing
go goes went gone going
take took taken taking
make made making
get got getting
"""
LEMMA = {
    form: line.split()[0] for line in _FORM_WORDS.strip().splitlines() for form in line.split()
}
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ed", "es", "s")


def fold(text: str) -> str:
    """Return lower case without accents: `Œuvre` gives `oeuvre`, `Straße` gives `strasse`.

    Full-width letters and ligatures become plain letters.
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in decomposed if unicodedata.combining(c) in _SPELT)
    return unicodedata.normalize("NFC", "".join(kept).translate(_LETTERS))


def caseless(text: str) -> str:
    """Return lower case with accents, each as one character, because names differ by them."""
    return unicodedata.normalize("NFC", text).casefold()


STOP = frozenset(fold(word) for word in _STOP_WORDS.split())


def words(text: str) -> list[str]:
    """Return words and numbers in order, folded; `1,234.50` and `2024-03-05` stay whole."""
    return [_POSSESSIVE.sub("", word) for word in _WORD.findall(fold(text))]


def placed_words(text: str) -> list[tuple[int, int, str]]:
    """Return the same words, each with its start in `text` and its end, exclusive."""
    return [
        (match.start(), match.end(), _POSSESSIVE.sub("", fold(match[0])))
        for match in _WORD.finditer(text)
    ]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a crude English stem: `surrendered` matches `surrender`, `ran` matches `run`.

    Words that mean the same on an invoice or a contract share a stem: `Summe` matches `total`. It
    is for comparing two texts; the index has a stemmer for each language (`analysis`).
    """
    word = _SAME.get(word) or LEMMA.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    else:
        word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt"
    return word[:-1] if doubled else word


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning, in order, not stemmed, each once."""
    return list(dict.fromkeys(w for w in words(text) if w not in STOP))


def meaning(text: str) -> str:
    """Return the words that carry meaning as written, because a stemmer needs their accents.

    A text with only function words is returned whole.
    """
    each = (_POSSESSIVE.sub("", word) for word in _WORD.findall(unicodedata.normalize("NFC", text)))
    found = {fold(word): word for word in each}
    return " ".join(word for plain, word in found.items() if plain not in STOP) or text


def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words."""
    return frozenset(stem(w) for w in content_words(text))


def path_words(path: str) -> str:
    """Return the words of a path without its extension, and without figures."""
    return re.sub(r"[\W_\d]+", " ", path.rpartition(".")[0] or path).strip()


def stems_apart(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, with joined ones (days, names, paths) split."""
    return stems(re.sub(r"[\W_]+", " ", text))


def all_stems(text: str) -> frozenset[str]:
    """Return the stems of all words of a text, also of function words."""
    return frozenset(map(stem, words(text)))


def has_digit(word: str) -> bool:
    """Return whether a word has a digit."""
    return any(c.isdigit() for c in word)


def synonyms(text: str) -> tuple[str, ...]:
    """Return other words for the content words of `text`, each once, without its own words.

    They are for full-text search alone: an embedding knows them already. Words that count as equal
    (`SAME`) are among them, because the index stems each language by its own rules.
    """
    asked = content_words(text)
    found = (other for word in asked for other in _synonym_groups().get(stem(word), ()))
    return tuple(dict.fromkeys(other for other in found if other not in asked))


@cache
def _synonym_groups() -> dict[str, tuple[str, ...]]:
    lines = (tuple(line.split()) for line in _SYNONYM_WORDS.strip().splitlines())
    return {stem(word): group for group in (*SAME, *lines) for word in group}


def singular(word: str) -> str:
    """Return the singular of an English noun: `invoices` gives `invoice`, `policies` `policy`."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "shes", "ches")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
