r"""Answers side by side: the strategies and a peer, on the same questions, index and model.

    python benchmarks/answers.py --sets prose=xquad.jsonl:files/xquad:self_contained=true \
        --sets bills=questions.jsonl:files/bills --limit 100 --sample 7 --withhold 30 \
        --details answers.jsonl

Without `--sets` the example household is asked. The model is loaded once. The systems take turns
every 20 questions, so that a change in the machine's load meets them all and no system finds
another's prompt for the same question in the engine's cache. With `--details` each answer is
written at once; a run that is started again asks only what is missing there, and `--table-only`
prints what is there. The table counts the questions that every system in it has answered.

With `--withhold N` the file that answers it is left out of the index for N questions of each set:
all systems see the same smaller folder, a copy (of hard links) in the cache directory. Questions
that suppose one table or document are asked within it: `--in-file NAME` of a set; nothing is
withheld there. A system that is quick may be asked more than the others: first all questions with
`--strategies agent`, then `--first N` of the very same ones with all systems.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import comparison
import figures
from comparison import Entry
from manole.errors import ManoleError, UsageError
from manole.library import Library
from manole.models.chat.protocol import ChatModel, Message
from manole.models.load import ChatLoader
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole_evaluate.questions import Question, absent, load, select, within
from manole_evaluate.runner import Asker, Outcome, run
from manole_evaluate.subject import AgentAsker, LibraryReader
from withhold import copy_without, withhold

EXAMPLES = Path(__file__).parent.parent / "examples"
HOUSEHOLD = f"household={EXAMPLES}/household.questions.jsonl:{EXAMPLES}/household"
PEER = "llamaindex"
OURS = "simple", "pipeline", "literal", "agent"
ROUND = 20  # questions a system answers before the next one's turn


@dataclass(frozen=True)
class Set:
    """Questions of one file and the folder that is indexed for them."""

    name: str
    root: Path
    questions: list[Question]


class Details:
    """The answers there are, in memory and, where a file was named, there."""

    def __init__(self, path: Path | None) -> None:
        """Raises `UsageError` for a file that is no details file."""
        self.entries: list[Entry] = []
        self.models: dict[str, None] = {}
        self._path = path
        if path is not None and path.is_file():
            self._read(path)

    def add(self, entry: Entry, model: str) -> None:
        """Keep an answer, and write it down at once."""
        self.entries.append(entry)
        self.models[model] = None
        if self._path is not None:
            line = json.dumps(entry.as_json() | {"model": model}, ensure_ascii=False)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")

    def missing(self, name: str, system: str, questions: Sequence[Question]) -> list[Question]:
        """The questions that `system` has not answered yet, as they are asked now."""
        done = {
            (entry.outcome.question.id, entry.outcome.question.answerable)
            for entry in self.entries
            if (entry.set, entry.system) == (name, system)
        }
        return [asked for asked in questions if (asked.id, asked.answerable) not in done]

    def of(self, sets: Sequence[Set], systems: Sequence[str]) -> list[Entry]:
        """The answers of this run's questions and systems."""
        asked = {(s.name, q.id, q.answerable) for s in sets for q in s.questions}
        return [
            entry
            for entry in self.entries
            if (*entry.key, entry.outcome.question.answerable) in asked and entry.system in systems
        ]

    def _read(self, path: Path) -> None:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            try:
                row = json.loads(line)
                self.entries.append(Entry.from_json(row))
                self.models[row["model"]] = None
            except (ValueError, TypeError, KeyError):
                raise UsageError(
                    f"{path}, line {number}, is no answer of this benchmark.",
                    "Remove that line (a killed run may leave half a one), or name another file.",
                ) from None


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
        if details.models and model.name not in details.models:
            raise UsageError(
                f"The details were made with {', '.join(details.models)}, not {model.name}.",
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
                    details.add(Entry(part.name, name, got[0], shown), model.name)
                told = details.of([replace(part, questions=part.questions[: at + ROUND])], [name])
                right = sum(bool(e.outcome.answer and e.outcome.answer.correct) for e in told)
                print(f"{part.name}, {name}: {right} right of {len(told)}", file=sys.stderr)


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
        print(f"{PEER} is left out: {error}", file=sys.stderr)
        return None
    endpoint = getattr(model, "endpoint")  # noqa: B009 - every model of ours has one
    return PEER, await PeerAsker.over(library, endpoint, model.name, settings.model)


def tables(entries: Sequence[Entry], *, peer_wanted: bool, model: str) -> Iterator[str]:
    """The whole in Markdown: all sets together, then each."""
    yield f"Model: {model}, warm."
    shared = comparison.common(entries)
    names = list(dict.fromkeys(entry.set for entry in shared))
    for name in ["all", *names] if len(names) > 1 else names:
        made = comparison.rows([e for e in shared if name in {"all", e.set}])
        yield f"### {name}\n\n{comparison.markdown(made)}"
    if len(shared) < len(entries):
        yield f"{len(entries) - len(shared)} answers are left out: not every system has theirs yet."
    if peer_wanted and not any(entry.system == PEER for entry in entries):
        yield f"{PEER} has no answers here, so no row; `make bench-peer` installs it."


def as_json(entries: Sequence[Entry], model: str) -> str:
    """The whole as JSON."""
    shared = comparison.common(entries)
    names = list(dict.fromkeys(entry.set for entry in shared))
    made = {
        name: comparison.as_json(comparison.rows([e for e in shared if name in {"all", e.set}]))
        for name in ["all", *names]
    }
    return json.dumps({"model": model, "sets": made}, ensure_ascii=False, indent=2)


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
    parser.add_argument("--table-only", action="store_true", help="ask nothing")
    parser.add_argument("--json", action="store_true", help="instead of Markdown")
    parser.add_argument("--markdown", action="store_true", help="the default")
    options = parser.parse_args()
    try:
        print(measure(options))
    except ManoleError as error:
        parser.exit(2 if isinstance(error, UsageError) else 1, f"{error}\n")


def measure(options: argparse.Namespace) -> str:
    """Ask what is missing and give the tables as text. Raises `ManoleError`."""
    systems = options.strategies.split(",")
    if unknown := [system for system in systems if system not in {*OURS, PEER}]:
        raise UsageError(
            f"There is no strategy {unknown[0]}.", f"There are {', '.join(OURS)}, {PEER}."
        )
    if options.table_only and not options.details:
        raise UsageError("--table-only prints a details file.", "Name it with --details.")
    details = Details(options.details)
    entries = details.entries
    if not options.table_only:
        settings = Settings.load()
        sets = [read_set(given, options, settings) for given in options.sets or [HOUSEHOLD]]
        try:
            asyncio.run(ask_all(sets, systems, settings, details))
        except KeyboardInterrupt:
            print("Stopped early.", file=sys.stderr)
        entries = details.of(sets, systems)
    if not entries:
        raise UsageError("No question has been answered.", "Run without --table-only.")
    model = ", ".join(details.models)
    if options.json:
        return as_json(entries, model)
    return "\n\n".join(tables(entries, peer_wanted=PEER in systems, model=model))


if __name__ == "__main__":
    main()
