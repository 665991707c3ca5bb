r"""Whether a reranker puts the right file first more often, and what it costs.

    python benchmarks/reranking.py --sets handbook=content/questions.jsonl:content/files \
        --sets prose=textqa/xquad.jsonl:textqa/files/xquad:self_contained=true \
        --rerankers ms-marco-minilm-l6-v2 ettin-reranker-17m [--limit 200] [--sample 7]

A set is a name, a question file and the folder that is indexed for it, perhaps narrowed by
`FIELD=VALUE`. Without `--sets` the example household is searched. Each question that has a gold
file is searched for as `manole search` does. The rows of a set are its plain search; the search
with each reranker, places and scores blended (`search/reranking.py`), once within the setting
`index.rerank_ms` and once with all the time it needs; and its scores alone, without the blend.
Milliseconds are medians of a search; the one that loads the reranker is left out.

The last table asks of each set how often the plain search is right where one passage is the first
by its words and by its meaning: there the blend leaves it. Rerankers that are not at hand are named
and left out: `manole models fetch NAME` gets one. What twelve pairs cost is told without one by
`--like all-minilm-l6-v2`, whose network is as large as that of ms-marco-minilm-l6-v2.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from manole.errors import ManoleError
from manole.index.search import reranking
from manole.index.search.duplicates import Find
from manole.library import Library
from manole.models.catalog.encoders import ENCODERS, RERANKERS, Dense, RerankerSpec
from manole.models.encode.reranker import Reranker
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole_evaluate.questions import Question, load, select, within
from manole_evaluate.retrieval import Place, Retrieval, by_file, mean

EXAMPLES = Path(__file__).parent.parent / "examples"
HOUSEHOLD = f"household={EXAMPLES}/household.questions.jsonl:{EXAMPLES}/household"
LENGTH = 50  # passages of a ranking, of which files are made
ALL_THE_TIME = 60_000  # ms


@dataclass
class Row:
    """One way to search: each question's measures and milliseconds."""

    name: str
    measured: list[Retrieval] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """A line of the table."""
        found = mean(self.measured)
        if found is None:
            return f"| {self.name} | | | | | |"
        numbers = (found.hit_1, found.recall_5, found.ndcg_10, found.reciprocal_rank)
        told = " | ".join(f"{number:.3f}" for number in numbers)
        took = f"{statistics.median(self.times):.0f}" if self.times else ""
        return f"| {self.name} | {told} | {took} |"


def chosen(told: str, options: argparse.Namespace) -> tuple[str, Path, list[Question]]:
    """A set's name, folder and those of its questions that have a gold file."""
    name, _, rest = told.partition("=")
    source, folder, *narrowed = rest.split(":", 2)
    root = Path(folder)
    known = select(
        load(Path(source)), limit=options.limit, offset=0, sample=options.sample, filters=narrowed
    )
    return name, root, [q for q in within(known, Path(source), root, in_file=False) if q.files]


def ranking(finds: Sequence[Find]) -> list[Place]:
    """The files of passages, copies named where they are."""
    return [(path, find.passage.page) for find in finds for path in (find.passage.path, *find.also)]


async def search(
    library: Library, questions: Sequence[Question], row: Row, settings: Settings
) -> list[list[Find]]:
    """Search for each question by these settings; gives what was found."""
    library.adopt(with_reranker(settings, "off", ALL_THE_TIME))
    await library.search("a reranker forgets its scores by that", LENGTH)
    library.adopt(settings)
    await library.search("and is loaded by this", LENGTH)
    found = []
    for question in questions:
        started = time.perf_counter()
        finds = await library.search(question.question, LENGTH)
        row.times.append(1000 * (time.perf_counter() - started))
        row.measured.append(by_file(ranking(finds), question.files))
        found.append(finds)
    return found


def with_reranker(settings: Settings, name: str, most_ms: int) -> Settings:
    """The settings with this reranker."""
    index = settings.index.model_copy(update={"reranker": name, "rerank_ms": most_ms})
    return settings.model_copy(update={"index": index})


def pairs(question: Question, finds: Sequence[Find]) -> tuple[str, list[str]]:
    """A query and the passages that a reranker reads with it."""
    texts = [reranking._text(find) for find in finds[: reranking.BEST]]
    return " ".join(question.question.split()), texts


