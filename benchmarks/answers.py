r"""Answers side by side: the strategies and a peer, on the same questions, index and model.

    python benchmarks/answers.py --sets prose=xquad.jsonl:files/xquad:self_contained=true \
        --sets bills=questions.jsonl:files/bills --limit 100 --sample 7 --withhold 30 \
        --details answers.jsonl

Without `--sets` the example household is asked. The model is loaded once. The systems take turns
every 20 questions, so that a change in the machine's load meets them all and no system finds
another's prompt for the same question in the engine's cache. With `--details` each answer is
written at once; a run that is started again asks only what is missing there. The tables are those
of `manole eval`, of the questions that every system has answered, with one row more: of the
answers that show a number, those whose every number stands in a source that they cite
(`figures.py`), and how many numbers code computed and a model made up.

With `--withhold N` the file that answers it is left out of the index for N questions of each set:
all systems see the same smaller folder, a copy (of hard links) in the cache directory. Questions
that suppose one table or document are asked within it: `--in-file NAME` of a set; nothing is
withheld there. A system that is quick may be asked more than the others: first all questions with
`--strategies agent`, then `--first N` of the very same ones with all systems. The peer is
LlamaIndex (`peer.py`); `make bench-peer` installs it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import figures
from figures import Figures
from manole.errors import ManoleError, UsageError
from manole.library import Library
from manole.models.chat.protocol import ChatModel, Message
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole_evaluate import report
from manole_evaluate.questions import Question, absent, load, select, within
from manole_evaluate.runner import Asker, Outcome, run
from manole_evaluate.subject import AgentAsker, LibraryReader
from manole_evaluate.summary import summarise
from measuring import HOUSEHOLD, QUESTIONS, lines
from withhold import copy_without, withhold

PEER = "llamaindex"
OURS = "simple", "pipeline", "literal", "agent"
ROUND = 20  # questions a system answers before the next one's turn


@dataclass(frozen=True)
class Set:
    """Questions of one file and the folder that is indexed for them."""

    name: str
    root: Path
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Entry:
    """One system's answer to one question of one set. `figures` is None where it declined."""

    set: str
    system: str
    model: str
    outcome: Outcome
    figures: Figures | None = None

    @property
    def key(self) -> tuple[str, str, bool]:
        """The question as it was asked, whoever answers it."""
        asked = self.outcome.question
        return self.set, asked.id, asked.answerable

    def as_json(self) -> dict[str, Any]:
        """The entry as one JSON object, a line of a details file."""
        about = {"set": self.set, "system": self.system, "model": self.model}
        return {**about, "figures": self.figures and asdict(self.figures), **self.outcome.as_json()}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Entry:
        """The entry that `as_json` wrote. Raises `ValueError`, `TypeError`, `KeyError`."""
        given = row["figures"]
        shown = Figures(**{name: tuple(n) for name, n in given.items()}) if given else None
        return cls(row["set"], row["system"], row["model"], Outcome.from_json(row), shown)


class Details:
    """The answers there are, in memory and, where a file was named, there."""

    def __init__(self, path: Path | None) -> None:
        """Raises `UsageError` for a file that is no details file."""
        self._path = path
        try:
            known = lines(path) if path is not None and path.is_file() else []
            self.entries = [Entry.from_json(row) for row in known]
        except (ValueError, TypeError, KeyError):
            raise UsageError(
                f"{path} has a line that is no answer of this benchmark.",
                "Remove that line (a killed run may leave half a one), or name another file.",
            ) from None

    def add(self, entry: Entry) -> None:
        """Keep an answer, and write it down at once."""
        self.entries.append(entry)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry.as_json(), ensure_ascii=False) + "\n")

    def missing(self, name: str, system: str, questions: Sequence[Question]) -> list[Question]:
        """The questions that `system` has not answered yet, as they are asked now."""
        done = {entry.key for entry in self.entries if entry.system == system}
        return [one for one in questions if (name, one.id, one.answerable) not in done]

    def of(self, sets: Sequence[Set], systems: Sequence[str]) -> list[Entry]:
        """The answers of this run's questions and systems."""
        asked = {(s.name, q.id, q.answerable) for s in sets for q in s.questions}
        return [one for one in self.entries if one.key in asked and one.system in systems]


