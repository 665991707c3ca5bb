"""A turn on a terminal: its steps, the answer as it streams, citations that open.

The answer comes first, its sources below it in a line each; the steps and the passages stand there
while it is awaited (`waiting.py`), and stay where they are asked for.

Text from documents is printed as plain text: control characters are removed, and rich's markup in
it has no effect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from manole.agent import events
from manole.agent.answer.injection_filter import ORDER
from manole.cli.rows import print_rows
from manole.cli.table import is_table, pieces, print_bars, print_table
from manole.cli.waiting import Waiting
from manole.documents.formats import is_spoken, spot_words
from manole.sentences import said
from manole.text.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from manole.agent.conversations import Turn

# C0 and C1 control characters but tab and newline, and the marks that turn text around.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_CITED = re.compile(r"\[(\d+)\]")
# Set by hand, so that an answer and its sources fit a screen:
_QUOTE = 220  # characters of a quotation, about three lines
_SHOWN_SOURCES = 8
_SHOWN_BEHIND = 3  # of the files behind a figure
_MOST = 50  # numbers of citations behind those of the passages found; a larger one is no citation
_SHOWN_TURNS = 10  # turns shown when a talk is continued
_BESIDE, _MARKED = 80, 400  # characters beside a deciding sentence, and of it at most
_STEPS = {"semantic_search": "Looking in the files.", "query_table": "Reading a table."}


def clean(text: str) -> str:
    """Return `text` without characters that would steer a terminal."""
    return _CONTROL.sub("", text)


def one_line(text: str, limit: int) -> str:
    """Return `text` clean and on one line, at most `limit` characters."""
    flat = re.sub(r"\s+", " ", clean(text)).strip()
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


class Screen:
    """The printer of events, turn after turn.

    `resolve` turns a source's file into an absolute path for its link, or `None`. With `sources`,
    and `debug`, the steps, the passages that were found and the cited words stay on the screen.
    """

    def __init__(
        self,
        console: Console,
        resolve: Callable[[str], Path | None],
        *,
        debug: bool = False,
        sources: bool = False,
        links: bool = True,
    ) -> None:
        self.console = console
        self._resolve = resolve
        self.debug = debug
        self.sources = sources
        self._waiting = Waiting(console)
        self._reading = ""  # how a question that is computed was understood
        self._links = links
        self._streamed = ""
        self._midline = False  # whether the answer's last line is still open
        self._result: events.ResultEvent | None = None  # whose message may be the answer
        self._listed = False  # whether a table has shown the sources
        self._behind = 0  # how many rows the figure stands on that the answer names none of
        self._chosen: list[str] = []  # files that the question may mean
        self._passages: dict[int, str] = {}  # the places of those found
        self._numbers: dict[str, int] = {}  # of what the answer cites, in its order

    def show(self, event: events.Event) -> None:
        """Print one event."""
        match event:
            case events.Decision():
                self._decision(event)
            case events.ResultEvent():
                self._found(event)
            case events.ErrorEvent():
                self._line(f"    {said(event.message)}", "yellow")
                if event.suggestion and self.debug:
                    self._line(f"    {said(event.suggestion)}", "dim")
            case events.StatusEvent():
                if self.debug or not event.debug:
                    self._status(said(event.message))
            case events.EvidenceEvent():
                self._evidence(event)
            case events.ChoicesEvent():
                self._chosen = [choice.file for choice in event.choices]
            case events.Token():
                if not self._streamed:
                    self._begin()
                self._streamed += event.content
                text = event.content if self._midline else event.content.lstrip("\n")
                self._answer(text)
            case events.Complete():
                self._complete(event)

    @property
    def _whole(self) -> bool:
        """Whether everything stays on the screen."""
        return self.debug or self.sources

    def stop(self) -> None:
        """End a turn that stopped before its last event; the next event is another turn's."""
        self._waiting.end()
        self._close_line()
        self._streamed, self._result, self._listed, self._behind = "", None, False, 0
        self._reading, self._passages, self._numbers = "", {}, {}

    def _begin(self) -> None:
        """Begin an answer: how the question was understood stands above it."""
        self._waiting.end()
        if self._reading:
            self._line(self._reading, "dim")
        self._reading = ""
        self.console.print()

    def _status(self, message: str) -> None:
        if not self._whole:
            if not self._streamed:  # else the answer stands there already
                self._waiting.step(one_line(message, 200))
            return
        for line in message.split("\n"):
            self._line(f"  {line}", "dim")

    def _decision(self, event: events.Decision) -> None:
        if not self._whole:
            self._waiting.step(said(_STEPS.get(event.tool, "Looking it up.")))
            read = said(event.reasoning) if event.tool == "query" else ""
            self._reading = f"{read[:1].upper()}{read[1:]}"
            return
        self._close_line()
        line = Text("  ")
        line.append(f"{event.step} ", "bold cyan")
        line.append(event.tool, "cyan")
        inputs = ", ".join(f"{k}={_brief(v)}" for k, v in event.inputs.items())
        line.append(f"({one_line(inputs, 60)})", "cyan dim")
        line.append(clean(f"  {event.by}: {said(event.reasoning)}"), "dim")
        self.console.print(line)

    def _answer(self, text: str) -> None:
        """Print a piece of the answer; rows and groups that a result has as a table, or with bars.

        What is printed into a file keeps the lines of its groups.
        """
        result, self._result = self._result, None
        if result is None:
            self._text(text)
            return
        groups = result.metadata.get("groups") if self.console.is_terminal else None
        self._behind = result.metadata.get("behind", 0)
        self._listed = is_table(result)
        if self._listed:
            before, after = _around(text, lambda line: line.startswith("- "))
            self._text(f"{before}\n")
            self.console.print()
            print_table(self.console, result.objects, self._place, one_line)
        elif groups:
            lines = [f"{group['name']} {group['said']}".split() for group in groups]
            before, after = _around(text, lambda line: line.split() in lines)
            self._text(f"{before}\n" if before else "")
            print_bars(self.console, groups, one_line)
        else:  # the one file of an answer stands below it
            after = ""
            file = result.objects[0].get("file") if len(result.objects) == 1 else None
            self._text(text.replace(f": {file} [", " ["))
        self._text(after)

    def _found(self, event: events.ResultEvent) -> None:
        self._result = event
        if not self._whole:
            for one in filter(lambda one: one.get("n"), event.objects):
                at = events.Source(n=one["n"], file=one["file"], page=one["page"], line=one["line"])
                self._passages[at.n] = self._place(at, at.file).plain
            return
        head = event.message if self.debug else event.message.split("\n", 1)[0]
        for line in head.split("\n"):
            self._line(f"    {one_line(said(line), 200)}", "dim")
        spent = said(f"{counted(len(event.objects), 'object')} in {event.seconds:.2f} s")
        self._line(f"    {spent}", "dim")

    def _evidence(self, event: events.EvidenceEvent) -> None:
        """Print each extract: its place, then its deciding lines with some text around them."""
        if self._whole:
            self._close_line()
        for extract in event.extracts:
            head = Text("  ")
            head.append(f"[{extract.n}] ", "bold cyan")
            at = events.Source(n=extract.n, file=extract.file, page=extract.page, line=extract.line)
            head.append_text(self._place(at, extract.file))
            self._passages[extract.n] = head.plain.partition("] ")[2]
            if extract.headings:
                head.append(f"  {one_line(extract.headings[-1], 60)}", "dim")
            if not self._whole:
                self._waiting.found(head)
                continue
            self.console.print(head)
            for line in deciding(extract):
                self.console.print(Text("      ").append_text(line), soft_wrap=True)

    def _complete(self, event: events.Complete) -> None:
        self._waiting.end()
        if event.answer.strip() != self._streamed.strip():
            if self._streamed and event.outcome != "choices":  # they take its place
                self._line(said("That was withdrawn: the sources do not bear it out."), "yellow")
            self._begin()
            self._text(said(event.answer) if event.of_code else event.answer)
        self._close_line()
        self._streamed = ""
        self._sources(event)
        self._passages, self._numbers = {}, {}
        self._choices()
        parts = [] if event.found else [said("not found")]
        parts.append(said(f"{event.confidence} confidence"))
        if self._whole:
            parts.append(said(counted(event.model_calls, "model call")))
        if self._whole and event.model_calls:
            fresh = event.tokens.prompt - event.tokens.cached
            parts.append(said(f"{counted(fresh, 'token')} read, {event.tokens.completion} written"))
        parts.append(said(f"{event.timings.get('total', 0):.1f} s"))
        self.console.print()
        self._line(" · ".join(parts), "yellow" if event.confidence == "low" else "dim")
        if self.debug:
            self._line(json.dumps({"timings": event.timings, "grounding": event.grounding}), "dim")

    def _choices(self) -> None:
        """Print how to name the file that is meant."""
        if self._chosen:
            self._line(said("Ask again with --in and the one that is meant."), "dim")
        self._chosen = []

    def _sources(self, event: events.Complete) -> None:
        cited = [s for s in event.sources if s.cited]
        listed, behind, self._listed, self._behind = self._listed, self._behind, False, 0
        lines: dict[str, events.Source] = {}
        for source in cited or (event.sources if self._whole else ()):
            lines.setdefault(self._source(source).plain, source)
        known = sorted(lines.values(), key=lambda source: self._number(source.n))
        shown = known[: _SHOWN_BEHIND if behind else _SHOWN_SOURCES]
        if listed or not shown:
            return
        if not behind:
            self.console.print()
        if not behind and self._whole:
            self._line(said("Sources" if cited else "Nearest passages"), "bold")
        for source in shown:
            self.console.print(self._source(source), soft_wrap=True)
            if source.quote and not behind and self._whole:
                self._line(f"      “{one_line(source.quote, _QUOTE)}”", "dim")
        left = max(behind, len(known)) - len(shown)
        if left > 0:
            self._line(f"  {said(f'… and {left} more')}", "dim")

    def _source(self, source: events.Source) -> Text:
        line = Text("  ")
        line.append(f"[{self._number(source.n)}] ", "bold cyan")
        line.append_text(self._place(source, source.file))
        return line

    def _number(self, n: int) -> int:
        """Return the number of a passage in the order of the answer; those of one place share it.

        Where the passages stay on the screen they keep their own.
        """
        if self._whole or n > max(self._passages, default=0) + _MOST:
            return n
        return self._numbers.setdefault(self._passages.get(n, f"[{n}]"), len(self._numbers) + 1)

    def _place(self, source: events.Source, name: str) -> Text:
        """Return the place of a source, linked to its file, which is shown as `name`."""
        path = self._resolve(source.file) if self._links else None
        style = f"link {_uri(path, source)}" if path else ""
        return Text(one_line(name, 300) + place(source.file, source.page, source.line), style)

    def _text(self, text: str) -> None:
        """Print text as it is; on a terminal a table of it as one."""
        for piece in pieces(text) if self.console.is_terminal else [text]:
            if isinstance(piece, str):
                self._plain(piece)
                continue
            self._close_line()
            head, *rows = ([*map(self._styled, row)] for row in piece)
            print_rows([cell.plain for cell in head], rows, console=self.console)

    def _plain(self, text: str) -> None:
        if text:
            self.console.print(self._styled(text), end="", soft_wrap=True)
            self._midline = not text.endswith("\n")

    def _styled(self, text: str) -> Text:
        """Return text with its bold words, what it cites numbered in its order."""
        text = _CITED.sub(lambda cited: f"[{self._number(int(cited[1]))}]", text)
        shown = Text(clean(text))
        shown.highlight_regex(r"(?<=\*\*)[^*\n]+(?=\*\*)", "bold")
        for sign in reversed(list(re.finditer(r"\*\*", shown.plain))):
            shown = shown[: sign.start()] + shown[sign.end() :]
        return shown

    def _close_line(self) -> None:
        if self._midline:
            self.console.print()
            self._midline = False

    def _line(self, text: str, style: str) -> None:
        self._close_line()
        self.console.print(Text(clean(text), style=style), soft_wrap=True)


