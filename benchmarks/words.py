"""Made-up English prose for benchmarks: words drawn from a list, the common ones more often."""

from __future__ import annotations

import random

WORDS = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had
an they which one you were all her she there would their we him been has when who will no more if
out so up said what its about than into them can only other time new some could these two may
first then do any like my now over such our man me even most made after also did many before must
well back through years where much your way down should because long each just state those people
too how little good world make very year still see own work men day get here old between both life
being under three never know same last another while us off might great go come since against
right came take used himself few house use place during high without again home around small
however found part school once general water number war point public head against room hand white
city boiler invoice garden window kitchen letter contract insurance journey river mountain engine
bottle market winter summer morning evening recipe butter sugar flour doctor engineer teacher
neighbour payment account balance budget meeting report warranty manual battery pressure valve
meter heating January February March April May June July August September October November
December Monday Friday electric copper silver paper wooden broken silent careful yellow narrow
distant ancient modern rapid write read build repair deliver cancel measure agree promise travel
return remember forget explain
""".split()  # noqa: SIM905
_WEIGHTS = [1 / (rank + 5) for rank in range(len(WORDS))]


def prose(random_: random.Random, words: int) -> str:
    """About `words` words in sentences and paragraphs."""
    out: list[str] = []
    left = words
    while left > 0:
        length = min(left, random_.randint(6, 18))
        sentence = random_.choices(WORDS, _WEIGHTS, k=length)
        if random_.random() < 0.3:
            sentence.append(str(random_.randint(2, 9999)))
        out.append(sentence[0].capitalize() + " " + " ".join(sentence[1:]) + ".")
        out.append("\n\n" if random_.random() < 0.15 else " ")
        left -= length
    return "".join(out).strip()