def read_set(given: str, options: argparse.Namespace, settings: Settings) -> Set:
    """The set that `NAME=FILE.jsonl:FOLDER[:FILTER[&FILTER]]` means. Raises `UsageError`."""
    name, _, rest = given.partition("=")
    source, _, rest = rest.partition(":")
    folder, _, condition = rest.partition(":")
    if not (name and source and folder):
        raise UsageError(f"--sets {given}: what?", "Write NAME=FILE.jsonl:FOLDER[:FIELD=VALUE].")
    path, root = Path(source).expanduser(), Path(folder).expanduser()
    if not root.is_dir():
        raise UsageError(f"There is no folder {root}.", "Check --sets.")
    filters = condition.split("&") if condition else []
    chosen = select(load(path), filters=filters, sample=options.sample, limit=options.limit)
    in_file = name in (options.in_file or ())
    questions = within(chosen, path, root, in_file=in_file)
    if missing := absent(questions, root):
        print(f"{name}: {len(missing)} gold files are missing ({missing[0]})", file=sys.stderr)
    if not options.withhold or in_file:
        return Set(name, root.resolve(), questions[: options.first])
    questions, left_out = withhold(questions, options.withhold, options.sample or 0)
    key = hashlib.blake2b("\0".join([str(root.resolve()), *sorted(left_out)]).encode()).hexdigest()
    copy = settings.cache_dir / "benchmarks" / f"{name}-{key[:8]}"
    copy_without(root.resolve(), left_out, copy)
    return Set(name, copy, questions[: options.first])


async def ask_all(
    sets: Sequence[Set], systems: Sequence[str], settings: Settings, details: Details
) -> None:
    """Put every question to every system that has not answered it yet."""
    loader = ChatLoader(settings, Weights(settings.weights_dir))
    try:
        model = await loader.get()
        if others := {entry.model for entry in details.entries} - {model.name}:
            raise UsageError(
                f"The details were made with {', '.join(sorted(others))}, not {model.name}.",
                "Name another file with --details, or set MANOLE_MODEL__NAME.",
            )
        await model.complete([Message("user", "Hello")], max_tokens=1)  # wakes the engine
        for part in sets:
            due = [s for s in systems if details.missing(part.name, s, part.questions)]
            if due:
                await ask_set(part, due, settings, details, loader, model)
    finally:
        await loader.close()


async def ask_set(
    part: Set,
    systems: Sequence[str],
    settings: Settings,
    details: Details,
    loader: ChatLoader,
    model: ChatModel,
) -> None:
    """The questions of one set, the systems taking turns."""
    print(f"{part.name}: indexing {part.root}", file=sys.stderr)
    async with await Library.open(part.root, settings) as library:
        await library.sync()
        askers = [await asker(system, library, loader, model, settings) for system in systems]
        reader = LibraryReader(library)
        for at in range(0, len(part.questions), ROUND):
            for name, answers in (found for found in askers if found):
                questions = part.questions[at : at + ROUND]
                for question in details.missing(part.name, name, questions):
                    got: list[Outcome] = []
                    await run([question], asker=answers, on_outcome=got.append)
                    answer = got[0].answer
                    assert answer is not None
                    shown = await figures.of_answer(question, answer, reader)
                    details.add(Entry(part.name, name, model.name, got[0], shown))
                print(f"{part.name}, {name}: {at + len(questions)} asked", file=sys.stderr)


