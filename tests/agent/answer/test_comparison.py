"""Two things are compared by what is said alike of both; how much they differ is subtracted."""

from agent.passages import passage
from manole.agent.answer.comparison import compared
from manole.agent.answer.ranking import Senses
from manole.agent.answer.selection import look
from manole.agent.languages import words_of
from manole.text.question import Question

LEASES = [
    passage(
        "The tenant may end the lease of the boathouse with six months' notice in writing.\n\n"
        "The boathouse has three bays and a slip.",
        file="boathouse.md",
        title="Lease of the boathouse",
    ),
    passage(
        "Either side may end the licence of the trailer yard with one month's notice.\n\n"
        "No boats are left on trailers for more than three nights.",
        file="trailer.md",
        title="Licence of the trailer yard",
    ),
    passage("Dogs on the pontoon are kept on a lead.", file="rules.md", title="Club rules"),
]
POLICIES = [
    passage(
        "The yearly premium is 548.20 EUR.\n\nNo claims bonus of 6 years", file="policy-2025.md"
    ),
    passage(
        "The yearly premium is 612.75 EUR.\n\nNo claims bonus of 7 years", file="policy-2026.md"
    ),
]


def pair(embedder, question, passages, column=None):
    asked, senses = Question(question), Senses(embedder)
    return compared(asked, look(asked, passages, senses), senses, column)


def test_each_side_is_said_by_its_own_file(embedder):
    question = "notice for the boathouse against notice for the trailer yard"
    found = pair(embedder, question, LEASES)
    assert found is not None
    said = {held.file: unit.text for held, unit in found.holders()}
    assert "six months" in said["boathouse.md"] and "one month" in said["trailer.md"]
    assert {"boathouse", "trailer"} == {word for name in found.names for word in name.split()
                                        if word in {"boathouse", "trailer"}}  # fmt: skip


def test_how_much_more_is_subtracted_and_told_in_the_languages_notation(embedder):
    question = "how much more is the premium of the policy in 2026 than in 2025"
    found = pair(embedder, question, POLICIES, "total")
    assert found is not None
    numbers = {held.id: n for n, held in enumerate(POLICIES, start=1)}
    told = found.answer(numbers, words_of("de")).splitlines()
    assert told[0] == "**2026: +64,55 EUR** (612,75 − 548,20)"
    assert {"[1]", "[2]"} == {cell[-3:] for cell in told[-1].strip("| ").split(" | ")}


def test_one_place_alone_is_no_comparison(embedder):
    assert pair(embedder, "dogs or cats on the pontoon", LEASES[2:]) is None
