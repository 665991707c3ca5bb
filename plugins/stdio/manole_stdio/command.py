"""`manole stdio`: for programs that start Manole and talk to it over its input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manole.cli.options import Folder, Model, Reuse, run
from manole.cli.options import settings as load_settings
from manole.errors import UsageError

if TYPE_CHECKING:
    from manole.settings import Settings
    from manole_stdio.descriptors import Descriptors

LAST_RESORT = 10.0  # seconds, set by hand, until a process that cannot end by itself is ended


def stdio(folder: Folder = None, model: Model = None, reuse: Reuse = False) -> None:
    """Serve another program: requests and answers are lines of JSON on standard input and output.

    For desktop applications and editors. The index is brought up to date in the background.
    The end of the input ends it, when what was asked is answered.

    A request: {"id": 1, "method": "search", "params": {"text": "rent"}}
    """
    from manole_stdio.descriptors import claim

    descriptors = claim("stdio")
    run(_serve(folder, load_settings(model__name=model), descriptors, sync=not reuse))


async def _serve(
    folder: str | None, settings: Settings, descriptors: Descriptors, *, sync: bool
) -> None:
    from manole.cli.library import open_library
    from manole.joined import ALL
    from manole.serve.service import Service
    from manole.serve.turn_recorder import check_conversations
    from manole_stdio.server import serve

    await check_conversations(settings)
    library = await open_library(folder, settings)
    together = library.name == ALL
    await library.close()
    if not (library.follows or together):
        raise UsageError(
            "stdio serves folders of this machine, not object storage.",
            "`manole serve --library ADDRESS` and `manole mcp ADDRESS` serve an index there.",
        )
    async with Service(settings, watch=sync) as service:
        try:
            await serve(service, None if together else library.roots, descriptors, sync=sync)
        finally:
            _end_at_last()


def _end_at_last() -> None:
    """End the process after a while: a thread that fetches a model cannot be stopped otherwise."""
    import os
    from threading import Timer

    timer = Timer(LAST_RESORT, os._exit, (0,))
    timer.daemon = True
    timer.start()
