"""Forms of a word: which count as one, and verbs that say little.

`words.stem` cuts endings, as the full-text index does; here irregular forms and doubled letters are
one word too (`ran`, `running`, `run`), for texts that are compared line by line.
"""

from __future__ import annotations

from functools import lru_cache

from manole.text.words import stem, words

# Verbs that any activity can follow; an entry need not repeat them.
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


@lru_cache(maxsize=50_000)
def key(word: str) -> str:
    """What forms of a word share: `running`, `ran` and `run`; `dates` and `date`."""
    if word in LEMMA:
        return LEMMA[word]
    found = stem(word)
    if len(found) > 3 and found[-1] == found[-2] and found[-1] in "bdgmnprt":
        return found[:-1]
    return found


def keys(text: str) -> frozenset[str]:
    """The keys of a text's words."""
    return frozenset(key(w) for w in words(text))
