"""The sources of a model's files: which one a fetch will use, and fetching a file from one.

`bytes_to_fetch`, `source_in_words` and `can_be_verified` make no network call: a model hub that was
not asked yet counts as reachable.
"""

from __future__ import annotations

from pathlib import Path

from manole.errors import HashMismatchError, WeightsError
from manole.models.catalog.table import (
    HubSource,
    ModelSpec,
    PackageSource,
    Source,
    WeightFile,
    WheelSource,
)
from manole.models.weights.files import OnProgress, Progress, copy_file, hash_file
from manole.models.weights.hub import check_hub, fetch_from_hub, hub_bytes, is_ruled_out
from manole.models.weights.join import (
    check_space,
    join_from_wheels,
    joined_bytes,
    space_needed,
    wheel_bytes,
)

PACKAGE = Path(__file__).parents[2]  # manole


def bytes_to_fetch(file: WeightFile) -> int:
    """Return roughly how many bytes fetching `file` transfers; 0 if nobody published its size."""
    source = _likely(file)
    return wheel_bytes(file, source) if isinstance(source, WheelSource) else file.size


def source_in_words(spec: ModelSpec) -> str:
    """Return a model's sources, like `model hub, OWNER/REPOSITORY`; empty if there are none."""
    found = []
    for file in spec.files:
        source = _likely(file)
        if source is None:
            return ""
        if isinstance(source, PackageSource):
            found.append("comes with Manole")
        elif isinstance(source, HubSource):
            found.append(f"model hub, {source.repo}")
        else:
            count = len(source.parts)
            name = source.parts[0].project
            found.append(f"package index, {name}" + (f" and {count - 1} more" if count > 1 else ""))
    return "; ".join(dict.fromkeys(found))


def can_be_verified(spec: ModelSpec) -> bool:
    """Return whether every file has a source and a published hash to compare it with."""
    return all(file.sources and file.sha256 is not None for file in spec.files)


def fetch_file(
    cache_dir: Path,
    spec: ModelSpec,
    file: WeightFile,
    source: Source,
    work: Path,
    progress: OnProgress | None,
) -> tuple[Path, str]:
    """Fetch a file into the folder `work`; return its path and SHA-256. Raises `WeightsError`.

    An interrupted fetch leaves its part in `work`. `cache_dir` must have room for the file.
    """
    if isinstance(source, PackageSource):
        check_space(cache_dir, file.size, spec.name)
        copy = work / "copy"
        return copy, copy_file(spec, file, PACKAGE / source.path, copy, progress)
    if isinstance(source, HubSource):
        check_hub()  # before any progress is shown
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
    """Return the error for wrong bytes in `what`; `after` is a sentence on what was done."""
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
    advice = next((failure.hint for failure in failures if failure.hint), hint)
    return WeightsError(f"{spec.name}: {file.name} could not be fetched. {reasons}", advice)


def _likely(file: WeightFile) -> Source | None:
    """Return the source that a fetch will probably use."""
    for source in file.sources:
        if not (isinstance(source, HubSource) and is_ruled_out()):
            return source
    return file.sources[0] if file.sources else None