def replay(screen: Screen, turns: Sequence[Turn], *, brief: bool = False) -> None:
    """Print saved turns as they were shown; `brief`: the last answers and their sources' names."""
    console = screen.console
    if brief and len(turns) > _SHOWN_TURNS:
        console.print(
            Text(
                f"Not shown: {counted(len(turns) - _SHOWN_TURNS, 'earlier question')}.", style="dim"
            )
        )
        turns = turns[-_SHOWN_TURNS:]
    for turn in turns:
        console.print()
        console.print(Text.assemble(("› ", "bold cyan"), clean(turn.question)), soft_wrap=True)
        for event in _short(turn) if brief else turn.events:
            screen.show(event)
        if turn.end is None:
            screen.stop()
            console.print(Text("This answer was not finished.", style="yellow"))
        if turn.rating:
            comment = f": {clean(turn.comment)}" if turn.comment else ""
            console.print(Text(f"Rated {turn.rating}{comment}", style="dim"), soft_wrap=True)


def _short(turn: Turn) -> Iterator[events.Event]:
    end = turn.end
    if end is None:
        yield from (event for event in turn.events if isinstance(event, events.Token))
        return
    cited = [source.model_copy(update={"quote": ""}) for source in end.sources if source.cited]
    short: events.Complete = end.model_copy(update={"sources": cited})
    yield short


