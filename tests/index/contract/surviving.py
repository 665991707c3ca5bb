"""What a store withstands: other processes beside it, and being killed in a write."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contract.records import ANY, a_pair, matched, near, opening, unit, units, writing
from manole.errors import IndexBusyError
from manole.index.store.protocol import Store

WIDE = 32
FILES = 6
EACH = 25
HERE = Path(__file__).parent.parent
PATIENCE = 300  # seconds for another process on a loaded machine
KILLS = 25 if os.environ.get("SOAK") else 2


def generation(file: int, number: int):
    """File `file` as it was written for the `number`th time, and its vectors."""
    texts = [f"apple of generation {number}, part {i}" for i in range(EACH - number % 3)]
    pair = a_pair(f"f{file}", f"f{file}.txt", *texts, content_hash=f"{file}-{number}")
    return pair, units(len(texts), WIDE, seed=1000 * file + number)


async def write_on(store, begin: int, end: int, say) -> None:
    """Write files again and again, as syncs do; `say` hears what is about to be, and what is."""
    for number in range(begin, end):
        file = number % FILES
        pair, vectors = generation(file, number)
        async with writing(store, dimensions=WIDE):
            await store.stale()
            say({"file": file, "text": number})
            await store.replace([pair])
            say({"file": file, "text": number, "done": True})
            await store.put_vectors([passage.id for passage in pair[1]], vectors)
            say({"vectors": number})
            if number % FILES == FILES - 1:
                gone = (number + 1) % FILES
                say({"file": gone, "gone": True})
                await store.delete([f"f{gone}"])
                say({"file": gone, "gone": True, "done": True})
            await store.finish()


WRITER = """
import asyncio, json, sys
from pathlib import Path
sys.path[:0] = sys.argv[4:]
from contract.records import opening
from contract.surviving import write_on

async def main():
    store = await opening(sys.argv[1])(Path(sys.argv[2]))
    def say(line):
        print(json.dumps(line), flush=True)
    await write_on(store, int(sys.argv[3]), 10_000, say)

asyncio.run(main())
"""

HOLDER = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from contract.records import a_pair, opening, unit, writing

async def main():
    store = await opening(sys.argv[1])(Path(sys.argv[2]))
    for line in sys.stdin:
        async with writing(store):
            await store.replace([a_pair(line.strip(), line.strip(), "apple")])
            await store.put_vectors([line.strip() + ":0"], unit(1, 0, 0, 0)[None])
            print("committed", flush=True)
            sys.stdin.readline()
            await store.finish()
        print("ended", flush=True)
    await store.close()

asyncio.run(main())
"""


def started(program: str, *arguments: str) -> subprocess.Popen[str]:
    """A process of its own that can import what this one can."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments, str(HERE), *sys.path],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


class Surviving:
    """Several processes, and kills."""

    opener: str

    async def test_a_second_writer_is_refused_and_readers_are_not(self, store, tmp_path):
        async with writing(store):
            await store.replace([a_pair("a", "a.txt", "apple")])
            reader = await opening(self.opener)(tmp_path / "index")
            with pytest.raises(IndexBusyError):
                async with writing(reader):
                    pass
            assert await matched(reader, "apple") == {"a.txt"}
            await store.replace([a_pair("b", "b.txt", "apple")])
            assert await matched(reader, "apple") == {"a.txt", "b.txt"}
            await reader.close()

    async def test_a_reader_sees_what_another_process_commits_and_does_not_block_it(
        self, store, tmp_path
    ):
        async with writing(store):
            await store.replace([a_pair("first", "first", "apple")])
        there = {"first"}
        with started(HOLDER, self.opener, str(tmp_path / "index")) as other:
            assert other.stdin and other.stdout
            for name in ("second", "third"):
                other.stdin.write(f"{name}\n")
                other.stdin.flush()
                assert other.stdout.readline() == "committed\n"
                there |= {name}
                assert await matched(store, "apple") == there
                assert set(await near(store, unit(1, 0, 0, 0))) == there - {"first"}
                with pytest.raises(IndexBusyError):
                    async with writing(store):
                        pass
                other.stdin.write("\n")
                other.stdin.flush()
                assert other.stdout.readline() == "ended\n"
                assert set(await near(store, unit(1, 0, 0, 0))) == there - {"first"}
            other.stdin.close()
            assert other.wait(PATIENCE) == 0
        async with writing(store):  # the lock is free again
            assert await store.count() == (3, 2)

    async def test_a_store_killed_in_a_write_opens_and_says_what_is_to_be_done_again(
        self, tmp_path
    ):
        chance = random.Random(0)
        folder = tmp_path / "index"
        texts: dict[int, set[int | None]] = {file: {None} for file in range(FILES)}
        begin = 0
        for _ in range(KILLS):
            begin = self.killed(folder, begin, texts, chance) + 1
            store = await opening(self.opener)(folder)
            await mended(store, texts)
            await store.close()

    def killed(
        self, folder: Path, begin: int, texts: dict[int, set[int | None]], chance: random.Random
    ) -> int:
        """Let a process write until it is killed; the number it came to.

        `texts` are the generations that each file may be in now; `None` is none at all.
        """
        said = []
        with started(WRITER, self.opener, str(folder), str(begin)) as writer:
            assert writer.stdout
            for _ in range(chance.randint(1, 30)):
                said.append(writer.stdout.readline())
            time.sleep(chance.random() * 0.1)  # into the middle of whatever comes next
            writer.send_signal(signal.SIGKILL)
            said += writer.stdout.readlines()
            assert writer.wait(PATIENCE) == -signal.SIGKILL
        number = begin
        for line in said:
            if not line.endswith("\n"):
                break
            step = json.loads(line)
            number = step.get("text", number)
            if "text" in step or "gone" in step:
                now = {step.get("text")}
                texts[step["file"]] = now if step.get("done") else texts[step["file"]] | now
        return number


async def mended(store: Store, texts: dict[int, set[int | None]]) -> None:
    """What was committed is there; what was not is named, and can be done again."""
    async with writing(store, dimensions=WIDE):
        misfits, orphans = await store.stale()
        unsure = {f"f{file}" for file, options in texts.items() if len(options) > 1}
        assert misfits | orphans <= unsure
        await store.delete(orphans)
        for file, options in texts.items():
            if f"f{file}" in misfits:
                last = max(number for number in options if number is not None)
                await store.replace([generation(file, last)[0]])
                texts[file] = {last}
                continue
            found = [passage.text for passage in await store.passages(f"f{file}")]
            possible = {
                number: [] if number is None else [p.text for p in generation(file, number)[0][1]]
                for number in options
            }
            assert found in possible.values()
            texts[file] = {number for number in options if possible[number] == found}
        assert await store.stale() == (set(), set())
        for passage in await store.missing_vectors(FILES * EACH):
            (number,) = texts[int(passage.file_id[1:])]
            vectors = generation(int(passage.file_id[1:]), number)[1]
            await store.put_vectors([passage.id], vectors[passage.ordinal][None])
        await store.finish()
    rows = {file.id: file.passages for file in await store.files()}
    assert rows == {f"f{file}": EACH - n % 3 for file, (n,) in texts.items() if n is not None}
    assert await store.count() == (sum(rows.values()), sum(rows.values()))
    for file, (number,) in texts.items():
        if number is not None:
            (_, passages), vectors = generation(file, number)
            (found,) = await store.nearest(vectors[1], 1, ANY)
            assert [p.text for p in await store.take([found])] == [passages[1].text]
            assert found.score == pytest.approx(1, abs=2e-3)
