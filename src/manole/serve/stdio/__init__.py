"""NDJSON over standard input and output: `manole stdio`."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path

from manole.joined import ALL
from manole.serve.service import Service
from manole.serve.stdio.descriptors import Descriptors
from manole.serve.stdio.lines import LineReader, LineWriter
from manole.serve.stdio.protocol import MAX_LINE
from manole.serve.stdio.server import Server
from manole.serve.stdio.weights import WeightsEvents


async def serve(
    service: Service,
    folders: Sequence[Path] | None,
    descriptors: Descriptors,
    *,
    sync: bool = True,
) -> None:
    """Serve the library of these folders, or all libraries, until the other side has had enough.

    Raises `UsageError` for a folder that is missing or cannot be read.
    """
    writer = LineWriter(descriptors.answers)
    weights = WeightsEvents(writer)
    if service.loader is not None:
        service.loader.progress = weights
    opened = (
        await service.opened(ALL)
        if folders is None
        else await service.open(folders, on_weights=weights)
    )
    reader = LineReader(descriptors.requests, MAX_LINE)
    server = Server(service, opened, reader, writer)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, server.end)
    try:
        await server.run(sync=sync and folders is not None)
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