def cost(name: str, questions: Sequence[Question], found: Sequence[Sequence[Find]]) -> list[float]:
    """Milliseconds of CPU time of each question's pairs in the network of an embedder."""
    from safetensors.numpy import save_file

    files = Weights(Settings.load().weights_dir).ensure(name)
    width = ENCODERS[name].dimensions
    with tempfile.TemporaryDirectory() as folder:
        head = Path(folder) / "head"  # its numbers do not matter
        save_file({"linear.weight": np.ones((1, width), np.float32)}, head)
        spec = RerankerSpec(head=(Dense("head"),))
        network = Reranker(name, {**files, "head": head}, spec)
    times = []
    for question, finds in zip(questions, found, strict=True):
        started = time.process_time()
        network.score(*pairs(question, finds), ALL_THE_TIME)
        times.append(1000 * (time.process_time() - started))
    return times


async def measure(
    library: Library, questions: Sequence[Question], names: Sequence[str], like: str
) -> str:
    """Print the rows of one set; gives its line of the last table."""
    settings = library.settings
    plain = Row("plain search")
    found = await search(library, questions, plain, with_reranker(settings, "off", ALL_THE_TIME))
    print(plain, flush=True)
    for name in names:
        bound = settings.index.rerank_ms
        for most_ms, said in ((bound, f", {bound} ms at most"), (ALL_THE_TIME, "")):
            row = Row(f"`{name}`{said}")
            await search(library, questions, row, with_reranker(settings, name, most_ms))
            print(row, flush=True)
        reranker = await library._engines.reranker.get()
        if reranker is None:
            continue  # it cannot be loaded, which was said
        alone = Row(f"`{name}`, its scores alone")
        for question, finds in zip(questions, found, strict=True):
            scores = reranker.score(*pairs(question, finds), ALL_THE_TIME)
            order = sorted(range(len(scores)), key=lambda at: -scores[at])
            best = [*(finds[at] for at in order), *finds[len(scores) :]]
            alone.measured.append(by_file(ranking(best), question.files))
        print(alone, flush=True)
    if like:
        times = cost(like, questions, found)
        print(f"| CPU time of twelve pairs in `{like}` | | | | | {statistics.median(times):.0f} |")
    sure = [row for row, finds in zip(plain.measured, found, strict=True) if is_sure(finds)]
    other = [row for row, finds in zip(plain.measured, found, strict=True) if not is_sure(finds)]
    return f"{_share(sure)} | {_share(other)}"


def is_sure(finds: Sequence[Find]) -> bool:
    """Whether the first is the first by its words and by its meaning."""
    return bool(finds) and finds[0].score >= reranking.SURE


def _share(rows: Sequence[Retrieval]) -> str:
    right = sum(row.hit_1 for row in rows)
    return f"{right:.0f} of {len(rows)}"


async def run(options: argparse.Namespace) -> None:
    """Index each set, search it in each way, print the tables."""
    known = Settings.load()
    weights = Weights(known.weights_dir)
    missing = [name for name in options.rerankers if weights.path(name) is None]
    for name in missing:
        print(f"{name} is not at hand: `manole models fetch {name}`.", file=sys.stderr)
    names = [name for name in options.rerankers if name not in missing]
    sure = []
    for told in options.sets or [HOUSEHOLD]:
        name, folder, questions = chosen(told, options)
        with tempfile.TemporaryDirectory() as temporary:
            data = options.data or Path(temporary)
            settings = known.model_copy(update={"data_dir": data})
            async with await Library.open(folder, settings) as library:
                await library.sync()
                print(
                    f"\n| {name}, {len(questions)} questions | hit@1 | recall@5 | nDCG@10 | ",
                    end="",
                )
                print("reciprocal rank | ms a search |\n|---|---:|---:|---:|---:|---:|")
                sure.append(
                    f"| {name} | {await measure(library, questions, names, options.like)} |"
                )
    print("\n| set | first by words and by meaning: right | other first ones: right |")
    print("|---|---:|---:|\n" + "\n".join(sure))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", action="append", metavar="NAME=QUESTIONS:FOLDER[:FIELD=VALUE]")
    parser.add_argument("--rerankers", nargs="*", default=list(RERANKERS))
    parser.add_argument("--like", default="", metavar="EMBEDDER", help="time its network as well")
    parser.add_argument("--limit", type=int, help="questions of each set, at most")
    parser.add_argument("--sample", type=int, metavar="SEED", help="shuffle before cutting")
    parser.add_argument("--data", type=Path, help="keep the indexes here")
    try:
        asyncio.run(run(parser.parse_args()))
    except ManoleError as error:
        parser.exit(1, f"{error.message} {error.hint or ''}\n")


if __name__ == "__main__":
    main()