async def asker(
    system: str, library: Library, loader: ChatLoader, model: ChatModel, settings: Settings
) -> tuple[str, Asker] | None:
    """The system's name in the table and who asks it; None where the peer is not installed."""
    if system in OURS:
        agent = settings.agent.model_copy(update={"strategy": system})
        chosen = settings.model_copy(update={"agent": agent})
        return system, AgentAsker(library, loader, chosen)
    try:
        from peer import PeerAsker
    except ImportError as error:
        print(f"{PEER} is left out: {error} (`make bench-peer` installs it)", file=sys.stderr)
        return None
    endpoint = getattr(model, "endpoint")  # noqa: B009 - every model of ours has one
    return PEER, await PeerAsker.over(library, endpoint, model.name, settings.model)


def tables(entries: Sequence[Entry]) -> Iterator[str]:
    """All sets together, then each, in Markdown: a column for each system."""
    yield f"Model: {entries[0].model}, warm."
    systems = list(dict.fromkeys(entry.system for entry in entries))
    answered = [{e.key for e in entries if e.system == system} for system in systems]
    shared = [entry for entry in entries if entry.key in set.intersection(*answered)]
    names = list(dict.fromkeys(entry.set for entry in shared))
    for name in ["all", *names] if len(names) > 1 else names:
        columns = {
            system: [e for e in shared if e.system == system and name in {"all", e.set}]
            for system in systems
        }
        made = {key: summarise([e.outcome for e in own]) for key, own in columns.items()}
        cells = " | ".join(map(supported, columns.values()))
        yield f"### {name}\n\n{report.markdown(made)}\n| every number in a cited source | {cells} |"
    if len(shared) < len(entries):
        yield f"{len(entries) - len(shared)} answers are left out: not every system has theirs yet."


def supported(entries: Sequence[Entry]) -> str:
    """Answers whose every number is in a cited source; numbers computed and made up."""
    shown = [entry.figures for entry in entries if entry.figures and entry.figures.shown]
    good = sum(not one.unsupported for one in shown)
    computed = sum(len(one.computed) for one in shown)
    invented = sum(len(one.unsupported) for one in shown)
    return f"{good} of {len(shown)} ({computed} computed, {invented} made up)"


def measure(options: argparse.Namespace) -> str:
    """Ask what is missing and give the tables as text. Raises `ManoleError`."""
    systems = options.strategies.split(",")
    if unknown := [system for system in systems if system not in {*OURS, PEER}]:
        raise UsageError(
            f"There is no strategy {unknown[0]}.", f"There are {', '.join(OURS)}, {PEER}."
        )
    details, settings = Details(options.details), Settings.load()
    given = options.sets or [f"household={QUESTIONS}:{HOUSEHOLD}"]
    sets = [read_set(one, options, settings) for one in given]
    try:
        asyncio.run(ask_all(sets, systems, settings, details))
    except KeyboardInterrupt:
        print("Stopped early.", file=sys.stderr)
    entries = details.of(sets, systems)
    return "\n\n".join(tables(entries)) if entries else "No question was answered."


def main() -> None:
    """Read the command line, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", action="append", metavar="NAME=FILE.jsonl:FOLDER[:FILTER]")
    parser.add_argument("--limit", type=int, help="questions of each set, at most")
    parser.add_argument("--first", type=int, metavar="N", help="ask only N of them")
    parser.add_argument("--sample", type=int, metavar="SEED", help="shuffle before cutting")
    parser.add_argument("--withhold", type=int, default=0, metavar="N")
    parser.add_argument(
        "--in-file", action="append", metavar="NAME", help="ask this set's questions in their file"
    )
    parser.add_argument("--strategies", default=",".join([*OURS, PEER]), help="comma-separated")
    parser.add_argument("--details", type=Path, metavar="FILE.jsonl")
    options = parser.parse_args()
    try:
        print(measure(options))
    except ManoleError as error:
        parser.exit(2 if isinstance(error, UsageError) else 1, f"{error}\n")


if __name__ == "__main__":
    main()
