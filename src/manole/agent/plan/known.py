"""The plans that need no model: common questions of which every word is accounted for.

`prompts/plan.known.tsv` holds sentences, as regular expressions over a question's words, and their
plans. `{these}` stands for what the catalog can name beyond doubt: files, a kind of file or an
extension (`{files}`), a type of paper (`{papers}`), folders. Any other word makes the question
another one, which is left to a model.
"""

from __future__ import annotations

import re
from functools import cache

from manole.agent.languages import called_in_all
from manole.agent.plan.write import examples, plain
from manole.catalog.kinds import KINDS, extension_called, extensions_of, kind_called
from manole.documents.fields.kinds import type_called

_JOINED = re.compile(r"^(?:and|but|so|ok|okay|und|aber|also) ")  # says no more: "and how many …?"
_PLACES = {"these": "", "files": "files", "papers": "papers"}  # the relation that each asks


def known(question: str) -> str | None:
    """Return the plan of a question that is beyond doubt, else `None`."""
    asked = _JOINED.sub("", plain(question), count=1)
    for pattern, planned in _sentences():
        match = pattern.fullmatch(asked)
        if match is None:
            continue
        named = {place: these(phrase) for place, phrase in match.groupdict().items()}
        if all(of and of.startswith(_PLACES[place]) for place, of in named.items()):
            return planned.format(**named)
    return None


def these(phrase: str) -> str | None:
    """Return what some words name as a relation with its condition; `None` for anything else.

    `pdf files` gives "files WHERE kind = 'pdf'", `invoices` "papers WHERE type = 'invoice'".
    """
    if phrase in called_in_all("folder"):
        return "folders"
    if (type_ := type_called(phrase)) is not None:
        return f"papers WHERE type = '{type_}'"
    *before, last = re.split(r"[ -]", phrase)
    files = last in called_in_all("file")
    name = " ".join(before) if files else phrase
    if files and not name:
        return "files"
    if (extension := extension_called(name)) is not None:
        alike = ", ".join(f"'{one[1:]}'" for one in extensions_of(extension))
        return f"files WHERE extension IN ({alike})"
    kind = name if files and name in KINDS else kind_called(name)
    return f"files WHERE kind = '{kind}'" if kind else None


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>.+?)", asked)), planned)
        for asked, planned in examples("known")
    )
