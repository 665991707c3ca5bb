"""The tools `grep` and `check`: lines with a pattern, and sentences that are looked up."""

from __future__ import annotations

from datetime import date

from pydantic import Field, computed_field

from manole.agent.check import MOST as LONGEST
from manole.agent.check import check as checked
from manole.agent.conversations.markdown import harmless
from manole.catalog.grep import MOST, Grepped
from manole.catalog.grep import grep as found_lines
from manole.index.search.scope import Scope
from manole.serve.answers import CheckedSentence, CheckedText, FoundLines, GrepLine
from manole.serve.answers import found_lines as listed
from manole.text.line_matching import LinePattern
from manole.tools.base import Inputs
from manole_mcp.contents import DATA, scope_of
from manole_mcp.replies import Call, Cited, Offer, Reply, place_of
from manole_mcp.uris import Place


class GrepInputs(Inputs):
    """`grep`: a pattern, and where to look for it."""

    pattern: str = Field(min_length=1, max_length=MOST, description="a word, phrase or expression")
    regex: bool = Field(False, description="whether it is a regular expression")
    case: bool | None = Field(
        None, description="capitals and accents as written; if left out, only of expressions"
    )
    word: bool = Field(False, description="whole words only")
    path: str | tuple[str, ...] = Field(
        "", max_length=4096, description="only this folder or file, or only these"
    )
    count: bool = Field(False, description="how many lines of each file instead of the lines")
    limit: int = Field(50, ge=1, le=500, description="lines at most")
    offset: int = Field(0, ge=0, le=10**9, description="leave out the first so many")


class CitedLine(GrepLine):
    """A line with the pattern, and its address."""

    @computed_field
    def uri(self) -> str:
        """The address, of a page its line too."""
        return Place(self.file, self.page, self.line).uri


class GrepOutputs(FoundLines):
    """Lines; `total` counts all, in so many `files`. `stopped` were not looked at to their end."""

    lines: list[CitedLine]  # type: ignore[assignment]  # only read


class CheckInputs(Inputs):
    """`check`: sentences to look up."""

    text: str = Field(min_length=1, max_length=LONGEST, description="the sentences")
    path: str | tuple[str, ...] = Field(
        "", max_length=4096, description="only this folder or file, or only these"
    )
    today: date | None = Field(None, description='the day that "last month" counts from')


class CitedSentence(Cited, CheckedSentence):
    """A sentence with the address of its source."""


class CheckOutputs(CheckedText):
    """Each sentence that states something, in order."""

    sentences: list[CitedSentence]  # type: ignore[assignment]  # only read


async def grep(call: Call, inputs: GrepInputs) -> Reply:
    """Find every line with a pattern."""
    scope = Scope.parse(Scope.text(await scope_of(call, inputs.path), None, None))
    exact = inputs.regex if inputs.case is None else inputs.case
    pattern = LinePattern(inputs.pattern, inputs.regex, exact, inputs.word)
    found = await found_lines(
        call.opened.library, pattern, scope, limit=inputs.limit, offset=inputs.offset
    )
    lines = [] if inputs.count else found.lines
    places = [Place(one.file, one.page, one.line) for one in lines]
    shown = [f"{place.words}: {' '.join(one.text.split())}"
             for one, place in zip(lines, places, strict=True)]  # fmt: skip
    if inputs.count:
        shown = [f"{count} {file}" for file, count in found.counts.items()]
    text = harmless("\n".join([_told(found), *shown]))
    data = GrepOutputs.model_validate(listed(found, count=inputs.count))
    return Reply(text, data, tuple(places))


def _told(found: Grepped) -> str:
    """Return what was found in a line or two."""
    if not found.total:
        head = f"No line of {found.searched} files has it. Try other words, or search by meaning."
    else:
        head = f"{found.total} lines in {len(found.counts)} of {found.searched} files. {DATA}"
    if found.next_offset:
        head += f" To read on, call again with offset={found.next_offset}."
    late = len(found.stopped) + found.left
    return f"{head} Not looked at to their end, that took too long: {late} files." if late else head


async def check(call: Call, inputs: CheckInputs) -> Reply:
    """Look up each sentence of a text."""
    scope = Scope.parse(Scope.text(await scope_of(call, inputs.path), None, None))
    day = inputs.today or date.today()
    found = await checked(call.opened.library, inputs.text, day, scope)
    shown, links = [], []
    for one in found:
        place = place_of(one)
        told = f"{one.verdict}: {one.sentence}"
        if one.differs:
            told += f"\n  It says {one.differs.said}, the source {one.differs.source}."
        if place:
            links.append(place)
            near = "nearest: " if one.verdict == "not found" else ""
            told += f"\n  {near}“{' '.join((one.quote or '').split())}” ({place.words})"
        shown.append(told)
    text = harmless("\n".join([DATA, *shown]))
    return Reply(text, CheckOutputs.model_validate({"sentences": found}), tuple(links))


OFFERS = (
    Offer(
        "grep",
        "Find lines",
        "Find every line of the user's files with a word, a phrase or a regular expression: exact, "
        "complete, at once, scans and mails included. For questions in words, use search.",
        GrepInputs,
        GrepOutputs,
        grep,
    ),
    Offer(
        "check",
        "Check sentences",
        "Check sentences against the user's files, without a model: each is stated or "
        "contradicted, with a quotation and its source, or not found, also where in doubt.",
        CheckInputs,
        CheckOutputs,
        check,
    ),
)
