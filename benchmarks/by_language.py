r"""Search by words in many languages: paragraphs and questions of XQuAD, one file a language.

    python benchmarks/by_language.py xquad.de.json xquad.th.json ... --every 3

Each file is in SQuAD's format (google-deepmind/xquad, CC-BY-SA-4.0: Artetxe, Ruder and Yogatama,
"On the cross-lingual transferability of monolingual representations", ACL 2020). Only words are
compared, no vectors. Prints a Markdown table: nDCG@10 and the share whose paragraph is first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from manole.documents.model import Status
from manole.index.search.hybrid import search
from manole.index.store.lance import LanceStore
from manole.index.store.records import FileRecord, PassageRecord
from manole_evaluate.retrieval import by_file, mean


def record(number: int, text: str) -> tuple[FileRecord, list[PassageRecord]]:
    """A file of one paragraph."""
    key, path = str(number), f"{number}.txt"
    file = FileRecord(
        id=key, root="/", path=path, size=len(text), mtime_ns=0, content_hash=key,
        status=Status.INDEXED,
    )  # fmt: skip
    passage = PassageRecord(
        id=f"{key}:0", file_id=key, root="/", path=path, ordinal=0, page=None, line_start=1,
        line_end=1, start=0, end=len(text), text=text,
    )  # fmt: skip
    return file, [passage]


async def measured(name: str, articles: list[Any], every: int) -> str:
    """One file's line."""
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    each = [(qa["question"], n) for n, part in enumerate(paragraphs) for qa in part["qas"]]
    asked = each[::every]
    with tempfile.TemporaryDirectory() as folder:
        store = await LanceStore.open(Path(folder))
        async with store.writing(dimensions=1, embedder="none"):
            made = [record(n, part["context"]) for n, part in enumerate(paragraphs)]
            await store.replace(made, new=True)
            await store.finish(fully=True)
        found = []
        for question, number in asked:
            hits = await search(store, None, question, limit=10)
            paths = [(hit.passage.path, None) for hit in hits]
            found.append(by_file(paths, [f"{number}.txt"]))
        await store.close()
    all_ = mean(found)
    return f"| {name} | {len(asked)} | {all_.ndcg_10:.3f} | {all_.hit_1:.3f} |"


def main() -> None:
    """Search and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=1, help="ask every Nth question")
    chosen = parser.parse_args()
    print("| file | questions | nDCG@10 | first |\n|---|---:|---:|---:|")
    for source in chosen.files:
        articles = json.loads(source.read_text("utf-8"))["data"]
        print(asyncio.run(measured(source.stem, articles, chosen.every)), flush=True)


if __name__ == "__main__":
    main()
