"""What the parser tells: the labels of its heads and tags (`README.md` says what each means)."""

from __future__ import annotations

LANGUAGES = tuple("en de fr es it nl pt".split())
HEADS = {
    "route": tuple("query lookup list explain compare summary picture".split()),
    "relation": tuple(
        "files folders papers messages entries people events tasks sheet records".split()
    ),
    "op": tuple("rows count sum avg max min first last exists distinct share diff beyond".split()),
    "column": tuple(
        "- size pages words lines modified created date weekday title total net tax due ends "
        "notice number issuer currency sender recipient subject amount name text "
        "status copies".split()
    ),
    "group": tuple(
        "- year month week weekday day kind type ext folder issuer person sender category currency "
        "status quarter top".split()
    ),
    "order": tuple("- asc desc".split()),
    "limit": tuple("- 1 2 3 4 5 6 7 8 9 10 12 15 20 more".split()),
    "leans": ("no", "yes"),  # on the question before
    "tool": tuple(  # that answers by itself
        "- about due thread sent got waiting unanswered changed which recurring mentions "
        "chapters overview thisday".split()
    ),
}
FRAME = ("relation", "op", "column", "group", "order", "limit")  # of what can be computed
TAGS = tuple(
    "kind ext type folder file scope party recipient period age number over least under "
    "most between topic value column empty copies status currency unit language tag "
    "own got".split()
)
BIO = ("O", *(f"{place}-{tag}" for tag in TAGS for place in "BI"))
FLAGS = ("denied", "or")  # of each word in a mark
