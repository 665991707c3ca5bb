"""The program, a session with a server over HTTP, and what a result says."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager

import httpx
from mcp import ClientSession, types
from mcp.client.streamable_http import streamable_http_client

PROGRAM = (sys.executable, "-m", "manole.cli.app")


@asynccontextmanager
async def over_http(url, token=None):
    """A session with the server at `url`."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as client,
        streamable_http_client(url, http_client=client) as (incoming, outgoing, _),
        ClientSession(incoming, outgoing) as session,
    ):
        await session.initialize()
        yield session


def text_of(result):
    """Everything that a result says, as one text."""
    return result.model_dump_json()


async def cancel_last(session):
    """Cancel the request that a session sent last."""
    last = types.CancelledNotificationParams(requestId=session._request_id - 1)
    cancelled = types.CancelledNotification(params=last)
    await session.send_notification(types.ClientNotification(cancelled))
