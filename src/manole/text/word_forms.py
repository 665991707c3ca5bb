"""Irregular forms of English verbs, verbs of little meaning, and singulars."""

from __future__ import annotations

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


def singular(word: str) -> str:
    """Return the singular of an English noun: `invoices` gives `invoice`, `policies` `policy`."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "shes", "ches")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