def _around(text: str, is_row: Callable[[str], bool]) -> tuple[str, str]:
    """Return the lines before the rows of a text, and those after them."""
    lines = text.split("\n")
    rows = [n for n, line in enumerate(lines) if is_row(line)] or [len(lines)]
    return "\n".join(lines[: rows[0]]), "\n".join(lines[rows[-1] + 1 :])


def deciding(extract: events.Extract) -> list[Text]:
    """Return the marked parts of an extract, each with the text beside it on its line.

    A part that may be an instruction is labelled as one.
    """
    found: list[Text] = []
    for start, end in extract.marks:
        left = extract.text.rfind("\n", 0, start) + 1
        right = extract.text.find("\n", end)
        right = len(extract.text) if right < 0 else right
        left, right = max(left, start - _BESIDE), min(right, end + _BESIDE, start + _MARKED)
        line = Text("…" if left and extract.text[left - 1] != "\n" else "", "dim")
        if any(a < end and start < b for a, b in extract.orders):
            line.append(f"{ORDER} ", "yellow")
        line.append(_flat(extract.text[left:start]), "dim")
        line.append(_flat(extract.text[start : min(end, right)]), "bold")
        line.append(_flat(extract.text[end:right]) if right > end else "…" * (right < end), "dim")
        found.append(line)
    return found


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", clean(text))


def place(file: str, page: int | None, line: int | None) -> str:
    """Return `, page 2`, `, 12:41` or `, line 14`, or nothing."""
    words = spot_words(file, page, line)
    return f", {said(words)}" if words else ""


def _uri(path: Path, source: events.Source) -> str:
    uri = path.as_uri()
    if source.page is None:
        return uri
    return f"{uri}#t={source.page - 1}" if is_spoken(source.file) else f"{uri}#page={source.page}"


def _brief(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
