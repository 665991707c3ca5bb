"""An index on object storage made by a Ray cluster, while machines die and questions are answered.

    python plugins/cluster/benchmark.py --files FOLDER [--files FOLDER ...] --count 10000

Everything runs on this one machine, so its figures are those of a node of one core beside another:
SeaweedFS with three volume servers, two Ray nodes, two `manole serve`. A Ray node is killed when a
third of the files is read, a volume server when half of them is. Meanwhile the servers are asked in
turn: searches, and questions about the example household with the chat model in use. If there are
fewer files than `--count`, they are taken again under other names; each is read and embedded anew.
Prints a table in Markdown, and every question with its answer on standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).with_name("tests")))

from rays import RayCluster
from seaweed import SeaweedFS, make_bucket
from servers import Asking, Server

from manole.index.sync.report import Progress
from manole.settings import Settings
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket
from manole_cluster.library import library_of, open_place
from manole_evaluate import questions, scoring

EXAMPLES = Path(__file__).parents[2] / "examples"
HOUSEHOLD = EXAMPLES / "household"  # indexed before the servers start
ASKED = questions.select(
    questions.load(EXAMPLES / "household.questions.jsonl"), filters=["kind=content"]
)
WARM = 40  # searches
ALONE = 8  # questions when all is done
SAID = 250  # files
SEARCH_PAUSE = 0.5  # seconds after each
WORDS = (
    "when was the boiler repaired", "treatment of diabetes in mice", "who won the championship",
    "effects of vitamin D", "the capital of the province", "gene expression in yeast",
    "how old was the king", "warranty of the washing machine",
)  # fmt: skip


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=Path, action="append", required=True)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=30.0, help="seconds between two questions")
    parser.add_argument("--no-kill", action="store_true", help="let everything live")
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="manole-cluster-"))
    try:
        with SeaweedFS(base / "seaweed") as store:
            environment = store.environment | {
                "MANOLE_CACHE_DIR": str(Settings.load().cache_dir),
                "MANOLE_DATA_DIR": str(base / "data"),
                "RAY_USAGE_STATS_ENABLED": "0",
            }
            os.environ.update(environment)
            make_bucket("documents", environment)
            with RayCluster(environment) as cluster:
                rows = asyncio.run(measured(given, base, store, cluster))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print("| | |\n|---|---:|")
    for name, value in rows:
        print(f"| {name} | {value} |")


async def measured(
    given: argparse.Namespace, base: Path, store: SeaweedFS, cluster: RayCluster
) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    rows: list[tuple[str, str]] = []
    settings = Settings.load()
    address = Address("documents", "all")
    bucket = Bucket(address)
    sources = [p for folder in given.files for p in sorted(folder.rglob("*")) if p.is_file()]
    ours = [path for path in sorted(HOUSEHOLD.rglob("*")) if path.is_file()]
    for path in ours:
        bucket.put(f"household/{path.relative_to(HOUSEHOLD).as_posix()}", path.read_bytes())
    async with library_of([str(address)], None, settings) as library:
        await library.sync()
    began = time.perf_counter()
    size = sum(path.stat().st_size for path in ours)
    for number in range(given.count - len(ours)):
        turn, at = divmod(number, len(sources))
        data = sources[at].read_bytes()
        bucket.put(f"{turn}/{sources[at].parent.name}/{at}-{sources[at].name}", data)
        size += len(data)
    rows.append(("files, MB", f"{given.count:,}, {size / 1e6:.0f}"))
    rows.append(("different ones among them", f"{min(given.count, len(sources) + len(ours)):,}"))
    rows.append(("uploaded in, s", f"{time.perf_counter() - began:.0f}"))
    said: dict[str, str] = {}
    began = time.perf_counter()

    def heard(progress: Progress) -> None:
        if progress.stage != "read":
            return
        if progress.done % SAID == 0:
            print(f"{progress.done:,} files, {time.perf_counter() - began:.0f} s", file=sys.stderr)
        if given.no_kill:
            return
        when = f"at file {progress.done:,}, {time.perf_counter() - began:.0f} s"
        if progress.done >= given.count // 3 and "node" not in said:
            said["node"] = when
            cluster.kill_node(1)
        if progress.done >= given.count // 2 and "volume" not in said:
            said["volume"] = when
            store.kill_volume(2)

    with Server(str(address), base / "one") as one, Server(str(address), base / "two") as two:
        searching = Asking([one, two], searched, SEARCH_PAUSE)
        with Asking([one, two], asked, given.pause) as asking, searching:
            async with library_of([str(address)], None, settings, ray=cluster.address) as library:
                report = await library.sync(progress=heard)
        alone = Asking([one, two], asked, 0.0)
        await asyncio.to_thread(alone.run, ALONE)
        rows += [
            ("a Ray node killed", said.get("node", "no")),
            ("a volume server killed", said.get("volume", "no")),
            ("indexed in, s", f"{report.seconds:.0f}"),
            ("files a second", f"{(report.added + report.changed) / report.seconds:.1f}"),
            ("passages a second", f"{report.passages / report.seconds:.1f}"),
            ("searches meanwhile of the two servers", _counts(searching)),
            ("of these failed, empty", f"{len(searching.failed)}, {searching.found.count([])}"),
            ("seconds of one, median, largest", _seconds(searching.seconds)),
            ("questions meanwhile of the two servers", _counts(asking)),
            *_judged(asking),
            ("questions afterwards, nothing else running", _counts(alone)),
            *_judged(alone),
        ]
        for failure in [*searching.failed, *asking.failed, *alone.failed]:
            print("failed:", failure, file=sys.stderr)
    async with library_of([str(address)], None, settings, ray=cluster.address) as library:
        again = await library.sync()
        rows.append(("read by the next sync", str(again.added + again.changed)))
        rows.append(("its seconds", f"{again.seconds:.1f}"))
    began = time.perf_counter()
    async with await open_place(str(address), settings) as library:
        await library.search(WORDS[0])
        rows.append(("open and first search, s", f"{time.perf_counter() - began:.2f}"))
        spent = []
        for number in range(WARM):
            began = time.perf_counter()
            await library.search(WORDS[number % len(WORDS)])
            spent.append(time.perf_counter() - began)
        rows.append(("a search, warm: median, slowest, s", _seconds(spent)))
        tables = await library.store()
        files = await tables.files()
        ids = Counter([passage.id async for passage in tables.scan_texts()])
        known = Counter(file.path for file in files)
        statuses = Counter(file.status.value for file in files)
        rows += [
            ("files in the index, of them twice", f"{len(known):,}, {len(files) - len(known)}"),
            ("their status", ", ".join(f"{n:,} {name}" for name, n in sorted(statuses.items()))),
            ("passages, of them twice", f"{len(ids):,}, {ids.total() - len(ids)}"),
            ("passages missing", str(sum(file.passages for file in files) - ids.total())),
            ("passages without a vector", str(len(ids) - (await tables.count())[1])),
        ]
    index = Bucket(address / ".manole")
    held = Counter()
    for item in index.list():
        parts = item.path.split("/")
        kind = "/".join(parts[1:3]) if parts[0] == "tables" and len(parts) > 2 else "others"
        held[kind] += item.size
    total = held.total()
    rows.append(("bytes a passage on S3", f"{total / max(1, len(ids)):,.0f}"))
    for kind, taken in held.most_common(6):
        rows.append((f"of these {kind}", f"{taken / max(1, len(ids)):,.0f}"))
    return rows


def searched(server: Server, number: int) -> list[dict[str, object]]:
    """Search once."""
    return server.search(WORDS[number % len(WORDS)])


def asked(server: Server, number: int) -> tuple[questions.Question, dict[str, Any]]:
    """Ask a question and return its answer."""
    question = ASKED[number % len(ASKED)]
    answer = server.ask(question.question)
    cited = [source["file"] for source in answer["sources"] if source["cited"]]
    print(
        f"{question.question}\n  {answer['answer']}\n  {cited} {answer['timings']}", file=sys.stderr
    )
    return question, answer


def _judged(asking: Asking) -> list[tuple[str, str]]:
    """Judge the answers; the right document is one that the author of the question names."""
    answers = [(question, answer) for question, answer in asking.found if answer["found"]]
    cited = [
        (question, [source["file"] for source in answer["sources"] if source["cited"]])
        for question, answer in answers
    ]
    right = sum(
        bool({f"household/{file}" for file in question.files} & set(files))
        for question, files in cited
    )
    correct = sum(scoring.judge(question, answer["answer"]).correct for question, answer in answers)
    return [
        ("of these failed", str(len(asking.failed))),
        ("of these declined: not in the documents", str(len(asking.found) - len(answers))),
        (
            "answers that cite a document; the right one",
            f"{sum(bool(f) for _, f in cited)}; {right}",
        ),
        ("answers that are correct", f"{correct} of {len(asking.found)}"),
        ("seconds of one, median, largest", _seconds(asking.seconds)),
    ]


def _counts(asking: Asking) -> str:
    return " and ".join(map(str, asking.answered))


def _seconds(spent: list[float]) -> str:
    return f"{statistics.median(spent):.3f}, {max(spent):.3f}" if spent else "none"


if __name__ == "__main__":
    main()
