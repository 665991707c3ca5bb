r"""Pages: how well they are found, and what reading their pictures costs.

    python benchmarks/pages.py --sets manuals=questions.jsonl:manuals/files --by needs

Prints Markdown tables: nDCG@10 and recall@5 on (file, page ± 1) of words alone (BM25), passages,
lines, and pages as they are found by default; the time of a search; and, with `--ocr N`, the
seconds that N scanned pages and N figures of these folders take, read anew.

`--by FIELD` groups the questions by a field of their file; of a list the first of figure, chart,
table and text that is in it counts. Questions without a gold page are left out. The index lies in
the user's data folder, so that a second run only asks.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import psutil

from manole.documents.extract import Extractor
from manole.documents.model import UNREAD, numbers_in
from manole.documents.opened import named
from manole.errors import ManoleError, UsageError
from manole.index.search.hybrid import NO_FILTERS
from manole.index.search.pages import rank_lines
from manole.index.store.page_records import LineEmbedder
from manole.library import Library
from manole.settings import Settings
from manole.text.words import content_words
from manole_evaluate.questions import Question, load, within
from manole_evaluate.retrieval import Place, Retrieval, by_page, mean

POOL = 100  # passages of a ranking
SYSTEMS = ("words", "passages", "lines", "pages")
KINDS = ("figure", "chart", "table", "text")


class Memory:
    """The largest memory of this process and those it started, in MiB, sampled."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        own = psutil.Process()
        while not self._over.wait(0.2):
            total = 0
            for process in (own, *own.children(recursive=True)):
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            self.peak = max(self.peak, total / 2**20)


async def rankings(library: Library, question: str) -> tuple[dict[str, list[Place]], float]:
    """What each system finds, as places, and the seconds of the default's search."""
    store = await library.store()
    files = {file.id: file.path for file in await library.files()}
    words = " ".join(content_words(question)) or question
    matched = await store.take(await store.match(words, POOL, NO_FILTERS))
    hits = await library.search(question, limit=POOL)
    asked = await asyncio.to_thread(LineEmbedder(library.embedder).embed_query, question)
    lines = await rank_lines(store, *asked)
    started = time.perf_counter()
    pages = await library.search_pages(question, limit=20)
    spent = time.perf_counter() - started
    by_line = [key.rpartition(":") for key in lines.order]
    return {
        "words": [(passage.path, passage.page) for passage in matched],
        "passages": [(hit.passage.path, hit.passage.page) for hit in hits],
        "lines": [(files[file], int(page) or None) for file, _, page in by_line],
        "pages": [(hit.file.path, hit.page) for hit in pages],
    }, spent


def group(question: Question, by: str | None) -> str:
    """The question's group: the value of a field, or the first kind that is in a list of them."""
    value = question.fields.get(by) if by else None
    if not isinstance(value, list):
        return str(value or "all")
    said = " ".join(map(str, value)).lower()
    return next((kind for kind in KINDS if kind in said), "other")


def table(found: dict[tuple[str, str], dict[str, list[Retrieval]]]) -> Iterable[str]:
    """Lines of the table of rankings."""
    yield "| questions | n | " + " | ".join(f"{s}: nDCG@10 / recall@5" for s in SYSTEMS) + " |"
    yield "|---|---:|" + "---:|" * len(SYSTEMS)
    for (name, kind), systems in sorted(found.items()):
        cells = []
        for system in SYSTEMS:
            made = mean(systems[system])
            cells.append(f"{made.ndcg_10:.3f} / {made.recall_5:.2f}" if made else "–")
        yield f"| {name}, {kind} | {len(systems['pages'])} | " + " | ".join(cells) + " |"


async def ask(
    sets: Sequence[tuple[str, Path, Path]], by: str | None, settings: Settings
) -> list[str]:
    """The table of rankings, and that of what it cost."""
    found: dict[tuple[str, str], dict[str, list[Retrieval]]] = defaultdict(
        lambda: defaultdict(list)
    )
    costs = ["| folder | pages | vectors | sync | memory | search, median | p95 |"]
    costs.append("|---|---:|---:|---:|---:|---:|---:|")
    for name, file, folder in sets:
        async with await Library.open(folder, settings) as library:
            print(f"{name}: indexing {folder}", file=sys.stderr)
            with Memory() as memory:
                report = await library.sync()
            times = []
            questions = within([q for q in load(file) if q.pages], file, folder)
            for question in questions:
                places, spent = await rankings(library, question.question)
                times.append(1000 * spent)
                for kind in {group(question, by), "all"}:
                    for system, ranking in places.items():
                        got = by_page(ranking, question.files, question.pages)
                        found[name, kind][system].append(got)
            store = await library.store()
            pages, embedded = await store.pages.count()
        p95 = statistics.quantiles(times, n=20)[18] if len(times) > 1 else times[0]
        costs.append(
            f"| {name} | {pages} | {embedded} | {report.seconds:.0f} s | {memory.peak:.0f} MiB "
            f"| {statistics.median(times):.0f} ms | {p95:.0f} ms |"
        )
    return [*table(found), "", *costs]


async def recognize(folders: Sequence[Path], count: int, settings: Settings) -> list[str]:
    """Seconds to read scanned pages and figures, without what is kept of them."""
    lines = ["| picture | n | seconds, median | largest |", "|---|---:|---:|---:|"]
    with Extractor(settings.extract) as extractor:
        scans, figures = [], []
        for path in sorted(p for folder in folders for p in folder.rglob("*.pdf")):
            document = await extractor.extract(named(path))
            known = {page.number: page for page in document.pages}
            for number in numbers_in(document.metadata.get(UNREAD, "")):
                page = known.get(number)
                if page is None or not page.text:
                    scans.append((path, number, None))
                else:
                    figures += [(path, number, box) for box in page.figures]
        for name, every in (("scanned page", scans), ("figure on a page of text", figures)):
            random.Random(7).shuffle(every)
            times = []
            for path, number, part in every[: count + 1]:
                started = time.perf_counter()
                await extractor.recognize(named(path), number, part)
                times.append(time.perf_counter() - started)
            times = times[1:]  # the first one loads the engine
            if times:
                middle, most = statistics.median(times), max(times)
                lines.append(f"| {name} | {len(times)} | {middle:.2f} s | {most:.2f} s |")
    return lines


def parse_set(text: str) -> tuple[str, Path, Path]:
    """`NAME=FILE.jsonl:FOLDER`. Raises `UsageError`."""
    name, _, rest = text.partition("=")
    file, _, folder = rest.partition(":")
    if not (name and file and folder):
        raise UsageError(f"--sets {text} names no file and folder.", "NAME=FILE.jsonl:FOLDER")
    return name, Path(file), Path(folder)


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sets", action="append", required=True, metavar="NAME=FILE.jsonl:FOLDER")
    parser.add_argument("--by", metavar="FIELD", help="group the questions by this field")
    parser.add_argument("--ocr", type=int, default=0, metavar="N", help="time N pages and figures")
    options = parser.parse_args()
    settings = Settings.load()
    sets = [parse_set(text) for text in options.sets]
    lines = await ask(sets, options.by, settings)
    if options.ocr:
        lines += ["", *await recognize([folder for *_, folder in sets], options.ocr, settings)]
    print("\n".join(lines))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except ManoleError as error:
        sys.exit(f"{error.message} {error.hint or ''}")
