"""Finds folders on file systems that do not report every change.

What another machine changes in a network folder, or a cloud service in its own, raises no event
here. Such folders are recognised by the type of their file system; they have to be scanned.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path

import psutil

_REMOTE = frozenset({
    "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "afs", "afpfs", "coda",
    "9p", "drvfs", "davfs", "davfs2", "webdav", "ceph", "glusterfs", "lustre", "beegfs", "gpfs",
    "orangefs", "ocfs2", "gfs2", "vboxsf", "vmhgfs", "prl_fs", "virtiofs", "osxfs", "grpcfuse",
    "sshfs", "rclone", "s3fs", "gcsfuse", "fuse", "macfuse", "osxfuse", "acfs", "shfs",
})  # fmt: skip
_LOCAL_FUSE = frozenset({"fuseblk", "fusectl", "fuse.lxcfs", "fuse.fuse-overlayfs"})

# File systems that show the system's own state: some of their files never end when they are read.
_SYSTEM = frozenset({
    "proc", "procfs", "sysfs", "devtmpfs", "devfs", "devpts", "cgroup", "cgroup2", "debugfs",
    "tracefs", "securityfs", "configfs", "pstore", "bpf", "mqueue", "binfmt_misc", "efivarfs",
})  # fmt: skip
_SYSTEM_PLACES = (Path("/proc"), Path("/sys"), Path("/dev"))
_MEMORY = Path("/dev", "shm")  # which holds ordinary files


def is_system(folder: Path, mounts: Iterable[tuple[str, str]] | None = None) -> bool:
    """Return whether a folder is `/`, or shows the state of the system instead of files."""
    real = Path(os.path.realpath(folder))
    placed = any(real.is_relative_to(place) for place in _SYSTEM_PLACES)
    if real == Path("/") or (placed and not real.is_relative_to(_MEMORY)):
        return True
    return _kind_at(real, _known(mounts)) in _SYSTEM


def is_remote(kind: str) -> bool:
    """Return whether a file system of this type changes without raising events here."""
    lowered = kind.lower()
    if lowered in _LOCAL_FUSE:
        return False
    return lowered in _REMOTE or lowered.startswith(("fuse.", "osxfuse", "macfuse"))


def remote_folders(root: Path, mounts: Iterable[tuple[str, str]] | None = None) -> dict[Path, str]:
    """Return the folders at or below `root` that have to be scanned, with their types.

    `root` itself stands for what it is mounted on. `mounts` are pairs of a mount point and a type;
    by default those of this machine.
    """
    real = Path(os.path.realpath(root))
    known = _known(mounts)
    found: dict[Path, str] = {}
    if is_remote(kind := _kind_at(real, known)):
        found[root] = kind
    for point, kind in known:
        if point != real and point.is_relative_to(real) and is_remote(kind):
            found[root / point.relative_to(real)] = kind
    return found


def _known(mounts: Iterable[tuple[str, str]] | None) -> list[tuple[Path, str]]:
    """Return these mounts, else those of this machine."""
    if mounts is None:
        try:
            mounts = [(part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)]
        except (OSError, psutil.Error):
            mounts = []
    return [(Path(point), kind) for point, kind in mounts]


def _kind_at(real: Path, known: Sequence[tuple[Path, str]]) -> str:
    """Return the type of the file system that a real path lies on; "" where no mount says it."""
    over = [(len(point.parts), kind) for point, kind in known if real.is_relative_to(point)]
    # Of several at one place the last one hides the others.
    return max(reversed(over), key=itemgetter(0), default=(0, ""))[1]
