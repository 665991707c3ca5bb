"""Several of many things done at once, in bounded number."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from manole.documents.opened import FoundFile
from manole.index.sync.apply import as_ready
from manole.index.sync.plan import Plan
from manole.index.sync.queued import Queued


async def test_no_more_are_under_way_than_wanted_and_each_is_done_once():
    under_way, most = 0, 0

    async def double(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001 * (number % 3))
        under_way -= 1
        return 2 * number

    async with aclosing(as_ready(range(20), double, 3)) as done:
        assert sorted([value async for value in done]) == [2 * number for number in range(20)]
    assert most == 3


async def test_an_error_ends_it_and_what_is_under_way():
    ended: list[int] = []

    async def fail_at_once(number: int) -> None:
        if number == 1:
            raise ValueError(str(number))
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(number)

    with pytest.raises(ValueError, match="1"):
        async with aclosing(as_ready(range(9), fail_at_once, 3)) as done:
            async for _ in done:
                pass
    await asyncio.sleep(0)
    assert sorted(ended) == [0, 2]


def test_items_leave_the_list_as_they_are_given():
    files = [(FoundFile("/r", name, 1, 1), None) for name in "abc"]
    given = Queued(Plan(read=files[:]))
    assert next(given) == files[0]
    assert list(given) == files[1:]
    assert list(given) == []
