r"""How well search finds the right file or page, beside words alone and vectors alone.

    python benchmarks/retrieval.py --sets prose=xquad.jsonl:files/xquad:self_contained=true \
        --sets manuals=questions.jsonl:manuals/files --pages --by needs --limit 300 --sample 7

A set is a name, a question file as `manole eval` reads it and the folder that is indexed for it,
perhaps narrowed by `FIELD=VALUE`; without `--sets` it is the example household. Asked are the
questions that have a gold file. The baselines are words alone (BM25) and vectors alone; `search` is
what `manole search` gives. With `--rerankers` it is asked again with each (`manole models fetch
NAME` gets one), and with `--pages` places are pages (± 1), of the questions that name one, and the
lines of pages and `visual_search` are asked too. `--by FIELD` adds rows for each value of a field.
Milliseconds are medians, with the embedding of the question.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path

from manole.errors import ManoleError, UsageError
from manole.index.search import reranking
from manole.index.search.hybrid import NO_FILTERS
from manole.index.search.pages import rank_lines
from manole.index.store.page_records import LineEmbedder
from manole.library import Library
from manole.models.catalog.encoders import RERANKERS
from manole.models.weights.cache import Weights
from manole.settings import Settings
from manole.text.words import content_words
from manole_evaluate.questions import Question, load, select, within
from manole_evaluate.retrieval import Place, Retrieval, by_file, by_page, mean
from measuring import HOUSEHOLD, QUESTIONS, middle_and_p95

POOL, PAGES = 50, 20  # passages and pages of a ranking
PATIENCE = 60.0  # seconds for a reranker
KINDS = ("figure", "chart", "table", "text")
Way = Callable[[str], Awaitable[list[Place]]]
Found = dict[tuple[str, str], tuple[list[Retrieval], list[float]]]  # by group and way


def chosen(told: str, options: argparse.Namespace) -> tuple[str, Path, list[Question]]:
    """A set's name, folder and questions. Raises `UsageError`."""
    name, _, rest = told.partition("=")
    source, _, rest = rest.partition(":")
    folder, _, narrowed = rest.partition(":")
    if not (name and source and folder):
        raise UsageError(f"--sets {told}: what?", "Write NAME=FILE.jsonl:FOLDER[:FIELD=VALUE].")
    every = select(
        load(Path(source)), filters=[narrowed] if narrowed else [], sample=options.sample
    )
    known = within(every, Path(source), Path(folder))
    asked = [one for one in known if one.files and (one.pages or not options.pages)]
    return name, Path(folder), asked[: options.limit]


def with_reranker(settings: Settings, name: str) -> Settings:
    """The settings with this reranker, which has the time it needs."""
    reranking.SECONDS = PATIENCE
    index = settings.index.model_copy(update={"reranker": name})
    return settings.model_copy(update={"index": index})


async def ways(library: Library, pages: bool) -> dict[str, Way]:
    """Each way to search that needs no other settings."""
    store = await library.store()
    files = {file.id: file.path for file in await library.files()}

    async def words(question: str) -> list[Place]:
        asked = " ".join(content_words(question)) or question
        found = await store.take(await store.match(asked, POOL, NO_FILTERS))
        return [(passage.path, passage.page) for passage in found]

    async def vectors(question: str) -> list[Place]:
        vector = await asyncio.to_thread(library.embedder.embed_query, question)
        found = await store.take(await store.nearest(vector, POOL, NO_FILTERS))
        return [(passage.path, passage.page) for passage in found]

    async def search(question: str) -> list[Place]:
        found = await library.search(question, POOL)
        return [(path, one.passage.page) for one in found for path in (one.passage.path, *one.also)]

    async def lines(question: str) -> list[Place]:
        asked = await asyncio.to_thread(LineEmbedder(library.embedder).embed_query, question)
        ranked = await rank_lines(store, *asked)
        parts = [key.rpartition(":") for key in ranked.order]
        return [(files[file], int(page) or None) for file, _, page in parts]

    async def visual(question: str) -> list[Place]:
        return [(hit.file.path, hit.page) for hit in await library.search_pages(question, PAGES)]

    always: dict[str, Way] = {"search": search, "words alone": words, "vectors alone": vectors}
    return always | ({"lines of pages": lines, "pages": visual} if pages else {})


def group(question: Question, by: str) -> str:
    """The value of a field; of a list the first kind of page that is in it."""
    value = question.fields.get(by)
    if not isinstance(value, list):
        return str(value)
    said = " ".join(map(str, value)).lower()
    return next((kind for kind in KINDS if kind in said), "other")


async def ask(
    name: str, way: Way, questions: Sequence[Question], options: argparse.Namespace, found: Found
) -> None:
    """Put the questions to one way, after one that wakes it, and note what it found."""
    await way("is anything loaded by this question?")
    for question in questions:
        started = time.perf_counter()
        ranking = await way(question.question)
        spent = 1000 * (time.perf_counter() - started)
        told = (
            by_page(ranking, question.files, question.pages)
            if options.pages
            else by_file(ranking, question.files)
        )
        for part in ["all", group(question, options.by)] if options.by else ["all"]:
            measured, times = found[part, name]
            measured.append(told)
            times.append(spent)


def table(name: str, found: Found) -> Iterator[str]:
    """A row for each group and way."""
    yield f"\n| {name} | questions | hit@1 | recall@5 | nDCG@10 | reciprocal rank | ms |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for part in sorted({part for part, _ in found}, key=lambda part: (part != "all", part)):
        for (own, way), (measured, times) in found.items():
            if own == part and (made := mean(measured)):
                numbers = made.hit_1, made.recall_5, made.ndcg_10, made.reciprocal_rank
                cells = " | ".join(f"{number:.3f}" for number in numbers)
                said = way if part == "all" else f"{part}: {way}"
                middle, _ = middle_and_p95(times)
                yield f"| {said} | {len(measured)} | {cells} | {middle:.0f} |"


async def run(options: argparse.Namespace) -> None:
    """Index each set, search it in each way, print its table."""
    settings = with_reranker(Settings.load(), "off")
    weights = Weights(settings.weights_dir)
    for name in options.rerankers:
        if weights.path(name) is None:
            raise UsageError(f"{name} is not at hand.", f"`manole models fetch {name}` gets it.")
    for told in options.sets or [f"household={QUESTIONS}:{HOUSEHOLD}"]:
        name, folder, questions = chosen(told, options)
        found: Found = defaultdict(lambda: ([], []))
        async with await Library.open(folder, settings) as library:
            await library.sync()
            known = await ways(library, options.pages)
            for label, way in known.items():
                await ask(label, way, questions, options, found)
            for reranker in options.rerankers:
                library.adopt(with_reranker(settings, reranker))
                await ask(f"search, `{reranker}`", known["search"], questions, options, found)
        print("\n".join(table(name, found)), flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", action="append", metavar="NAME=FILE.jsonl:FOLDER[:FIELD=VALUE]")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--rerankers", nargs="*", default=[], choices=list(RERANKERS))
    parser.add_argument("--by", metavar="FIELD")
    parser.add_argument("--limit", type=int, help="questions of each set, at most")
    parser.add_argument("--sample", type=int, metavar="SEED", help="shuffle before cutting")
    try:
        asyncio.run(run(parser.parse_args()))
    except ManoleError as error:
        parser.exit(2 if isinstance(error, UsageError) else 1, f"{error}\n")


if __name__ == "__main__":
    main()
