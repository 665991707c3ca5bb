"""Files read by the machines of a Ray cluster.

A Ray Data pipeline of one step reads a few files a task. These are tasks, not actors: a task goes
wherever there is a core, so a machine that joins is used at once and one that dies takes no place
in a pool with it. A process keeps its `Reader` from task to task. There is one step, not one each
for reading and embedding, so that a file stays on its machine until it is complete. Embedding on
other machines is the work of an endpoint (`index.embedder = openai:...`).

What may die, and what then happens:

* a process that reads: Ray runs its task again. Files are counted when they are begun and when they
  are done (`Attempts`), so one that ends its process `MOST` times is given up, as a failed file;
* a machine: its tasks are run again elsewhere, and so are those whose results it held;
* this process: what it wrote stays, and the next sync reads the rest.

Ray holds back the readers when this process writes slower than they read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import queue
import socket
import threading
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, cast

from manole.errors import ManoleError, StoreError, UsageError
from manole.settings import Settings
from manole_cluster.reader import Done, Reader, Work, failed
from manole_cluster.work import Orders, make_reader

# All set by hand:
MOST = 3  # attempts at a file whose process ends
ROUND = 20_000  # files of one pipeline, whose names wait in memory
GROUP_FILES, GROUP_BYTES = 8, 2**21  # of one task
TASK_RETRIES = 100  # of a task; `MOST` ends it before
WAITING = 256  # results that may wait to be written
STORE_TRIES = 4  # to read a file from an object store that does not answer
CONNECT_S = 5.0  # for a connection to the cluster's address
INIT_S = 60.0  # for an answer of Ray there


class Attempts:
    """A counter, somewhere in the cluster, of how often a file was begun and never done."""

    def __init__(self) -> None:
        self._open: dict[str, int] = {}

    def begin(self, key: str) -> int:
        """Note that a file is begun; return how many attempts ended with their process."""
        before = self._open.get(key, 0)
        self._open[key] = before + 1
        return before

    def end(self, key: str) -> None:
        """Note that a file is done."""
        self._open.pop(key, None)


class Cluster:
    """Reading by the machines of the Ray cluster at `address`."""

    def __init__(self, address: str, settings: Settings, dimensions: int) -> None:
        self._address = address
        self._settings = settings
        self._dimensions = dimensions

    async def read(self, works: Iterable[Work]) -> AsyncIterator[Done]:
        """Yield each file as it is read. Raises `UsageError`, `ManoleError`."""
        await asyncio.to_thread(_connect, self._address)
        results: queue.Queue[Done | BaseException | None] = queue.Queue(WAITING)
        stop = threading.Event()
        thread = threading.Thread(
            target=self._run, args=(iter(works), results, stop), name="ray-read", daemon=True
        )
        thread.start()
        try:
            while (item := await asyncio.to_thread(results.get)) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.set()
            while thread.is_alive():
                with contextlib.suppress(queue.Empty):
                    results.get_nowait()
                await asyncio.sleep(0.02)
            await asyncio.to_thread(_disconnect)

    def _run(
        self,
        works: Iterator[Work],
        results: queue.Queue[Done | BaseException | None],
        stop: threading.Event,
    ) -> None:
        try:
            while not stop.is_set() and (part := list(islice(works, ROUND))):
                for done in self._round(part):
                    results.put(done)
                    if stop.is_set():
                        return
            results.put(None)
        except BaseException as error:  # the reader of the queue raises it
            results.put(_readable(error))

    def _round(self, works: Sequence[Work]) -> Iterator[Done]:
        import ray
        import ray.data

        attempts = _attempts()
        groups = list(grouped(works))
        task: Any = read_group  # Ray's types take no function with arguments of its own
        given = {"orders": Orders.of(self._settings), "attempts": attempts,
                "dimensions": self._dimensions}  # fmt: skip
        # Nothing else limits retries, and Ray 2.64, which gives it up, is not yet allowed.
        warnings.filterwarnings("ignore", message="`ray_remote_args_fn` is deprecated")
        items = [{"group": pickle.dumps(group)} for group in groups]
        rows = ray.data.from_items(items, override_num_blocks=len(groups)).flat_map(
            task, fn_kwargs=given, num_cpus=1, ray_remote_args_fn=_retried
        )
        for row in rows.iter_rows():
            # From a task of our own.
            yield pickle.loads(row["done"])  # noqa: S301 # nosec


def grouped(works: Iterable[Work]) -> Iterator[list[Work]]:
    """Yield a few files each: many small ones, or one that is large."""
    group: list[Work] = []
    size = 0
    for work in works:
        if group and (len(group) >= GROUP_FILES or size + work.found.size > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(work)
        size += work.found.size
    if group:
        yield group


def _attempts() -> Any:
    """Return the counter, on the machine of this process: where that dies, the sync ends anyway."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    made = ray.remote(Attempts).options(
        num_cpus=0, max_restarts=-1, max_task_retries=-1, scheduling_strategy=here
    )
    return made.remote()


