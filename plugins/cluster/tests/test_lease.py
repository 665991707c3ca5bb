"""One writer: who holds the lease, who takes it over, who notices."""

from __future__ import annotations

import asyncio

import pytest
from remote import remote

from manole.errors import IndexBusyError, StoreError
from manole.settings import Settings
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket
from manole_cluster.lease import NAME, Lease

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_second_writer_is_told_who_is_the_first(
    documents: Address, bucket: Bucket, settings: Settings
) -> None:
    bucket.put("a.md", b"words")
    async with remote(documents, settings) as library:
        await library.sync()
        async with Lease(Bucket(documents / ".manole")).held():
            with pytest.raises(IndexBusyError, match=r"written by .+ on .+, process \d+"):
                await library.sync()
            assert await library.search("words")
        assert (await library.sync()).unchanged == 1
    assert bucket.get(f".manole/{NAME}") is None


async def test_of_many_writers_one_wins(documents: Address, bucket: Bucket) -> None:
    held, over = 0, asyncio.Event()

    async def write() -> bool:
        nonlocal held
        try:
            async with Lease(bucket).held():
                held += 1
                assert held == 1
                await over.wait()
                held -= 1
        except IndexBusyError:
            return False
        return True

    writers = [asyncio.create_task(write()) for _ in range(8)]
    while sum(task.done() for task in writers) < 7:
        await asyncio.sleep(0.05)
    over.set()
    assert sum(await asyncio.gather(*writers)) == 1


async def test_a_dead_writers_lease_is_taken_over(bucket: Bucket) -> None:
    dead = Lease(bucket, seconds=3, renew=1000)
    async with dead.held():
        with pytest.raises(IndexBusyError):
            await asyncio.to_thread(Lease(bucket, seconds=3)._take)
        await asyncio.sleep(4)
        with pytest.raises(StoreError, match="not be renewed"):
            dead.check()
        async with Lease(bucket, seconds=3, renew=0.5).held():
            pass


async def test_a_writer_whose_lease_was_taken_notices(bucket: Bucket) -> None:
    mine = Lease(bucket, renew=0.2)
    async with mine.held():
        mine.check()
        bucket.put(NAME, b"{}")
        with pytest.raises(StoreError, match="taken it over"):
            for _ in range(600):
                await asyncio.sleep(0.1)
                mine.check()
    assert bucket.get(NAME) is not None  # it is not this one's to remove


async def test_a_living_writer_keeps_its_lease(bucket: Bucket) -> None:
    async with Lease(bucket, seconds=6, renew=0.5).held():
        first = bucket.head(NAME)
        while (now := bucket.head(NAME)) is None or first is None or now.tag == first.tag:
            await asyncio.sleep(0.1)
        with pytest.raises(IndexBusyError):
            await asyncio.to_thread(Lease(bucket, seconds=6)._take)
