"""Documents in a bucket, and their library."""

from __future__ import annotations

from pathlib import Path

from rays import RayCluster

from manole.library import Library
from manole.settings import Settings
from manole_cluster.address import Address
from manole_cluster.bucket import Bucket
from manole_cluster.library import library_of


def upload(folder: Path, bucket: Bucket) -> None:
    """Put every file of a folder into a bucket."""
    for path in folder.rglob("*"):
        if path.is_file():
            bucket.put(path.relative_to(folder).as_posix(), path.read_bytes())


def remote(documents: Address, settings: Settings, ray: RayCluster | None = None) -> Library:
    """The library of these documents, to be synced."""
    return library_of([str(documents)], None, settings, ray=ray.address if ray else None)