def _retried() -> dict[str, Any]:
    return {"max_retries": TASK_RETRIES}


# What runs in the cluster's processes -----------------------------------------------------------

_READER: dict[Orders, Reader] = {}  # of this process; a task after the other uses it


def read_group(
    row: dict[str, Any], *, orders: Orders, attempts: Any, dimensions: int
) -> list[dict[str, Any]]:
    """Read each file of a group, in one task."""
    # From the process that indexes.
    works = pickle.loads(row["group"])  # noqa: S301 # nosec
    return asyncio.run(_read_group(works, orders, attempts, dimensions))


async def _read_group(
    works: Sequence[Work], orders: Orders, attempts: Any, dimensions: int
) -> list[dict[str, Any]]:
    import ray

    if orders not in _READER:
        _READER[orders] = await make_reader(orders)
    reader = _READER[orders]
    rows: list[dict[str, Any]] = []
    for work in works:
        before: int = await asyncio.to_thread(ray.get, attempts.begin.remote(work.key))
        if before >= MOST:
            done = failed(work, f"it ended the process that reads it {before} times", dimensions)
        else:
            done = await _read(reader, work, dimensions)
        await asyncio.to_thread(ray.get, attempts.end.remote(work.key))
        rows.append({"done": pickle.dumps(done)})
    return rows


async def _read(reader: Reader, work: Work, dimensions: int) -> Done:
    for attempt in range(STORE_TRIES):
        try:
            return await reader.read(work)
        except StoreError:  # the documents' store is away: for a moment, or for good
            if attempt == STORE_TRIES - 1:
                raise
            await asyncio.sleep(2**attempt)
        except ManoleError:
            raise
        except Exception as error:  # whatever it is, the other files must go on
            return failed(work, f"reading failed: {error or type(error).__name__}", dimensions)
    raise AssertionError("not reached")


# Ray itself --------------------------------------------------------------------------------------


def _connect(address: str) -> None:
    """Connect Ray to the cluster. Raises `UsageError` if either is missing."""
    check_cluster(address)
    import ray
    import ray.data

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    if not ray.is_initialized():
        _init(address)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.execution_options.preserve_order = False


def _init(address: str) -> None:
    """Call `ray.init`, which waits for minutes if something listens but is no cluster."""
    import ray

    ended: queue.Queue[Exception | None] = queue.Queue()

    def init() -> None:
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
            ended.put(None)
        except Exception as error:  # Ray has no one kind for it
            ended.put(error)

    threading.Thread(target=init, daemon=True).start()
    try:
        error = ended.get(timeout=INIT_S)
    except queue.Empty:
        raise _no_cluster(address, f"it did not answer within {INIT_S:g} s") from None
    if error is not None:
        raise _no_cluster(address, str(error).split("\n")[0][:200])


def _disconnect() -> None:
    import ray

    ray.shutdown()


def check_cluster(address: str) -> None:
    """Raise `UsageError` without Ray, or if nobody listens: Ray itself waits for a minute."""
    try:
        import ray.data  # noqa: F401
    except ImportError:
        raise UsageError(
            "A Ray cluster needs the extra `cluster`.", "Install it: pip install 'manole[cluster]'."
        ) from None
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon:
        return  # "auto": a cluster that this machine is part of
    try:
        socket.create_connection((host, int(port)), CONNECT_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _no_cluster(address, getattr(error, "strerror", None) or str(error)) from None


def _no_cluster(address: str, why: str) -> UsageError:
    return UsageError(
        f"No Ray cluster answers at {address}: {why}.",
        "`ray start --head` on one machine prints its address; run this on a machine of the "
        "cluster, or give ray://HOST:10001.",
    )


def _readable(error: BaseException) -> BaseException:
    """Return an error as the task raised it."""
    seen: BaseException | None = error
    last = error
    while seen is not None:
        if isinstance(seen, ManoleError):
            return _plain(seen)
        last = seen
        inner = getattr(seen, "cause", None)
        seen = inner if isinstance(inner, BaseException) else seen.__cause__
    if isinstance(error, Exception):
        logging.getLogger(__name__).debug("the cluster failed", exc_info=error)
        lines = [line for line in str(last).strip().split("\n") if "DataContext" not in line]
        why = f"{type(last).__name__}: {lines[-1].strip()[:300]}" if lines else type(last).__name__
        return ManoleError(
            f"The Ray cluster failed ({why}).",
            "What was written is kept; `manole index` goes on from there.",
        )
    return error


def _plain(error: ManoleError) -> ManoleError:
    """Return an error of Manole's own class: Ray derives classes from those of tasks."""
    kind = next(
        (c for c in type(error).__mro__ if c.__module__ == ManoleError.__module__), ManoleError
    )
    try:
        return cast(ManoleError, kind(error.message, error.hint))
    except AttributeError:
        return ManoleError(str(error).strip().split("\n")[-1])
